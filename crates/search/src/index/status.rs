//! What a process says of its index: how much of a root is resident and since when, or why nothing is.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// The answered searches up to which their number is not told anew.
const FEW: u64 = 32;

/// What is resident of one root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexStatus {
    /// The root.
    pub root: PathBuf,
    /// What is resident of it.
    pub residency: Residency,
}

/// How far an index is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Residency {
    /// It is being built.
    Building,
    /// It answers.
    Resident(ResidentFacts),
    /// There is none.
    Absent(WhyNot),
}

/// What an index that answers consists of. All sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResidentFacts {
    /// When it was complete.
    pub since: SystemTime,
    /// How long it was built.
    pub built_in: Duration,
    /// How many files it knows.
    pub files: u64,
    /// How many folders are watched for it.
    pub watches: u64,
    /// The size of the text that has signatures.
    pub text: u64,
    /// The size of the table of files.
    pub table: u64,
    /// The size of the signatures.
    pub signatures: u64,
    /// The size of the kept contents.
    pub contents: u64,
    /// How many searches it has answered.
    pub answered: u64,
}

/// Why there is no index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WhyNot {
    /// The settings say so.
    Off,
    /// The tree is searched quickly without one.
    FewFiles,
    /// It is built from the second search on.
    FirstSearch,
    /// The root is a home folder, or contains one.
    HomeFolder,
    /// Others write into the tree without this kernel knowing.
    NetworkFileSystem,
    /// More folders would have to be watched than all lancets of the user may.
    WatchLimit,
    /// All lancets of the user together have used up their memory.
    MemoryBudget,
    /// The machine is short of memory.
    MemoryScarce,
    /// Nobody has searched for a while.
    Idle,
    /// More is changing in the tree than is taken in one by one; it is built anew.
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

    /// The reason as a word for programs.
    pub fn word(self) -> &'static str {
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

    /// The reason as text for people.
    pub fn words(self) -> &'static str {
        match self {
            WhyNot::Off => "off by setting (search.index)",
            WhyNot::FewFiles => "fewer than 2,000 files",
            WhyNot::FirstSearch => "second search not yet made",
            WhyNot::HomeFolder => "home folder",
            WhyNot::NetworkFileSystem => "network file system",
            WhyNot::WatchLimit => "watch limit",
            WhyNot::MemoryBudget => "memory budget used up (search.memory)",
            WhyNot::MemoryScarce => "memory of the machine is scarce",
            WhyNot::Idle => "given back, nobody searched for a while",
            WhyNot::Changing => "too much was changing; it is built anew by a later search",
        }
    }
}

impl IndexStatus {
    /// Whether this is worth telling others who know `last`: anything has changed, or the number of answered searches has doubled. The first
    /// few are not told of one by one: writing the file took longer than a search.
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
