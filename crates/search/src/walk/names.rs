//! Packed storage for the names of a folder: one buffer for a folder of a million files.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use lancet_workspace::EntryKind;

/// Names of entries, each with its kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct EntryNames {
    text: Vec<u8>,
    /// The end of each name in `text`.
    ends: Vec<(usize, EntryKind)>,
}

impl EntryNames {
    /// Returns an empty list with capacity for a typical folder.
    pub(crate) fn with_default_capacity() -> Self {
        EntryNames {
            text: Vec::with_capacity(1024),
            ends: Vec::with_capacity(64),
        }
    }

    pub(crate) fn push(&mut self, name: &OsStr, kind: EntryKind) {
        self.text.extend_from_slice(name.as_bytes());
        self.ends.push((self.text.len(), kind));
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the last name.
    pub(crate) fn last(&self) -> Option<&OsStr> {
        let last = self.len().checked_sub(1)?;
        self.get(last).map(|(name, _)| name)
    }

    /// Removes the last name.
    pub(crate) fn drop_last(&mut self) {
        self.ends.pop();
        self.text
            .truncate(self.ends.last().map_or(0, |(end, _)| *end));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&OsStr, EntryKind)> {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    /// Splits the list into parts of at most `most` names.
    pub(crate) fn split_into_parts(&self, most: usize) -> impl Iterator<Item = EntryNames> {
        (0..self.len()).step_by(most).map(move |first| {
            let mut part = EntryNames::default();
            for (name, kind) in (first..self.len().min(first + most)).filter_map(|at| self.get(at))
            {
                part.push(name, kind);
            }
            part
        })
    }

    fn get(&self, at: usize) -> Option<(&OsStr, EntryKind)> {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before].0);
        let (end, kind) = *self.ends.get(at)?;
        Some((OsStr::from_bytes(&self.text[start..end]), kind))
    }
}

/// Builds the paths of a folder's entries one after the other in one buffer.
pub(crate) struct EntryPath {
    path: Vec<u8>,
    folder: usize,
}

impl EntryPath {
    pub(crate) fn new(folder: &Path) -> Self {
        let mut path = folder.as_os_str().as_bytes().to_vec();
        if path.last() != Some(&b'/') {
            path.push(b'/');
        }
        EntryPath {
            folder: path.len(),
            path,
        }
    }

    pub(crate) fn join_name(&mut self, name: &OsStr) -> &Path {
        self.path.truncate(self.folder);
        self.path.extend_from_slice(name.as_bytes());
        Path::new(OsStr::from_bytes(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_names_whole_in_parts_and_from_end() {
        let mut names = EntryNames::default();
        for number in 0..10 {
            let kind = if number % 2 == 0 {
                EntryKind::File
            } else {
                EntryKind::Folder
            };
            names.push(OsStr::new(&"x".repeat(number)), kind);
        }
        let lengths: Vec<usize> = names.iter().map(|(name, _)| name.len()).collect();
        assert_eq!(lengths, (0..10).collect::<Vec<_>>());
        let parts: Vec<Vec<usize>> = names
            .split_into_parts(4)
            .map(|part| part.iter().map(|(name, _)| name.len()).collect())
            .collect();
        assert_eq!(parts, [vec![0, 1, 2, 3], vec![4, 5, 6, 7], vec![8, 9]]);
        assert_eq!(names.last(), Some(OsStr::new("xxxxxxxxx")));
        names.drop_last();
        assert_eq!(
            (names.len(), names.last()),
            (9, Some(OsStr::new("xxxxxxxx")))
        );
    }

    #[test]
    fn joins_entries_of_root_folder_with_one_slash() {
        assert_eq!(
            EntryPath::new(Path::new("/")).join_name(OsStr::new("a")),
            Path::new("/a")
        );
        let mut below = EntryPath::new(Path::new("/a/b"));
        assert_eq!(
            below.join_name(OsStr::new("long name")),
            Path::new("/a/b/long name")
        );
        assert_eq!(below.join_name(OsStr::new("c")), Path::new("/a/b/c"));
    }
}
