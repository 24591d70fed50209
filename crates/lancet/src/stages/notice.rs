//! One notice: a fact at the end of an answer that the call did not request.

/// A line for the end of an answer.
pub(crate) struct Notice<'c> {
    pub(super) line: String,
    /// The length that the answer itself had to reserve for this notice.
    pub(super) reserved: usize,
    /// Marks the notice as given. Returns false where another answer has already given it, so that it must not be
    /// repeated.
    pub(super) claim: Box<dyn FnOnce() -> bool + 'c>,
}

impl<'c> Notice<'c> {
    /// Makes a notice; `claim` marks it as given.
    pub(crate) fn new(words: &str, claim: impl FnOnce() -> bool + 'c) -> Self {
        Self {
            line: format!("[lancet: {words}]"),
            reserved: 0,
            claim: Box::new(claim),
        }
    }
}

/// Whether a call changes files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Reads,
    Writes,
}
