//! Compares the result of a look with the checkpoint before.

use std::cmp::Ordering;
use std::collections::HashSet;

use lancet_git::{CleanFiles, ObjectId};
use lancet_history::{
    CheckpointEntry, CheckpointEntryKind, ContentIdentity, EntryChange, HistoryError, StampRecord,
};
use lancet_workspace::Stamp;

use crate::contents::{ContentRecorder, ObjectRetention};
use crate::scan::ScannedEntry;
use crate::seen_stat::{from_record, inode, proves_unchanged, to_record};

/// A change of one name: its entry in the checkpoint before, and the present one.
pub(crate) struct EntryDifference {
    pub(crate) before: Option<CheckpointEntry>,
    pub(crate) after: Option<CheckpointEntry>,
}

/// The difference between two looks.
pub(crate) struct CheckpointDifferences {
    /// The changes in the form of the history.
    pub(crate) changes: Vec<EntryChange>,
    /// The changes of more than the stat.
    pub(crate) real: Vec<EntryDifference>,
    /// The files that were not read although they are small enough.
    pub(crate) unread: Vec<Vec<u8>>,
    /// Whether the bytes of a file are only in git, which may drop them.
    pub(crate) rests_on_git: bool,
    /// The files that no longer have the names which they had, by device and inode.
    pub(crate) left: HashSet<(i64, i64)>,
}

impl CheckpointDifferences {
    /// Notes what the next look has to do about an entry even if its stat is unchanged.
    fn note_present(&mut self, entry: &CheckpointEntry, contents: &ContentRecorder<'_>) {
        match entry.identity {
            ContentIdentity::Unknown => {
                if entry.kind == CheckpointEntryKind::File && contents.accepts_size(entry.size) {
                    self.unread.push(entry.name.clone());
                }
            }
            ContentIdentity::Blob(_) => {
                self.rests_on_git |= contents.retention() == ObjectRetention::InGitOnly;
            }
            ContentIdentity::Revision(_) => {}
        }
    }
}

/// What becomes of the differences between two looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DifferenceUse {
    /// They become the files of an operation.
    Operation,
    /// Only a checkpoint is set, so new entries need not be listed as differences.
    CheckpointOnly,
}

/// Compares two lists of entries, both sorted by name. Files that may have changed are read, and their contents are
/// stored.
pub(crate) fn compare_entries(
    before: Vec<CheckpointEntry>,
    now: Vec<ScannedEntry>,
    wanted: DifferenceUse,
    clean: &mut Option<CleanFiles>,
    contents: &mut ContentRecorder<'_>,
) -> Result<CheckpointDifferences, HistoryError> {
    let mut found = CheckpointDifferences {
        changes: Vec::new(),
        real: Vec::new(),
        unread: Vec::new(),
        rests_on_git: false,
        left: HashSet::new(),
    };
    let mut before = before.into_iter().peekable();
    let mut now = now.into_iter().peekable();
    loop {
        let order = match (before.peek(), now.peek()) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(known), Some(seen)) => known.name.cmp(&seen.name),
        };
        let known = before.next_if(|_| order != Ordering::Greater);
        let seen = now.next_if(|_| order != Ordering::Less);
        match (known, seen) {
            (Some(known), None) => {
                found.left.insert(inode(&known.stamp));
                found.changes.push(EntryChange::Gone(known.name.clone()));
                found.real.push(EntryDifference {
                    before: Some(known),
                    after: None,
                });
            }
            (None, Some(seen)) => {
                let entry = identify_entry(seen, clean, contents)?;
                found.note_present(&entry, contents);
                if wanted == DifferenceUse::Operation {
                    found.real.push(EntryDifference {
                        before: None,
                        after: Some(entry.clone()),
                    });
                }
                found.changes.push(EntryChange::Now(entry));
            }
            (Some(known), Some(seen)) => compare_entry(known, seen, clean, contents, &mut found)?,
            (None, None) => break,
        }
    }
    Ok(found)
}

/// Compares an entry that exists in both looks.
fn compare_entry(
    known: CheckpointEntry,
    seen: ScannedEntry,
    clean: &mut Option<CleanFiles>,
    contents: &mut ContentRecorder<'_>,
    found: &mut CheckpointDifferences,
) -> Result<(), HistoryError> {
    if known.kind == seen.kind && proves_unchanged(&known.stamp, &seen.stamp) {
        // A file that an earlier look reached too late is read now.
        let is_unread = known.kind == CheckpointEntryKind::File
            && (known.identity == ContentIdentity::Unknown
                || is_dropped(&known, &seen, clean, contents))
            && contents.may_read(&seen.stamp);
        if is_unread {
            let entry = identify_entry(seen, clean, contents)?;
            found.note_present(&entry, contents);
            let is_read = entry.identity != ContentIdentity::Unknown;
            if is_read && known.stamp.0[..7] == entry.stamp.0[..7] {
                found.changes.push(EntryChange::Touched(entry));
            }
        } else {
            found.note_present(&known, contents);
        }
        return Ok(());
    }
    if inode(&known.stamp) != inode(&to_record(&seen.stamp)) {
        found.left.insert(inode(&known.stamp));
    }
    if known.kind == seen.kind
        && seen.kind == CheckpointEntryKind::EmptyFolder
        && known.mode == seen.stamp.mode
    {
        return Ok(());
    }
    let entry = identify_entry(seen, clean, contents)?;
    found.note_present(&entry, contents);
    if is_same_entry(&known, &entry, contents) {
        found.changes.push(EntryChange::Touched(entry));
    } else {
        found.changes.push(EntryChange::Now(entry.clone()));
        found.real.push(EntryDifference {
            before: Some(known),
            after: Some(entry),
        });
    }
    Ok(())
}

/// Returns whether git no longer has the bytes of an unchanged file, so that they are only in the file.
fn is_dropped(
    known: &CheckpointEntry,
    seen: &ScannedEntry,
    clean: &mut Option<CleanFiles>,
    contents: &mut ContentRecorder<'_>,
) -> bool {
    let ContentIdentity::Blob(blob) = known.identity else {
        return false;
    };
    if contents.retention() == ObjectRetention::Linked {
        return false;
    }
    let id = ObjectId::from_array(blob);
    let indexed = clean
        .as_mut()
        .and_then(|clean| clean.certain_blob(&seen.name, &seen.stamp));
    indexed != Some(id) && !contents.is_object(&id)
}

/// Returns whether an entry has the same kind, permission bits, target and content in both looks.
pub(crate) fn is_same_entry(
    known: &CheckpointEntry,
    now: &CheckpointEntry,
    contents: &mut ContentRecorder<'_>,
) -> bool {
    known.kind == now.kind
        && known.mode == now.mode
        && known.link == now.link
        && is_same_content(known, now, contents)
}

fn is_same_content(
    known: &CheckpointEntry,
    now: &CheckpointEntry,
    contents: &mut ContentRecorder<'_>,
) -> bool {
    if known.kind != CheckpointEntryKind::File {
        return true;
    }
    if known.size != now.size {
        return false;
    }
    match (known.identity, now.identity) {
        (ContentIdentity::Revision(one), ContentIdentity::Revision(other)) => one == other,
        (ContentIdentity::Blob(one), ContentIdentity::Blob(other)) => one == other,
        (ContentIdentity::Revision(revision), ContentIdentity::Blob(blob))
        | (ContentIdentity::Blob(blob), ContentIdentity::Revision(revision)) => {
            contents.blob_revision(blob) == Some(revision)
        }
        // The content is not identified, so device, inode, size, mtime and ctime decide.
        (ContentIdentity::Unknown, _) | (_, ContentIdentity::Unknown) => {
            known.stamp.0[..7] == now.stamp.0[..7]
        }
    }
}

/// Returns the entry of a file that was found, with its identity.
pub(crate) fn identify_entry(
    seen: ScannedEntry,
    clean: &mut Option<CleanFiles>,
    contents: &mut ContentRecorder<'_>,
) -> Result<CheckpointEntry, HistoryError> {
    let (identity, record) = match seen.kind {
        CheckpointEntryKind::File => compute_identity(&seen.name, seen.stamp, clean, contents)?,
        CheckpointEntryKind::Link | CheckpointEntryKind::EmptyFolder => {
            (ContentIdentity::Unknown, to_record(&seen.stamp))
        }
    };
    let stamp = from_record(&record);
    Ok(CheckpointEntry {
        name: seen.name,
        kind: seen.kind,
        mode: stamp.mode,
        size: match seen.kind {
            CheckpointEntryKind::EmptyFolder => 0,
            _ => stamp.size,
        },
        identity,
        link: seen.link,
        stamp: record,
    })
}

fn compute_identity(
    name: &[u8],
    stamp: Stamp,
    clean: &mut Option<CleanFiles>,
    contents: &mut ContentRecorder<'_>,
) -> Result<(ContentIdentity, StampRecord), HistoryError> {
    let blob = clean
        .as_mut()
        .and_then(|clean| clean.certain_blob(name, &stamp));
    match blob.and_then(|blob| <[u8; 20]>::try_from(blob.as_bytes()).ok()) {
        Some(blob) => Ok((ContentIdentity::Blob(blob), to_record(&stamp))),
        None => contents.read(name, stamp),
    }
}
