//! What a server is asked to plan, and what comes of it: edits of several files, each against the very text that the server
//! was told.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most files that one plan of a server may touch.
pub const MOST_PLANNED_FILES: usize = 100;

/// A name that is to be replaced by another, wherever it means the same.
#[derive(Debug, Clone)]
pub struct RenameQuestion<'a> {
    /// The file, absolute.
    pub path: &'a Path,
    /// Its text, as for [`crate::Language::read`].
    pub text: &'a Arc<str>,
    /// Where the name stands in the text, in bytes.
    pub symbol: Range<usize>,
    /// The other name.
    pub new_name: &'a str,
}

/// What the host knows of files while a server is asked.
pub trait FileTexts {
    /// The text of a file as it is on the disk now, in the form of [`crate::Language::read`]; none where there is no such file.
    ///
    /// # Errors
    /// Where the file may not be looked at or has no such text. The question ends with [`RefactorError::Withheld`].
    fn text(&mut self, path: &Path) -> Result<Option<Arc<str>>, TextWithheld>;

    /// The files of the project that the plan may touch: those with such a name whose text has the name that is about to change.
    /// The first [`MOST_PLANNED_FILES`] of them are told to the server, which may not know them, or know an older text. Asked for at
    /// most once, and only where a server is asked.
    fn mentions(&mut self, patterns: &[String]) -> Vec<PathBuf>;

    /// Whether nobody waits for the answer any more.
    fn is_stopped(&self) -> bool;
}

/// The host gives no text of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextWithheld;

/// What a server would change. It is a plan: nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedEdits {
    /// The name of the server's entry.
    pub server: String,
    /// The files, sorted by their paths.
    pub files: Vec<PlannedFile>,
}

/// What a server would change in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    /// The file, absolute.
    pub path: PathBuf,
    /// The text that the edits are of: the server knew it when it was asked, and the disk had it when it had answered.
    pub text: Arc<str>,
    /// The edits in the order of the text. They do not overlap.
    pub spans: Vec<PlannedSpan>,
}

/// One edit of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedSpan {
    /// What is replaced, in bytes of the text.
    pub range: Range<usize>,
    /// The new text.
    pub new: String,
}

/// Why there is no plan. Names of servers are those of their entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefactorError {
    /// No server serves files of this kind.
    NoServer,
    /// These servers would, and do not run.
    NotRunning(Vec<String>),
    /// These servers run, and offer no such thing.
    NotOffered(Vec<String>),
    /// It is still being started, or at work on the project.
    NotReady(String),
    /// It sees nothing that could be renamed at that place.
    Nothing(String),
    /// It would rename another text than the one that was named.
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
        /// Its own words, shortened.
        words: String,
    },
    /// Its plan has a step that is no edit of text.
    Unsupported {
        /// The server.
        server: String,
        /// The step, such as "create /project/a.py".
        step: String,
    },
    /// Its plan cannot be carried out exactly.
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
    /// Nobody waits for the answer any more.
    Stopped,
    /// The host gives no text of this file, which the plan touches.
    Withheld(PathBuf),
    /// The file of the question has another text on the disk now.
    Changed,
}
