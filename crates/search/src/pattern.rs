//! A regular expression as ripgrep compiles it, and what is said where it cannot be compiled.

use std::sync::{Arc, OnceLock};

use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_syntax::hir::{Hir, HirKind};

use crate::stepwise::Plan;

/// Memory that a compiled expression may take; ripgrep allows 100 MiB.
const MOST_COMPILED: usize = 8 << 20;
/// Memory for the states that one search builds as it goes, for each thread and direction; ripgrep allows 1,000 MiB. What
/// does not fit is forgotten and built again.
const MOST_STATES: usize = 2 << 20;
/// How deep groups may be nested, as ripgrep has it.
const MOST_NESTED: u32 = 250;

/// Steps that the matcher may take alone at the worst, where it follows every way through the pattern at every byte: some
/// 40 ns each, so a third of a second. How long it took before tells nothing of a text that is still to come.
const MOST_STEPS: usize = 8_000_000;
/// Pieces are not cut smaller for that.
const LEAST_PIECE: usize = 256;

/// Whether letters must agree in case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// They must.
    Sensitive,
    /// They need not: ripgrep's `-i`.
    Insensitive,
}

/// What a match may span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// One line.
    One,
    /// Several, and the dot matches a line end: ripgrep's `-U --multiline-dotall`.
    Several,
}

/// A compiled pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub(crate) matcher: RegexMatcher,
    pub(crate) lines: Lines,
    /// The most that is looked through without a look at whether to stop.
    pub(crate) piece: usize,
    source: Arc<Source>,
}

/// What it was compiled from, and what is compiled of it where a text is large.
#[derive(Debug)]
struct Source {
    expression: String,
    case: Case,
    ends: LineEnds,
    plan: OnceLock<Option<Plan>>,
}

/// A pattern that cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub struct PatternError {
    /// The reason, with the place marked where the expression itself is at fault.
    pub words: String,
    /// Whether it holds a line end, which needs [`Lines::Several`].
    pub spans_lines: bool,
}

impl Pattern {
    /// Compiles an expression.
    pub fn new(expression: &str, case: Case, lines: Lines) -> Result<Self, PatternError> {
        Self::build(expression, case, lines, LineEnds::Lf)
    }

    /// The same expression with line ends of CRLF taken for line ends, which ripgrep does only with `--crlf`: for the
    /// question whether that is why nothing was found.
    pub fn with_crlf(expression: &str, case: Case, lines: Lines) -> Result<Self, PatternError> {
        Self::build(expression, case, lines, LineEnds::Crlf)
    }

    fn build(
        expression: &str,
        case: Case,
        lines: Lines,
        ends: LineEnds,
    ) -> Result<Self, PatternError> {
        let mut builder = RegexMatcherBuilder::new();
        builder
            .multi_line(true)
            .unicode(true)
            .octal(false)
            .case_insensitive(case == Case::Insensitive)
            .nest_limit(MOST_NESTED)
            .size_limit(MOST_COMPILED)
            .dfa_size_limit(MOST_STATES)
            // A file with a NUL is no text, so no match may hold one.
            .ban_byte(Some(0));
        match lines {
            Lines::Several => {
                builder.dot_matches_new_line(true);
            }
            Lines::One => {
                builder.line_terminator(Some(b'\n'));
            }
        }
        if ends == LineEnds::Crlf {
            builder.crlf(true);
            if lines == Lines::Several {
                builder.line_terminator(None);
            }
        }
        match builder.build_many(&[expression]) {
            Ok(matcher) => {
                let mut pattern = Pattern {
                    matcher,
                    lines,
                    piece: usize::MAX,
                    source: Arc::new(Source {
                        expression: expression.to_owned(),
                        case,
                        ends,
                        plan: OnceLock::new(),
                    }),
                };
                let ways = pattern.hir().map_or(1, |hir| ways(&hir));
                pattern.piece = (MOST_STEPS / ways.max(1)).max(LEAST_PIECE);
                Ok(pattern)
            }
            Err(error) => {
                // The matcher's own error shows the expression as it wrapped it; this one marks the place in what was sent.
                let words = match regex_syntax::Parser::new().parse(expression) {
                    Err(error) => error.to_string(),
                    Ok(_) => error.to_string(),
                };
                let spans_lines = lines == Lines::One && words.contains(r#""\n""#);
                Err(PatternError { words, spans_lines })
            }
        }
    }

    /// Has a text looked through in pieces of at most so many bytes. By itself a piece is as large as can be looked
    /// through in a moment; what is found is the same.
    #[must_use]
    pub fn in_pieces_of(mut self, bytes: usize) -> Self {
        self.piece = bytes;
        self
    }

    /// The pattern for looking state by state; compiled when first asked for.
    pub(crate) fn plan(&self) -> Option<&Plan> {
        let plan = &self.source.plan;
        plan.get_or_init(|| Plan::new(self.hir()?, MOST_COMPILED))
            .as_ref()
    }

    /// The expression as `build` has it understood.
    fn hir(&self) -> Option<Hir> {
        let source = &*self.source;
        let mut parser = regex_syntax::ParserBuilder::new();
        parser
            .utf8(false)
            .multi_line(true)
            .unicode(true)
            .octal(false)
            .case_insensitive(source.case == Case::Insensitive)
            .nest_limit(MOST_NESTED)
            .dot_matches_new_line(self.lines == Lines::Several)
            .crlf(source.ends == LineEnds::Crlf);
        parser
            .build()
            .parse(&format!("(?:{})", source.expression))
            .ok()
    }

    /// Whether a match can in fact span lines.
    pub(crate) fn spans_lines(&self) -> bool {
        if self.lines == Lines::One {
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

/// How many ways through an expression can be followed at once: about as many as it has characters once its counted
/// repetitions are written out. A run of plain characters is one way.
fn ways(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 0,
        HirKind::Literal(_) | HirKind::Class(_) => 1,
        HirKind::Capture(capture) => ways(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts
            .iter()
            .fold(0, |sum, part| ways(part).saturating_add(sum)),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1);
            ways(&repetition.sub).saturating_mul(times as usize)
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineEnds {
    Lf,
    Crlf,
}
