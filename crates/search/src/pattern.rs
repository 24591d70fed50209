//! Compiles a regular expression as ripgrep does, and explains why one cannot be compiled.
//!
//! Parts that cannot fail are compiled on first use: a search that meets only ASCII texts needs no matcher for all
//! texts. `fn \w+_test` takes 25 µs to parse, 4.3 ms to compile for all texts, 0.1 ms for ASCII, and 0.5 µs out of the
//! cache; `let \w+ = \w+::\w+\(.*\);` 73 µs, 2.9 ms, 0.36 ms and 0.8 µs.

mod ascii;
mod cache;
mod either_end;
mod error;
#[cfg(test)]
pub(crate) mod generated;
mod options;
mod size;
mod source;

use std::sync::{Arc, OnceLock};

use grep_matcher::LineTerminator;
use grep_regex::RegexMatcher;
use regex_syntax::hir::{Hir, HirKind, Look, LookSet};

use crate::index::LiteralQuery;
use crate::stoppable::CompiledAutomata;
use either_end::CrlfForm;
use source::{LineEnds, MAX_COMPILED_BYTES, PatternSource};

pub(crate) use ascii::TextAlphabet;
pub use cache::PatternCache;
pub use error::PatternError;
pub use options::{
    CaseMatching, DotMatching, MatchBoundary, MatchSpan, PatternOptions, smart_case,
};

/// The most NFA steps that the matcher may take without a check of [`Stop`](crate::Stop), in the worst case that
/// every thread is live at every byte: about 40 ns each, so a third of a second. The speed measured so far does not
/// bound the text that is still to come.
const MAX_UNCHECKED_STEPS: usize = 8_000_000;
/// The smallest piece that this bound leads to.
const MIN_PIECE: usize = 256;

/// A regular expression.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub(crate) span: MatchSpan,
    /// The most bytes that the matcher searches without a check of [`Stop`](crate::Stop).
    pub(crate) piece: usize,
    source: Arc<PatternSource>,
    /// The automata that large texts need, compiled on first use.
    automata: Arc<OnceLock<Option<CompiledAutomata>>>,
    /// The literals that a text must contain to have a match, derived on first use.
    query: Arc<OnceLock<LiteralQuery>>,
    /// The matchers of this search: clones of those of the source, each with a separate state.
    matchers: Arc<Matchers>,
    /// The form for texts with CRLF; `None` if only LF ends a line.
    crlf: Option<Arc<CrlfForm>>,
}

/// The matchers of a pattern, each made on first use.
#[derive(Debug, Default)]
struct Matchers {
    any: OnceLock<Option<RegexMatcher>>,
    ascii: OnceLock<Option<RegexMatcher>>,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source.is_same(&other.source) && self.crlf.is_some() == other.crlf.is_some()
    }
}

impl Eq for Pattern {}

impl Pattern {
    /// Compiles an expression with LF as the line end.
    pub fn new(
        expression: &str,
        case: CaseMatching,
        span: MatchSpan,
    ) -> Result<Self, PatternError> {
        Self::with_options(expression, PatternOptions::new(case, span))
    }

    /// Compiles an expression with LF as the line end and all of ripgrep's options.
    pub fn with_options(expression: &str, options: PatternOptions) -> Result<Self, PatternError> {
        Self::build_pattern(expression, options, LineEnds::Lf)
    }

    /// Compiles an expression that also accepts CRLF as a line end, as ripgrep does only with `--crlf`. Callers use it
    /// to find out whether CRLF is why a search found nothing.
    pub fn with_crlf(
        expression: &str,
        case: CaseMatching,
        span: MatchSpan,
    ) -> Result<Self, PatternError> {
        Self::build_pattern(expression, PatternOptions::new(case, span), LineEnds::Crlf)
    }

    /// Compiles an expression for which CRLF ends a line in the texts that have it, and LF in all others. ripgrep does
    /// so with `--crlf`, apart from a CR that is not before an LF.
    pub fn with_either_line_end(
        expression: &str,
        options: PatternOptions,
    ) -> Result<Self, PatternError> {
        let mut pattern = Self::build_pattern(expression, options, LineEnds::Lf)?;
        pattern.crlf = CrlfForm::new(expression, options, &pattern)?.map(Arc::new);
        Ok(pattern)
    }

    fn build_pattern(
        expression: &str,
        options: PatternOptions,
        ends: LineEnds,
    ) -> Result<Self, PatternError> {
        let source = PatternSource::new(expression, options, ends)?;
        let live_threads = source.hir().map_or(1, max_live_threads);
        Ok(Pattern {
            span: options.span,
            piece: (MAX_UNCHECKED_STEPS / live_threads.max(1)).max(MIN_PIECE),
            source: Arc::new(source),
            automata: Arc::default(),
            query: Arc::default(),
            matchers: Arc::default(),
            crlf: None,
        })
    }

    /// Returns the same pattern for another search. What one search builds while it runs, up to 4 MiB for each thread,
    /// is dropped with its pattern.
    fn clone_for_new_search(&self) -> Self {
        Pattern {
            span: self.span,
            piece: self.piece,
            source: self.source.clone(),
            automata: self.automata.clone(),
            query: self.query.clone(),
            matchers: Arc::default(),
            crlf: self.crlf.clone(),
        }
    }

    /// Sets the most bytes that are searched between two checks of [`Stop`](crate::Stop). The default is what the
    /// matcher searches in a moment; the matches are the same for any size.
    #[must_use]
    pub fn with_max_piece(mut self, bytes: usize) -> Self {
        self.piece = bytes;
        self
    }

    /// Returns the matcher, compiled on first use. It is `None` only if an expression could not be compiled although it
    /// was known to be within the limits.
    pub(crate) fn matcher(&self) -> Option<&RegexMatcher> {
        let own = &self.matchers.any;
        own.get_or_init(|| self.source.any_matcher().cloned())
            .as_ref()
    }

    /// Returns the matcher for texts of this kind. It finds the same matches as [`matcher`](Self::matcher).
    pub(crate) fn matcher_for(&self, text: TextAlphabet) -> Option<&RegexMatcher> {
        if text == TextAlphabet::Any || !self.differs_for_ascii() {
            return self.matcher();
        }
        let own = &self.matchers.ascii;
        let ascii = own
            .get_or_init(|| self.source.ascii_matcher().cloned())
            .as_ref();
        ascii.or_else(|| self.matcher())
    }

    /// Returns whether texts with CRLF are searched in another manner than those without.
    pub(crate) fn differs_for_crlf(&self) -> bool {
        self.crlf.is_some()
    }

    /// Returns the pattern for texts with CRLF, if matches can span lines.
    pub(crate) fn form_for_crlf_texts(&self) -> Option<&Pattern> {
        match self.crlf.as_deref() {
            Some(CrlfForm::Text(form)) => Some(form),
            _ => None,
        }
    }

    /// Returns the matcher that finds the lines of a text with CRLF in which the pattern may match; `None` if each line
    /// has to be tried.
    pub(crate) fn candidate_matcher(&self, text: TextAlphabet) -> Option<&RegexMatcher> {
        match self.crlf.as_deref() {
            Some(CrlfForm::Lines(candidates)) => candidates.matcher(self, text),
            _ => None,
        }
    }

    /// Returns whether ASCII texts have a separate matcher.
    pub(crate) fn differs_for_ascii(&self) -> bool {
        self.source.differs_for_ascii()
    }

    /// Returns the automata for stoppable search of a large text; compiled on first use.
    pub(crate) fn automata(&self) -> Option<&CompiledAutomata> {
        let compile = || CompiledAutomata::new(self.hir()?.clone(), MAX_COMPILED_BYTES);
        self.automata.get_or_init(compile).as_ref()
    }

    /// Returns the literals that a text must contain to have a match. A Grep that finds nothing needs them four times:
    /// 66,000 of its 550,000 instructions.
    pub(crate) fn literal_query(&self) -> &LiteralQuery {
        self.query.get_or_init(|| LiteralQuery::from_pattern(self))
    }

    /// Returns the expression as it was written.
    pub fn expression(&self) -> &str {
        self.source.expression()
    }

    /// Returns the parsed expression.
    pub(crate) fn hir(&self) -> Option<&Hir> {
        self.source.hir()
    }

    /// Returns the end of a line for the searcher, which rejects a matcher with a different one.
    pub(crate) fn line_end(&self) -> LineTerminator {
        self.source.line_end()
    }

    /// Returns whether a match of this very expression can contain a line end.
    pub(crate) fn spans_lines(&self) -> bool {
        self.source.spans_lines()
    }

    /// Returns whether each line matches or not regardless of what is before and after it: no match has a line end in
    /// it, and none is bound to the beginning or the end of the text.
    pub(crate) fn matches_lines_independently(&self) -> bool {
        let text_ends = LookSet::empty().insert(Look::Start).insert(Look::End);
        let looks = self.hir().map(|hir| hir.properties().look_set());
        self.span == MatchSpan::SingleLine
            && !self.spans_lines()
            && looks.is_some_and(|looks| looks.intersect(text_ends).is_empty())
    }
}

/// Returns an upper bound for the NFA threads that are live at once: about the number of characters once counted
/// repetitions are expanded. A run of literal characters counts as one.
fn max_live_threads(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 0,
        HirKind::Literal(_) | HirKind::Class(_) => 1,
        HirKind::Capture(capture) => max_live_threads(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts
            .iter()
            .fold(0, |sum, part| max_live_threads(part).saturating_add(sum)),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1);
            max_live_threads(&repetition.sub).saturating_mul(times as usize)
        }
    }
}

#[cfg(test)]
mod tests;
