//! Which entries a search leaves out because policy denies reading them. Entries come folder by folder, so the way to a
//! folder is decided once; each thread of a walk remembers the folder that it was asked about last.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lancet_policy::{Folder, Kind, Policy};
use lancet_search::Gate;
use lancet_workspace::EntryKind;

use crate::engine::Inner;
use crate::rooms::locate::is_state;

/// The gate of one walk.
pub(super) struct Guard<'e> {
    engine: &'e Inner,
    /// Looked up once: the settings may be read anew meanwhile, and one search goes by one policy.
    policy: Arc<Policy>,
    /// No other gate has it.
    number: u64,
}

thread_local! {
    /// The folder that was asked about last, and by which gate.
    static LAST: RefCell<Option<(u64, Folder)>> = const { RefCell::new(None) };
}

impl<'e> Guard<'e> {
    pub(super) fn new(engine: &'e Inner) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        Guard {
            engine,
            policy: engine.permissions.policy(),
            number: NUMBER.fetch_add(1, Ordering::Relaxed),
        }
    }

    fn is_denied(&self, path: &Path, kind: Kind) -> bool {
        LAST.with_borrow_mut(|last| {
            let known = last
                .as_ref()
                .is_some_and(|(number, folder)| *number == self.number && folder.holds(path));
            if !known {
                *last = path
                    .parent()
                    .map(|parent| (self.number, self.policy.folder(parent)));
            }
            match last {
                Some((_, folder)) => self.policy.may_read_in(folder, path, kind),
                None => self.policy.may_read(path, kind),
            }
            .is_denied()
        })
    }
}

impl Gate for Guard<'_> {
    fn may_read(&self, path: &Path, kind: EntryKind) -> bool {
        match kind {
            EntryKind::Folder => {
                !self.is_denied(path, Kind::Folder) && !is_state(self.engine, path)
            }
            _ => !self.is_denied(path, Kind::File),
        }
    }
}
