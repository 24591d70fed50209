//! The hash of a plan: of its files, the versions that it is based on and the bytes that it would write. Two plans with the
//! same hash write the same bytes over the same bytes.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use lancet_history::Digest;
use lancet_text::RawChange;
use lancet_workspace::{ExecutableChange, Revision};

use crate::approval::Question;
use crate::stages::plan::{FilePlan, NewContent, Plan};

/// Hashes a plan and the question about it: an answer picks files and pieces by their place in the question, and lasting
/// answers are what was offered.
pub(super) fn hash_plan(plan: &Plan, question: &Question) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for file in &question.files {
        add_path(&mut hasher, &file.path);
        let reasons = [&file.reason, &file.rule];
        for reason in reasons {
            add(
                &mut hasher,
                reason.as_deref().unwrap_or_default().as_bytes(),
            );
        }
        let place = file.goes_with.map_or(u64::MAX, |at| at as u64);
        add(&mut hasher, &place.to_le_bytes());
        add(&mut hasher, &[u8::from(file.protected)]);
        for piece in &file.pieces {
            add(&mut hasher, &(piece.hunks.start as u64).to_le_bytes());
            add(&mut hasher, &(piece.hunks.end as u64).to_le_bytes());
        }
    }
    add(&mut hasher, question.offers.session.as_bytes());
    for rule in &question.offers.always {
        add(&mut hasher, rule.as_bytes());
    }
    for file in &plan.files {
        add_file(&mut hasher, file);
    }
    for taken in &plan.origin.takes_back {
        add(&mut hasher, taken.operation.as_bytes());
        add(&mut hasher, &taken.at.to_le_bytes());
    }
    *hasher.finalize().as_bytes()
}

/// Hashes a question that is about one file and writes nothing.
pub(super) fn file_digest(path: &Path, words: &str) -> Digest {
    let mut hasher = blake3::Hasher::new();
    add_path(&mut hasher, path);
    add(&mut hasher, words.as_bytes());
    *hasher.finalize().as_bytes()
}

fn add_file(hasher: &mut blake3::Hasher, file: &FilePlan) {
    add_path(hasher, file.target.path());
    add(hasher, file.kind().as_str().as_bytes());
    let base = file.expected.revision();
    add(
        hasher,
        base.as_ref().map_or(&[], |revision| revision.as_bytes()),
    );
    match &file.new {
        NewContent::Whole(bytes) => add(hasher, bytes),
        NewContent::Changes(changes) | NewContent::Streamed(changes) => {
            add_changes(hasher, changes)
        }
        NewContent::Restored { bytes, mode } => {
            add(hasher, bytes);
            add_mode(hasher, *mode);
        }
        NewContent::EmptyFolder { mode } => add_mode(hasher, Some(*mode)),
        NewContent::Link { target } => add(hasher, Revision::from_link(target).as_bytes()),
        NewContent::Copied { revision, mode, .. } => {
            add(hasher, revision.as_bytes());
            add_mode(hasher, *mode);
        }
        NewContent::HardLink(link) => {
            add_path(hasher, link.to.path());
            add(hasher, link.revision.as_bytes());
        }
        NewContent::Moved(moved) => {
            add_path(hasher, moved.from.path());
            add_changes(hasher, &moved.changes);
            add_mode(hasher, moved.mode);
            for folder in &moved.folders {
                add_path(hasher, folder);
            }
        }
        NewContent::Removed { folders } => {
            for folder in folders {
                add_path(hasher, folder);
            }
        }
    }
    let executable: &[u8] = match file.executable {
        ExecutableChange::Keep => b"keep",
        ExecutableChange::Yes => b"yes",
        ExecutableChange::No => b"no",
    };
    add(hasher, executable);
}

fn add_changes(hasher: &mut blake3::Hasher, changes: &[RawChange]) {
    for change in changes {
        add(hasher, &change.range.start.to_le_bytes());
        add(hasher, &change.range.end.to_le_bytes());
        add(hasher, &change.bytes);
    }
}

fn add_mode(hasher: &mut blake3::Hasher, mode: Option<u32>) {
    add(hasher, &mode.map_or(u64::MAX, u64::from).to_le_bytes());
}

fn add_path(hasher: &mut blake3::Hasher, path: &Path) {
    add(hasher, path.as_os_str().as_bytes());
}

/// Adds a part with its length, so that parts cannot be mistaken for each other.
fn add(hasher: &mut blake3::Hasher, part: &[u8]) {
    hasher.update(&(part.len() as u64).to_le_bytes());
    hasher.update(part);
}
