//! The source of a pattern, and the matchers compiled from it, which its searches share.

use std::sync::OnceLock;

use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::ascii::{ascii_expression, is_ascii_only};
use super::error::PatternError;
use super::options::{CaseMatching, DotMatching, MatchBoundary, MatchSpan, PatternOptions};
use super::size::{compiled_bound, may_be_refused_for};

/// The memory limit of a compiled expression; ripgrep allows 100 MiB.
pub(super) const MAX_COMPILED_BYTES: usize = 8 << 20;
/// The cache of lazily built DFA states, for each thread and direction; ripgrep allows 1,000 MiB. A full cache is
/// cleared and filled again.
const MAX_DFA_CACHE_BYTES: usize = 2 << 20;
/// The deepest nesting of groups, as in ripgrep.
const MAX_NESTING: u32 = 250;
/// The same for an expression that is rewritten: it has more groups and otherwise the same depth.
pub(super) const MAX_NESTING_OF_REWRITTEN: u32 = 4 * MAX_NESTING;

/// The bytes that end a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineEnds {
    Lf,
    Crlf,
}

/// An expression with everything that is compiled from it.
#[derive(Debug)]
pub(super) struct PatternSource {
    expression: String,
    options: PatternOptions,
    ends: LineEnds,
    hir: Option<Hir>,
    differs_for_ascii: bool,
    /// An upper bound for the size of what the expression is compiled to.
    bound: usize,
    any: OnceLock<Option<RegexMatcher>>,
    ascii: OnceLock<Option<RegexMatcher>>,
}

impl PatternSource {
    /// Parses an expression, and compiles it unless it is certain that this will succeed.
    pub(super) fn new(
        expression: &str,
        options: PatternOptions,
        ends: LineEnds,
    ) -> Result<Self, PatternError> {
        let hir = parse(expression, options, ends);
        let bound = hir.as_ref().map_or(usize::MAX, compiled_bound);
        let is_certain = bound <= MAX_COMPILED_BYTES
            && hir
                .as_ref()
                .is_some_and(|hir| !may_be_refused_for(hir, refused_bytes(options, ends)));
        let any = OnceLock::new();
        if !is_certain {
            let matcher = matcher_builder(options, ends).build_many(&[expression]);
            let matcher = matcher.map_err(|error| explain_error(expression, options, &error))?;
            let _ = any.set(Some(matcher));
        }
        Ok(PatternSource {
            expression: expression.to_owned(),
            options,
            ends,
            differs_for_ascii: hir.as_ref().is_some_and(|hir| !is_ascii_only(hir)),
            hir,
            bound,
            any,
            ascii: OnceLock::new(),
        })
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.is_made_from(&other.expression, other.options, other.ends)
    }

    /// Returns whether it was made from these arguments.
    pub(super) fn is_made_from(
        &self,
        expression: &str,
        options: PatternOptions,
        ends: LineEnds,
    ) -> bool {
        self.expression == expression && self.options == options && self.ends == ends
    }

    pub(super) fn options(&self) -> PatternOptions {
        self.options
    }

    pub(super) fn expression(&self) -> &str {
        &self.expression
    }

    pub(super) fn hir(&self) -> Option<&Hir> {
        self.hir.as_ref()
    }

    /// Returns the memory that it may take with all that is compiled from it: two directions, for the matcher and for
    /// the automata.
    pub(super) fn size(&self) -> usize {
        self.bound
            .saturating_mul(4)
            .saturating_add(self.expression.len())
    }

    pub(super) fn differs_for_ascii(&self) -> bool {
        self.differs_for_ascii
    }

    /// Returns the matcher for any text.
    pub(super) fn any_matcher(&self) -> Option<&RegexMatcher> {
        let compile = || matcher_builder(self.options, self.ends).build_many(&[&self.expression]);
        self.any.get_or_init(|| compile().ok()).as_ref()
    }

    /// Returns the matcher for ASCII texts, if there is one that the searcher treats in the same manner.
    pub(super) fn ascii_matcher(&self) -> Option<&RegexMatcher> {
        let compile = || {
            let left_out = match self.options.span {
                MatchSpan::SingleLine => line_end_bytes(self.ends),
                MatchSpan::MultiLine => &[],
            };
            let expression = ascii_expression(self.hir()?, left_out)?;
            // Case and boundaries are already part of the expression.
            let matcher = matcher_builder(self.options, self.ends)
                .unicode(false)
                .case_insensitive(false)
                .word(false)
                .whole_line(false)
                .nest_limit(MAX_NESTING_OF_REWRITTEN)
                .build_many(&[expression])
                .ok()?;
            let spans_lines = self.options.span == MatchSpan::MultiLine
                && !matcher.non_matching_bytes()?.contains(b'\n');
            (spans_lines == self.spans_lines()).then_some(matcher)
        };
        self.ascii.get_or_init(compile).as_ref()
    }

    pub(super) fn line_end(&self) -> LineTerminator {
        match (self.options.span, self.ends) {
            (MatchSpan::SingleLine, LineEnds::Crlf) => LineTerminator::crlf(),
            _ => LineTerminator::byte(b'\n'),
        }
    }

    /// Returns whether a match can contain a line end, by ripgrep's rule, which also counts a pattern with an anchor.
    pub(super) fn spans_lines(&self) -> bool {
        self.options.span == MatchSpan::MultiLine && self.hir().is_none_or(has_line_end)
    }
}

/// Returns the bytes that no match may contain: a file with a NUL is not text.
fn refused_bytes(options: PatternOptions, ends: LineEnds) -> &'static [u8] {
    match (options.span, ends) {
        (MatchSpan::MultiLine, _) => b"\0",
        (MatchSpan::SingleLine, LineEnds::Lf) => b"\0\n",
        (MatchSpan::SingleLine, LineEnds::Crlf) => b"\0\r\n",
    }
}

fn line_end_bytes(ends: LineEnds) -> &'static [u8] {
    match ends {
        LineEnds::Lf => b"\n",
        LineEnds::Crlf => b"\r\n",
    }
}

pub(super) fn matcher_builder(options: PatternOptions, ends: LineEnds) -> RegexMatcherBuilder {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(true)
        .octal(false)
        .case_insensitive(options.case == CaseMatching::Insensitive)
        .word(options.boundary == MatchBoundary::Word)
        .whole_line(options.boundary == MatchBoundary::Line)
        .nest_limit(MAX_NESTING)
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(MAX_DFA_CACHE_BYTES)
        // A file with a NUL is not text, so no match may contain one.
        .ban_byte(Some(0));
    match options.span {
        MatchSpan::MultiLine => {
            builder.dot_matches_new_line(options.dot == DotMatching::AnyCharacter);
        }
        MatchSpan::SingleLine => {
            builder.line_terminator(Some(b'\n'));
        }
    }
    if ends == LineEnds::Crlf {
        builder.crlf(true);
        if options.span == MatchSpan::MultiLine {
            builder.line_terminator(None);
        }
    }
    builder
}

/// Explains the error. The matcher's error shows the expression as it wrapped it; the parser's marks the position in
/// the original.
pub(super) fn explain_error(
    expression: &str,
    options: PatternOptions,
    error: &grep_regex::Error,
) -> PatternError {
    let words = match regex_syntax::Parser::new().parse(expression) {
        Err(error) => error.to_string(),
        Ok(_) => error.to_string(),
    };
    let spans_lines = options.span == MatchSpan::SingleLine && words.contains(r#""\n""#);
    PatternError { words, spans_lines }
}

/// Parses an expression with the options of [`builder`].
fn parse(expression: &str, options: PatternOptions, ends: LineEnds) -> Option<Hir> {
    let mut parser = regex_syntax::ParserBuilder::new();
    parser
        .utf8(false)
        .multi_line(true)
        .unicode(true)
        .octal(false)
        .case_insensitive(options.case == CaseMatching::Insensitive)
        .nest_limit(MAX_NESTING)
        .dot_matches_new_line(
            options.span == MatchSpan::MultiLine && options.dot == DotMatching::AnyCharacter,
        )
        .crlf(ends == LineEnds::Crlf);
    let hir = parser.build().parse(&format!("(?:{expression})")).ok()?;
    // grep-regex does the same for its own matcher.
    let (before, after) = match (options.boundary, ends) {
        (MatchBoundary::None, _) => return Some(hir),
        (MatchBoundary::Word, _) => (Look::WordStartHalfUnicode, Look::WordEndHalfUnicode),
        (MatchBoundary::Line, LineEnds::Lf) => (Look::StartLF, Look::EndLF),
        (MatchBoundary::Line, LineEnds::Crlf) => (Look::StartCRLF, Look::EndCRLF),
    };
    Some(Hir::concat(vec![Hir::look(before), hir, Hir::look(after)]))
}

/// Returns whether a match can contain a line end or look at one, as grep-regex judges it for a compiled expression.
fn has_line_end(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty => false,
        HirKind::Look(look) => matches!(
            look,
            Look::Start | Look::End | Look::StartLF | Look::EndLF | Look::StartCRLF | Look::EndCRLF
        ),
        HirKind::Literal(literal) => literal.0.contains(&b'\n'),
        HirKind::Class(Class::Unicode(class)) => class
            .iter()
            .any(|range| (range.start()..=range.end()).contains(&'\n')),
        HirKind::Class(Class::Bytes(class)) => class
            .iter()
            .any(|range| (range.start()..=range.end()).contains(&b'\n')),
        HirKind::Repetition(repetition) => has_line_end(&repetition.sub),
        HirKind::Capture(capture) => has_line_end(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(has_line_end),
    }
}
