//! What a server's answer to a question for a plan can be, besides a plan.

/// A server's no to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerRefusal {
    pub(crate) code: i64,
    pub(crate) words: String,
}

/// Whether an answer is of the text that a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    /// The server had been told of this very text when it was asked.
    Yes,
    /// It had not; it was told now.
    ToldNow,
    /// It had, and says that its edits are of another version.
    OtherVersion,
}
