//! Looks for files below the roots by inode number, size and bytes.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lancet_workspace::{EntryKind, FolderHandle, Stamp};

use super::lives::Life;
use super::{MIN_RECOGNISED_BYTES, has_revision};
use crate::engine::EngineView;

/// How many levels of folders are entered.
const MAX_FOLDER_DEPTH: usize = 64;

/// A file to search for.
pub(super) struct WantedFile {
    /// The index of its life.
    life: usize,
    inode: Option<u64>,
    size: u64,
    revision: [u8; 32],
    /// Whether another file with the same bytes is of interest, too.
    by_bytes: bool,
}

impl WantedFile {
    /// Describes the file of a life; none for a symbolic link.
    pub(super) fn for_life(at: usize, life: &Life, by_bytes: bool) -> Option<WantedFile> {
        (!life.is_link).then_some(WantedFile {
            life: at,
            inode: life.inode,
            size: life.size,
            revision: life.revision,
            by_bytes,
        })
    }
}

/// The result of a search.
#[derive(Default)]
pub(super) struct FoundFiles {
    /// The files that match a life in both inode number and bytes.
    pub(super) moved: Vec<(usize, PathBuf)>,
    /// The files that match a life in the bytes alone.
    pub(super) same_bytes: Vec<(usize, PathBuf)>,
}

/// Searches all roots for files, for at most `limit`.
pub(super) fn search(engine: &EngineView, wanted: &[WantedFile], limit: Duration) -> FoundFiles {
    let mut walk = FileSearch {
        engine,
        wanted,
        until: Instant::now() + limit,
        found: FoundFiles::default(),
    };
    for root in engine.roots() {
        let located = engine.full_workspace().locate(root).ok();
        if let Some(folder) = located.and_then(|located| located.open_folder().ok())
            && let Ok(stamp) = folder.stat_folder()
        {
            walk.visit_folder(root, &folder, stamp.device, 0);
        }
    }
    walk.found
}

struct FileSearch<'w> {
    engine: &'w EngineView,
    wanted: &'w [WantedFile],
    until: Instant,
    found: FoundFiles,
}

impl FileSearch<'_> {
    fn visit_folder(&mut self, path: &Path, folder: &FolderHandle, device: u64, depth: usize) {
        let mut entries = Vec::new();
        let listed = folder.list(&mut |name, kind| {
            entries.push((name.to_owned(), kind));
            std::ops::ControlFlow::Continue(())
        });
        if listed.is_err() {
            return;
        }
        for (name, kind) in entries {
            if Instant::now() > self.until {
                return;
            }
            match kind {
                EntryKind::Folder if depth < MAX_FOLDER_DEPTH && name != ".git" => {
                    if let Ok(inner) = folder.open_subfolder(&name) {
                        self.visit_folder(&path.join(&name), &inner, device, depth + 1);
                    }
                }
                EntryKind::File => {
                    if let Ok(stamp) = folder.stat(&name) {
                        self.visit_file(&path.join(&name), &stamp, device);
                    }
                }
                _ => {}
            }
        }
    }

    fn visit_file(&mut self, path: &Path, stamp: &Stamp, device: u64) {
        for wanted in self
            .wanted
            .iter()
            .filter(|wanted| wanted.size == stamp.size)
        {
            // Another file system, such as a snapshot below the root, has its own inode numbers.
            let same_inode = wanted.inode == Some(stamp.inode) && stamp.device == device;
            if !same_inode && (!wanted.by_bytes || wanted.size < MIN_RECOGNISED_BYTES) {
                continue;
            }
            if has_revision(self.engine, path, &wanted.revision) {
                let found = match same_inode {
                    true => &mut self.found.moved,
                    false => &mut self.found.same_bytes,
                };
                found.push((wanted.life, path.to_path_buf()));
            }
        }
    }
}
