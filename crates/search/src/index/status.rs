//! Describes the index of a process for others: how much of a root is resident and since when, or why nothing is.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Up to this many answered searches, a change of their number alone is not published.
const SILENT_ANSWERS: u64 = 32;

/// The part of one root that is resident.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexStatus {
    /// The root.
    pub root: PathBuf,
    /// The state of its index.
    pub residency: IndexResidency,
}

/// The state of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexResidency {
    /// The index is being built.
    Building,
    /// The index answers searches.
    Resident(ResidentFacts),
    /// There is no index.
    Absent(AbsenceReason),
}

/// The parts of an index that answers searches. All sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResidentFacts {
    /// When the index was complete.
    pub since: SystemTime,
    /// The time that building took.
    pub built_in: Duration,
    /// The number of files in it.
    pub files: u64,
    /// The number of folders that are watched for it.
    pub watches: u64,
    /// The size of the text that has signatures.
    pub text: u64,
    /// The size of the table of files.
    pub table: u64,
    /// The size of the signatures.
    pub signatures: u64,
    /// The size of the contents in memory.
    pub contents: u64,
    /// The number of searches that it has answered.
    pub answered: u64,
}

/// Why there is no index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AbsenceReason {
    /// The settings turn it off.
    Off,
    /// The tree is searched quickly without one.
    FewFiles,
    /// It is built from the second search on.
    FirstSearch,
    /// The root is a home folder, or contains one.
    HomeFolder,
    /// Other machines write into the tree without this kernel knowing.
    NetworkFileSystem,
    /// More folders would have to be watched than all lancet processes of the user may watch.
    WatchLimit,
    /// All lancet processes of the user together have used up their memory budget.
    MemoryBudget,
    /// The machine is short of memory.
    MemoryScarce,
    /// No search has run for a while.
    Idle,
    /// More is changing in the tree than is taken in one by one; the index is rebuilt.
    Changing,
}

impl AbsenceReason {
    /// Every reason.
    pub const ALL: [AbsenceReason; 10] = [
        AbsenceReason::Off,
        AbsenceReason::FewFiles,
        AbsenceReason::FirstSearch,
        AbsenceReason::HomeFolder,
        AbsenceReason::NetworkFileSystem,
        AbsenceReason::WatchLimit,
        AbsenceReason::MemoryBudget,
        AbsenceReason::MemoryScarce,
        AbsenceReason::Idle,
        AbsenceReason::Changing,
    ];

    /// Returns the reason as an identifier for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            AbsenceReason::Off => "off",
            AbsenceReason::FewFiles => "few_files",
            AbsenceReason::FirstSearch => "first_search",
            AbsenceReason::HomeFolder => "home_folder",
            AbsenceReason::NetworkFileSystem => "network_file_system",
            AbsenceReason::WatchLimit => "watch_limit",
            AbsenceReason::MemoryBudget => "memory_budget",
            AbsenceReason::MemoryScarce => "memory_scarce",
            AbsenceReason::Idle => "idle",
            AbsenceReason::Changing => "changing",
        }
    }

    /// Returns the reason as text for people.
    pub fn describe(self) -> &'static str {
        match self {
            AbsenceReason::Off => "off by setting (search.index)",
            AbsenceReason::FewFiles => "fewer than 2,000 files",
            AbsenceReason::FirstSearch => "second search not yet made",
            AbsenceReason::HomeFolder => "home folder",
            AbsenceReason::NetworkFileSystem => "network file system",
            AbsenceReason::WatchLimit => "watch limit",
            AbsenceReason::MemoryBudget => "memory budget used up (search.memory)",
            AbsenceReason::MemoryScarce => "memory of the machine is scarce",
            AbsenceReason::Idle => "released, because nothing was searched for a while",
            AbsenceReason::Changing => "too much was changing; a later search builds it again",
        }
    }
}

impl IndexStatus {
    /// Returns whether this should be published to processes that know `last`: anything has changed, or the number of
    /// answered searches has doubled. The first few searches are not published one by one, because writing the file
    /// took longer than a search.
    pub fn differs_notably_from(&self, last: &IndexStatus) -> bool {
        match (&self.residency, &last.residency) {
            (IndexResidency::Resident(now), IndexResidency::Resident(then)) => {
                let same = ResidentFacts {
                    answered: then.answered,
                    ..now.clone()
                };
                same != *then || now.answered >= 2 * then.answered.max(SILENT_ANSWERS)
            }
            (now, then) => now != then,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resident_status(answered: u64, contents: u64) -> IndexStatus {
        let facts = ResidentFacts {
            since: SystemTime::UNIX_EPOCH,
            built_in: Duration::from_millis(900),
            files: 60_000,
            watches: 4_000,
            text: 190 << 20,
            table: 9 << 20,
            signatures: 15 << 20,
            contents,
            answered,
        };
        IndexStatus {
            root: "/p".into(),
            residency: IndexResidency::Resident(facts),
        }
    }

    #[test]
    fn thousand_searches_are_notable_four_times() {
        let mut told = resident_status(0, 0);
        let mut times = 0;
        for answered in 1..=1_000 {
            let now = resident_status(answered, 0);
            if now.differs_notably_from(&told) {
                times += 1;
                told = now;
            }
        }
        assert_eq!(times, 4, "at 64, 128, 256, 512");
    }

    #[test]
    fn building_and_dropping_index_is_notable() {
        assert!(resident_status(5, 1).differs_notably_from(&resident_status(5, 0)));
        assert!(!resident_status(5, 1).differs_notably_from(&resident_status(5, 1)));
        let absent = |why| IndexStatus {
            root: "/p".into(),
            residency: IndexResidency::Absent(why),
        };
        assert!(absent(AbsenceReason::Idle).differs_notably_from(&resident_status(5, 1)));
        assert!(!absent(AbsenceReason::Off).differs_notably_from(&absent(AbsenceReason::Off)));
        assert!(absent(AbsenceReason::Off).differs_notably_from(&absent(AbsenceReason::Idle)));
    }
}
