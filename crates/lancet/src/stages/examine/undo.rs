//! The *examine* stage for undo, redo and restore: turns operations of the history into a plan, file by file. A file
//! that changed since the operation is a conflict, unless the request allows a merge and the operation's change can be
//! removed without the later ones.

mod at_checkpoint;
mod by_id;
mod chain;
mod conflict;
mod current_file;
mod described;
mod empty_folder;
mod folders;
mod groups;
mod head;
mod hooks;
mod hunk;
mod in_the_way;
mod kept;
mod lead;
mod links;
mod merge;
mod move_back;
mod name_changes;
mod newest;
mod nothing;
mod other_names;
mod own_undos;
mod parts;
mod recorded_names;
mod renamed;
mod renamed_chain;
mod restore;
mod select;
mod shared;
mod view;
mod walk;

pub(crate) use self::hunk::plan_hunk_undo;
pub(crate) use self::restore::plan_restore;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use lancet_history::{OperationKind, OperationStore, ReversedChange};

use self::chain::Chain;
use self::groups::Groups;
use self::kept::unreadable_refusal;
use self::lead::{lead, moved_by_others, not_restored};
use self::renamed::ChainOutcome;
use self::select::FileRow;
use self::walk::UndoneChain;
use crate::message::{Message, message};
use crate::order::Turn;
use crate::refusal::{Refusal, RefusalKind};
use crate::request::UndoScope;
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::{Target, locate_recorded};
use crate::stages::plan::{AlreadyUndoneFile, ConflictingFile, DryRun, FilePlan, Plan, PlanRecord};
use crate::undo::{Conflicts, Direction, UndoRequest};
use crate::wording::{QuotedPath, quote_path};

/// The longest list of paths in a refusal, in characters.
const MAX_LIST_LENGTH: usize = 4_000;

/// Works out the plan that undoes operations.
pub(crate) fn examine(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    asked: &UndoRequest,
    whose: UndoScope,
) -> Result<Plan, Refusal> {
    let store = require_store(context)?;
    context.follow_moved_files().map_err(unreadable_refusal)?;
    let rows = select::select_rows(context, store, asked, whose)?;
    select::require_same_choice(context, &rows)?;
    let (rows, mut left_out) = shared::set_apart(store, rows, asked)?;
    if rows.is_empty() {
        return Err(all_left_out_refusal(left_out));
    }
    let (rows, later) = in_the_way::set_apart(context, rows);
    left_out.extend(later);
    let (renamed, plain) = renamed_chain::split_renamed_files(&rows);
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
    let mut examined = ExaminedFiles {
        left_out,
        ..ExaminedFiles::default()
    };
    examined.examine_renamed_files(context, attempt, store, &renamed, &rows, asked)?;
    let recorded = recorded_names::recorded_names(store, &rows)?;
    for chain in chain::chains(&plain, located, &recorded) {
        context.check_time()?;
        examined.examine_chain(context, attempt, store, chain, &rows, asked)?;
    }
    examined.take_folders(context, &folders, asked)?;
    let mut plan = examined.into_plan(&rows, asked, turn)?;
    plan.origin.new_inodes = recorded;
    head::add_notice(context, store, &rows, &mut plan, asked)?;
    Ok(plan)
}

/// The results for the files so far.
#[derive(Default)]
struct ExaminedFiles {
    files: Vec<FilePlan>,
    takes_back: Vec<ReversedChange>,
    found_back: Vec<AlreadyUndoneFile>,
    left_out: Vec<ConflictingFile>,
    /// The files that are undone together or not at all.
    together: Vec<Vec<usize>>,
}

impl ExaminedFiles {
    /// Works out one file.
    fn examine_chain(
        &mut self,
        context: &CallContext<'_>,
        attempt: &mut Attempt,
        store: &dyn OperationStore,
        chain: Chain<'_>,
        all: &[FileRow],
        asked: &UndoRequest,
    ) -> Result<(), Refusal> {
        let rows = chain.rows.clone();
        let path = chain.target.path().to_path_buf();
        let by = match walk::undo_chain(context, attempt, store, chain, all, asked) {
            Ok(UndoneChain::To(mut file, parts)) => {
                file.view.notices.extend(moved_by_others(&rows));
                file.view.notices.extend(shared::notice(&rows));
                let other_names = other_names::notice(store, &rows, &file)?;
                file.view.notices.extend(other_names);
                if broke_hard_links(store, &rows)? {
                    file.view.notices.push(message!("{}", LINKS_NOT_RESTORED));
                }
                self.files.push(*file);
                let by = Some(self.files.len() - 1);
                self.takes_back
                    .extend(parts.into_iter().map(|part| ReversedChange {
                        by,
                        operation: part.operation,
                        at: part.at,
                    }));
                by
            }
            Ok(UndoneChain::Already) => {
                self.add_already_undone(path, &rows);
                None
            }
            Err(refusal) => return self.leave_out(path, &rows, refusal, asked),
        };
        self.record_undone(&rows, by);
        Ok(())
    }

    /// Works out the files that were moved.
    fn examine_renamed_files(
        &mut self,
        context: &CallContext<'_>,
        attempt: &mut Attempt,
        store: &dyn OperationStore,
        rows: &[&FileRow],
        all: &[FileRow],
        asked: &UndoRequest,
    ) -> Result<(), Refusal> {
        let mut names = renamed::read_names(context, attempt, rows)?;
        let mut ways = Vec::new();
        for chain in renamed_chain::chains(rows) {
            context.check_time()?;
            match names.walk_chain(context, store, &chain, all, asked) {
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
                Some(way) => names.plan_chain(context, store, way),
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
                    self.record_undone(&chain.rows, Some(first));
                }
                Ok(ChainOutcome::ByAnother(path)) => by_others.push((chain, path)),
                Ok(ChainOutcome::Already) => {
                    self.add_already_undone(path, &chain.rows);
                    self.record_undone(&chain.rows, None);
                }
                Err(refusal) => self.leave_out(path, &chain.rows, refusal, asked)?,
            }
        }
        for (chain, path) in by_others {
            let mut files = self.files.iter();
            let by = files.position(|file| file.target.path() == path);
            self.record_undone(&chain.rows, by);
        }
        self.together = groups.groups_of_several();
        Ok(())
    }

    fn record_undone(&mut self, rows: &[&FileRow], by: Option<usize>) {
        self.takes_back
            .extend(rows.iter().map(|row| ReversedChange {
                by,
                operation: row.operation.clone(),
                at: row.change.at,
            }));
    }

    fn add_already_undone(&mut self, path: PathBuf, rows: &[&FileRow]) {
        let mut operations: Vec<String> = rows.iter().map(|row| row.operation.clone()).collect();
        operations.dedup();
        let made = rows.iter().flat_map(|row| row.change.folders.clone());
        let mut folders: Vec<PathBuf> = made.collect();
        folders.sort();
        folders.dedup();
        self.found_back.push(AlreadyUndoneFile {
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
        asked: &UndoRequest,
    ) -> Result<(), Refusal> {
        let may = asked.conflicts == Conflicts::LeaveOut;
        if !may || refusal.kind() != RefusalKind::Conflict {
            return Err(refusal);
        }
        let newest = rows.first().map(|row| row.operation.clone());
        self.left_out.push(ConflictingFile {
            path,
            operation: newest.unwrap_or_default(),
            refusal,
        });
        Ok(())
    }

    fn into_plan(
        self,
        rows: &[FileRow],
        asked: &UndoRequest,
        turn: Option<Turn>,
    ) -> Result<Plan, Refusal> {
        if self.takes_back.is_empty() {
            return Err(all_left_out_refusal(self.left_out));
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
fn all_left_out_refusal(mut left: Vec<ConflictingFile>) -> Refusal {
    if left.len() == 1
        && let Some(only) = left.pop()
    {
        return only.refusal;
    }
    let paths: Vec<QuotedPath> = left.iter().map(|file| quote_path(&file.path)).collect();
    let text = message!(
        "None of these files is what the changes left: {}. Nothing was changed. Each by itself (`lancet undo --file FILE`) shows what was changed since.",
        Message::joined(&paths, ", ").truncate(MAX_LIST_LENGTH)
    );
    Refusal::from_message(RefusalKind::Conflict, text).with_field("leftOut", paths)
}

/// The notice for a file whose hard links an undo does not restore.
const LINKS_NOT_RESTORED: &str = "the change had parted the file from its other names (hard links); they stay apart, and the others as they are";

/// Returns whether one of these changes separated its file from its hard links.
fn broke_hard_links(store: &dyn OperationStore, rows: &[&FileRow]) -> Result<bool, Refusal> {
    for row in rows {
        let parted = store
            .broken_links(&row.operation)
            .map_err(unreadable_refusal)?;
        if parted.contains(&row.change.at) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the history's store, or the refusal where there is no history.
fn require_store<'d>(context: &'d CallContext<'_>) -> Result<&'d dyn OperationStore, Refusal> {
    let Some(store) = context.engine().history() else {
        return Err(Refusal::from_message(
            RefusalKind::NotFound,
            "No history is recorded here: lancet was opened without a state folder. Nothing can be undone.",
        ));
    };
    crate::stages::heal::settle_with_retries(context);
    Ok(&**store)
}
