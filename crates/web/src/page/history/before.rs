//! The files as they were when a preview was made. Exactly what was shown is carried out: the old bytes, the
//! operation and the requested action determine the new bytes. So the same digest means the same change, even if none
//! of its lines can be shown.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use lancet::Reply;
use lancet::approval::FileQuestion;
use lancet::history::{DiskContent, FileChange, History, Operation, RecordedState};
use lancet::outcome::Outcome;

/// The files of an operation as they are.
#[derive(Default)]
pub(super) struct FilesBefore {
    /// The content of each file; none if there is no such file.
    contents: BTreeMap<PathBuf, Option<DiskContent>>,
    /// The empty folders that it made or removed.
    folders: BTreeSet<PathBuf>,
}

impl FilesBefore {
    /// Reads the files, before the preview is made: a write in between leads to another digest.
    pub(super) fn read(history: &History, operation: &Operation) -> Self {
        let paths = operation.files.iter().flat_map(|file| {
            let old = file.moved_from.as_ref();
            std::iter::once(&file.path).chain(old)
        });
        let is_folder = |file: &&FileChange| {
            let mut states = [&file.before, &file.after].into_iter().flatten();
            states.any(RecordedState::is_folder)
        };
        let folders = operation.files.iter().filter(is_folder);
        Self {
            contents: paths
                .map(|path| (path.clone(), history.disk_content(path)))
                .collect(),
            folders: folders.map(|file| file.path.clone()).collect(),
        }
    }

    /// Returns the digest of these files and of their preview; empty if the preview is a refusal.
    pub(super) fn digest(&self, reply: &Reply) -> String {
        let Outcome::Changed(change) = reply.outcome() else {
            return String::new();
        };
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("{:?}", self.contents).as_bytes());
        for file in &change.files {
            let shown = format!(
                "{:?} {:?} {:?} {} {} {:?} {:?}",
                file.path,
                file.kind,
                file.from_path,
                file.added,
                file.removed,
                file.patch,
                file.executable
            );
            hasher.update(shown.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Returns whether a question is about a file in the state that was read here. A link has no revision that could
    /// be compared. An empty folder has no content, and one that is no longer empty is not removed.
    pub(super) fn is_unchanged_in(&self, file: &FileQuestion) -> bool {
        let Some(base) = file.base.as_deref() else {
            return true;
        };
        if self.folders.contains(&file.path) {
            return true;
        }
        let names = std::iter::once(&file.path).chain(&file.moved_from);
        let mut known = names.filter_map(|name| self.contents.get(name)?.as_ref());
        known.any(|known| known.is_link || revision_digits(known).starts_with(base))
    }
}

fn revision_digits(known: &DiskContent) -> String {
    blake3::Hash::from_bytes(known.revision)
        .to_hex()
        .to_string()
}
