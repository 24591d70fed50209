//! The contents of files that a search had in memory. A page of its result shows lines of them without reading the disk
//! again.

use std::fmt;
use std::path::Path;

use lancet_workspace::Stamp;

/// Contents of files as they were when a search began, or later. A walk has none, since it reads one file after
/// another.
pub trait HeldContents: fmt::Debug + Send + Sync {
    /// Returns the content of a file of the result, by its absolute path; `None` if it is not, or no longer, in memory.
    /// The file is then read from the disk. Drop the content before another search of the same thread begins: a tree
    /// takes in no change while one of its contents is in use.
    fn content_in_memory(&self, path: &Path) -> Option<FileInMemory<'_>>;
}

/// The whole content of a file.
pub struct FileInMemory<'h> {
    /// The raw bytes: a slice, or a guard that keeps them in memory.
    pub bytes: Box<dyn AsRef<[u8]> + 'h>,
    /// The stamp of the file, the same before and after these bytes were read.
    pub stamp: Stamp,
}

impl fmt::Debug for FileInMemory<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes: &[u8] = (*self.bytes).as_ref();
        let mut shown = formatter.debug_struct("HeldFile");
        shown
            .field("bytes", &bytes.len())
            .field("stamp", &self.stamp);
        shown.finish()
    }
}
