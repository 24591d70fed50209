//! What a session knows about one file.

use std::sync::Arc;

use crate::seen::Seen;
use crate::stamp::StampRecord;

/// The hash of a file's raw bytes.
pub type Revision = [u8; 32];

/// How many ranges of one file are remembered as answered, so that a file read page by page is known by each page.
const READINGS: usize = 16;

/// One version of a file, as the disk gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// The hash of its raw bytes: what decides.
    pub revision: Revision,
    /// Its length in bytes.
    pub size: u64,
    /// Its stat stamp: a short cut to "unchanged", no more.
    pub stamp: StampRecord,
}

/// A range as a Read asked for it, after defaults were filled in: equal questions are equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The first line.
    pub offset: u64,
    /// How many lines.
    pub limit: u64,
    /// The first character of the line, where one line alone was asked for.
    pub column: u64,
}

/// What a session knows about one file: which version, and which of its bytes were shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The hash of the raw bytes that the model knows.
    pub revision: Revision,
    /// Their number.
    pub size: u64,
    /// The stat stamp of the file when it last held them.
    pub stamp: StampRecord,
    /// Which bytes were shown.
    pub seen: Seen,
    /// The model was given a view that is not the file's text (cut, or with parts removed): it allows no edit.
    pub partial_view: bool,
    /// The bytes, while the budget lasts; not kept across a restart.
    pub content: Option<Arc<Vec<u8>>>,
    /// The revision that the session itself left, until it was told that somebody else wrote the file.
    pub wrote: Option<Revision>,
    /// Ranges answered with text, oldest first; not kept across a restart, so the first Read after one has text.
    pub readings: Readings,
}

/// Which ranges of a file were answered, and how: asked and changed through [`Entry`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readings(Vec<Reading>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reading {
    asked: Asked,
    revision: Revision,
    stub: Stub,
}

/// Whether "unchanged since your last read" was already said about a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stub {
    Open,
    Given,
}

impl Entry {
    /// A version of which nothing was shown yet.
    #[must_use]
    pub fn new(version: Version) -> Self {
        Self {
            revision: version.revision,
            size: version.size,
            stamp: version.stamp,
            seen: Seen::none(),
            partial_view: false,
            content: None,
            wrote: None,
            readings: Readings::default(),
        }
    }

    /// A version that the session wrote whole, and so knows whole.
    #[must_use]
    pub fn written(version: Version, content: Option<Arc<Vec<u8>>>) -> Self {
        Self {
            seen: Seen::whole(version.size),
            content,
            wrote: Some(version.revision),
            ..Self::new(version)
        }
    }

    /// Which version the entry is about.
    #[must_use]
    pub fn version(&self) -> Version {
        Version {
            revision: self.revision,
            size: self.size,
            stamp: self.stamp,
        }
    }

    /// Whether every byte was shown, and as it stands in the file.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.partial_view && self.seen.is_whole(self.size)
    }

    /// Whether a Read of this range, the file being unchanged, may be answered with "unchanged since your last read":
    /// this range of this version was answered with text, and the short answer was not given since.
    #[must_use]
    pub fn may_answer_unchanged(&self, asked: Asked) -> bool {
        self.readings.0.iter().any(|reading| {
            reading.asked == asked
                && reading.revision == self.revision
                && reading.stub == Stub::Open
        })
    }

    /// Remembers that the range was answered with its text.
    pub fn answered_with_text(&mut self, asked: Asked) {
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

    /// Remembers that the range was answered with "unchanged": asked once more, the text is due.
    pub fn answered_unchanged(&mut self, asked: Asked) {
        for reading in self
            .readings
            .0
            .iter_mut()
            .filter(|reading| reading.asked == asked)
        {
            reading.stub = Stub::Given;
        }
    }

    /// Forgets which ranges were answered: the next Read has text. What was seen still counts.
    pub fn forget_answers(&mut self) {
        self.readings.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Asked = Asked {
        offset: 1,
        limit: 2000,
        column: 1,
    };
    const PAGE: Asked = Asked {
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
        assert!(!entry.may_answer_unchanged(Asked { column: 7, ..WHOLE }));
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
            entry.answered_with_text(Asked { offset, ..PAGE });
        }
        assert_eq!(entry.readings.0.len(), READINGS);
        assert!(entry.may_answer_unchanged(Asked { offset: 99, ..PAGE }));
        assert!(!entry.may_answer_unchanged(Asked { offset: 0, ..PAGE }));
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
