//! Hard links: a decision about one name of a file applies to all its names. The other names are searched for only
//! where a file has several links: in its folder, in the folders above it, and among a bounded number of entries from
//! the roots down.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lancet_local_state::git_objects;
use lancet_policy::{DecisionCause, FileNames, Policy, ShownContent};
use lancet_search::{Excludes, FolderRules};
use lancet_workspace::{EntryKind, FileType, Located, Stamp, find_linked_files, is_package_store};

use super::HardLinkKnowledge;
use crate::engine::EngineView;

/// How many entries are checked from the roots down. With more entries it is unknown whether a protected name is among
/// them, so a write requires a person's approval.
const MAX_ENTRIES: usize = 2_000;
/// How many entries of package stores and ignored folders are checked in addition. They contain many hard links and few
/// names that matter, so exceeding this number does not make the links unknown.
const MAX_UNCOUNTED_ENTRIES: usize = 2_000;
/// How many names of one folder are checked: in the file's own folder, and in each folder above it.
const MAX_NAMES_PER_FOLDER: usize = 100_000;

/// Device and inode of a file.
type Identity = (u64, u64);
/// Names that the policy does not allow unconditionally, by the file that they lead to.
type Names = HashMap<Identity, Vec<PathBuf>>;

/// The names in the roots that the policy does not allow unconditionally. They are collected once and used for every
/// file, because a search may meet thousands of hard links.
pub(crate) struct LinkIndex<'e> {
    engine: &'e EngineView,
    policy: Arc<Policy>,
    /// The result of the walk from the roots down.
    tree: OnceLock<FoundNames>,
    /// The results for single folders: those around the files that were checked.
    folders: Mutex<HashMap<PathBuf, Arc<FoundNames>>>,
    /// The files of the state folder that have several names.
    state: OnceLock<HashSet<Identity>>,
}

/// The names found by one walk or in one folder.
struct FoundNames {
    names: Names,
    hard_links: HardLinkKnowledge,
}

/// A folder that is still to be listed.
struct PendingFolder {
    path: PathBuf,
    rules: FolderRules,
}

/// The result of listing a folder.
struct FolderListing {
    /// Files that the policy does not allow unconditionally.
    named: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    /// The number of entries.
    looked: usize,
    has_rules: bool,
    hard_links: HardLinkKnowledge,
}

/// Whether subfolders are listed, too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ListingDepth {
    Files,
    FilesAndFolders,
}

impl<'e> LinkIndex<'e> {
    /// Makes an empty index; folders are listed when they are needed.
    pub(crate) fn new(engine: &'e EngineView, policy: Arc<Policy>) -> Self {
        LinkIndex {
            engine,
            policy,
            tree: OnceLock::new(),
            folders: Mutex::default(),
            state: OnceLock::new(),
        }
    }

    /// Returns whether a file belongs to lancet's own state folder, under whatever name.
    pub(super) fn is_of_state_folder(&self, located: &Located) -> bool {
        let Some(stamp) = located.stat().filter(|stamp| stamp.links > 1) else {
            return false;
        };
        let state = self.state.get_or_init(|| {
            let folder = self.engine.base().state_folder();
            let found = folder.map(|folder| {
                // A hard link to git's objects does not make them lancet's own.
                find_linked_files(folder, &folder.join(git_objects::FOLDER))
            });
            found.unwrap_or_default()
        });
        stamp.kind() == FileType::File && state.contains(&identity(&stamp))
    }

    /// Collects the other names of a file that the policy does not allow unconditionally.
    pub(super) fn names_of(
        &self,
        located: &Located,
        found: &mut Vec<PathBuf>,
    ) -> HardLinkKnowledge {
        let Some(stamp) = located.stat().filter(|stamp| stamp.links > 1) else {
            return HardLinkKnowledge::Known;
        };
        if stamp.kind() != FileType::File {
            return HardLinkKnowledge::Known;
        }
        let mut hard_links = HardLinkKnowledge::Known;
        let mut take = |part: &FoundNames| {
            let names = part.names.get(&identity(&stamp)).into_iter().flatten();
            for name in names.filter(|name| *name != located.path()) {
                if !found.contains(name) {
                    found.push(name.clone());
                }
            }
            if part.hard_links == HardLinkKnowledge::Unknown {
                hard_links = HardLinkKnowledge::Unknown;
            }
        };
        for folder in self.folders_around(located.path()) {
            take(&self.restricted_names_in_folder(folder));
        }
        take(self.tree.get_or_init(|| self.walk_roots(located.path())));
        hard_links
    }

    /// Returns whether a file may be shown under all of its names.
    pub(crate) fn may_show(&self, path: &Path) -> bool {
        let Ok(located) = self.engine.full_workspace().locate_as_spelled(path) else {
            return false;
        };
        if self.is_of_state_folder(&located) {
            return false;
        }
        let mut found = Vec::new();
        self.names_of(&located, &mut found);
        let others: Vec<&Path> = found.iter().map(PathBuf::as_path).collect();
        let names = FileNames {
            others: &others,
            ..FileNames::single(path)
        };
        !self.policy.may_read_names(names).is_denied()
    }

    /// Returns the folder of a file, and the folders above it up to the outermost root.
    fn folders_around<'p>(&self, path: &'p Path) -> impl Iterator<Item = &'p Path> {
        let roots = self.engine.full_workspace().roots();
        let depth = |root: &PathBuf| root.iter().count();
        let around = roots.iter().filter(|root| path.starts_with(root));
        let outermost = around.map(depth).min().unwrap_or(usize::MAX);
        path.ancestors()
            .skip(1)
            .take_while(move |folder| folder.iter().count() >= outermost)
    }

    fn restricted_names_in_folder(&self, folder: &Path) -> Arc<FoundNames> {
        let folders = || self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = folders().get(folder) {
            return Arc::clone(known);
        }
        let mut part = FoundNames {
            names: Names::new(),
            hard_links: HardLinkKnowledge::Known,
        };
        let listed = self.list_folder(folder, ListingDepth::Files);
        self.add_names(&mut part, listed.named);
        part.hard_links = listed.hard_links;
        let part = Arc::new(part);
        folders().insert(folder.to_owned(), Arc::clone(&part));
        part
    }

    /// Walks all roots, even those that a client's narrowing leaves out, the file's own root first. A root inside
    /// another one is covered by it.
    fn walk_roots(&self, path: &Path) -> FoundNames {
        let mut part = FoundNames {
            names: Names::new(),
            hard_links: HardLinkKnowledge::Known,
        };
        let mut waiting = self.outermost_roots(path);
        let mut uncounted = VecDeque::new();
        let mut looked = 0;
        while let Some(next) = waiting.pop_front() {
            let (listed, rules) = self.list_and_add_names(&mut part, next);
            looked += listed.looked;
            if listed.hard_links == HardLinkKnowledge::Unknown || looked >= MAX_ENTRIES {
                part.hard_links = HardLinkKnowledge::Unknown;
            }
            if looked >= MAX_ENTRIES {
                break;
            }
            for path in listed.folders {
                let is_uncounted =
                    path.file_name().is_some_and(is_package_store) || rules.ignores(&path);
                let rules = rules.clone();
                let queue = match is_uncounted {
                    true => &mut uncounted,
                    false => &mut waiting,
                };
                queue.push_back(PendingFolder { path, rules });
            }
        }
        let mut looked = 0;
        while let Some(next) = uncounted.pop_front()
            && looked < MAX_UNCOUNTED_ENTRIES
        {
            let (listed, rules) = self.list_and_add_names(&mut part, next);
            looked += listed.looked;
            uncounted.extend(listed.folders.into_iter().map(|path| PendingFolder {
                path,
                rules: rules.clone(),
            }));
        }
        part
    }

    fn outermost_roots(&self, path: &Path) -> VecDeque<PendingFolder> {
        let all = self.engine.full_workspace();
        let outermost = |root: &&PathBuf| {
            let mut others = all.roots().iter();
            !others.any(|other| other != *root && root.starts_with(other))
        };
        let mut roots: Vec<&PathBuf> = all.roots().iter().filter(outermost).collect();
        if let Some(own) = roots.iter().position(|root| path.starts_with(root)) {
            roots.swap(0, own);
        }
        let excludes = self.engine.settings.search.excludes.clone();
        let excludes = excludes.map(|file| Excludes {
            file,
            relative_to: all.roots()[0].clone(),
        });
        let waiting = roots.into_iter().map(|root| PendingFolder {
            path: root.clone(),
            rules: FolderRules::read_above(root, excludes.as_ref()),
        });
        waiting.collect()
    }

    /// Lists a folder and adds its names.
    fn list_and_add_names(
        &self,
        part: &mut FoundNames,
        next: PendingFolder,
    ) -> (FolderListing, FolderRules) {
        let mut listed = self.list_folder(&next.path, ListingDepth::FilesAndFolders);
        self.add_names(part, std::mem::take(&mut listed.named));
        let rules = match listed.has_rules {
            true => next.rules.enter_folder(&next.path),
            false => next.rules,
        };
        (listed, rules)
    }

    fn list_folder(&self, folder: &Path, depth: ListingDepth) -> FolderListing {
        let (looked, has_rules) = (Cell::new(0), Cell::new(false));
        let (named, folders) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
        let mut listed = FolderListing {
            named: Vec::new(),
            folders: Vec::new(),
            looked: 0,
            has_rules: false,
            hard_links: HardLinkKnowledge::Known,
        };
        let here = match self.engine.full_workspace().locate_as_spelled(folder) {
            Ok(here) if here.kind() == FileType::Directory => here,
            // The folder was removed or replaced in the meantime.
            Ok(_) => return listed,
            Err(_) => {
                listed.hard_links = HardLinkKnowledge::Unknown;
                return listed;
            }
        };
        let done = here.entries(0, &|name, kind| {
            looked.set(looked.get() + 1);
            has_rules.set(has_rules.get() || FolderRules::is_rule_file(name));
            if looked.get() <= MAX_NAMES_PER_FOLDER {
                let path = folder.join(name);
                match kind {
                    EntryKind::File if self.is_restricted(&path) => named.borrow_mut().push(path),
                    EntryKind::Folder if depth == ListingDepth::FilesAndFolders => {
                        folders.borrow_mut().push(path);
                    }
                    _ => {}
                }
            }
            false
        });
        listed.named = named.into_inner();
        if done.is_err() {
            // In a folder that may be entered but not listed, the well-known secret names are tried one by one.
            let names = lancet_policy::secret_names();
            let tried = names.map(|name| folder.join(name));
            listed
                .named
                .extend(tried.filter(|path| self.is_restricted(path)));
        }
        if done.is_err() || looked.get() > MAX_NAMES_PER_FOLDER {
            listed.hard_links = HardLinkKnowledge::Unknown;
        }
        listed.folders = folders.into_inner();
        listed.folders.sort_unstable();
        listed.looked = looked.get();
        listed.has_rules = has_rules.get();
        listed
    }

    fn add_names(&self, part: &mut FoundNames, named: Vec<PathBuf>) {
        for path in named {
            let there = self.engine.full_workspace().locate_as_spelled(&path);
            let stamp = there.ok().and_then(|there| there.stat());
            if let Some(stamp) = stamp.filter(|stamp| stamp.links > 1) {
                part.names.entry(identity(&stamp)).or_default().push(path);
            }
        }
    }

    /// Returns whether a name is one that the policy does not allow unconditionally. An allow rule counts only for the
    /// name that was opened.
    fn is_restricted(&self, path: &Path) -> bool {
        let decision = self
            .policy
            .may_write(FileNames::single(path), ShownContent::Lines);
        !matches!(decision.cause, DecisionCause::Mode(_)) && !decision.is_allowed()
    }
}

fn identity(stamp: &Stamp) -> Identity {
    (stamp.device, stamp.inode)
}
