//! Excludes from a search the entries that the policy denies. The policy's rules for a folder's entries are prepared
//! once: each thread caches the folders that it has checked, also across searches.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use lancet_policy::{Folder, NameKind, Policy};
use lancet_search::{Gate, GateBasis};
use lancet_workspace::EntryKind;

use crate::engine::EngineView;
use crate::stages::locate::is_state;

/// How many folders a thread caches. A page of a Glob has entries of up to a hundred folders, and a walk also checks
/// the parent folder.
const REMEMBERED: usize = 1024;

/// The policy check of one walk.
pub(crate) struct Guard<'e> {
    engine: &'e EngineView,
    /// The policy is looked up once per search, because the settings may be reloaded in the meantime.
    policy: Arc<Policy>,
}

thread_local! {
    static REMEMBERING: RefCell<Remembered> = RefCell::default();
}

/// The folders that a thread has checked.
#[derive(Default)]
struct Remembered {
    /// The policy that prepared them. Keeping it alive ensures that no other policy is allocated at its address.
    policy: Option<Arc<Policy>>,
    folders: HashSet<ByPath>,
    /// The folder of the last entry: most entries come folder by folder.
    last: Option<Rc<Folder>>,
}

impl<'e> Guard<'e> {
    pub(crate) fn new(engine: &'e EngineView) -> Self {
        Guard {
            engine,
            policy: engine.permissions.policy(),
        }
    }

    fn is_denied(&self, path: &Path, kind: NameKind) -> bool {
        REMEMBERING.with_borrow_mut(|remembered| {
            let folder = remembered.folder_of(&self.policy, path);
            self.policy.may_read_in(folder, path, kind).is_denied()
        })
    }
}

impl Remembered {
    /// Returns the prepared folder of an entry.
    fn folder_of(&mut self, policy: &Arc<Policy>, entry: &Path) -> &Folder {
        let known = self.policy.as_ref();
        if !known.is_some_and(|known| Arc::ptr_eq(known, policy)) {
            *self = Remembered {
                policy: Some(Arc::clone(policy)),
                ..Remembered::default()
            };
        }
        let last = self.last.take().filter(|last| last.holds(entry));
        let last = last.unwrap_or_else(|| self.enter(policy, entry.parent().unwrap_or(entry)));
        self.last.insert(last)
    }

    fn enter(&mut self, policy: &Policy, path: &Path) -> Rc<Folder> {
        if let Some(ByPath(folder)) = self.folders.get(path.as_os_str()) {
            return Rc::clone(folder);
        }
        let above = path.parent();
        let above = above.and_then(|above| self.folders.get(above.as_os_str()));
        let folder = Rc::new(match above {
            Some(ByPath(above)) => policy.folder_in(above, path),
            None => policy.folder(path),
        });
        if self.folders.len() >= REMEMBERED {
            self.folders.clear();
        }
        self.folders.insert(ByPath(Rc::clone(&folder)));
        folder
    }
}

/// A prepared folder that is found by its path.
struct ByPath(Rc<Folder>);

impl ByPath {
    fn path(&self) -> &OsStr {
        self.0.path().as_os_str()
    }
}

impl Borrow<OsStr> for ByPath {
    fn borrow(&self) -> &OsStr {
        self.path()
    }
}

impl Hash for ByPath {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.path().hash(state);
    }
}

impl PartialEq for ByPath {
    fn eq(&self, other: &Self) -> bool {
        self.path() == other.path()
    }
}

impl Eq for ByPath {}

impl Gate for Guard<'_> {
    fn may_read(&self, path: &Path, kind: EntryKind) -> bool {
        match kind {
            EntryKind::Folder => {
                !self.is_denied(path, NameKind::Folder) && !is_state(self.engine, path)
            }
            _ => !self.is_denied(path, NameKind::File),
        }
    }

    fn basis(&self) -> Option<GateBasis> {
        Some(Arc::<Policy>::clone(&self.policy))
    }
}
