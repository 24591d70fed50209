//! Late writes. When a change replaces a file, another process may still have the old file (the displaced file) open
//! and write to it afterwards. Every call checks displaced files again until they are sealed: a lease shows that no
//! process has the file open for writing, or, where no lease is granted, a day has passed. Bytes that were written late
//! become a separate version in the history, and the session whose change displaced the file gets a notice.

use std::io;
use std::path::{Path, PathBuf};

use lancet_history::{
    Author, ChangeKind, Content, Draft, FileDraft, HistoryError, KnownWorkspace, OperationKind,
    OperationStore, State,
};
use lancet_local_state::Unsealed;
use lancet_workspace::{Displaced, Expected, LateWriteCheck, Revision, Seal, Written};

use super::context::CallContext;
use super::notice::Notice;
use super::plan::{FilePlan, Plan};
use crate::engine::{EngineView, LateNotice, recorded_workspace};
use crate::operation;
use crate::wording::quote_path;

/// The name that the history gives as the tool of a late version.
const TOOL: &str = "late writer";
/// The most displaced files that one call checks, and the most notices that one answer has.
const AT_ONCE: usize = 16;

/// Records the displaced files of a change that another process may still write to.
pub(crate) fn watch(context: &CallContext<'_>, plan: &Plan, written: &[Written], id: &str) {
    let engine = context.engine();
    for (file, written) in plan.files.iter().zip(written) {
        let Some(displaced) = written
            .displaced
            .as_ref()
            .filter(|displaced| displaced.seal == Seal::Open)
        else {
            continue;
        };
        let unsealed = Unsealed {
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
        put_row(engine, &unsealed);
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
pub(crate) fn take_up(engine: &EngineView) {
    let Some(local) = engine.local() else {
        return;
    };
    for mut unsealed in local.unsealed().unwrap_or_default() {
        // This makes the present process the owner of the record, so that no other process takes it over, too.
        let _ = local.put_unsealed(&unsealed);
        if crate::session::is_unnamed(&unsealed.session) {
            // The unnamed session has ended with its process. A notice for no session goes to the next caller.
            unsealed.session.clear();
        }
        let mut open = engine.base().pending_recovery.late.lock();
        match &unsealed.late {
            Some(late) => open.notices.push(LateNotice {
                row: Some(unsealed.file.clone()),
                ..news(&unsealed, late)
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
        let some = open.unsealed.len().min(AT_ONCE);
        open.unsealed.drain(..some).collect::<Vec<_>>()
    };
    let Some(store) = engine.history().filter(|_| !waiting.is_empty()) else {
        return;
    };
    for unsealed in waiting {
        let found = settle(engine, &**store, unsealed.clone());
        let mut open = engine.base().pending_recovery.late.lock();
        if let Some(late) = found.late {
            // Once the notice is given, the row is removed, unless the file is still open and has to be checked again.
            let row = found.again.is_none().then(|| unsealed.file.clone());
            open.notices.push(LateNotice {
                row,
                ..news(&unsealed, &late)
            });
        }
        open.unsealed.extend(found.again);
    }
}

/// Where a version is stored that a failed write has moved aside.
pub(crate) enum KeptVersion {
    /// The history has it as this operation.
    Operation(String),
    /// It is not in the history, but in this file.
    File(PathBuf),
}

/// Records the version at `kept`, which a failed write of this file moved there because another process wrote at the
/// same moment. Another process may still have it open: then a copy is recorded, and the file is checked for late writes.
pub(crate) fn keep(context: &CallContext<'_>, file: &FilePlan, kept: &Path) -> KeptVersion {
    let engine = context.engine();
    let (
        Some(store),
        Expected::Content {
            revision, stamp, ..
        },
    ) = (engine.history(), &file.expected)
    else {
        return KeptVersion::File(kept.to_path_buf());
    };
    let mut unsealed = Unsealed {
        file: kept.to_path_buf(),
        path: file.target.path().to_path_buf(),
        revision: *revision.as_bytes(),
        size: file.size_before(),
        mode: stamp.mode,
        session: context.session.key().to_owned(),
        operation: String::new(),
        late: None,
    };
    let displaced = displaced(&unsealed);
    let (version, size, open) = match engine.ceiling().check_late_writes(&displaced) {
        Ok(LateWriteCheck::Late {
            version,
            size,
            open,
        }) => (version, size, open),
        Ok(LateWriteCheck::Sealed(version)) => (version, unsealed.size, None),
        Ok(LateWriteCheck::Waiting) => match engine.ceiling().copy_displaced(&displaced) {
            Ok((size, copy)) => {
                let open = Displaced {
                    revision: copy.revision,
                    ..displaced
                };
                (copy, size, Some(open))
            }
            Err(_) => return KeptVersion::File(kept.to_path_buf()),
        },
        Err(_) => return KeptVersion::File(kept.to_path_buf()),
    };
    let recorded = match record(&**store, &unsealed, &version, size) {
        Ok(id) => KeptVersion::Operation(id),
        // The check may have sealed the file, which renames it.
        Err(_) => KeptVersion::File(version.path),
    };
    if let Some(open) = open {
        unsealed.revision = *open.revision.as_bytes();
        unsealed.size = size;
        put_row(engine, &unsealed);
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
fn put_row(engine: &EngineView, unsealed: &Unsealed) {
    if let Some(local) = engine.local() {
        let _ = local.put_unsealed(unsealed);
    }
}

fn drop_row(engine: &EngineView, file: &Path) {
    if let Some(local) = engine.local() {
        let _ = local.drop_unsealed(file);
    }
}

fn displaced(unsealed: &Unsealed) -> Displaced {
    Displaced {
        path: unsealed.file.clone(),
        revision: Revision::from_bytes(unsealed.revision),
        seal: Seal::Open,
    }
}

/// The result of checking a displaced file.
#[derive(Default)]
struct Found {
    /// The operation that records the late bytes.
    late: Option<String>,
    /// The file, where it has to be checked again.
    again: Option<Unsealed>,
}

impl Found {
    fn again(unsealed: Unsealed) -> Found {
        Found {
            late: None,
            again: Some(unsealed),
        }
    }
}

/// Checks one displaced file. Late bytes are recorded; a sealed file is no longer checked.
fn settle(engine: &EngineView, store: &dyn OperationStore, mut unsealed: Unsealed) -> Found {
    match engine.ceiling().check_late_writes(&displaced(&unsealed)) {
        Ok(LateWriteCheck::Waiting) => Found::again(unsealed),
        Ok(LateWriteCheck::Sealed(now)) => {
            let _ = store.adopt(now.revision.as_bytes(), &now.path);
            drop_row(engine, &unsealed.file);
            Found::default()
        }
        Ok(LateWriteCheck::Late {
            version,
            size,
            open,
        }) => {
            let Ok(id) = record(store, &unsealed, &version, size) else {
                return Found::again(unsealed);
            };
            let Some(open) = open else {
                let told = Unsealed {
                    late: Some(id.clone()),
                    ..unsealed
                };
                put_row(engine, &told);
                return Found {
                    late: Some(id),
                    again: None,
                };
            };
            // The file is still open, so more may be written to it.
            unsealed.revision = *open.revision.as_bytes();
            unsealed.size = size;
            put_row(engine, &unsealed);
            Found {
                late: Some(id),
                again: Some(unsealed),
            }
        }
        // Another process has adopted the file, or another program removed it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            drop_row(engine, &unsealed.file);
            Found::default()
        }
        Err(_) => Found::again(unsealed),
    }
}

/// Records late bytes as a version of the file, and returns the operation.
fn record(
    store: &dyn OperationStore,
    unsealed: &Unsealed,
    version: &Displaced,
    size: u64,
) -> Result<String, HistoryError> {
    let id = operation::new_id();
    let state = |revision: [u8; 32], size| State {
        revision,
        size,
        mode: unsealed.mode,
        link: None,
        inode: None,
        content: Content::Displaced,
    };
    let workspace = recorded_workspace(store, &unsealed.operation, &unsealed.path)?;
    let draft = Draft {
        id: &id,
        time: operation::milliseconds(),
        kind: OperationKind::Late,
        author: Author {
            session: &unsealed.session,
            ..Author::default()
        },
        tool: TOOL,
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
            workspace: workspace.as_ref().map(KnownWorkspace::borrowed),
        }],
        question: None,
        parent: None,
        takes_back: Vec::new(),
        takes_part_of: Vec::new(),
    };
    let _ = store.begin(&draft)?;
    let _ = store.finish(&draft)?;
    let _ = store.adopt(version.revision.as_bytes(), &version.path);
    Ok(id)
}

/// Returns the notice about late bytes that the operation `late` records.
fn news(unsealed: &Unsealed, late: &str) -> LateNotice {
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
    own.take(AT_ONCE)
        .map(|notice| {
            let words = notice.words.clone();
            Notice::new(&format!("{words}."), move || claim(engine, &words))
        })
        .collect()
}

/// Removes a notice from the list, and removes its row. Returns false where another answer has already given it.
fn claim(engine: &EngineView, words: &str) -> bool {
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
        drop_row(engine, &row);
    }
    true
}
