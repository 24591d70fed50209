//! Why a person is asked before a file is written.

use std::path::PathBuf;

use crate::wording::QuotedPath;

/// Why the write of one file is asked about.
#[derive(Clone, Debug)]
pub(crate) struct Reason {
    /// The reason in words for the person.
    pub(crate) words: String,
    /// The reason in words for the model: without a name that it has not given and may not learn.
    pub(crate) told: String,
    /// The file has a protected or secret name: only a person's own answer counts.
    pub(crate) protected: bool,
    /// Equal for questions that one answer for the session covers.
    pub(crate) key: String,
    /// The rule that asks.
    pub(crate) rule: Option<String>,
}

/// A file that nothing may be told of before a person's yes.
#[derive(Clone, Debug)]
pub(crate) struct Withheld {
    pub(crate) path: PathBuf,
    pub(crate) relative: PathBuf,
    /// The path as answers give it.
    pub(crate) told: QuotedPath,
    pub(crate) reason: Reason,
}
