//! The numbers of files and folders of an index.

/// The number of a folder in the table; it is not used again after the folder is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FolderId(pub(super) u32);

/// The number of a file in the table; it is not used again after the file is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FileId(pub(super) u32);
