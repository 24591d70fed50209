//! One notice: a fact that a call did not ask for, at the end of its answer.

/// A line for the end of an answer.
pub(crate) struct Notice<'c> {
    pub(super) line: String,
    /// The length that the answer itself had to leave free for this notice.
    pub(super) reserved: usize,
    /// Marks the notice as given. False where another answer has given it meanwhile, so that it must not be repeated.
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
