//! A file whose content a plan does not edit: one that is removed, moved, or gets other permission bits. It may contain
//! any bytes, and a large one is not loaded into memory.

use std::ops::ControlFlow;

use lancet_text::{Document, Encoding, Endings};
use lancet_workspace::{ExpectedState, ReadError, Revision, RevisionHasher, Snapshot};

use crate::refusal::Refusal;
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::open::{
    MAX_EDITED_SIZE, MAX_IN_MEMORY_SIZE, configured_encoding, expected_content, snapshot_to_change,
    unreadable_refusal,
};

/// The version of a file on the disk.
pub(super) struct WholeFile {
    /// The content that the disk must still have when the plan is carried out.
    pub(super) expected: ExpectedState,
    pub(super) revision: Revision,
    pub(super) size: u64,
    /// The content; none for a file too large for memory.
    pub(super) base: Option<Snapshot>,
}

impl WholeFile {
    /// Reads the file, or surveys a large one.
    pub(super) fn read(
        context: &CallContext<'_>,
        attempt: &mut Attempt,
        target: &Target,
    ) -> Result<WholeFile, Refusal> {
        let size = target.located.stat().map_or(0, |stamp| stamp.size);
        if size <= MAX_IN_MEMORY_SIZE {
            let base = snapshot_to_change(context, attempt, target)?;
            return Ok(WholeFile {
                expected: expected_content(&base),
                revision: base.revision,
                size: base.bytes.len() as u64,
                base: Some(base),
            });
        }
        if size > MAX_EDITED_SIZE {
            let error = ReadError::TooLarge {
                size,
                most: MAX_EDITED_SIZE,
            };
            return Err(unreadable_refusal(target, &error));
        }
        let mut hasher = RevisionHasher::new();
        let stamp = target
            .located
            .scan_content(&mut |piece| {
                hasher.update(piece);
                ControlFlow::Continue(())
            })
            .map_err(|error| unreadable_refusal(target, &error))?;
        let revision = hasher.finish();
        Ok(WholeFile {
            expected: ExpectedState::Content {
                revision,
                stamp,
                bytes: None,
            },
            revision,
            size: stamp.size,
            base: None,
        })
    }

    /// Returns the text of the file, if it is in memory and is text.
    pub(super) fn document(
        &self,
        context: &CallContext<'_>,
        target: &Target,
    ) -> Option<Document<'_>> {
        let base = self.base.as_ref()?;
        Document::decode(&base.bytes, configured_encoding(context.engine(), target)).ok()
    }
}

/// Returns the encoding and line ends of a document; those of an empty file where there is none.
pub(super) fn encoding_and_line_ends(document: Option<&Document<'_>>) -> (Encoding, Endings) {
    document.map_or((Encoding::UTF8, Endings::None), |document| {
        (document.encoding(), document.endings())
    })
}
