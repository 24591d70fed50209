//! Decides which roots are resident for searches, and when one is built, retained or released. The trees themselves,
//! and their searching, are in `lancet_search`; `stages/examine/search/resident.rs` builds and queries them.

mod allowance;
mod orders;
mod rules_in_force;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use lancet_search::{
    AbsenceReason, IndexResidency, IndexStatus, KeepContents, NotResident, ResidentFacts,
    ResidentTree, TreeIndex, is_home_folder,
};
use lancet_workspace::is_memory_scarce;

use self::allowance::SharedAllowance;
pub(crate) use self::orders::{BuildOrder, RefillOrder};
pub(crate) use self::rules_in_force::RulesInForce;
use crate::residency::ResidencyPublisher;
use crate::settings::{ContentsUse, IndexUse, Settings};

/// A tree with fewer files is searched in a few milliseconds without an index.
const MIN_INDEXED_FILES: u64 = 2_000;
/// A tree is built from this search on.
const BUILD_AT_SEARCH_COUNT: u64 = 2;
/// After this time without a search the tree is compared with the disk once, in case a change was not reported.
const SWEEP_AFTER_IDLE: Duration = Duration::from_secs(30);
/// After this time without a search the contents are released.
const RELEASE_CONTENTS_AFTER_IDLE: Duration = Duration::from_secs(5 * 60);
/// After this time without a search everything is released.
const RELEASE_AFTER_IDLE: Duration = Duration::from_secs(30 * 60);
/// How long to wait before trying again to make a tree resident that could not be.
const RETRY_DELAY: Duration = Duration::from_secs(5 * 60);

/// The resident roots of an engine.
pub(crate) struct ResidentRoots {
    teller: ResidencyPublisher,
    home: Option<PathBuf>,
    /// Whether texts are cached as well, where the settings leave it open.
    contents: KeepContents,
    slots: Mutex<Vec<RootSlot>>,
    allowance: SharedAllowance,
    /// Whether a thread maintains idle trees.
    has_caretaker: Mutex<bool>,
}

/// A root.
struct RootSlot {
    root: PathBuf,
    searches: u64,
    /// The most files that one search has met.
    files: u64,
    not_before: Option<Instant>,
    state: SlotState,
}

enum SlotState {
    Absent(AbsenceReason),
    Building,
    Resident(Resident),
}

struct Resident {
    tree: Arc<ResidentTree>,
    rules: RulesInForce,
    since: SystemTime,
    built_in: Duration,
    answered: u64,
    last: Instant,
    swept: bool,
    /// Whether its contents were released because there was no search for a while.
    is_emptied: bool,
}

impl ResidentRoots {
    /// Creates the state in which nothing is resident yet.
    pub(crate) fn new(
        state: Option<PathBuf>,
        home: Option<PathBuf>,
        contents: KeepContents,
    ) -> Self {
        ResidentRoots {
            teller: ResidencyPublisher::new(state.as_deref()),
            home,
            contents,
            slots: Mutex::default(),
            allowance: SharedAllowance::new(state),
            has_caretaker: Mutex::default(),
        }
    }

    fn slots(&self) -> MutexGuard<'_, Vec<RootSlot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the trees that together have all these starts; none where one of them is not resident under the rules in
    /// force.
    pub(crate) fn resident_trees(
        &self,
        rules: &RulesInForce,
        starts: &[&Path],
    ) -> Option<Vec<Arc<ResidentTree>>> {
        let mut slots = self.slots();
        let mut trees = Vec::new();
        for slot in slots.iter_mut() {
            if !starts.iter().any(|start| start.starts_with(&slot.root)) {
                continue;
            }
            let SlotState::Resident(resident) = &mut slot.state else {
                return None;
            };
            if !resident.rules.is_same_as(rules) {
                slot.state = SlotState::Absent(AbsenceReason::FirstSearch);
                return None;
            }
            resident.last = Instant::now();
            trees.push(Arc::clone(&resident.tree));
        }
        (!trees.is_empty()).then_some(trees)
    }

    /// Counts an answer of some trees. Returns a tree whose contents are wanted again, now that it is searched.
    pub(crate) fn count_answer(&self, trees: &[Arc<ResidentTree>]) -> Option<RefillOrder> {
        let mut slots = self.slots();
        let mut order = None;
        for slot in slots.iter_mut() {
            let SlotState::Resident(resident) = &mut slot.state else {
                continue;
            };
            if trees.iter().any(|tree| Arc::ptr_eq(tree, &resident.tree)) {
                resident.answered += 1;
                resident.swept = false;
                if resident.is_emptied && order.is_none() && !is_memory_scarce() {
                    resident.is_emptied = false;
                    order = Some(RefillOrder {
                        tree: Arc::clone(&resident.tree),
                        contents: self.wanted_contents(&resident.rules.settings),
                    });
                }
                slot.publish_status(&self.teller);
            }
        }
        order
    }

    /// Drops a tree that has to be rebuilt.
    pub(crate) fn drop_tree(&self, tree: &Arc<ResidentTree>, why: NotResident) {
        let mut slots = self.slots();
        for slot in slots.iter_mut() {
            let SlotState::Resident(resident) = &slot.state else {
                continue;
            };
            if Arc::ptr_eq(tree, &resident.tree) {
                // A tree in which everything keeps changing would be rebuilt over and over to no use.
                slot.not_before = Some(Instant::now() + 2 * resident.built_in);
                slot.state = SlotState::Absent(as_why_not(why));
                slot.publish_status(&self.teller);
            }
        }
    }

    /// Counts a search that walked the folders and met this many files. Returns the order to build a root where that is
    /// now worth it.
    pub(crate) fn count_walk(
        &self,
        rules: &RulesInForce,
        roots: &[PathBuf],
        starts: &[&Path],
        files: u64,
    ) -> Option<BuildOrder> {
        let mut slots = self.slots();
        if slots.is_empty() {
            slots.extend(outermost_roots(roots).map(|root| RootSlot {
                root: root.clone(),
                searches: 0,
                files: 0,
                not_before: None,
                state: SlotState::Absent(AbsenceReason::FirstSearch),
            }));
        }
        let is_meant =
            |slot: &&mut RootSlot| starts.iter().any(|start| start.starts_with(&slot.root));
        let mut order = None;
        for slot in slots.iter_mut().filter(is_meant) {
            slot.searches += 1;
            slot.files = slot.files.max(files);
            if !matches!(slot.state, SlotState::Absent(_))
                || slot.not_before.is_some_and(|time| Instant::now() < time)
            {
                continue;
            }
            slot.state = match slot.reason_not_to_build(&rules.settings, self.home.as_deref()) {
                Some(why) => SlotState::Absent(why),
                None if order.is_some() => continue,
                None => {
                    order = Some(self.build_order(rules, &slot.root));
                    SlotState::Building
                }
            };
            slot.publish_status(&self.teller);
        }
        order
    }

    #[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
    fn wanted_contents(&self, settings: &Settings) -> KeepContents {
        match settings.search.contents {
            ContentsUse::On => KeepContents::Yes,
            ContentsUse::Off => KeepContents::No,
            ContentsUse::Auto => self.contents,
            _ => self.contents,
        }
    }

    fn build_order(&self, rules: &RulesInForce, root: &Path) -> BuildOrder {
        let allowance = self.allowance.for_memory(rules.settings.search.memory);
        BuildOrder {
            root: root.to_path_buf(),
            rules: rules.clone(),
            contents: self.wanted_contents(&rules.settings),
            budget: allowance.budget,
            watches: allowance.watches,
            begun: Instant::now(),
        }
    }

    /// Records the result of an order.
    pub(crate) fn record_build(&self, order: BuildOrder, built: Result<TreeIndex, NotResident>) {
        let mut slots = self.slots();
        let Some(slot) = slots.iter_mut().find(|slot| slot.root == order.root) else {
            return;
        };
        slot.not_before = None;
        slot.state = match built {
            Ok(index) => SlotState::Resident(Resident {
                tree: Arc::new(ResidentTree::new(index)),
                rules: order.rules,
                since: SystemTime::now(),
                built_in: order.begun.elapsed(),
                answered: 0,
                last: Instant::now(),
                swept: false,
                is_emptied: false,
            }),
            Err(why) => {
                slot.not_before = Some(Instant::now() + RETRY_DELAY);
                SlotState::Absent(as_why_not(why))
            }
        };
        slot.publish_status(&self.teller);
    }

    /// Records that an order could not be begun.
    pub(crate) fn record_build_start_failure(&self, root: &Path) {
        let mut slots = self.slots();
        if let Some(slot) = slots.iter_mut().find(|slot| slot.root == root) {
            slot.not_before = Some(Instant::now() + RETRY_DELAY);
            slot.state = SlotState::Absent(AbsenceReason::MemoryScarce);
            slot.publish_status(&self.teller);
        }
    }

    /// Releases everything; the caretaker thread ends.
    pub(crate) fn release_all(&self) {
        let mut slots = self.slots();
        for slot in slots.iter_mut() {
            if matches!(slot.state, SlotState::Resident(_)) {
                slot.state = SlotState::Absent(AbsenceReason::FirstSearch);
                slot.publish_status(&self.teller);
            }
        }
        *self.lock_caretaker() = false;
    }

    fn lock_caretaker(&self) -> MutexGuard<'_, bool> {
        self.has_caretaker
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the caller must maintain idle trees from now on. True only once, until [`ResidentRoots::release_idle`]
    /// finds no tree left.
    pub(crate) fn needs_caretaker(&self) -> bool {
        !std::mem::replace(&mut *self.lock_caretaker(), true)
    }

    /// Releases trees that have been idle for long, and all trees where memory is scarce. Returns the trees that must
    /// be compared with the disk; none where no tree is left.
    pub(crate) fn release_idle(&self) -> Option<Vec<Arc<ResidentTree>>> {
        let scarce = is_memory_scarce();
        let mut slots = self.slots();
        let mut due = Vec::new();
        let mut left = false;
        for slot in slots.iter_mut() {
            let resident = match &mut slot.state {
                SlotState::Resident(resident) => resident,
                SlotState::Building => {
                    left = true;
                    continue;
                }
                SlotState::Absent(_) => continue,
            };
            let idle = resident.last.elapsed();
            if scarce || idle >= RELEASE_AFTER_IDLE {
                slot.state = SlotState::Absent(match scarce {
                    true => AbsenceReason::MemoryScarce,
                    false => AbsenceReason::Idle,
                });
                slot.not_before = scarce.then(|| Instant::now() + RETRY_DELAY);
                slot.publish_status(&self.teller);
                continue;
            }
            left = true;
            if idle >= RELEASE_CONTENTS_AFTER_IDLE && resident.tree.size().contents > 0 {
                resident.tree.drop_contents();
                resident.is_emptied = true;
                slot.publish_status(&self.teller);
            } else if idle >= SWEEP_AFTER_IDLE && !resident.swept {
                resident.swept = true;
                due.push(Arc::clone(&resident.tree));
            }
        }
        if !left {
            *self.lock_caretaker() = false;
        }
        left.then_some(due)
    }
}

impl RootSlot {
    /// Returns why the root is not built now; none where nothing speaks against it.
    fn reason_not_to_build(
        &self,
        settings: &Settings,
        home: Option<&Path>,
    ) -> Option<AbsenceReason> {
        match () {
            () if settings.search.index == IndexUse::Off => Some(AbsenceReason::Off),
            () if is_home_folder(&self.root, home) => Some(AbsenceReason::HomeFolder),
            () if self.files < MIN_INDEXED_FILES => Some(AbsenceReason::FewFiles),
            () if self.searches < BUILD_AT_SEARCH_COUNT => Some(AbsenceReason::FirstSearch),
            () if is_memory_scarce() => Some(AbsenceReason::MemoryScarce),
            () => None,
        }
    }

    fn publish_status(&self, teller: &ResidencyPublisher) {
        let residency = match &self.state {
            SlotState::Absent(why) => IndexResidency::Absent(*why),
            SlotState::Building => IndexResidency::Building,
            SlotState::Resident(resident) => {
                let size = resident.tree.size();
                IndexResidency::Resident(ResidentFacts {
                    since: resident.since,
                    built_in: resident.built_in,
                    files: size.files as u64,
                    watches: size.folders as u64,
                    text: size.text,
                    table: size.table as u64,
                    signatures: size.signatures as u64,
                    contents: size.contents as u64,
                    answered: resident.answered,
                })
            }
        };
        teller.publish(IndexStatus {
            root: self.root.clone(),
            residency,
        });
    }
}

/// Returns the roots without those inside another one.
fn outermost_roots(roots: &[PathBuf]) -> impl Iterator<Item = &PathBuf> {
    roots.iter().filter(|root| {
        let mut others = roots.iter();
        !others.any(|other| other != *root && root.starts_with(other))
    })
}

fn as_why_not(why: NotResident) -> AbsenceReason {
    match why {
        NotResident::NoWatches => AbsenceReason::WatchLimit,
        NotResident::NoMemory => AbsenceReason::MemoryBudget,
        NotResident::Untold => AbsenceReason::NetworkFileSystem,
        NotResident::Changing | NotResident::Unreadable | NotResident::Stopped => {
            AbsenceReason::Changing
        }
    }
}
