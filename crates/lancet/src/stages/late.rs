//! Late writes. When a change replaces a file, another process may still have the old file (the displaced file) open
//! and write to it afterwards. Every call checks displaced files again until they are sealed: a lease shows that no
//! process has the file open for writing, or, where no lease is granted, a day has passed. Bytes that were written late
//! become a separate version in the history, and the session whose change displaced the file gets a notice.

use std::io;
use std::path::{Path, PathBuf};

use lancet_history::{
    ChangeKind, ContentDraft, DraftState, FileDraft, HistoryError, KnownWorkspace, OperationAuthor,
    OperationDraft, OperationKind, OperationStore,
};
use lancet_local_state::UnsealedFile;
use lancet_workspace::{
    DisplacedFile, ExpectedState, LateWriteCheck, Revision, Seal, WriteOutcome,
};

use super::context::CallContext;
use super::notice::Notice;
use super::plan::{FilePlan, Plan};
use crate::engine::{EngineView, LateNotice, recorded_workspace};
use crate::operation;
use crate::wording::quote_path;

/// The name that the history gives as the tool of a late version.
const LATE_VERSION_TOOL: &str = "late writer";
/// The most displaced files that one call checks, and the most notices that one answer has.
const MAX_PER_CALL: usize = 16;

/// Records the displaced files of a change that another process may still write to.
pub(crate) fn watch_displaced_files(
    context: &CallContext<'_>,
    plan: &Plan,
    written: &[WriteOutcome],
    id: &str,
) {
    let engine = context.engine();
    for (file, written) in plan.files.iter().zip(written) {
        let Some(displaced) = written
            .displaced
            .as_ref()
            .filter(|displaced| displaced.seal == Seal::Open)
        else {
            continue;
        };
        let unsealed = UnsealedFile {
            file: displaced.path.clone(),
            path: file.target.path().to_path_buf(),
            revision: *displaced.revision.as_bytes(),
            size: file.size_before(),
            mode: written.stamp.mode,
            session: context.session.key().to_owned(),
            operation: id.to_owned(),
            late: None,
        };
        // If this fails, this process still checks the file; only a later process would not know of it.
        store_row(engine, &unsealed);
        engine
            .base()
            .pending_recovery
            .late
            .lock()
            .unsealed
            .push(unsealed);
    }
}

/// Takes over the displaced files and notices of ended processes.
pub(crate) fn take_over_from_ended_processes(engine: &EngineView) {
    let Some(local) = engine.local() else {
        return;
    };
    for mut unsealed in local.orphaned_unsealed_files().unwrap_or_default() {
        // This makes the present process the owner of the record, so that no other process takes it over, too.
        let _ = local.save_unsealed(&unsealed);
        if crate::session::is_unnamed(&unsealed.session) {
            // The unnamed session has ended with its process. A notice for no session goes to the next caller.
            unsealed.session.clear();
        }
        let mut open = engine.base().pending_recovery.late.lock();
        match &unsealed.late {
            Some(late) => open.notices.push(LateNotice {
                row: Some(unsealed.file.clone()),
                ..late_notice(&unsealed, late)
            }),
            None => open.unsealed.push(unsealed),
        }
    }
    check_unsealed(engine);
}

/// Checks displaced files that are not sealed yet, and queues a notice for each that was written to.
fn check_unsealed(engine: &EngineView) {
    let waiting = {
        let mut open = engine.base().pending_recovery.late.lock();
        let some = open.unsealed.len().min(MAX_PER_CALL);
        open.unsealed.drain(..some).collect::<Vec<_>>()
    };
    let Some(store) = engine.history().filter(|_| !waiting.is_empty()) else {
        return;
    };
    for unsealed in waiting {
        let found = check_displaced_file(engine, &**store, unsealed.clone());
        let mut open = engine.base().pending_recovery.late.lock();
        if let Some(late) = found.late {
            // Once the notice is given, the row is removed, unless the file is still open and has to be checked again.
            let row = found.again.is_none().then(|| unsealed.file.clone());
            open.notices.push(LateNotice {
                row,
                ..late_notice(&unsealed, &late)
            });
        }
        open.unsealed.extend(found.again);
    }
}

/// Where a version is stored that a failed write has moved aside.
pub(crate) enum StoredVersion {
    /// The history has it as this operation.
    Operation(String),
    /// It is not in the history, but in this file.
    File(PathBuf),
}

/// Records the version at `kept`, which a failed write of this file moved there because another process wrote at the
/// same moment. Another process may still have it open: then a copy is recorded, and the file is checked for late writes.
pub(crate) fn record_moved_version(
    context: &CallContext<'_>,
    file: &FilePlan,
    kept: &Path,
) -> StoredVersion {
    let engine = context.engine();
    let (
        Some(store),
        ExpectedState::Content {
            revision, stamp, ..
        },
    ) = (engine.history(), &file.expected)
    else {
        return StoredVersion::File(kept.to_path_buf());
    };
    let mut unsealed = UnsealedFile {
        file: kept.to_path_buf(),
        path: file.target.path().to_path_buf(),
        revision: *revision.as_bytes(),
        size: file.size_before(),
        mode: stamp.mode,
        session: context.session.key().to_owned(),
        operation: String::new(),
        late: None,
    };
    let displaced = open_displaced_file(&unsealed);
    let (version, size, open) = match engine.full_workspace().check_late_writes(&displaced) {
        Ok(LateWriteCheck::Late {
            version,
            size,
            open,
        }) => (version, size, open),
        Ok(LateWriteCheck::Sealed(version)) => (version, unsealed.size, None),
        Ok(LateWriteCheck::Waiting) => match engine.full_workspace().copy_displaced(&displaced) {
            Ok((size, copy)) => {
                let open = DisplacedFile {
                    revision: copy.revision,
                    ..displaced
                };
                (copy, size, Some(open))
            }
            Err(_) => return StoredVersion::File(kept.to_path_buf()),
        },
        Err(_) => return StoredVersion::File(kept.to_path_buf()),
    };
    let recorded = match record_late_bytes(&**store, &unsealed, &version, size) {
        Ok(id) => StoredVersion::Operation(id),
        // The check may have sealed the file, which renames it.
        Err(_) => StoredVersion::File(version.path),
    };
    if let Some(open) = open {
        unsealed.revision = *open.revision.as_bytes();
        unsealed.size = size;
        store_row(engine, &unsealed);
        engine
            .base()
            .pending_recovery
            .late
            .lock()
            .unsealed
            .push(unsealed);
    }
    recorded
}

/// Stores the row of a displaced file for a later process. If that fails, this process still continues to check the
/// file.
fn store_row(engine: &EngineView, unsealed: &UnsealedFile) {
    if let Some(local) = engine.local() {
        let _ = local.save_unsealed(unsealed);
    }
}

fn delete_row(engine: &EngineView, file: &Path) {
    if let Some(local) = engine.local() {
        let _ = local.remove_unsealed(file);
    }
}

fn open_displaced_file(unsealed: &UnsealedFile) -> DisplacedFile {
    DisplacedFile {
        path: unsealed.file.clone(),
        revision: Revision::from_bytes(unsealed.revision),
        seal: Seal::Open,
    }
}

/// The result of checking a displaced file.
#[derive(Default)]
struct LateCheck {
    /// The operation that records the late bytes.
    late: Option<String>,
    /// The file, where it has to be checked again.
    again: Option<UnsealedFile>,
}

impl LateCheck {
    fn unfinished(unsealed: UnsealedFile) -> LateCheck {
        LateCheck {
            late: None,
            again: Some(unsealed),
        }
    }
}

/// Checks one displaced file. Late bytes are recorded; a sealed file is no longer checked.
fn check_displaced_file(
    engine: &EngineView,
    store: &dyn OperationStore,
    mut unsealed: UnsealedFile,
) -> LateCheck {
    match engine
        .full_workspace()
        .check_late_writes(&open_displaced_file(&unsealed))
    {
        Ok(LateWriteCheck::Waiting) => LateCheck::unfinished(unsealed),
        Ok(LateWriteCheck::Sealed(now)) => {
            let _ = store.adopt_file(now.revision.as_bytes(), &now.path);
            delete_row(engine, &unsealed.file);
            LateCheck::default()
        }
        Ok(LateWriteCheck::Late {
            version,
            size,
            open,
        }) => {
            let Ok(id) = record_late_bytes(store, &unsealed, &version, size) else {
                return LateCheck::unfinished(unsealed);
            };
            let Some(open) = open else {
                let told = UnsealedFile {
                    late: Some(id.clone()),
                    ..unsealed
                };
                store_row(engine, &told);
                return LateCheck {
                    late: Some(id),
                    again: None,
                };
            };
            // The file is still open, so more may be written to it.
            unsealed.revision = *open.revision.as_bytes();
            unsealed.size = size;
            store_row(engine, &unsealed);
            LateCheck {
                late: Some(id),
                again: Some(unsealed),
            }
        }
        // Another process has adopted the file, or another program removed it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            delete_row(engine, &unsealed.file);
            LateCheck::default()
        }
        Err(_) => LateCheck::unfinished(unsealed),
    }
}

/// Records late bytes as a version of the file, and returns the operation.
fn record_late_bytes(
    store: &dyn OperationStore,
    unsealed: &UnsealedFile,
    version: &DisplacedFile,
    size: u64,
) -> Result<String, HistoryError> {
    let id = operation::new_id();
    let state = |revision: [u8; 32], size| DraftState {
        revision,
        size,
        mode: unsealed.mode,
        link: None,
        inode: None,
        content: ContentDraft::Displaced,
    };
    let workspace = recorded_workspace(store, &unsealed.operation, &unsealed.path)?;
    let draft = OperationDraft {
        id: &id,
        time: operation::current_milliseconds(),
        kind: OperationKind::Late,
        author: OperationAuthor {
            session: &unsealed.session,
            ..OperationAuthor::default()
        },
        tool: LATE_VERSION_TOOL,
        rungs: Vec::new(),
        approved: None,
        files: vec![FileDraft {
            path: &unsealed.path,
            kind: ChangeKind::Update,
            moved_from: None,
            // A version that a failed change moved aside has no preceding operation.
            before: (!unsealed.operation.is_empty())
                .then(|| state(unsealed.revision, unsealed.size)),
            after: Some(state(*version.revision.as_bytes(), size)),
            added: 0,
            removed: 0,
            folders: Vec::new(),
            workspace: workspace.as_ref().map(KnownWorkspace::as_workspace_ref),
        }],
        question: None,
        parent: None,
        takes_back: Vec::new(),
        takes_part_of: Vec::new(),
    };
    let _ = store.begin(&draft)?;
    let _ = store.finish(&draft)?;
    let _ = store.adopt_file(version.revision.as_bytes(), &version.path);
    Ok(id)
}

/// Returns the notice about late bytes that the operation `late` records.
fn late_notice(unsealed: &UnsealedFile, late: &str) -> LateNotice {
    let path = quote_path(&unsealed.path);
    let how = if unsealed.operation.is_empty() {
        format!("went on writing to a version of {path} that a conflict had left aside")
    } else {
        format!(
            "had {path} open and wrote to its old version after this session had changed it (operation {})",
            unsealed.operation
        )
    };
    let words = format!(
        "someone {how}. Their text is not in the file; it is kept as operation {late} and `lancet restore {path}@{late}` brings it back. Tell the user"
    );
    LateNotice {
        session: Some(unsealed.session.clone()).filter(|session| !session.is_empty()),
        words,
        row: None,
    }
}

/// Checks the displaced files that are not sealed, and returns the notices for this session.
pub(super) fn notices<'c>(context: &'c CallContext<'_>) -> Vec<Notice<'c>> {
    let engine = context.engine();
    check_unsealed(engine);
    let open = engine.base().pending_recovery.late.lock();
    let own = open.notices.iter().filter(|notice| {
        let to = notice.session.as_deref();
        to.is_none_or(|to| to == context.session.key())
    });
    own.take(MAX_PER_CALL)
        .map(|notice| {
            let words = notice.words.clone();
            Notice::new(&format!("{words}."), move || claim_notice(engine, &words))
        })
        .collect()
}

/// Removes a notice from the list, and removes its row. Returns false where another answer has already given it.
fn claim_notice(engine: &EngineView, words: &str) -> bool {
    let claimed = {
        let mut open = engine.base().pending_recovery.late.lock();
        let at = open.notices.iter().position(|notice| notice.words == words);
        at.map(|at| open.notices.remove(at))
    };
    let Some(notice) = claimed else {
        return false;
    };
    if let Some(row) = notice.row {
        // A row that could not be removed only means that the notice is given again after this process ends.
        delete_row(engine, &row);
    }
    true
}
