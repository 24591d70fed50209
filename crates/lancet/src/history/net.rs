//! The net difference between then and now: each file that selected operations touched, as it was before the first of
//! them, compared with the file on the disk.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use lancet_history::{ChangeKind, HistoryError, LogQuery, Operation, RecordedState};
use lancet_workspace::{FileType, LocateError, ReadError};

use super::History;
use super::net_files::{NetFile, touched_files};
use super::patch::{FileVersion, patch_between, recorded_version};
use crate::stages::locate::LinkIndex;
use crate::stages::open::MAX_IN_MEMORY_SIZE;

/// What became of a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NetDifference {
    /// The file is as it was.
    None,
    /// The file differs.
    Changed(NetChange),
    /// The file differs, or may differ, and its difference is not shown.
    Omitted(Omission),
}

/// The net change of one file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NetChange {
    /// The present path or, of a removed file, the path that it had.
    pub path: PathBuf,
    /// The path that the file had, if it has another one now.
    pub moved_from: Option<PathBuf>,
    /// Whether the file is new, removed, moved or changed.
    pub kind: ChangeKind,
    /// The number of lines added.
    pub added: usize,
    /// The number of lines removed.
    pub removed: usize,
    /// The patch as `git apply` takes it at the root, in the file's own encoding.
    pub patch: Vec<u8>,
}

/// Why the difference of a file is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Omission {
    /// The rules forbid showing the file's text.
    Hidden,
    /// The content from before is no longer stored.
    NotStored,
    /// The file is too large to be compared.
    TooLarge,
    /// The path leads to something else than a file, or the file cannot be read.
    Unreadable,
}

impl Omission {
    /// Returns the name of this value in JSON output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hidden => "hidden",
            Self::NotStored => "not_stored",
            Self::TooLarge => "too_large",
            Self::Unreadable => "unreadable",
        }
    }
}

/// A file on the disk, without its content.
struct PresentFile {
    revision: [u8; 32],
    mode: u32,
    is_link: bool,
}

impl History {
    /// Lists the files that operations touched, by their names. A file is followed through moves by later operations.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn net_files(&self, selected: &[Operation]) -> Result<Vec<NetFile>, HistoryError> {
        let Some(first) = selected.iter().map(|operation| operation.sequence).min() else {
            return Ok(Vec::new());
        };
        let mut later = self.log(&LogQuery {
            after: Some(first - 1),
            ..LogQuery::default()
        })?;
        later.reverse();
        let sequences: HashSet<i64> = selected
            .iter()
            .map(|operation| operation.sequence)
            .collect();
        let mut files = touched_files(&later, |operation| sequences.contains(&operation.sequence));
        self.split_unfinished_moves(&mut files);
        Ok(files)
    }

    /// Treats a moved file as a removed one and a new one if there is a file under its first name again, if another
    /// program has removed it, if only one of its names may be shown, or if one of them is in another project. Files of
    /// other projects are left out.
    fn split_unfinished_moves(&self, files: &mut Vec<NetFile>) {
        let exists = |path: &Path| matches!(self.present_file(path), Ok(Some(_)));
        let mut first_names = Vec::new();
        for file in &mut *files {
            let Some(first) = &file.moved_from else {
                continue;
            };
            let is_here = self.is_below_roots(first) && self.is_below_roots(&file.path);
            let may_show = self.may_show(first) && self.may_show(&file.path);
            if !is_here || !may_show || exists(first) || !exists(&file.path) {
                file.moved_from = None;
            } else {
                first_names.push(first.clone());
            }
        }
        files.retain(|file| self.is_below_roots(&file.path));
        // The state under the first name belongs to the moved file now.
        let mut states = Vec::new();
        files.retain(|file| {
            let is_moved = first_names.contains(&file.path);
            if is_moved {
                states.push((file.path.clone(), file.before.clone()));
            }
            !is_moved
        });
        for file in files {
            let first = file.moved_from.as_ref();
            let state = states.iter().find(|(path, _)| Some(path) == first);
            if let Some((_, before)) = state {
                file.before.clone_from(before);
            }
        }
    }

    /// Compares a file of [`net_files`](Self::net_files) with the disk.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn net_difference(&self, file: &NetFile) -> Result<NetDifference, HistoryError> {
        let before = file.before.as_ref().filter(|state| !state.is_folder());
        let present = match self.present_file(&file.path) {
            Ok(present) => present,
            Err(why) => return Ok(NetDifference::Omitted(why)),
        };
        if file.moved_from.is_none() && is_unchanged(before, present.as_ref()) {
            return Ok(NetDifference::None);
        }
        let first_name = file.moved_from.as_ref().unwrap_or(&file.path);
        let links = LinkIndex::new(&self.engine, self.engine.permissions.policy());
        let is_shown = self.may_show(&file.path)
            && self.may_show(first_name)
            && present
                .as_ref()
                .is_none_or(|present| present.is_link || links.may_show(&file.path));
        if !is_shown {
            return Ok(NetDifference::Omitted(Omission::Hidden));
        }
        if before.is_some_and(|state| state.size > MAX_IN_MEMORY_SIZE) {
            return Ok(NetDifference::Omitted(Omission::TooLarge));
        }
        let after = match present
            .map(|_| self.present_version(&file.path))
            .transpose()
        {
            Ok(after) => after,
            Err(why) => return Ok(NetDifference::Omitted(why)),
        };
        let Some(before) = self.query_store(|store| recorded_version(store, &file.before))? else {
            return Ok(NetDifference::Omitted(Omission::NotStored));
        };
        let [old_path, path] = [first_name, &file.path].map(|path| self.relative_to_root(path));
        let patch = patch_between(
            before.as_ref().map(|before| (old_path, before)),
            after.as_ref().map(|after| (path, after)),
        );
        if patch.bytes.is_empty() {
            return Ok(NetDifference::None);
        }
        let kind = match (&before, &after, &file.moved_from) {
            (None, _, _) => ChangeKind::Create,
            (_, None, _) => ChangeKind::Delete,
            (_, _, Some(_)) => ChangeKind::Move,
            (Some(before), Some(after), None) if before.bytes == after.bytes => ChangeKind::Mode,
            _ => ChangeKind::Update,
        };
        Ok(NetDifference::Changed(NetChange {
            path: file.path.clone(),
            moved_from: file.moved_from.clone(),
            kind,
            added: patch.added,
            removed: patch.removed,
            patch: patch.bytes,
        }))
    }

    /// Returns what is under a path now, without its content; none where there is neither a file nor a symbolic link.
    fn present_file(&self, path: &Path) -> Result<Option<PresentFile>, Omission> {
        let workspace = &self.engine.workspace;
        let mode = match workspace.locate_link(path) {
            Ok(Some(_)) => 0,
            _ => match workspace.locate_as_spelled(path) {
                Ok(located) => match located.kind() {
                    FileType::File => located.stat().map_or(0, |stamp| stamp.mode),
                    FileType::Missing | FileType::Directory => return Ok(None),
                    FileType::Special(_) => return Err(Omission::Unreadable),
                },
                Err(LocateError::NotADirectory { .. } | LocateError::NoSuchFolder { .. }) => {
                    return Ok(None);
                }
                Err(_) => return Err(Omission::Unreadable),
            },
        };
        let content = self.disk_content(path).ok_or(Omission::Unreadable)?;
        Ok(Some(PresentFile {
            revision: content.revision,
            mode,
            is_link: content.is_link,
        }))
    }

    /// Reads a file, or a symbolic link.
    fn present_version(&self, path: &Path) -> Result<FileVersion, Omission> {
        let workspace = &self.engine.workspace;
        if let Ok(Some(link)) = workspace.locate_link(path) {
            let target = link.link_target().ok_or(Omission::Unreadable)?;
            return Ok(FileVersion::new(target.into_encoded_bytes(), 0, true));
        }
        let located = workspace
            .locate_as_spelled(path)
            .map_err(|_| Omission::Unreadable)?;
        if !self.may_show(located.path()) {
            return Err(Omission::Hidden);
        }
        match located.read_without_revision(MAX_IN_MEMORY_SIZE) {
            Ok((bytes, stamp)) => Ok(FileVersion::new(bytes, stamp.mode, false)),
            Err(ReadError::TooLarge { .. }) => Err(Omission::TooLarge),
            Err(_) => Err(Omission::Unreadable),
        }
    }
}

/// Returns whether a file has the content and the kind that it had, as far as git records them.
fn is_unchanged(before: Option<&RecordedState>, present: Option<&PresentFile>) -> bool {
    match (before, present) {
        (None, None) => true,
        (Some(before), Some(present)) => {
            let version = |mode, is_link| FileVersion::new(Vec::new(), mode, is_link).mode;
            before.revision == present.revision
                && version(before.mode, before.link.is_some())
                    == version(present.mode, present.is_link)
        }
        _ => false,
    }
}
