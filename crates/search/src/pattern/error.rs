//! Why a regular expression cannot be compiled.

/// A regular expression that cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub struct PatternError {
    /// The reason; a syntax error marks its position in the expression.
    pub words: String,
    /// Whether the expression contains a line end, which needs [`MatchSpan::MultiLine`](crate::MatchSpan::MultiLine).
    pub spans_lines: bool,
}
