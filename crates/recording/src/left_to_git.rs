//! Leaves out files that git has on both sides of a change: after a person's checkout, pull or rebase they are counted
//! and not recorded.

use lancet_git::{GitIndex, ObjectId};
use lancet_history::{CheckpointEntry, CheckpointEntryKind, ContentIdentity, HistoryError};

use crate::compare::EntryDifference;
use crate::contents::ContentRecorder;

/// Removes the files that git has on both sides. Returns their number.
pub(crate) fn leave_to_git(
    real: &mut Vec<EntryDifference>,
    index: Option<&GitIndex>,
    contents: &mut ContentRecorder<'_>,
) -> Result<u64, HistoryError> {
    let Some(index) = index else { return Ok(0) };
    let mut left = Vec::with_capacity(real.len());
    let mut count = 0;
    for difference in real.drain(..) {
        let is_in_git = match (&difference.before, &difference.after) {
            (Some(before), Some(after)) => {
                is_indexed(after, index, contents)? && is_object(before, contents)?
            }
            (None, Some(after)) => is_indexed(after, index, contents)?,
            (Some(before), None) => !index.is_tracked(&before.name) && is_object(before, contents)?,
            (None, None) => true,
        };
        match is_in_git {
            true => count += 1,
            false => left.push(difference),
        }
    }
    *real = left;
    Ok(count)
}

/// Returns whether git's index has these bytes under this name.
fn is_indexed(
    entry: &CheckpointEntry,
    index: &GitIndex,
    contents: &mut ContentRecorder<'_>,
) -> Result<bool, HistoryError> {
    let Some(tracked) = index.find(&entry.name) else {
        return Ok(false);
    };
    Ok(blob_of(entry, contents)? == Some(tracked.id))
}

/// Returns whether git has an object with these bytes.
fn is_object(
    entry: &CheckpointEntry,
    contents: &mut ContentRecorder<'_>,
) -> Result<bool, HistoryError> {
    let blob = blob_of(entry, contents)?;
    Ok(blob.is_some_and(|blob| contents.is_object(&blob)))
}

/// Returns the id that the bytes of a file have as a blob; none where they are not known.
fn blob_of(
    entry: &CheckpointEntry,
    contents: &ContentRecorder<'_>,
) -> Result<Option<ObjectId>, HistoryError> {
    if entry.kind != CheckpointEntryKind::File {
        return Ok(None);
    }
    Ok(match entry.identity {
        ContentIdentity::Unknown => None,
        ContentIdentity::Blob(id) => Some(ObjectId::from_array(id)),
        ContentIdentity::Revision(revision) => contents.blob_id(&revision)?,
    })
}
