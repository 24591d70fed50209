//! Undo of files that were moved. A chain is the changes of one file under all its names, newest first. Its moves are
//! undone as a move, not as a removal and a creation, so that the file keeps its owner and attributes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use lancet_history::{OperationStore, RecordedState};
use lancet_workspace::FileType;

use super::kept::unreadable;
use super::move_back::{moved, one_at_a_time};
use super::name_changes::{NameChange, NameChanges, Start};
use super::renamed_chain::RenamedChain;
use super::select::FileRow;
use super::view::{self, Wanted};
use super::walk::{self, Current, DiskContent, Step, Walked};
use crate::message::message;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::attempt::{Attempt, Freshness};
use crate::stages::context::CallContext;
use crate::stages::locate::{Intent, Target, locate_recorded};
use crate::stages::plan::FilePlan;
use crate::undo::TakeBack;
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
pub(super) struct NamesOnDisk {
    names: HashMap<PathBuf, (Target, Option<Current>)>,
    /// The effect of each chain on its names.
    changes: NameChanges,
}

/// Reads the files at all names of the chains.
pub(super) fn read_names(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    rows: &[&FileRow],
) -> Result<NamesOnDisk, Refusal> {
    let mut names = HashMap::new();
    for name in rows.iter().flat_map(|row| row.names()) {
        if names.contains_key(name) {
            continue;
        }
        let target = locate_recorded(context.engine(), name, Intent::Take)?;
        if target.path() != name {
            let text = message!(
                "{} leads through a link by now, to {}. Nothing was changed.",
                quote_path(name),
                quote_path(target.path())
            );
            return Err(
                Refusal::stating(RefusalKind::Conflict, text).with("file_path", quote_path(name))
            );
        }
        let current = walk::current(context, attempt, &target)?;
        names.insert(name.to_path_buf(), (target, current));
    }
    Ok(NamesOnDisk {
        names,
        changes: NameChanges::default(),
    })
}

impl NamesOnDisk {
    /// Undoes a chain, starting from its latest state that is on the disk, or from its newest state where other changes
    /// came later.
    pub(super) fn walk<'r>(
        &mut self,
        context: &CallContext<'_>,
        store: &dyn OperationStore,
        chain: &RenamedChain<'r>,
        all: &[FileRow],
        asked: &TakeBack,
    ) -> Result<Option<Way<'r>>, Refusal> {
        let mut points = chain.points();
        let found = points.position(|(name, state)| self.has(name, state));
        let mut start = found.unwrap_or(0);
        if start > 0 {
            let names: Vec<PathBuf> = chain.points().map(|(name, _)| name.to_path_buf()).collect();
            let mut selected: Vec<String> = all.iter().map(|row| row.operation.clone()).collect();
            selected.dedup();
            let others = context.other_workspaces().map_err(unreadable)?.ids();
            let changed_later = store
                .is_changed_later(&names, &chain.rows[start - 1].operation, &selected, &others)
                .map_err(unreadable)?;
            if changed_later {
                start = 0;
            }
        }
        if start == chain.rows.len() {
            return Ok(None);
        }
        let rows = &chain.rows[start..];
        let point = chain.points().nth(start);
        let name = point
            .map_or(chain.last_name(), |(name, _)| name)
            .to_path_buf();
        let Some((target, on_disk)) = self.names.get(&name) else {
            return Ok(None);
        };
        let current = self.own(&name);
        let start = Start::for_chain(current, on_disk.as_ref());
        let walked = walk::rows_back(context, store, target, rows, current, all, asked)?;
        let is_gone = matches!(walked.state, Step::Nothing);
        if is_gone && start == Start::Nothing {
            return Ok(None);
        }
        let (from, to) = (name, chain.first_name.clone());
        self.changes.0.push(NameChange {
            from: from.clone(),
            to: to.clone(),
            start,
            is_gone,
        });
        Ok(Some(Way {
            walked,
            from,
            to,
            start,
        }))
    }

    fn has(&self, name: &Path, state: Option<&RecordedState>) -> bool {
        let found = self.own(name);
        found.map(|found| found.revision.as_bytes()) == state.map(|state| &state.revision)
    }

    /// Returns the file that a chain finds at a name. Chains with later changes are undone first; where one of them
    /// takes the file away from the name, the name is empty for the chains after it.
    fn own(&self, name: &Path) -> Option<&Current> {
        let (_, found) = self
            .names
            .get(name)
            .filter(|_| !self.changes.is_left(name))?;
        found.as_ref()
    }

    /// Returns whether the name is free, or the file there is moved away.
    fn will_be_free(&self, name: &Path) -> bool {
        let is_missing =
            |(target, _): &(Target, Option<Current>)| target.located.kind() == FileType::Missing;
        self.names.get(name).is_none_or(is_missing) || self.changes.is_left(name)
    }

    /// Drops chains whose old name is occupied. A dropped chain does not free its name, which may block another chain.
    pub(super) fn drop_blocked(&mut self) {
        loop {
            let mut changes = self.changes.0.iter();
            match changes.position(|change| change.arrives() && !self.will_be_free(&change.to)) {
                Some(at) => drop(self.changes.0.remove(at)),
                None => return,
            }
        }
    }

    /// Works out the plans that undo a chain.
    pub(super) fn plans(
        &mut self,
        context: &CallContext<'_>,
        store: &dyn OperationStore,
        way: Way<'_>,
    ) -> Result<ChainOutcome, Refusal> {
        let Way {
            mut walked,
            from,
            to,
            start,
        } = way;
        walked.parts.clear();
        let is_gone = matches!(walked.state, Step::Nothing);
        let is_kept = |change: &NameChange| change.from == from && change.to == to;
        if !self.changes.0.iter().any(is_kept) {
            return Err(taken(&to));
        }
        if start == Start::Nothing && walked.state.is_link() {
            return Err(one_at_a_time(&to));
        }
        if is_gone || from == to {
            if is_gone && self.changes.is_arrived_at(&from) {
                return Ok(ChainOutcome::ByAnother(from));
            }
            let place = self.take(context, &from)?;
            return Self::plan_in_place(context, store, place, walked);
        }
        let (to_target, at_target) = self.take(context, &to)?;
        let is_free = to_target.located.kind() == FileType::Missing;
        let arrives = self.changes.is_arrived_at(&from);
        let (from_target, found) = self.take(context, &from)?;
        let found = found.filter(|_| start == Start::Disk);
        let link = walked.state.is_link()
            || matches!(&found, Some(current) if matches!(current.content, DiskContent::Link(_)));
        let Some(found) = found else {
            if link {
                return Err(one_at_a_time(&to));
            }
            return Self::plan_in_place(context, store, (to_target, at_target), walked);
        };
        if is_free && !arrives {
            let targets = (from_target, to_target);
            let plan = moved(context, store, targets, found, walked)?;
            return Ok(ChainOutcome::To(vec![plan]));
        }
        if link {
            return Err(one_at_a_time(&to));
        }
        // The old name is occupied, or another file gets the present name: the contents are written, and no file is
        // moved.
        let from = (!arrives).then_some(from_target);
        match written_contents(
            context,
            store,
            (to_target, at_target),
            (from, found),
            walked,
        )? {
            Some(outcome) => Ok(outcome),
            None => Err(one_at_a_time(&to)),
        }
    }

    /// Plans the wanted state at one name, where no name changes.
    fn plan_in_place(
        context: &CallContext<'_>,
        store: &dyn OperationStore,
        (target, current): (Target, Option<Current>),
        walked: Walked<'_>,
    ) -> Result<ChainOutcome, Refusal> {
        let Some(wanted) = walked.state.wanted() else {
            return Ok(ChainOutcome::Already);
        };
        let (mode, folders) = (walked.mode, walked.folders);
        let plan = view::file_plan(context, store, target, current, wanted, mode, folders)?;
        Ok(plan.map_or(ChainOutcome::Already, |plan| ChainOutcome::To(vec![plan])))
    }

    /// Takes the file that was read at a name. It is read again where two chains concern the same name.
    fn take(
        &mut self,
        context: &CallContext<'_>,
        name: &Path,
    ) -> Result<(Target, Option<Current>), Refusal> {
        if let Some(found) = self.names.remove(name) {
            return Ok(found);
        }
        let target = locate_recorded(context.engine(), name, Intent::Take)?;
        let mut attempt = Attempt::new(Freshness::FromDisk);
        let current = walk::current(context, &mut attempt, &target)?;
        Ok((target, current))
    }
}

/// A chain and the names between which its file is moved to undo it.
pub(super) struct Way<'r> {
    walked: Walked<'r>,
    /// The name that the file has now.
    from: PathBuf,
    /// The name that the file had before.
    to: PathBuf,
    start: Start,
}

/// Returns the refusal where the old name of a file is taken.
fn taken(name: &Path) -> Refusal {
    let path = quote_path(name);
    let text = message!(
        "{} was the name of a file that was moved since, and something else is there now. Nothing was changed; move that away first.",
        &path
    );
    Refusal::stating(RefusalKind::Conflict, text).with("file_path", path)
}

/// Returns the plans that write the wanted state at one name and remove the file at the other name, where that is to
/// become free; none where the wanted state has no content that could be written.
fn written_contents(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    (to, at): (Target, Option<Current>),
    (from, found): (Option<Target>, Current),
    walked: Walked<'_>,
) -> Result<Option<ChainOutcome>, Refusal> {
    let Walked {
        state,
        mode,
        folders,
        ..
    } = walked;
    let is_same = state.is_as_found(&found);
    let wanted = match (&found.content, is_same) {
        (DiskContent::Held(snapshot), true) => Some(Wanted::Bytes(snapshot.bytes.to_vec())),
        _ => state.wanted(),
    };
    let Some(wanted) = wanted else {
        return Ok(None);
    };
    let mode = mode.or(Some(found.stamp.mode));
    let plan = view::file_plan(context, store, to, at, wanted, mode, Vec::new())?;
    let mut plans: Vec<FilePlan> = plan.into_iter().collect();
    if let Some(from) = from {
        let (found, gone) = (Some(found), Wanted::Nothing);
        let plan = view::file_plan(context, store, from, found, gone, None, folders)?;
        plans.extend(plan);
    }
    Ok(Some(match plans.is_empty() {
        true => ChainOutcome::Already,
        false => ChainOutcome::To(plans),
    }))
}
