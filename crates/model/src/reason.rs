//! The reasons why a person is asked before a file is written.

use std::path::{Path, PathBuf};

use crate::wording::{QuotedPath, quote_path};

/// The reason why the write of one file needs a person's consent.
#[derive(Clone, Debug)]
pub struct Reason {
    /// The file's name that requires the question; for a move the old or the new one.
    pub path: PathBuf,
    /// The reason as text for the person.
    pub words: String,
    /// The reason as text for the model: without names that the model did not give and may not learn.
    pub told: String,
    /// Whether the file has a protected or secret name, so that only a person's own answer counts.
    pub protected: bool,
    /// The key of a grant: one answer for the session covers all questions with the same key.
    pub key: String,
    /// The rule that requires the question.
    pub rule: Option<String>,
}

/// The beginning of a grant's key if a person has unsaved changes in the file.
const UNSAVED_KEY_PREFIX: &str = "unsaved in ";

/// The beginning of the text of a hook's reason, and of its grant's key.
const HOOK_PREFIX: &str = "the hook `";

impl Reason {
    /// Makes the reason for a file that a person has unsaved changes in, in the editor of this name.
    pub fn for_unsaved_changes(path: &Path, told: &QuotedPath, editor: &str) -> Self {
        Self {
            path: path.to_path_buf(),
            words: format!("{} is {UNSAVED_KEY_PREFIX}{editor}", quote_path(path)),
            told: format!("{told} is {UNSAVED_KEY_PREFIX}{editor}"),
            protected: false,
            key: format!("{UNSAVED_KEY_PREFIX}{editor}"),
            rule: None,
        }
    }

    /// Makes the reason for a file that a hook requires a question for. The text begins with the hook's name.
    pub fn for_hook(path: &Path, words: String) -> Self {
        let command = words.split('`').nth(1).unwrap_or_default();
        Self {
            path: path.to_path_buf(),
            key: format!("{HOOK_PREFIX}{command}`"),
            told: words.clone(),
            words,
            protected: false,
            rule: None,
        }
    }

    /// Restores the reason from the text that a question recorded, if a hook gave it.
    pub fn from_hook_words(path: &Path, words: String) -> Option<Self> {
        words
            .starts_with(HOOK_PREFIX)
            .then(|| Self::for_hook(path, words))
    }

    /// Returns whether a hook requires the question. No rule and no mode answers it.
    pub fn is_hook(&self) -> bool {
        self.key.starts_with(HOOK_PREFIX)
    }

    /// Returns whether the question is required because of unsaved changes in an editor. No rule and no mode but
    /// `bypass` answers it.
    pub fn is_unsaved(&self) -> bool {
        self.key.starts_with(UNSAVED_KEY_PREFIX)
    }
}

/// A file of which answers reveal only the path until a person has consented.
#[derive(Clone, Debug)]
pub struct Withheld {
    /// The file.
    pub path: PathBuf,
    /// The file relative to its root.
    pub relative: PathBuf,
    /// The path as answers show it.
    pub told: QuotedPath,
    /// The reason why a person is asked.
    pub reason: Reason,
}
