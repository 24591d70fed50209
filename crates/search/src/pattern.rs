//! A regular expression as ripgrep compiles it, and what is said where it cannot be compiled.

use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

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
            Ok(matcher) => Ok(Pattern { matcher, lines }),
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineEnds {
    Lf,
    Crlf,
}
