//! Requests for plans and their results: edits of several files, each based on the exact text that was sent to the
//! server.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The maximum number of files that one plan of a server may touch.
pub const MOST_PLANNED_FILES: usize = 100;

/// A name that is to be replaced by another, at every reference to the same symbol.
#[derive(Debug, Clone)]
pub struct RenameRequest<'a> {
    /// The file, absolute.
    pub path: &'a Path,
    /// Its text, as for [`crate::LanguageServers::announce_read`].
    pub text: &'a Arc<str>,
    /// The range of the name in the text, in bytes.
    pub symbol: Range<usize>,
    /// The new name.
    pub new_name: &'a str,
}

/// The host's access to files while a server is queried.
pub trait FileTexts {
    /// Returns the text of a file as it is on the disk now, in the form of [`crate::LanguageServers::announce_read`];
    /// none if there is no such file.
    ///
    /// # Errors
    /// If the file may not be read or has no such text. The request ends with [`RefactorError::Withheld`].
    fn text(&mut self, path: &Path) -> Result<Option<Arc<str>>, TextNotAllowed>;

    /// Returns the files of the project that the plan may touch: those matching a pattern whose text contains the name
    /// that is about to change. The first [`MOST_PLANNED_FILES`] of them are sent to the server, which may not know
    /// them, or have an older text. Called at most once, and only if a server is queried.
    fn files_with_mentions(&mut self, patterns: &[String]) -> Vec<PathBuf>;

    /// Returns whether the caller no longer waits for the answer.
    fn is_stopped(&self) -> bool;
}

/// The host does not give out the text of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextNotAllowed;

/// The edits that a server proposes. It is a plan: nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedEdits {
    /// The name of the server's entry.
    pub server: String,
    /// The files, sorted by their paths.
    pub files: Vec<PlannedFile>,
}

/// The edits that a server proposes for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    /// The file, absolute.
    pub path: PathBuf,
    /// The text that the edits apply to: the server had it when it was queried, and the disk had it after the answer.
    pub text: Arc<str>,
    /// The edits in the order of the text. They do not overlap.
    pub spans: Vec<PlannedSpan>,
}

/// One edit of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedSpan {
    /// The range that is replaced, in bytes of the text.
    pub range: Range<usize>,
    /// The new text.
    pub new: String,
}

/// Why there is no plan. Names of servers are those of their entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefactorError {
    /// No server serves files of this kind.
    NoServer,
    /// These servers would serve it, but are not running.
    NotRunning(Vec<String>),
    /// These servers are running, but do not support this.
    NotOffered(Vec<String>),
    /// It is still starting, or analysing the project.
    NotReady(String),
    /// It finds nothing to rename at that place.
    Nothing(String),
    /// It would rename a different text from the one that was named.
    OtherText {
        /// The server.
        server: String,
        /// What it would rename.
        text: String,
    },
    /// It refused.
    Said {
        /// The server.
        server: String,
        /// Its own message, shortened.
        words: String,
    },
    /// Its plan has a step that is not an edit of text.
    Unsupported {
        /// The server.
        server: String,
        /// The step, such as "create /project/a.py".
        step: String,
    },
    /// Its plan cannot be applied exactly.
    Malformed {
        /// The server.
        server: String,
        /// What is wrong with it, as the end of a sentence.
        why: String,
    },
    /// Its plan touches more than [`MOST_PLANNED_FILES`] files.
    TooMany {
        /// The server.
        server: String,
        /// The number of files.
        files: usize,
    },
    /// Its plan, or the files, kept changing.
    Unsettled(String),
    /// It ended meanwhile.
    Ended(String),
    /// It did not answer in time.
    Slow(String),
    /// The caller no longer waits for the answer.
    Stopped,
    /// The host does not give out the text of this file, which the plan touches.
    Withheld(PathBuf),
    /// The file of the question has a different text on the disk now.
    Changed,
}
