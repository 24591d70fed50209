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

use lancet_policy::{DecisionCause, NameKind, Policy, PreparedFolder};
use lancet_search::{Gate, GateBasis};
use lancet_workspace::{EntryKind, Located};

use crate::engine::EngineView;
use crate::stages::locate::{Intent, is_in_state_folder, locate_recorded};

/// How many folders a thread caches. A page of a Glob has entries of up to a hundred folders, and a walk also checks
/// the parent folder.
const MAX_CACHED_FOLDERS: usize = 1024;

/// The policy check of one walk.
pub(crate) struct WalkGuard<'e> {
    engine: &'e EngineView,
    /// The policy is looked up once per search, because the settings may be reloaded in the meantime.
    policy: Arc<Policy>,
    secrets: SecretFiles,
    links: LinkUse,
}

/// What a walk does with symbolic links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkUse {
    /// They are counted.
    #[default]
    Counted,
    /// They are followed to files and folders below the roots that may be shown.
    Followed,
}

/// Whether a walk gives secret files that no rule of the settings denies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SecretFiles {
    /// They are left out.
    LeftOut,
    /// They are given: their bytes are stored, and their text is not shown.
    Given,
}

thread_local! {
    static REMEMBERING: RefCell<FolderCache> = RefCell::default();
}

/// The folders that a thread has checked.
#[derive(Default)]
struct FolderCache {
    /// The policy that prepared them. Keeping it alive ensures that no other policy is allocated at its address.
    policy: Option<Arc<Policy>>,
    folders: HashSet<FolderByPath>,
    /// The folder of the last entry: most entries come folder by folder.
    last: Option<Rc<PreparedFolder>>,
}

impl<'e> WalkGuard<'e> {
    pub(crate) fn new(engine: &'e EngineView) -> Self {
        WalkGuard {
            engine,
            policy: engine.permissions.policy(),
            secrets: SecretFiles::LeftOut,
            links: LinkUse::Counted,
        }
    }

    /// Sets what the walk does with symbolic links.
    pub(crate) fn with_links(self, links: LinkUse) -> Self {
        WalkGuard { links, ..self }
    }

    /// Returns the check for a checkpoint, which stores secret files so that they can be restored.
    pub(crate) fn for_checkpoint(engine: &'e EngineView) -> Self {
        WalkGuard {
            secrets: SecretFiles::Given,
            ..WalkGuard::new(engine)
        }
    }

    fn is_denied(&self, path: &Path, kind: NameKind) -> bool {
        REMEMBERING.with_borrow_mut(|remembered| {
            let folder = remembered.folder_of(&self.policy, path);
            let decision = self.policy.may_read_entry(folder, path, kind);
            let is_secret = matches!(decision.cause, DecisionCause::Secret { .. });
            decision.is_denied() && !(is_secret && self.secrets == SecretFiles::Given)
        })
    }
}

impl FolderCache {
    /// Returns the prepared folder of an entry.
    fn folder_of(&mut self, policy: &Arc<Policy>, entry: &Path) -> &PreparedFolder {
        let known = self.policy.as_ref();
        if !known.is_some_and(|known| Arc::ptr_eq(known, policy)) {
            *self = FolderCache {
                policy: Some(Arc::clone(policy)),
                ..FolderCache::default()
            };
        }
        let last = self
            .last
            .take()
            .filter(|last| last.contains_directly(entry));
        let last =
            last.unwrap_or_else(|| self.prepare_folder(policy, entry.parent().unwrap_or(entry)));
        self.last.insert(last)
    }

    fn prepare_folder(&mut self, policy: &Policy, path: &Path) -> Rc<PreparedFolder> {
        if let Some(FolderByPath(folder)) = self.folders.get(path.as_os_str()) {
            return Rc::clone(folder);
        }
        let above = path.parent();
        let above = above.and_then(|above| self.folders.get(above.as_os_str()));
        let folder = Rc::new(match above {
            Some(FolderByPath(above)) => policy.prepare_subfolder(above, path),
            None => policy.prepare_folder(path),
        });
        if self.folders.len() >= MAX_CACHED_FOLDERS {
            self.folders.clear();
        }
        self.folders.insert(FolderByPath(Rc::clone(&folder)));
        folder
    }
}

/// A prepared folder that is found by its path.
struct FolderByPath(Rc<PreparedFolder>);

impl FolderByPath {
    fn path(&self) -> &OsStr {
        self.0.path().as_os_str()
    }
}

impl Borrow<OsStr> for FolderByPath {
    fn borrow(&self) -> &OsStr {
        self.path()
    }
}

impl Hash for FolderByPath {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.path().hash(state);
    }
}

impl PartialEq for FolderByPath {
    fn eq(&self, other: &Self) -> bool {
        self.path() == other.path()
    }
}

impl Eq for FolderByPath {}

impl Gate for WalkGuard<'_> {
    fn follow(&self, link: &Path) -> Option<Located> {
        if self.links == LinkUse::Counted {
            return None;
        }
        let target = locate_recorded(self.engine, link, Intent::Show).ok()?;
        Some(target.located)
    }

    fn may_read(&self, path: &Path, kind: EntryKind) -> bool {
        match kind {
            EntryKind::Folder => {
                !self.is_denied(path, NameKind::Folder) && !is_in_state_folder(self.engine, path)
            }
            _ => !self.is_denied(path, NameKind::File),
        }
    }

    fn decision_basis(&self) -> Option<GateBasis> {
        // The gate of a search by the same policy decides differently about secret files.
        (self.secrets == SecretFiles::LeftOut).then_some(())?;
        Some(Arc::<Policy>::clone(&self.policy))
    }
}
