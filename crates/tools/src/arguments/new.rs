//! Constructors of the typed arguments from the required fields. The optional fields are set on the value.

use std::path::Path;

use super::{
    DeleteFileArguments, EditArguments, EditItem, GlobArguments, GrepArguments, MoveFileArguments,
    MultiEditArguments, ReadArguments, UndoArguments, WriteArguments,
};

/// Converts a path to a string as tool calls carry it. Tool calls are JSON, so a path that is not UTF-8 cannot be named
/// exactly.
fn path_text(path: impl AsRef<Path>) -> String {
    path.as_ref().to_string_lossy().into_owned()
}

impl ReadArguments {
    /// Reads a file from its first line.
    pub fn new(path: impl AsRef<Path>) -> Self {
        Self {
            file_path: path_text(path),
            ..Self::default()
        }
    }
}

impl EditArguments {
    /// Replaces one place of a file.
    pub fn new(path: impl AsRef<Path>, old: impl Into<String>, new: impl Into<String>) -> Self {
        Self {
            file_path: path_text(path),
            old_string: old.into(),
            new_string: new.into(),
            ..Self::default()
        }
    }
}

impl EditItem {
    /// Replaces one place of a file.
    pub fn new(path: impl AsRef<Path>, old: impl Into<String>, new: impl Into<String>) -> Self {
        Self {
            file_path: Some(path_text(path)),
            old_string: old.into(),
            new_string: new.into(),
            ..Self::default()
        }
    }
}

impl MultiEditArguments {
    /// Applies edits in order, all or none.
    pub fn new(edits: impl IntoIterator<Item = EditItem>) -> Self {
        Self {
            edits: edits.into_iter().collect(),
            ..Self::default()
        }
    }
}

impl WriteArguments {
    /// Writes a whole file; one that exists must have been read.
    pub fn new(path: impl AsRef<Path>, content: impl Into<String>) -> Self {
        Self {
            file_path: path_text(path),
            content: content.into(),
            ..Self::default()
        }
    }
}

impl MoveFileArguments {
    /// Moves a file to a free path.
    pub fn new(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Self {
        Self {
            from_path: path_text(from),
            to_path: path_text(to),
            ..Self::default()
        }
    }
}

impl DeleteFileArguments {
    /// Removes a file that was read whole.
    pub fn new(path: impl AsRef<Path>) -> Self {
        Self {
            file_path: path_text(path),
            ..Self::default()
        }
    }
}

impl UndoArguments {
    /// Undoes one operation of the session, named by its id, or by a suffix or prefix of it.
    pub fn operation(id: impl Into<String>) -> Self {
        Self {
            operation: Some(id.into()),
            ..Self::default()
        }
    }
}

impl GlobArguments {
    /// Lists files of all roots whose paths match a pattern.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self {
            pattern: pattern.into(),
            ..Self::default()
        }
    }

    /// Restricts the list to the files below a folder.
    #[must_use]
    pub fn below(mut self, folder: impl AsRef<Path>) -> Self {
        self.path = Some(path_text(folder));
        self
    }
}

impl GrepArguments {
    /// Searches the files of all roots for a regular expression.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self {
            pattern: pattern.into(),
            ..Self::default()
        }
    }

    /// Restricts the search to one file, or to the files below a folder.
    #[must_use]
    pub fn below(mut self, path: impl AsRef<Path>) -> Self {
        self.path = Some(path_text(path));
        self
    }
}
