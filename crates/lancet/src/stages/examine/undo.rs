//! The *examine* stage for undo, redo and restore: turns operations of the history into a plan, file by file. A file
//! that changed since the operation is a conflict, unless the request allows a merge and the operation's change can be
//! removed without the later ones.

mod at_checkpoint;
mod by_id;
mod chain;
mod conflict;
mod described;
mod folders;
mod groups;
mod hooks;
mod hunk;
mod kept;
mod links;
mod merge;
mod move_back;
mod name_changes;
mod newest;
mod own_undos;
mod parts;
mod renamed;
mod renamed_chain;
mod restore;
mod select;
mod shared;
mod view;
mod walk;

pub(crate) use self::hunk::hunk;
pub(crate) use self::restore::restore;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use lancet_history::{OperationKind, OperationStore, TakenBack};

use self::chain::Chain;
use self::groups::Groups;
use self::kept::unreadable;
use self::renamed::ChainOutcome;
use self::select::FileRow;
use self::walk::Back;
use crate::message::{Message, OPERATION, message, term, verbatim};
use crate::order::Turn;
use crate::refusal::{Refusal, RefusalKind};
use crate::request::Whose;
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::{Target, locate_recorded};
use crate::stages::plan::{DryRun, FilePlan, FoundBack, LeftOut, Plan, PlanRecord};
use crate::undo::{Conflicts, Direction, TakeBack};
use crate::wording::{QuotedPath, quote_path};

/// The longest list of paths in a refusal, in characters.
const LONGEST_LIST: usize = 4_000;

/// Works out the plan that undoes operations.
pub(crate) fn examine(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    asked: &TakeBack,
    whose: Whose,
) -> Result<Plan, Refusal> {
    let store = store(context)?;
    context.follow_moved_files().map_err(unreadable)?;
    let rows = select::rows(context, store, asked, whose)?;
    select::keep_choice(context, &rows)?;
    let (rows, unsure) = shared::set_apart(store, rows, asked)?;
    if rows.is_empty() {
        return Err(all_left_out(unsure));
    }
    let (renamed, plain) = renamed_chain::split(&rows);
    let (folders, plain) = folders::split(&plain);
    let paths_of = |rows: &[&FileRow]| {
        let names = rows.iter().flat_map(|row| row.names());
        let mut paths: Vec<PathBuf> = names.map(Path::to_path_buf).collect();
        paths.sort();
        paths.dedup();
        paths
    };
    let (paths, renamed_paths) = (paths_of(&plain), paths_of(&renamed));
    let targets = paths
        .iter()
        .map(|path| {
            let intent = links::intent_for(path, &plain);
            locate_recorded(context.engine(), path, intent)
        })
        .collect::<Result<Vec<Target>, Refusal>>()?;
    let folder_paths = folders.iter().map(|(path, _)| path);
    let all_paths = paths.iter().chain(&renamed_paths).chain(folder_paths);
    let turn = context.take_turn(all_paths.map(PathBuf::as_path))?;
    let located = paths.iter().cloned().zip(targets).collect();
    let mut examined = Examined {
        left_out: unsure,
        ..Examined::default()
    };
    examined.take_renamed(context, attempt, store, &renamed, &rows, asked)?;
    for chain in chain::chains(&plain, located) {
        context.check_time()?;
        examined.take(context, attempt, store, chain, &rows, asked)?;
    }
    examined.take_folders(context, &folders, asked)?;
    examined.plan(&rows, asked, turn)
}

/// The results for the files so far.
#[derive(Default)]
struct Examined {
    files: Vec<FilePlan>,
    takes_back: Vec<TakenBack>,
    found_back: Vec<FoundBack>,
    left_out: Vec<LeftOut>,
    /// The files that are undone together or not at all.
    together: Vec<Vec<usize>>,
}

impl Examined {
    /// Works out one file.
    fn take(
        &mut self,
        context: &CallContext<'_>,
        attempt: &mut Attempt,
        store: &dyn OperationStore,
        chain: Chain<'_>,
        all: &[FileRow],
        asked: &TakeBack,
    ) -> Result<(), Refusal> {
        let rows = chain.rows.clone();
        let path = chain.target.path().to_path_buf();
        let by = match walk::back(context, attempt, store, chain, all, asked) {
            Ok(Back::To(mut file, parts)) => {
                file.view.notices.extend(moved_by_others(&rows));
                file.view.notices.extend(shared::notice(&rows));
                if was_parted(store, &rows)? {
                    file.view.notices.push(message!("{}", PARTED));
                }
                self.files.push(*file);
                let by = Some(self.files.len() - 1);
                self.takes_back
                    .extend(parts.into_iter().map(|part| TakenBack {
                        by,
                        operation: part.operation,
                        at: part.at,
                    }));
                by
            }
            Ok(Back::Already) => {
                self.found_back(path, &rows);
                None
            }
            Err(refusal) => return self.leave_out(path, &rows, refusal, asked),
        };
        self.mark(&rows, by);
        Ok(())
    }

    /// Works out the files that were moved.
    fn take_renamed(
        &mut self,
        context: &CallContext<'_>,
        attempt: &mut Attempt,
        store: &dyn OperationStore,
        rows: &[&FileRow],
        all: &[FileRow],
        asked: &TakeBack,
    ) -> Result<(), Refusal> {
        let mut names = renamed::read_names(context, attempt, rows)?;
        let mut ways = Vec::new();
        for chain in renamed_chain::chains(rows) {
            context.check_time()?;
            match names.walk(context, store, &chain, all, asked) {
                Ok(way) => ways.push((chain, way)),
                Err(refusal) => {
                    let path = chain.last_name().to_path_buf();
                    self.leave_out(path, &chain.rows, refusal, asked)?;
                }
            }
        }
        names.drop_blocked();
        let mut by_others = Vec::new();
        let mut groups = Groups::default();
        for (chain, way) in ways {
            context.check_time()?;
            let path = chain.last_name().to_path_buf();
            let outcome = match way {
                Some(way) => names.plans(context, store, way),
                None => Ok(ChainOutcome::Already),
            };
            match outcome {
                Ok(ChainOutcome::To(plans)) => {
                    let first = self.files.len();
                    self.files.extend(plans);
                    groups.add(
                        chain.rows.iter().flat_map(|row| row.names()),
                        first..self.files.len(),
                    );
                    self.mark(&chain.rows, Some(first));
                }
                Ok(ChainOutcome::ByAnother(path)) => by_others.push((chain, path)),
                Ok(ChainOutcome::Already) => {
                    self.found_back(path, &chain.rows);
                    self.mark(&chain.rows, None);
                }
                Err(refusal) => self.leave_out(path, &chain.rows, refusal, asked)?,
            }
        }
        for (chain, path) in by_others {
            let mut files = self.files.iter();
            let by = files.position(|file| file.target.path() == path);
            self.mark(&chain.rows, by);
        }
        self.together = groups.together();
        Ok(())
    }

    fn mark(&mut self, rows: &[&FileRow], by: Option<usize>) {
        self.takes_back.extend(rows.iter().map(|row| TakenBack {
            by,
            operation: row.operation.clone(),
            at: row.change.at,
        }));
    }

    fn found_back(&mut self, path: PathBuf, rows: &[&FileRow]) {
        let mut operations: Vec<String> = rows.iter().map(|row| row.operation.clone()).collect();
        operations.dedup();
        let made = rows.iter().flat_map(|row| row.change.folders.clone());
        let mut folders: Vec<PathBuf> = made.collect();
        folders.sort();
        folders.dedup();
        self.found_back.push(FoundBack {
            path,
            operations,
            folders,
        });
    }

    /// Leaves out a file that is in conflict, if the request allows that; otherwise the conflict refuses everything.
    fn leave_out(
        &mut self,
        path: PathBuf,
        rows: &[&FileRow],
        refusal: Refusal,
        asked: &TakeBack,
    ) -> Result<(), Refusal> {
        let may = asked.conflicts == Conflicts::LeaveOut;
        if !may || refusal.kind() != RefusalKind::Conflict {
            return Err(refusal);
        }
        let newest = rows.first().map(|row| row.operation.clone());
        self.left_out.push(LeftOut {
            path,
            operation: newest.unwrap_or_default(),
            refusal,
        });
        Ok(())
    }

    fn plan(self, rows: &[FileRow], asked: &TakeBack, turn: Option<Turn>) -> Result<Plan, Refusal> {
        if self.takes_back.is_empty() {
            return Err(all_left_out(self.left_out));
        }
        let taken = self.takes_back.iter();
        let taken: HashSet<(&str, usize)> = taken
            .map(|taken| (taken.operation.as_str(), taken.at))
            .collect();
        let is_meant = |row: &&FileRow| taken.contains(&(row.operation.as_str(), row.change.at));
        let mut ids: Vec<&str> = rows
            .iter()
            .filter(is_meant)
            .map(|row| row.operation.as_str())
            .collect();
        ids.dedup();
        let dry_run = DryRun::from(asked.dry_run);
        let mut lead = lead(&ids, asked.direction, &self.files, dry_run);
        if asked.direction == Direction::Undo {
            lead.push(not_restored(rows, &ids));
        }
        Ok(Plan {
            files: self.files,
            dry_run,
            turn,
            origin: PlanRecord {
                // Undoing an undo is a redo, whichever of the two was requested.
                kind: match rows.first().map(|row| row.kind) {
                    Some(OperationKind::Undo) => OperationKind::Redo,
                    _ => OperationKind::Undo,
                },
                takes_back: self.takes_back,
                lead: Some(lead),
                found_back: self.found_back,
                left_out: self.left_out,
                together: self.together,
                ..PlanRecord::default()
            },
        })
    }
}

/// Returns the refusal where every file is in conflict.
fn all_left_out(mut left: Vec<LeftOut>) -> Refusal {
    if left.len() == 1
        && let Some(only) = left.pop()
    {
        return only.refusal;
    }
    let paths: Vec<QuotedPath> = left.iter().map(|file| quote_path(&file.path)).collect();
    let text = message!(
        "None of these files is what the changes left: {}. Nothing was changed. Each by itself (`lancet undo --file FILE`) shows what was changed since.",
        Message::joined(&paths, ", ").cut(LONGEST_LIST)
    );
    Refusal::stating(RefusalKind::Conflict, text).with("leftOut", paths)
}

/// The notice for a file whose hard links an undo does not restore.
const PARTED: &str = "the change had parted the file from its other names (hard links); they stay apart, and the others as they are";

/// Returns whether one of these changes separated its file from its hard links.
fn was_parted(store: &dyn OperationStore, rows: &[&FileRow]) -> Result<bool, Refusal> {
    for row in rows {
        let parted = store.broken_links(&row.operation).map_err(unreadable)?;
        if parted.contains(&row.change.at) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Names the files of recorded calls that an undo cannot restore; nothing where there are none.
fn not_restored(rows: &[FileRow], ids: &[&str]) -> Option<Message> {
    let meant = rows.iter().filter(|row| ids.contains(&&*row.operation));
    let files: Vec<QuotedPath> = meant
        .flat_map(|row| &row.not_kept)
        .map(|path| quote_path(path))
        .collect();
    (!files.is_empty()).then(|| {
        message!(
            " Not recorded, so left as they are: {}.",
            Message::joined(&files, ", ").cut(LONGEST_LIST)
        )
    })
}

fn lead(ids: &[&str], direction: Direction, files: &[FilePlan], dry_run: DryRun) -> Message {
    let did = |did, would| match dry_run {
        DryRun::No => did,
        DryRun::Yes => would,
    };
    let what = match ids {
        [id] => message!("{} {}", OPERATION, verbatim(id)),
        [newest, .., oldest] => message!(
            "{}{} from {} to {}",
            ids.len(),
            term(" operations", " changes"),
            verbatim(oldest),
            verbatim(newest)
        ),
        [] => Message::default(),
    };
    match (direction, files.is_empty()) {
        (Direction::Undo, false) => {
            message!(
                "{}{}.",
                term("Undo of ", did("Undid ", "Would undo ")),
                what
            )
        }
        (Direction::Redo, false) => message!(
            "{}{} undid.",
            term("Redo of what ", did("Redid what ", "Would redo what ")),
            what
        ),
        (Direction::Undo, true) => {
            message!("Already undone: {}. Nothing was written.", what)
        }
        (Direction::Redo, true) => {
            message!("Already redone: what {} undid. Nothing was written.", what)
        }
    }
}

/// Returns the history's store, or the refusal where there is no history.
fn store<'d>(context: &'d CallContext<'_>) -> Result<&'d dyn OperationStore, Refusal> {
    let Some(store) = context.engine().history() else {
        return Err(Refusal::stating(
            RefusalKind::NotFound,
            "No history is recorded here: lancet was opened without a state folder. Nothing can be undone.",
        ));
    };
    crate::stages::heal::settle_again(context);
    Ok(&**store)
}

/// Says under which name a file was changed that another program has moved since.
fn moved_by_others(rows: &[&FileRow]) -> Option<Message> {
    let mut rows = rows.iter();
    let (former, now) = rows.find_map(|row| {
        let former = row.change.former_path.as_deref()?;
        (former != row.change.path).then_some((former, &row.change.path))
    })?;
    Some(message!(
        "{} was changed under the name {}; another program has moved it since",
        quote_path(now),
        quote_path(former)
    ))
}
