//! The knowledge of a session about one file.

use std::sync::Arc;

use crate::line_numbers::LineNumbers;
use crate::seen::Seen;
use crate::stamp::StampRecord;

/// The BLAKE3 hash of a file's raw bytes.
pub type Revision = [u8; 32];

/// The number of answered ranges remembered for each file, so that every page of a file that is read in pages is known.
const READINGS: usize = 16;

/// One version of a file as it was read from the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// The hash of its raw bytes, which decides whether two versions are the same.
    pub revision: Revision,
    /// Its length in bytes.
    pub size: u64,
    /// Its stat stamp. It is only a shortcut for finding that the file is unchanged.
    pub stamp: StampRecord,
}

/// The range that a Read requested, with defaults filled in, so that equal requests are equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadRange {
    /// The number of the first line.
    pub offset: u64,
    /// The number of lines.
    pub limit: u64,
    /// The first character of the line, if a single line was requested.
    pub column: u64,
}

/// The knowledge of a session about one file: its version, and which of its bytes were shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The hash of the version that the model knows.
    pub revision: Revision,
    /// The length of that version in bytes.
    pub size: u64,
    /// The stat stamp of the file when it last had that content.
    pub stamp: StampRecord,
    /// The bytes that were shown.
    pub seen: Seen,
    /// The present places of the lines whose numbers were shown.
    pub numbers: LineNumbers,
    /// Whether the model was shown a view that is not the file's text (cut, or with parts removed). Such a view
    /// allows no edit.
    pub partial_view: bool,
    /// The bytes of that version, if the budget allows. They are not stored across a restart.
    pub content: Option<Arc<Vec<u8>>>,
    /// The revision that the session itself wrote, until the session is notified that another program changed the
    /// file.
    pub wrote: Option<Revision>,
    /// The ranges that were answered with text, oldest first. They are not stored across a restart, so the first Read
    /// after one returns text.
    pub readings: Readings,
}

/// The ranges of a file that were answered, and the kind of each answer. Queried and changed through [`Entry`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readings(Vec<Reading>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reading {
    asked: ReadRange,
    revision: Revision,
    stub: Stub,
}

/// Whether a range was already answered with "unchanged since your last read".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stub {
    Open,
    Given,
}

impl Entry {
    /// Returns an entry for a version of which nothing was shown yet.
    #[must_use]
    pub fn new(version: Version) -> Self {
        Self {
            revision: version.revision,
            size: version.size,
            stamp: version.stamp,
            seen: Seen::none(),
            numbers: LineNumbers::default(),
            partial_view: false,
            content: None,
            wrote: None,
            readings: Readings::default(),
        }
    }

    /// Returns an entry for a version that the session wrote completely, so that all of it counts as seen.
    #[must_use]
    pub fn written(version: Version, content: Option<Arc<Vec<u8>>>) -> Self {
        Self {
            seen: Seen::whole(version.size),
            content,
            wrote: Some(version.revision),
            ..Self::new(version)
        }
    }

    /// Returns the version that the entry is about.
    #[must_use]
    pub fn version(&self) -> Version {
        Version {
            revision: self.revision,
            size: self.size,
            stamp: self.stamp,
        }
    }

    /// Returns whether every byte was shown unaltered.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.partial_view && self.seen.is_whole(self.size)
    }

    /// Returns whether a Read of this range of the unchanged file may be answered with "unchanged since your last
    /// read": the range was answered with text in this version, and not with the short answer since.
    #[must_use]
    pub fn may_answer_unchanged(&self, asked: ReadRange) -> bool {
        self.readings.0.iter().any(|reading| {
            reading.asked == asked
                && reading.revision == self.revision
                && reading.stub == Stub::Open
        })
    }

    /// Records that the range was answered with its text.
    pub fn answered_with_text(&mut self, asked: ReadRange) {
        self.readings
            .0
            .retain(|reading| reading.asked != asked && reading.revision == self.revision);
        if self.readings.0.len() >= READINGS {
            self.readings.0.remove(0);
        }
        self.readings.0.push(Reading {
            asked,
            revision: self.revision,
            stub: Stub::Open,
        });
    }

    /// Records that the range was answered with "unchanged"; the next Read of it returns text.
    pub fn answered_unchanged(&mut self, asked: ReadRange) {
        for reading in self
            .readings
            .0
            .iter_mut()
            .filter(|reading| reading.asked == asked)
        {
            reading.stub = Stub::Given;
        }
    }

    /// Forgets which ranges were answered, so that the next Read returns text. What was seen still counts.
    pub fn forget_answers(&mut self) {
        self.readings.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: ReadRange = ReadRange {
        offset: 1,
        limit: 2000,
        column: 1,
    };
    const PAGE: ReadRange = ReadRange {
        offset: 1,
        limit: 20,
        column: 1,
    };

    fn entry() -> Entry {
        Entry::new(Version {
            revision: [1; 32],
            size: 10,
            stamp: StampRecord::default(),
        })
    }

    #[test]
    fn unchanged_is_said_once_for_each_text() {
        let mut entry = entry();
        assert!(!entry.may_answer_unchanged(WHOLE), "nothing was shown yet");
        entry.answered_with_text(WHOLE);
        assert!(entry.may_answer_unchanged(WHOLE));
        entry.answered_unchanged(WHOLE);
        assert!(
            !entry.may_answer_unchanged(WHOLE),
            "asked yet again, the text is due"
        );
        entry.answered_with_text(WHOLE);
        assert!(entry.may_answer_unchanged(WHOLE));
    }

    #[test]
    fn each_range_is_a_question_of_its_own() {
        let mut entry = entry();
        entry.answered_with_text(WHOLE);
        assert!(!entry.may_answer_unchanged(PAGE));
        entry.answered_with_text(PAGE);
        entry.answered_unchanged(PAGE);
        assert!(entry.may_answer_unchanged(WHOLE));
        assert!(!entry.may_answer_unchanged(ReadRange { column: 7, ..WHOLE }));
    }

    #[test]
    fn another_version_is_answered_with_text() {
        let mut entry = entry();
        entry.answered_with_text(WHOLE);
        entry.revision = [2; 32];
        assert!(!entry.may_answer_unchanged(WHOLE));
    }

    #[test]
    fn answers_are_remembered_within_bounds() {
        let mut entry = entry();
        for offset in 0..100 {
            entry.answered_with_text(ReadRange { offset, ..PAGE });
        }
        assert_eq!(entry.readings.0.len(), READINGS);
        assert!(entry.may_answer_unchanged(ReadRange { offset: 99, ..PAGE }));
        assert!(!entry.may_answer_unchanged(ReadRange { offset: 0, ..PAGE }));
    }

    #[test]
    fn a_partial_view_is_never_whole() {
        let mut entry = entry();
        entry.seen = Seen::whole(10);
        assert!(entry.is_whole());
        entry.partial_view = true;
        assert!(!entry.is_whole());
    }
}
