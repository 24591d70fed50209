//! A server's answer to a request for a plan, if it is not a plan.

/// A server's refusal of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerRefusal {
    pub(crate) code: i64,
    pub(crate) words: String,
}

/// Whether an answer applies to the text that a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerValidity {
    /// The server already had this text when it was queried.
    Yes,
    /// It did not; the text has been sent now.
    ToldNow,
    /// It had the text, but says that its edits are for another version.
    OtherVersion,
}
