//! Undo of files that were moved. A chain is the changes of one file under all its names, newest first. Its moves are
//! undone as a move, not as a removal and a creation, so that the file keeps its owner and attributes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use lancet_history::{OperationStore, RecordedState};
use lancet_workspace::FileType;

use super::current_file::{self, CurrentFile, DiskContent};
use super::kept::unreadable_refusal;
use super::move_back::{one_at_a_time_refusal, plan_move_back};
use super::name_changes::{ChainStart, NameChange, NameChanges};
use super::obstacles::Obstacles;
use super::renamed_chain::RenamedChain;
use super::select::FileRow;
use super::view::{self, WantedState};
use super::walk::{self, FileStep, WalkEnd};
use crate::message::message;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::attempt::{Attempt, Freshness};
use crate::stages::context::CallContext;
use crate::stages::locate::{Intent, Target, locate_recorded};
use crate::stages::plan::FilePlan;
use crate::undo::UndoRequest;
use crate::wording::quote_path;

/// The result of undoing a chain.
pub(super) enum ChainOutcome {
    /// These files have to be written; the first one gets the wanted state.
    To(Vec<FilePlan>),
    /// The file is already in the wanted state under the wanted name.
    Already,
    /// The file would be removed from this name, but another chain writes its own file there.
    ByAnother(PathBuf),
}

/// The files on the disk under all names of the chains.
pub(super) struct NamesOnDisk<'o> {
    names: HashMap<PathBuf, (Target, Option<CurrentFile>)>,
    obstacles: &'o Obstacles,
    /// The effect of each chain on its names.
    changes: NameChanges,
}

/// Reads the files at all names of the chains.
pub(super) fn read_names<'o>(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    rows: &[&FileRow],
    obstacles: &'o Obstacles,
) -> Result<NamesOnDisk<'o>, Refusal> {
    let mut names = HashMap::new();
    for name in rows.iter().flat_map(|row| row.names()) {
        if names.contains_key(name) {
            continue;
        }
        let intent = obstacles.intent_for(name, Intent::Take);
        let target = locate_recorded(context.engine(), name, intent)?;
        if target.path() != name {
            let text = message!(
                "{} leads through a link by now, to {}. Nothing was changed.",
                quote_path(name),
                quote_path(target.path())
            );
            return Err(Refusal::from_message(RefusalKind::Conflict, text)
                .with_field("file_path", quote_path(name)));
        }
        let current = current_file::read_current(context, attempt, &target)?;
        names.insert(name.to_path_buf(), (target, current));
    }
    Ok(NamesOnDisk {
        names,
        obstacles,
        changes: NameChanges::default(),
    })
}

impl NamesOnDisk<'_> {
    /// Undoes a chain, starting from its latest state that is on the disk, or from its newest state where other changes
    /// came later.
    pub(super) fn walk_chain<'r>(
        &mut self,
        context: &CallContext<'_>,
        store: &dyn OperationStore,
        chain: &RenamedChain<'r>,
        all: &[FileRow],
        asked: &UndoRequest,
    ) -> Result<Option<ChainPath<'r>>, Refusal> {
        let mut points = chain.names_and_states();
        let found = points.position(|(name, state)| self.has_state(name, state));
        let mut start = found.unwrap_or(0);
        if start > 0 {
            let names: Vec<PathBuf> = chain
                .names_and_states()
                .map(|(name, _)| name.to_path_buf())
                .collect();
            let mut selected: Vec<String> = all.iter().map(|row| row.operation.clone()).collect();
            selected.dedup();
            let others = context
                .other_workspaces()
                .map_err(unreadable_refusal)?
                .ids();
            let changed_later = store
                .has_later_changes(&names, &chain.rows[start - 1].operation, &selected, &others)
                .map_err(unreadable_refusal)?;
            if changed_later {
                start = 0;
            }
        }
        if start == chain.rows.len() {
            return Ok(None);
        }
        let rows = &chain.rows[start..];
        let point = chain.names_and_states().nth(start);
        let name = point
            .map_or(chain.last_name(), |(name, _)| name)
            .to_path_buf();
        let Some((target, on_disk)) = self.names.get(&name) else {
            return Ok(None);
        };
        let current = self.file_at_name(&name);
        let start = ChainStart::for_chain(current, on_disk.as_ref());
        let walked = walk::walk_back(context, store, target, rows, current, all, asked)?;
        let is_gone = matches!(walked.state, FileStep::Nothing);
        if is_gone && start == ChainStart::Nothing {
            return Ok(None);
        }
        let (from, to) = (name, chain.first_name.clone());
        self.changes.0.push(NameChange {
            from: from.clone(),
            to: to.clone(),
            start,
            is_gone,
        });
        Ok(Some(ChainPath {
            walked,
            from,
            to,
            start,
        }))
    }

    fn has_state(&self, name: &Path, state: Option<&RecordedState>) -> bool {
        let found = self.file_at_name(name);
        found.map(|found| found.revision.as_bytes()) == state.map(|state| &state.revision)
    }

    /// Returns the file that a chain finds at a name. Chains with later changes are undone first; where one of them
    /// takes the file away from the name, the name is empty for the chains after it.
    fn file_at_name(&self, name: &Path) -> Option<&CurrentFile> {
        let (_, found) = self
            .names
            .get(name)
            .filter(|_| !self.changes.moves_file_away_from(name))?;
        found.as_ref()
    }

    /// Returns whether the name is free, or the file there is moved away.
    fn will_be_free(&self, name: &Path) -> bool {
        let is_missing = |(target, _): &(Target, Option<CurrentFile>)| {
            target.located.kind() == FileType::Missing
        };
        self.names.get(name).is_none_or(is_missing) || self.changes.moves_file_away_from(name)
    }

    /// Drops chains whose old name is occupied. A dropped chain does not free its name, which may block another chain.
    pub(super) fn drop_blocked(&mut self) {
        loop {
            let mut changes = self.changes.0.iter();
            match changes.position(|change| change.brings_file() && !self.will_be_free(&change.to))
            {
                Some(at) => drop(self.changes.0.remove(at)),
                None => return,
            }
        }
    }

    /// Works out the plans that undo a chain.
    pub(super) fn plan_chain(
        &mut self,
        context: &CallContext<'_>,
        store: &dyn OperationStore,
        way: ChainPath<'_>,
    ) -> Result<ChainOutcome, Refusal> {
        let ChainPath {
            mut walked,
            from,
            to,
            start,
        } = way;
        walked.parts.clear();
        let is_gone = matches!(walked.state, FileStep::Nothing);
        let is_kept = |change: &NameChange| change.from == from && change.to == to;
        if !self.changes.0.iter().any(is_kept) {
            return Err(taken_refusal(&to));
        }
        if is_gone || from == to {
            if is_gone && self.changes.brings_file_to(&from) {
                return Ok(ChainOutcome::ByAnother(from));
            }
            let place = self.take_file(context, &from)?;
            return Self::plan_in_place(context, store, place, walked);
        }
        let (to_target, at_target) = self.take_file(context, &to)?;
        let is_free = to_target.located.kind() == FileType::Missing;
        let arrives = self.changes.brings_file_to(&from);
        let (from_target, found) = self.take_file(context, &from)?;
        let found = found.filter(|_| start == ChainStart::Disk);
        let Some(found) = found else {
            return Self::plan_in_place(context, store, (to_target, at_target), walked);
        };
        // What is in the way leaves before the name that it is in the way of is free, so it cannot be moved there.
        let leaves_first = self.obstacles.include(&from)
            && (self.obstacles.block(&to) || !walked.only_moves(&found));
        if is_free && !arrives && !leaves_first {
            let targets = (from_target, to_target);
            let plan = plan_move_back(context, store, targets, found, walked)?;
            return Ok(ChainOutcome::To(vec![plan]));
        }
        // The old name is occupied, or another file gets the present name: the contents are written, and no file is
        // moved.
        let from = (!arrives).then_some(from_target);
        match plan_write_and_removal(
            context,
            store,
            (to_target, at_target),
            (from, found),
            walked,
        )? {
            Some(outcome) => Ok(outcome),
            None => Err(one_at_a_time_refusal(&to)),
        }
    }

    /// Plans the wanted state at one name, where no name changes.
    fn plan_in_place(
        context: &CallContext<'_>,
        store: &dyn OperationStore,
        (target, current): (Target, Option<CurrentFile>),
        walked: WalkEnd<'_>,
    ) -> Result<ChainOutcome, Refusal> {
        let Some(wanted) = walked.state.wanted() else {
            return Ok(ChainOutcome::Already);
        };
        let (mode, folders) = (walked.mode, walked.folders);
        let plan = view::file_plan(context, store, target, current, wanted, mode, folders)?;
        Ok(plan.map_or(ChainOutcome::Already, |plan| ChainOutcome::To(vec![plan])))
    }

    /// Takes the file that was read at a name. It is read again where two chains concern the same name.
    fn take_file(
        &mut self,
        context: &CallContext<'_>,
        name: &Path,
    ) -> Result<(Target, Option<CurrentFile>), Refusal> {
        if let Some(found) = self.names.remove(name) {
            return Ok(found);
        }
        let intent = self.obstacles.intent_for(name, Intent::Take);
        let target = locate_recorded(context.engine(), name, intent)?;
        let mut attempt = Attempt::new(Freshness::FromDisk);
        let current = current_file::read_current(context, &mut attempt, &target)?;
        Ok((target, current))
    }
}

/// A chain and the names between which its file is moved to undo it.
pub(super) struct ChainPath<'r> {
    walked: WalkEnd<'r>,
    /// The name that the file has now.
    from: PathBuf,
    /// The name that the file had before.
    to: PathBuf,
    start: ChainStart,
}

/// Returns the refusal where the old name of a file is taken.
fn taken_refusal(name: &Path) -> Refusal {
    let path = quote_path(name);
    let text = message!(
        "{} was the name of a file that was moved since, and something else is there now. Nothing was changed; move that away first.",
        &path
    );
    Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", path)
}

/// Returns the plans that write the wanted state at one name and remove the file at the other name, where that is to
/// become free; none where the wanted state has no content that could be written.
fn plan_write_and_removal(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    (to, at): (Target, Option<CurrentFile>),
    (from, found): (Option<Target>, CurrentFile),
    walked: WalkEnd<'_>,
) -> Result<Option<ChainOutcome>, Refusal> {
    let WalkEnd {
        state,
        mode,
        folders,
        ..
    } = walked;
    let is_same = state.is_as_found(&found);
    let wanted = match (&found.content, is_same) {
        (DiskContent::Held(snapshot), true) => Some(WantedState::Bytes(snapshot.bytes.to_vec())),
        _ => state.wanted(),
    };
    let Some(wanted) = wanted else {
        return Ok(None);
    };
    let mode = mode.or(Some(found.stamp.mode));
    let plan = view::file_plan(context, store, to, at, wanted, mode, Vec::new())?;
    let mut plans: Vec<FilePlan> = plan.into_iter().collect();
    if let Some(from) = from {
        let (found, gone) = (Some(found), WantedState::Nothing);
        let plan = view::file_plan(context, store, from, found, gone, None, folders)?;
        plans.extend(plan);
    }
    Ok(Some(match plans.is_empty() {
        true => ChainOutcome::Already,
        false => ChainOutcome::To(plans),
    }))
}
