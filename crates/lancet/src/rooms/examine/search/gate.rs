//! Leaves out of a search the entries that the policy denies. Entries come folder by folder, so the decision about a
//! folder is made once: each thread of a walk remembers the folder of its last entry.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lancet_policy::{Folder, NameKind, Policy};
use lancet_search::Gate;
use lancet_workspace::EntryKind;

use crate::engine::EngineView;
use crate::rooms::locate::is_state;

/// The policy check of one walk.
pub(super) struct Guard<'e> {
    engine: &'e EngineView,
    /// The policy is looked up once per search, because the settings may be reloaded meanwhile.
    policy: Arc<Policy>,
    /// Unique per walk, so that threads notice when the remembered folders belong to another walk.
    number: u64,
}

thread_local! {
    /// The number of the last walk on this thread, and the folders from the outermost to the one asked about last.
    static LAST: RefCell<(u64, Vec<Folder>)> = const { RefCell::new((0, Vec::new())) };
}

impl<'e> Guard<'e> {
    pub(super) fn new(engine: &'e EngineView) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        Guard {
            engine,
            policy: engine.permissions.policy(),
            number: NUMBER.fetch_add(1, Ordering::Relaxed) + 1,
        }
    }

    fn is_denied(&self, path: &Path, kind: NameKind) -> bool {
        LAST.with_borrow_mut(|(number, folders)| {
            if *number != self.number {
                *number = self.number;
                folders.clear();
            }
            if !folders.last().is_some_and(|folder| folder.holds(path)) {
                self.enter(folders, path.parent().unwrap_or(path));
            }
            match folders.last() {
                Some(folder) => self.policy.may_read_in(folder, path, kind),
                None => self.policy.may_read(path, kind),
            }
            .is_denied()
        })
    }

    /// Moves to another folder, keeping the part of the path that both share.
    fn enter(&self, folders: &mut Vec<Folder>, to: &Path) {
        while folders
            .last()
            .is_some_and(|folder| folder.path() != to && !folder.holds(to))
        {
            folders.pop();
        }
        let next = match folders.last() {
            Some(folder) if folder.path() == to => return,
            Some(folder) => self.policy.folder_in(folder, to),
            None => self.policy.folder(to),
        };
        folders.push(next);
    }
}

impl Gate for Guard<'_> {
    fn may_read(&self, path: &Path, kind: EntryKind) -> bool {
        match kind {
            EntryKind::Folder => {
                !self.is_denied(path, NameKind::Folder) && !is_state(self.engine, path)
            }
            _ => !self.is_denied(path, NameKind::File),
        }
    }
}
