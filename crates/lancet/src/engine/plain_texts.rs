//! Caches which versions of files are known to contain neither NUL nor CR, so that a file that is edited repeatedly is
//! scanned for them only once. A version is identified by the hash of its bytes, so an entry cannot become wrong.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lancet_text::{ControlBytes, Document, RawChange};
use lancet_workspace::{Revision, Snapshot};

/// How many versions are remembered.
const MAX_VERSIONS: usize = 64;

/// The versions that were found to contain neither, the latest first.
#[derive(Default)]
pub(crate) struct PlainTexts(Mutex<VecDeque<Revision>>);

impl PlainTexts {
    /// Returns what is known of a version.
    pub(crate) fn control_bytes(&self, revision: &Revision) -> ControlBytes {
        match self.revisions().contains(revision) {
            true => ControlBytes::Absent,
            false => ControlBytes::Unknown,
        }
    }

    /// Remembers what decoding a version has shown.
    pub(crate) fn note(&self, revision: Revision, document: &Document<'_>) {
        if document.control_bytes() == ControlBytes::Absent {
            self.add(revision);
        }
    }

    /// Remembers a version that these changes have made of another one.
    pub(crate) fn note_changed(
        &self,
        base: Option<&Snapshot>,
        changes: &[RawChange],
        to: Revision,
    ) {
        if let Some(base) = base {
            self.note_derived(&base.revision, changes, to);
        }
    }

    fn note_derived(&self, from: &Revision, changes: &[RawChange], to: Revision) {
        let is_plain =
            |change: &RawChange| !change.bytes.iter().any(|byte| matches!(byte, 0 | b'\r'));
        if self.control_bytes(from) == ControlBytes::Absent && changes.iter().all(is_plain) {
            self.add(to);
        }
    }

    fn add(&self, revision: Revision) {
        let mut revisions = self.revisions();
        if !revisions.contains(&revision) {
            revisions.push_front(revision);
            revisions.truncate(MAX_VERSIONS);
        }
    }

    fn revisions(&self) -> MutexGuard<'_, VecDeque<Revision>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracks_plain_versions_from_decoding_and_from_changes() {
        let known = PlainTexts::default();
        let texts: [&[u8]; 4] = [b"one\ntwo\n", b"one\r\ntwo\n", b"one\n", b"two\r\n"];
        let [plain, returns, shorter, other] = texts.map(Revision::from_content);
        for (revision, text) in [(plain, texts[0]), (returns, texts[1])] {
            known.note(revision, &Document::decode(text, None).expect("text"));
        }
        assert_eq!(known.control_bytes(&plain), ControlBytes::Absent);
        assert_eq!(known.control_bytes(&returns), ControlBytes::Unknown);
        let change = |range, bytes: &[u8]| RawChange {
            range,
            bytes: bytes.to_vec(),
        };
        known.note_derived(&plain, &[change(4..8, b"")], shorter);
        known.note_derived(&plain, &[change(0..8, b"two\r\n")], other);
        assert_eq!(known.control_bytes(&shorter), ControlBytes::Absent);
        assert_eq!(known.control_bytes(&other), ControlBytes::Unknown);
    }
}
