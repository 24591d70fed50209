//! Publishes in the state folder what running processes have resident of their roots, so that `lancet doctor` can
//! report it. It is written when an index is built or released, not with each search.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lancet_local_state::ResidentNote;
use lancet_search::{AbsenceReason, IndexResidency, IndexStatus, ResidentFacts};
use serde::{Deserialize, Serialize};

/// Publishes what this engine has resident. Without a state folder nothing is published.
#[derive(Debug)]
pub(crate) struct ResidencyPublisher {
    note: Option<ResidentNote>,
    told: Mutex<BTreeMap<PathBuf, IndexStatus>>,
}

impl ResidencyPublisher {
    /// Prepares to publish; touches no file.
    pub(crate) fn new(state: Option<&Path>) -> Self {
        ResidencyPublisher {
            note: state.map(ResidentNote::new),
            told: Mutex::default(),
        }
    }

    /// Publishes what is resident of one root. This may be called with each search: it writes only where there is news
    /// ([`IndexStatus::differs_notably_from`]).
    pub(crate) fn publish(&self, status: IndexStatus) {
        let Some(note) = &self.note else { return };
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told
            .get(&status.root)
            .is_some_and(|last| !status.differs_notably_from(last))
        {
            return;
        }
        told.insert(status.root.clone(), status);
        let written = ResidencyFile {
            process: std::process::id(),
            indexes: told.values().map(PublishedRoot::from_status).collect(),
        };
        // Searches go on at full speed even if the disk is full, so errors are ignored.
        if let Ok(text) = serde_json::to_string(&written) {
            let _ = note.publish_note(&text);
        }
    }
}

/// An index of a running process, or why it has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningIndex {
    /// The number of the process, as the process itself knows it.
    pub process: u32,
    /// The last status that the process published. It is published again when the number of answered searches has
    /// doubled, so the true number may be almost twice as high.
    pub status: IndexStatus,
}

/// Returns what all running processes that use a state folder have resident.
pub fn running_indexes(state: &Path) -> Vec<RunningIndex> {
    let texts = ResidentNote::read_all_processes(state);
    let notes = texts
        .iter()
        .filter_map(|text| serde_json::from_str::<ResidencyFile>(text).ok());
    let indexes = notes.flat_map(|note| {
        let entries = note.indexes.into_iter();
        entries.filter_map(move |entry| {
            let status = entry.status()?;
            Some(RunningIndex {
                process: note.process,
                status,
            })
        })
    });
    let mut indexes: Vec<RunningIndex> = indexes.collect();
    indexes.sort_by(|one, other| {
        (one.process, &one.status.root).cmp(&(other.process, &other.status.root))
    });
    indexes
}

/// The content of one engine's file.
#[derive(Serialize, Deserialize)]
struct ResidencyFile {
    process: u32,
    indexes: Vec<PublishedRoot>,
}

/// One root in the file. Durations are in milliseconds, points in time in milliseconds since 1970.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PublishedRoot {
    root: String,
    residency: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    facts: Option<PublishedFacts>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PublishedFacts {
    since: u64,
    built_in: u64,
    files: u64,
    watches: u64,
    text: u64,
    table: u64,
    signatures: u64,
    contents: u64,
    answered: u64,
}

impl PublishedRoot {
    fn from_status(status: &IndexStatus) -> PublishedRoot {
        let (residency, why, facts) = match &status.residency {
            IndexResidency::Building => ("building", None, None),
            IndexResidency::Absent(why) => ("absent", Some(why.as_str().to_owned()), None),
            IndexResidency::Resident(facts) => {
                ("resident", None, Some(PublishedFacts::from_facts(facts)))
            }
        };
        PublishedRoot {
            root: status.root.to_string_lossy().into_owned(),
            residency: residency.to_owned(),
            why,
            facts,
        }
    }

    /// Returns the status; none if another version of lancet wrote a value that this one does not know.
    fn status(self) -> Option<IndexStatus> {
        let residency = match self.residency.as_str() {
            "building" => IndexResidency::Building,
            "resident" => IndexResidency::Resident(self.facts?.facts()),
            "absent" => {
                let word = self.why?;
                let mut known = AbsenceReason::ALL.into_iter();
                IndexResidency::Absent(known.find(|why| why.as_str() == word)?)
            }
            _ => return None,
        };
        Some(IndexStatus {
            root: PathBuf::from(self.root),
            residency,
        })
    }
}

impl PublishedFacts {
    fn from_facts(facts: &ResidentFacts) -> PublishedFacts {
        let since = facts.since.duration_since(UNIX_EPOCH).unwrap_or_default();
        PublishedFacts {
            since: milliseconds(since),
            built_in: milliseconds(facts.built_in),
            files: facts.files,
            watches: facts.watches,
            text: facts.text,
            table: facts.table,
            signatures: facts.signatures,
            contents: facts.contents,
            answered: facts.answered,
        }
    }

    fn facts(&self) -> ResidentFacts {
        let since = UNIX_EPOCH.checked_add(Duration::from_millis(self.since));
        ResidentFacts {
            since: since.unwrap_or(SystemTime::UNIX_EPOCH),
            built_in: Duration::from_millis(self.built_in),
            files: self.files,
            watches: self.watches,
            text: self.text,
            table: self.table,
            signatures: self.signatures,
            contents: self.contents,
            answered: self.answered,
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resident_status(root: &str, answered: u64) -> IndexStatus {
        let facts = ResidentFacts {
            since: UNIX_EPOCH + Duration::from_millis(1_700_000_000_123),
            built_in: Duration::from_millis(900),
            files: 60_000,
            watches: 4_000,
            text: 190 << 20,
            table: 9 << 20,
            signatures: 15 << 20,
            contents: 0,
            answered,
        };
        IndexStatus {
            root: root.into(),
            residency: IndexResidency::Resident(facts),
        }
    }

    #[test]
    fn published_status_is_read_back_unchanged() {
        let state = tempfile::tempdir().unwrap();
        let teller = ResidencyPublisher::new(Some(state.path()));
        let mut all = vec![resident_status("/p", 7)];
        for (number, why) in AbsenceReason::ALL.into_iter().enumerate() {
            all.push(IndexStatus {
                root: format!("/q/{number}").into(),
                residency: IndexResidency::Absent(why),
            });
        }
        all.push(IndexStatus {
            root: "/r".into(),
            residency: IndexResidency::Building,
        });
        all.iter()
            .cloned()
            .for_each(|status| teller.publish(status));
        let told = running_indexes(state.path());
        let statuses: Vec<IndexStatus> = told.iter().map(|told| told.status.clone()).collect();
        assert_eq!(statuses, all);
        assert!(told.iter().all(|told| told.process == std::process::id()));
        drop(teller);
        assert_eq!(running_indexes(state.path()), []);
    }

    #[test]
    fn publishes_only_when_searches_have_doubled() {
        let state = tempfile::tempdir().unwrap();
        let teller = ResidencyPublisher::new(Some(state.path()));
        let answered = || match &running_indexes(state.path())[..] {
            [one] => match &one.status.residency {
                IndexResidency::Resident(facts) => facts.answered,
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        };
        teller.publish(resident_status("/p", 40));
        teller.publish(resident_status("/p", 79));
        assert_eq!(answered(), 40);
        teller.publish(resident_status("/p", 80));
        assert_eq!(answered(), 80);
    }

    #[test]
    fn ignores_status_written_by_another_version() {
        let state = tempfile::tempdir().unwrap();
        let note = ResidentNote::new(state.path());
        note.publish_note("{\"process\":1,\"indexes\":[{\"root\":\"/a\",\"residency\":\"frozen\"},{\"root\":\"/b\",\"residency\":\"building\",\"new\":1}]}").unwrap();
        let told = running_indexes(state.path());
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].status.root, Path::new("/b"));
        note.publish_note("nonsense").unwrap();
        assert_eq!(running_indexes(state.path()), []);
    }
}
