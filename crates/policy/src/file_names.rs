//! All names of one file, which a policy decides about together.

use std::path::Path;

use crate::tree::NameKind;

/// The names of one file. A rule that forbids counts for each of them; a rule that allows must cover the opened one.
#[derive(Clone, Copy, Debug)]
pub struct FileNames<'a> {
    /// The absolute path with every link resolved.
    pub opened: &'a Path,
    /// Other names of the same file: the path as it was given, other hard links.
    pub others: &'a [&'a Path],
    /// Whether it is a file or a folder.
    pub kind: NameKind,
}

impl<'a> FileNames<'a> {
    /// Describes a file with a single name.
    pub fn single(opened: &'a Path) -> Self {
        FileNames {
            opened,
            others: &[],
            kind: NameKind::File,
        }
    }

    /// Returns the opened name, then the others that differ from it.
    pub(crate) fn all_names(self) -> impl Iterator<Item = &'a Path> {
        let others = self.others.iter().copied();
        std::iter::once(self.opened).chain(others.filter(move |other| *other != self.opened))
    }
}
