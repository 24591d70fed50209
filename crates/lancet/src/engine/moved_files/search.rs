//! Looks for files below the roots by inode number, size and bytes.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lancet_workspace::{EntryKind, FolderHandle, Stamp};

use super::lives::Life;
use super::{LEAST_BYTES, has_bytes};
use crate::engine::EngineView;

/// How many levels of folders are entered.
const DEEPEST: usize = 64;

/// A file to search for.
pub(super) struct Wanted {
    /// The index of its life.
    life: usize,
    inode: Option<u64>,
    size: u64,
    revision: [u8; 32],
    /// Whether another file with the same bytes is of interest, too.
    by_bytes: bool,
}

impl Wanted {
    /// Describes the file of a life; none for a symbolic link.
    pub(super) fn for_life(at: usize, life: &Life, by_bytes: bool) -> Option<Wanted> {
        (!life.is_link).then_some(Wanted {
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
pub(super) fn search(engine: &EngineView, wanted: &[Wanted], limit: Duration) -> FoundFiles {
    let mut walk = Walk {
        engine,
        wanted,
        until: Instant::now() + limit,
        found: FoundFiles::default(),
    };
    for root in engine.roots() {
        let located = engine.ceiling().locate(root).ok();
        if let Some(folder) = located.and_then(|located| located.open_folder().ok())
            && let Ok(stamp) = folder.stat_itself()
        {
            walk.folder(root, &folder, stamp.device, 0);
        }
    }
    walk.found
}

struct Walk<'w> {
    engine: &'w EngineView,
    wanted: &'w [Wanted],
    until: Instant,
    found: FoundFiles,
}

impl Walk<'_> {
    fn folder(&mut self, path: &Path, folder: &FolderHandle, device: u64, depth: usize) {
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
                EntryKind::Folder if depth < DEEPEST && name != ".git" => {
                    if let Ok(inner) = folder.enter(&name) {
                        self.folder(&path.join(&name), &inner, device, depth + 1);
                    }
                }
                EntryKind::File => {
                    if let Ok(stamp) = folder.stat(&name) {
                        self.file(&path.join(&name), &stamp, device);
                    }
                }
                _ => {}
            }
        }
    }

    fn file(&mut self, path: &Path, stamp: &Stamp, device: u64) {
        for wanted in self
            .wanted
            .iter()
            .filter(|wanted| wanted.size == stamp.size)
        {
            // Another file system, such as a snapshot below the root, has its own inode numbers.
            let same_inode = wanted.inode == Some(stamp.inode) && stamp.device == device;
            if !same_inode && (!wanted.by_bytes || wanted.size < LEAST_BYTES) {
                continue;
            }
            if has_bytes(self.engine, path, &wanted.revision) {
                let found = match same_inode {
                    true => &mut self.found.moved,
                    false => &mut self.found.same_bytes,
                };
                found.push((wanted.life, path.to_path_buf()));
            }
        }
    }
}
