//! The output of formatters and hooks in one call, stored for its further attempts.

use std::path::PathBuf;

use crate::reason::Reason;

/// Whether the formatters from the settings run in a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Formatting {
    /// They run on the new text of every file.
    #[default]
    On,
    /// They do not run: the plan only determines whether a change fits, or is a part of another plan.
    Off,
}

/// A formatter's answer to one text.
pub(crate) struct FormattedText {
    pub(crate) formatter: String,
    pub(crate) path: PathBuf,
    pub(crate) text: blake3::Hash,
    pub(crate) answer: Result<String, String>,
}

/// The output of the hooks for a plan.
pub(crate) struct HookOutput {
    pub(crate) told: blake3::Hash,
    pub(crate) asks: Vec<Reason>,
}
