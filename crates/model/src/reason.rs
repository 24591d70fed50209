//! Why a person is asked before a file is written.

use std::path::{Path, PathBuf};

use crate::wording::{QuotedPath, quote_path};

/// Why the write of one file is asked about.
#[derive(Clone, Debug)]
pub struct Reason {
    /// The file's name that requires the question: of a move the old or the new one.
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

/// What the key of a grant begins with where a person has unsaved changes in the file.
const UNSAVED: &str = "unsaved in ";

/// What the words of a hook's reason, and the key of its grant, begin with.
const HOOK: &str = "the hook `";

impl Reason {
    /// The reason where a person has unsaved changes in a file, in the editor of this name.
    pub fn unsaved(path: &Path, told: &QuotedPath, editor: &str) -> Self {
        Self {
            path: path.to_path_buf(),
            words: format!("{} is {UNSAVED}{editor}", quote_path(path)),
            told: format!("{told} is {UNSAVED}{editor}"),
            protected: false,
            key: format!("{UNSAVED}{editor}"),
            rule: None,
        }
    }

    /// The reason where a hook has a person asked, in words that begin with the hook's name.
    pub fn hook(path: &Path, words: String) -> Self {
        let command = words.split('`').nth(1).unwrap_or_default();
        Self {
            path: path.to_path_buf(),
            key: format!("{HOOK}{command}`"),
            told: words.clone(),
            words,
            protected: false,
            rule: None,
        }
    }

    /// The reason in words that a question has kept, where a hook gave it.
    pub fn of_hook_words(path: &Path, words: String) -> Option<Self> {
        words.starts_with(HOOK).then(|| Self::hook(path, words))
    }

    /// Whether a hook has a person asked. No rule and no mode answers that.
    pub fn is_hook(&self) -> bool {
        self.key.starts_with(HOOK)
    }

    /// Whether the question is asked because of unsaved changes in an editor. No rule and no mode but `bypass` answers it.
    pub fn is_unsaved(&self) -> bool {
        self.key.starts_with(UNSAVED)
    }
}

/// A file about which answers give nothing but its path before a person's yes.
#[derive(Clone, Debug)]
pub struct Withheld {
    /// The file.
    pub path: PathBuf,
    /// The file relative to its root.
    pub relative: PathBuf,
    /// The path as answers give it.
    pub told: QuotedPath,
    /// Why a person is asked.
    pub reason: Reason,
}
