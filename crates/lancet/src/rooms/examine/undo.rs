//! examine for going back: operations of the history become a plan, file by file. A file that is no longer what the
//! operation left is a conflict, unless only that change can be taken out of it.

mod merge;
mod select;
mod view;
mod walk;

use std::path::PathBuf;

use lancet_history::{OperationKind, OperationStore, StoreError, TakenBack};

use self::select::Row;
use crate::refusal::{Kind, Refusal};
use crate::rooms::Desk;
use crate::rooms::locate::{Intent, Target, locate};
use crate::rooms::plan::{DryRun, FilePlan, Origin, Plan};
use crate::undo::{Direction, Moment, Restore, TakeBack};
use crate::wording::{count, quote_path};

/// Whose changes may be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The session's own: what a model may ask for.
    Own,
    /// All below the roots: what a person may ask for.
    Everyone,
}

/// Works out a plan that takes operations back.
pub(crate) fn examine(desk: &Desk<'_>, asked: &TakeBack, reach: Reach) -> Result<Plan, Refusal> {
    let store = store(desk)?;
    let rows = select::rows(desk, store, asked, reach)?;
    let mut paths: Vec<PathBuf> = rows.iter().map(|row| row.change.path.clone()).collect();
    paths.sort();
    paths.dedup();
    let targets = paths
        .iter()
        .map(|path| locate(desk.engine(), &path.to_string_lossy(), Intent::Replace))
        .collect::<Result<Vec<Target>, Refusal>>()?;
    let turn = desk.take_turn(paths.iter().map(PathBuf::as_path))?;
    let mut files: Vec<FilePlan> = Vec::new();
    let mut takes_back = Vec::new();
    for (path, target) in paths.iter().zip(targets) {
        desk.check_time()?;
        let of_file: Vec<&Row> = rows.iter().filter(|row| row.change.path == *path).collect();
        let mut file = walk::back(desk, store, target, &of_file, asked)?;
        if was_parted(store, &of_file)? {
            file.view.notices.push(PARTED.to_owned());
        }
        takes_back.extend(of_file.iter().map(|row| TakenBack {
            by: files.len(),
            operation: row.operation.clone(),
            at: row.change.at,
        }));
        files.push(file);
    }
    Ok(Plan {
        tool: desk.tool.clone(),
        files,
        dry_run: DryRun::from(asked.dry_run),
        turn: Some(turn),
        origin: Origin {
            // An undo that is taken back, by whatever name it was asked for, is a redo.
            kind: match rows.first().map(|row| row.kind) {
                Some(OperationKind::Undo) => OperationKind::Redo,
                _ => OperationKind::Undo,
            },
            takes_back,
            lead: Some(lead(&rows, asked.direction)),
            approved: None,
            user_modified: false,
        },
    })
}

/// What is said of a file that going back does not join again.
const PARTED: &str = "the change had parted the file from its other names (hard links); they stay apart, and the others as they are";

/// Whether one of these changes parted its file from other names.
fn was_parted(store: &dyn OperationStore, rows: &[&Row]) -> Result<bool, Refusal> {
    for row in rows {
        let parted = store.parted(&row.operation).map_err(unreadable)?;
        if parted.contains(&row.change.at) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Works out a plan that brings one file back to a state of the history.
pub(crate) fn restore(desk: &Desk<'_>, asked: &Restore) -> Result<Plan, Refusal> {
    let store = store(desk)?;
    let operation = select::one(desk, store, &asked.operation)?;
    let target = locate(
        desk.engine(),
        &asked.file.to_string_lossy(),
        Intent::Replace,
    )?;
    let turn = desk.take_turn([target.path()])?;
    let Some(change) = operation
        .files
        .iter()
        .find(|change| change.path == target.path())
    else {
        let touched: Vec<String> = operation
            .files
            .iter()
            .map(|file| quote_path(&file.path).to_string())
            .collect();
        let text = format!(
            "Operation {operation} did not touch {}. It changed {}.",
            quote_path(target.path()),
            touched.join(", ")
        );
        return Err(Refusal::new(Kind::NotFound, text));
    };
    let wanted = match asked.moment {
        Moment::Before => &change.before,
        Moment::After => &change.after,
    };
    let lead = format!(
        "{} as operation {operation} {}.",
        quote_path(target.path()),
        match asked.moment {
            Moment::Before => "found it",
            Moment::After => "left it",
        }
    );
    let current = walk::current(desk, &target)?;
    let bytes = wanted
        .as_ref()
        .map(|kept| content(store, &kept.revision))
        .transpose()?;
    let mode = wanted
        .as_ref()
        .map(|kept| kept.mode)
        .filter(|mode| *mode != 0);
    let file = view::file_plan(desk, target, current, bytes, mode, Vec::new())?;
    Ok(Plan {
        tool: desk.tool.clone(),
        files: vec![file],
        dry_run: DryRun::from(asked.dry_run),
        turn: Some(turn),
        origin: Origin {
            lead: Some(lead),
            ..Origin::default()
        },
    })
}

fn lead(rows: &[Row], direction: Direction) -> String {
    let mut ids: Vec<&str> = rows.iter().map(|row| row.operation.as_str()).collect();
    ids.dedup();
    let what = match ids.as_slice() {
        [id] => format!("operation {id}"),
        [newest, .., oldest] => format!(
            "{} from {oldest} to {newest}",
            count(ids.len(), "operation")
        ),
        [] => String::new(),
    };
    match direction {
        Direction::Undo => format!("Takes back {what}."),
        Direction::Redo => format!("Does again what {what} took back."),
    }
}

/// The history, or the refusal where none is kept.
fn store<'d>(desk: &'d Desk<'_>) -> Result<&'d dyn OperationStore, Refusal> {
    let Some(store) = desk.engine().history() else {
        return Err(Refusal::new(
            Kind::NotFound,
            "No history is kept here: lancet was opened without a state folder. Nothing can be taken back.",
        ));
    };
    crate::rooms::heal::once(desk.engine());
    Ok(&**store)
}

/// The bytes of a state that the history has.
fn content(store: &dyn OperationStore, revision: &[u8; 32]) -> Result<Vec<u8>, Refusal> {
    store.content(revision).map_err(unreadable)?.ok_or_else(|| {
        Refusal::new(
            Kind::NotFound,
            "The bytes of that state are no longer kept, or were damaged. Nothing was changed.",
        )
    })
}

fn unreadable(error: StoreError) -> Refusal {
    let text = format!(
        "The history cannot be read: {error}. Nothing was changed; `lancet doctor` says more."
    );
    Refusal::new(Kind::Io, text)
}
