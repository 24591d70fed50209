//! Describes the index of a process for others: how much of a root is resident and since when, or why nothing is.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Up to this many answered searches, a change of their number alone is not published.
const FEW: u64 = 32;

/// The part of one root that is resident.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexStatus {
    /// The root.
    pub root: PathBuf,
    /// The state of its index.
    pub residency: Residency,
}

/// The state of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Residency {
    /// The index is being built.
    Building,
    /// The index answers searches.
    Resident(ResidentFacts),
    /// There is no index.
    Absent(WhyNot),
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
pub enum WhyNot {
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

impl WhyNot {
    /// Every reason.
    pub const ALL: [WhyNot; 10] = [
        WhyNot::Off,
        WhyNot::FewFiles,
        WhyNot::FirstSearch,
        WhyNot::HomeFolder,
        WhyNot::NetworkFileSystem,
        WhyNot::WatchLimit,
        WhyNot::MemoryBudget,
        WhyNot::MemoryScarce,
        WhyNot::Idle,
        WhyNot::Changing,
    ];

    /// Returns the reason as an identifier for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            WhyNot::Off => "off",
            WhyNot::FewFiles => "few_files",
            WhyNot::FirstSearch => "first_search",
            WhyNot::HomeFolder => "home_folder",
            WhyNot::NetworkFileSystem => "network_file_system",
            WhyNot::WatchLimit => "watch_limit",
            WhyNot::MemoryBudget => "memory_budget",
            WhyNot::MemoryScarce => "memory_scarce",
            WhyNot::Idle => "idle",
            WhyNot::Changing => "changing",
        }
    }

    /// Returns the reason as text for people.
    pub fn describe(self) -> &'static str {
        match self {
            WhyNot::Off => "off by setting (search.index)",
            WhyNot::FewFiles => "fewer than 2,000 files",
            WhyNot::FirstSearch => "second search not yet made",
            WhyNot::HomeFolder => "home folder",
            WhyNot::NetworkFileSystem => "network file system",
            WhyNot::WatchLimit => "watch limit",
            WhyNot::MemoryBudget => "memory budget used up (search.memory)",
            WhyNot::MemoryScarce => "memory of the machine is scarce",
            WhyNot::Idle => "released, because nothing was searched for a while",
            WhyNot::Changing => "too much was changing; a later search builds it again",
        }
    }
}

impl IndexStatus {
    /// Returns whether this should be published to processes that know `last`: anything has changed, or the number of
    /// answered searches has doubled. The first few searches are not published one by one, because writing the file
    /// took longer than a search.
    pub fn is_news(&self, last: &IndexStatus) -> bool {
        match (&self.residency, &last.residency) {
            (Residency::Resident(now), Residency::Resident(then)) => {
                let same = ResidentFacts {
                    answered: then.answered,
                    ..now.clone()
                };
                same != *then || now.answered >= 2 * then.answered.max(FEW)
            }
            (now, then) => now != then,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resident(answered: u64, contents: u64) -> IndexStatus {
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
            residency: Residency::Resident(facts),
        }
    }

    #[test]
    fn a_thousand_searches_are_news_four_times() {
        let mut told = resident(0, 0);
        let mut times = 0;
        for answered in 1..=1_000 {
            let now = resident(answered, 0);
            if now.is_news(&told) {
                times += 1;
                told = now;
            }
        }
        assert_eq!(times, 4, "at 64, 128, 256, 512");
    }

    #[test]
    fn what_is_built_and_given_back_is_news() {
        assert!(resident(5, 1).is_news(&resident(5, 0)));
        assert!(!resident(5, 1).is_news(&resident(5, 1)));
        let absent = |why| IndexStatus {
            root: "/p".into(),
            residency: Residency::Absent(why),
        };
        assert!(absent(WhyNot::Idle).is_news(&resident(5, 1)));
        assert!(!absent(WhyNot::Off).is_news(&absent(WhyNot::Off)));
        assert!(absent(WhyNot::Off).is_news(&absent(WhyNot::Idle)));
    }
}
