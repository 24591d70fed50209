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
mod kept;
mod lead;
mod left_out;
mod links;
mod merge;
mod move_back;
mod name_changes;
mod newest;
mod not_recorded;
mod nothing;
mod obstacles;
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
mod withheld;

pub(super) use self::current_file::is_empty as is_empty_folder;
pub(crate) use self::hunk::plan_hunk_undo;
pub(crate) use self::restore::plan_restore;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use lancet_history::{OperationKind, OperationStore, ReversedChange};

use self::chain::Chain;
use self::groups::Groups;
use self::kept::unreadable_refusal;
use self::lead::{lead, moved_by_others};
use self::left_out::{all_left_out_refusal, conflicting_file, leave_out_names};
use self::obstacles::Obstacles;
use self::other_names::OtherNames;
use self::renamed::ChainOutcome;
use self::select::FileRow;
use self::walk::UndoneChain;
use self::withheld::withhold_texts;
use crate::order::Turn;
use crate::refusal::{Refusal, RefusalKind};
use crate::request::UndoScope;
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::{Target, locate_recorded};
use crate::stages::plan::{
    AlreadyUndoneFile, ConflictingFile, DryRun, FilePlan, Plan, PlanRecord, PlannedObstacles,
};
use crate::undo::UndoRequest;

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
    let (mut rows, mut left_out) = shared::set_apart(store, rows, asked)?;
    let turn = context.take_turn(rows.iter().flat_map(FileRow::names))?;
    let recorded = recorded_names::recorded_names(store, &rows)?;
    let examined = loop {
        if rows.is_empty() {
            return Err(all_left_out_refusal(left_out));
        }
        let obstacles = Obstacles::find(context, &rows);
        let mut examined = ExaminedFiles::default();
        examined.examine_rows(
            context,
            attempt,
            store,
            (&rows, &recorded),
            &obstacles,
            asked,
        )?;
        let emptied = examined.emptied_folders();
        let planned = obstacles.for_plan(context, &examined.files, &emptied);
        match planned {
            Ok(planned) => {
                left_out.append(&mut examined.left_out);
                examined.left_out = left_out;
                examined.put_together(&obstacles, &planned);
                examined.obstacles = planned;
                break examined;
            }
            Err(blocked) => {
                let refusal = |name: &Path| obstacles.refusal(name);
                rows = leave_out_names(rows, &blocked, &refusal, &mut left_out, asked)?;
            }
        }
    };
    let mut plan = examined.into_plan(&rows, asked, turn)?;
    plan.origin.new_inodes = recorded;
    head::add_notice(context, store, &rows, &mut plan, asked)?;
    not_recorded::add_notice(context, store, &rows, &mut plan, asked)?;
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
    /// What is removed before the other files are written.
    obstacles: PlannedObstacles,
    /// The names of files that had several when they were recorded.
    other_names: OtherNames,
    /// The user and group of removed files.
    owners: HashMap<PathBuf, (u32, u32)>,
}

impl ExaminedFiles {
    /// Works out all files of some changes. `recorded` are the names that other programs changed.
    fn examine_rows(
        &mut self,
        context: &CallContext<'_>,
        attempt: &mut Attempt,
        store: &dyn OperationStore,
        (rows, recorded): (&[FileRow], &HashSet<PathBuf>),
        obstacles: &Obstacles,
        asked: &UndoRequest,
    ) -> Result<(), Refusal> {
        let (renamed, plain) = renamed_chain::split_renamed_files(rows);
        let (folders, plain) = folders::split(&plain);
        let mut paths: Vec<&Path> = plain.iter().flat_map(|row| row.names()).collect();
        paths.sort();
        paths.dedup();
        let located = paths.into_iter().map(|path| {
            let intent = obstacles.intent_for(path, links::intent_for(path, &plain));
            let target = locate_recorded(context.engine(), path, intent)?;
            Ok((path.to_path_buf(), target))
        });
        let located = located.collect::<Result<Vec<(PathBuf, Target)>, Refusal>>()?;
        self.examine_renamed_files(context, attempt, store, (&renamed, rows), obstacles, asked)?;
        for chain in chain::chains(&plain, located, recorded) {
            context.check_time()?;
            self.examine_chain(context, attempt, store, chain, rows, asked)?;
        }
        self.take_folders(context, &folders, obstacles, asked)
    }

    /// Returns the folders that are removed if they are empty.
    fn emptied_folders(&self) -> HashSet<&Path> {
        let files = self.files.iter();
        let left = files.flat_map(|file| file.new.folders_to_remove());
        let gone = self.found_back.iter().flat_map(|file| &file.folders);
        left.chain(gone).map(PathBuf::as_path).collect()
    }

    /// Notes that the files which are in the way, and those that they are in the way of, are undone together.
    fn put_together(&mut self, obstacles: &Obstacles, planned: &PlannedObstacles) {
        let belongs =
            |file: &FilePlan| planned.are_removed_by(file) || obstacles.block(file.target.path());
        let files = self.files.iter().enumerate();
        let group = files.filter(|(_, file)| belongs(file)).map(|(at, _)| at);
        let group: Vec<usize> = group.collect();
        if group.len() > 1 && !planned.names.is_empty() {
            self.together.push(group);
        }
    }

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
                if let Some(removed) = self.other_names.removed_file(store, &rows, &file)? {
                    self.owners.insert(path.clone(), removed.owner());
                    let changes = (&removed, all);
                    self.other_names
                        .link_again(context, attempt, store, changes, &mut file)?;
                    file.view.notices.extend(removed.attributes_notice(&file));
                }
                file.view
                    .notices
                    .extend(other_names::parted_notice(store, &rows)?);
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
        (rows, all): (&[&FileRow], &[FileRow]),
        obstacles: &Obstacles,
        asked: &UndoRequest,
    ) -> Result<(), Refusal> {
        let mut names = renamed::read_names(context, attempt, rows, obstacles)?;
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
        let file = conflicting_file(path, rows, refusal, asked)?;
        self.left_out.push(file);
        Ok(())
    }

    fn into_plan(
        mut self,
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
        let lead = lead(&ids, asked.direction, &self.files, dry_run);
        withhold_texts(&mut self.files);
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
                obstacles: self.obstacles,
                owners: self.owners,
                ..PlanRecord::default()
            },
        })
    }
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
