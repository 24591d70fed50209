//! The knowledge of a session about one file.

use std::sync::Arc;

use crate::line_numbers::LineNumbers;
use crate::seen::SeenRanges;
use crate::stamp::StampRecord;

/// The BLAKE3 hash of a file's raw bytes.
pub type Revision = [u8; 32];

/// The number of answered ranges remembered for each file, so that every page of a file that is read in pages is known.
const MAX_READINGS: usize = 16;

/// One version of a file as it was read from the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileVersion {
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
pub struct LedgerEntry {
    /// The hash of the version that the model knows.
    pub revision: Revision,
    /// The length of that version in bytes.
    pub size: u64,
    /// The stat stamp of the file when it last had that content.
    pub stamp: StampRecord,
    /// The bytes that were shown.
    pub seen: SeenRanges,
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
    pub readings: AnsweredRanges,
}

/// The ranges of a file that were answered, and the kind of each answer. Queried and changed through [`LedgerEntry`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnsweredRanges(Vec<AnsweredRange>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AnsweredRange {
    asked: ReadRange,
    revision: Revision,
    stub: StubState,
}

/// Whether a range was already answered with "unchanged since your last read".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StubState {
    Open,
    Given,
}

impl LedgerEntry {
    /// Returns an entry for a version of which nothing was shown yet.
    #[must_use]
    pub fn new(version: FileVersion) -> Self {
        Self {
            revision: version.revision,
            size: version.size,
            stamp: version.stamp,
            seen: SeenRanges::nothing_seen(),
            numbers: LineNumbers::default(),
            partial_view: false,
            content: None,
            wrote: None,
            readings: AnsweredRanges::default(),
        }
    }

    /// Returns an entry for a version that the session wrote completely, so that all of it counts as seen.
    #[must_use]
    pub fn from_write(version: FileVersion, content: Option<Arc<Vec<u8>>>) -> Self {
        Self {
            seen: SeenRanges::all_seen(version.size),
            content,
            wrote: Some(version.revision),
            ..Self::new(version)
        }
    }

    /// Returns the version that the entry is about.
    #[must_use]
    pub fn version(&self) -> FileVersion {
        FileVersion {
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
                && reading.stub == StubState::Open
        })
    }

    /// Records that the range was answered with its text.
    pub fn answered_with_text(&mut self, asked: ReadRange) {
        self.readings
            .0
            .retain(|reading| reading.asked != asked && reading.revision == self.revision);
        if self.readings.0.len() >= MAX_READINGS {
            self.readings.0.remove(0);
        }
        self.readings.0.push(AnsweredRange {
            asked,
            revision: self.revision,
            stub: StubState::Open,
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
            reading.stub = StubState::Given;
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

    const WHOLE_FILE: ReadRange = ReadRange {
        offset: 1,
        limit: 2000,
        column: 1,
    };
    const ONE_PAGE: ReadRange = ReadRange {
        offset: 1,
        limit: 20,
        column: 1,
    };

    fn new_entry() -> LedgerEntry {
        LedgerEntry::new(FileVersion {
            revision: [1; 32],
            size: 10,
            stamp: StampRecord::default(),
        })
    }

    #[test]
    fn answers_unchanged_once_per_text() {
        let mut entry = new_entry();
        assert!(
            !entry.may_answer_unchanged(WHOLE_FILE),
            "nothing was shown yet"
        );
        entry.answered_with_text(WHOLE_FILE);
        assert!(entry.may_answer_unchanged(WHOLE_FILE));
        entry.answered_unchanged(WHOLE_FILE);
        assert!(
            !entry.may_answer_unchanged(WHOLE_FILE),
            "asked yet again, the text is due"
        );
        entry.answered_with_text(WHOLE_FILE);
        assert!(entry.may_answer_unchanged(WHOLE_FILE));
    }

    #[test]
    fn ranges_are_answered_independently() {
        let mut entry = new_entry();
        entry.answered_with_text(WHOLE_FILE);
        assert!(!entry.may_answer_unchanged(ONE_PAGE));
        entry.answered_with_text(ONE_PAGE);
        entry.answered_unchanged(ONE_PAGE);
        assert!(entry.may_answer_unchanged(WHOLE_FILE));
        assert!(!entry.may_answer_unchanged(ReadRange {
            column: 7,
            ..WHOLE_FILE
        }));
    }

    #[test]
    fn answers_other_version_with_text() {
        let mut entry = new_entry();
        entry.answered_with_text(WHOLE_FILE);
        entry.revision = [2; 32];
        assert!(!entry.may_answer_unchanged(WHOLE_FILE));
    }

    #[test]
    fn remembers_limited_number_of_answers() {
        let mut entry = new_entry();
        for offset in 0..100 {
            entry.answered_with_text(ReadRange { offset, ..ONE_PAGE });
        }
        assert_eq!(entry.readings.0.len(), MAX_READINGS);
        assert!(entry.may_answer_unchanged(ReadRange {
            offset: 99,
            ..ONE_PAGE
        }));
        assert!(!entry.may_answer_unchanged(ReadRange {
            offset: 0,
            ..ONE_PAGE
        }));
    }

    #[test]
    fn partial_view_is_never_whole() {
        let mut entry = new_entry();
        entry.seen = SeenRanges::all_seen(10);
        assert!(entry.is_whole());
        entry.partial_view = true;
        assert!(!entry.is_whole());
    }
}
