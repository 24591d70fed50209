//! Compiles a regular expression as ripgrep does, and explains why one cannot be compiled.

mod options;

use std::sync::{Arc, OnceLock};

use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_syntax::hir::{Hir, HirKind, Look};

use crate::stoppable::CompiledAutomata;

pub use options::{Boundary, Case, Dot, MatchSpan, PatternOptions, smart_case};

/// The memory limit of a compiled expression; ripgrep allows 100 MiB.
const MOST_COMPILED: usize = 8 << 20;
/// The cache of lazily built DFA states, for each thread and direction; ripgrep allows 1,000 MiB. A full cache is
/// cleared and filled again.
const MOST_STATES: usize = 2 << 20;
/// The deepest nesting of groups, as in ripgrep.
const MOST_NESTED: u32 = 250;

/// The most NFA steps that the matcher may take without a check of [`Stop`](crate::Stop), in the worst case that
/// every thread is live at every byte: about 40 ns each, so a third of a second. The speed measured so far does not
/// bound the text that is still to come.
const UNINTERRUPTED_STEPS: usize = 8_000_000;
/// The smallest piece that this bound leads to.
const LEAST_PIECE: usize = 256;

/// A compiled regular expression.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub(crate) matcher: RegexMatcher,
    pub(crate) span: MatchSpan,
    /// The most bytes that the matcher searches without a check of [`Stop`](crate::Stop).
    pub(crate) piece: usize,
    source: Arc<PatternSource>,
}

/// The source of the pattern, and the automata that large texts need, compiled on first use.
#[derive(Debug)]
struct PatternSource {
    expression: String,
    options: PatternOptions,
    ends: LineEnds,
    automata: OnceLock<Option<CompiledAutomata>>,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        let (one, other) = (&*self.source, &*other.source);
        one.expression == other.expression && one.options == other.options && one.ends == other.ends
    }
}

impl Eq for Pattern {}

/// A regular expression that cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub struct PatternError {
    /// The reason; a syntax error marks its position in the expression.
    pub words: String,
    /// Whether the expression contains a line end, which needs [`MatchSpan::MultiLine`].
    pub spans_lines: bool,
}

impl Pattern {
    /// Compiles an expression with LF as the line end.
    pub fn new(expression: &str, case: Case, span: MatchSpan) -> Result<Self, PatternError> {
        Self::with_options(expression, PatternOptions::new(case, span))
    }

    /// Compiles an expression with LF as the line end and all of ripgrep's options.
    pub fn with_options(expression: &str, options: PatternOptions) -> Result<Self, PatternError> {
        Self::build(expression, options, LineEnds::Lf)
    }

    /// Compiles an expression that also takes CRLF for a line end, as ripgrep does only with `--crlf`. It serves to
    /// find out whether CRLF is why a search found nothing.
    pub fn with_crlf(expression: &str, case: Case, span: MatchSpan) -> Result<Self, PatternError> {
        Self::build(expression, PatternOptions::new(case, span), LineEnds::Crlf)
    }

    fn build(
        expression: &str,
        options: PatternOptions,
        ends: LineEnds,
    ) -> Result<Self, PatternError> {
        let span = options.span;
        let mut builder = RegexMatcherBuilder::new();
        builder
            .multi_line(true)
            .unicode(true)
            .octal(false)
            .case_insensitive(options.case == Case::Insensitive)
            .word(options.boundary == Boundary::Word)
            .whole_line(options.boundary == Boundary::Line)
            .nest_limit(MOST_NESTED)
            .size_limit(MOST_COMPILED)
            .dfa_size_limit(MOST_STATES)
            // A file with a NUL is not text, so no match may contain one.
            .ban_byte(Some(0));
        match span {
            MatchSpan::MultiLine => {
                builder.dot_matches_new_line(options.dot == Dot::AnyCharacter);
            }
            MatchSpan::SingleLine => {
                builder.line_terminator(Some(b'\n'));
            }
        }
        if ends == LineEnds::Crlf {
            builder.crlf(true);
            if span == MatchSpan::MultiLine {
                builder.line_terminator(None);
            }
        }
        match builder.build_many(&[expression]) {
            Ok(matcher) => {
                let mut pattern = Pattern {
                    matcher,
                    span,
                    piece: usize::MAX,
                    source: Arc::new(PatternSource {
                        expression: expression.to_owned(),
                        options,
                        ends,
                        automata: OnceLock::new(),
                    }),
                };
                let live_threads = pattern.hir().map_or(1, |hir| live_threads(&hir));
                pattern.piece = (UNINTERRUPTED_STEPS / live_threads.max(1)).max(LEAST_PIECE);
                Ok(pattern)
            }
            Err(error) => {
                // The matcher's error shows the expression as it wrapped it; the parser's marks the position in the
                // original.
                let words = match regex_syntax::Parser::new().parse(expression) {
                    Err(error) => error.to_string(),
                    Ok(_) => error.to_string(),
                };
                let spans_lines = span == MatchSpan::SingleLine && words.contains(r#""\n""#);
                Err(PatternError { words, spans_lines })
            }
        }
    }

    /// Sets the most bytes that are searched between two checks of [`Stop`](crate::Stop). The default is what the
    /// matcher searches in a moment; the matches are the same for any size.
    #[must_use]
    pub fn in_pieces_of(mut self, bytes: usize) -> Self {
        self.piece = bytes;
        self
    }

    /// The automata for stoppable search of a large text; compiled on first use.
    pub(crate) fn automata(&self) -> Option<&CompiledAutomata> {
        let automata = &self.source.automata;
        automata
            .get_or_init(|| CompiledAutomata::new(self.hir()?, MOST_COMPILED))
            .as_ref()
    }

    /// The expression as it was written.
    pub fn expression(&self) -> &str {
        &self.source.expression
    }

    /// Parses the expression with the options that `build` uses.
    pub(crate) fn hir(&self) -> Option<Hir> {
        let source = &*self.source;
        let mut parser = regex_syntax::ParserBuilder::new();
        parser
            .utf8(false)
            .multi_line(true)
            .unicode(true)
            .octal(false)
            .case_insensitive(source.options.case == Case::Insensitive)
            .nest_limit(MOST_NESTED)
            .dot_matches_new_line(
                self.span == MatchSpan::MultiLine && source.options.dot == Dot::AnyCharacter,
            )
            .crlf(source.ends == LineEnds::Crlf);
        let hir = parser
            .build()
            .parse(&format!("(?:{})", source.expression))
            .ok()?;
        // As grep-regex does it for its own matcher.
        let (before, after) = match (source.options.boundary, source.ends) {
            (Boundary::None, _) => return Some(hir),
            (Boundary::Word, _) => (Look::WordStartHalfUnicode, Look::WordEndHalfUnicode),
            (Boundary::Line, LineEnds::Lf) => (Look::StartLF, Look::EndLF),
            (Boundary::Line, LineEnds::Crlf) => (Look::StartCRLF, Look::EndCRLF),
        };
        Some(Hir::concat(vec![Hir::look(before), hir, Hir::look(after)]))
    }

    /// Whether a match of this very expression can contain a line end.
    pub(crate) fn spans_lines(&self) -> bool {
        if self.span == MatchSpan::SingleLine {
            return false;
        }
        let end = LineTerminator::byte(b'\n');
        if self.matcher.line_terminator() == Some(end) {
            return false;
        }
        !self
            .matcher
            .non_matching_bytes()
            .is_some_and(|bytes| bytes.contains(b'\n'))
    }
}

/// An upper bound for the NFA threads that are live at once: about the number of characters once counted repetitions
/// are expanded. A run of literal characters counts as one.
fn live_threads(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 0,
        HirKind::Literal(_) | HirKind::Class(_) => 1,
        HirKind::Capture(capture) => live_threads(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts
            .iter()
            .fold(0, |sum, part| live_threads(part).saturating_add(sum)),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1);
            live_threads(&repetition.sub).saturating_mul(times as usize)
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineEnds {
    Lf,
    Crlf,
}
