//! Which entries a search leaves out because policy denies reading them. Entries come folder by folder, so the way to a
//! folder is decided once; each thread of a walk remembers the folder that it was asked about last.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lancet_policy::{Folder, NameKind, Policy};
use lancet_search::Gate;
use lancet_workspace::EntryKind;

use crate::engine::EngineView;
use crate::rooms::locate::is_state;

/// The gate of one walk.
pub(super) struct Guard<'e> {
    engine: &'e EngineView,
    /// Looked up once: the settings may be read anew meanwhile, and one search goes by one policy.
    policy: Arc<Policy>,
    /// No other gate has it.
    number: u64,
}

thread_local! {
    /// The gate that asked last, and the way to the folder that it asked about: folders, each inside the one before.
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
        LAST.with_borrow_mut(|(number, way)| {
            if *number != self.number {
                *number = self.number;
                way.clear();
            }
            if !way.last().is_some_and(|folder| folder.holds(path)) {
                self.go(way, path.parent().unwrap_or(path));
            }
            match way.last() {
                Some(folder) => self.policy.may_read_in(folder, path, kind),
                None => self.policy.may_read(path, kind),
            }
            .is_denied()
        })
    }

    /// Goes on to another folder, as far as the way is the same.
    fn go(&self, way: &mut Vec<Folder>, to: &Path) {
        while way
            .last()
            .is_some_and(|folder| folder.path() != to && !folder.holds(to))
        {
            way.pop();
        }
        let next = match way.last() {
            Some(folder) if folder.path() == to => return,
            Some(folder) => self.policy.folder_in(folder, to),
            None => self.policy.folder(to),
        };
        way.push(next);
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
