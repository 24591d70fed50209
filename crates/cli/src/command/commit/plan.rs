//! The plan of a commit: which files it has, with which contents, and what is left out. Only reads.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet::history::{History, NetDifference, NetFile, Omission, Operation};

use super::decide::{CommittedFile, FileDecision, ForeignPart, decide};
use super::entries::{Entries, SUBMODULE_MODE, list_head};
use super::git_state::{GitState, TouchedFile};
use super::index_file::IndexFile;
use super::repository::GitRepository;
use super::scratch::ScratchFolder;
use crate::command::history::access::unreadable_failure;
use crate::failure::Failure;

/// The plan of a commit.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) files: Vec<PlannedFile>,
    /// Files that differ from HEAD and cannot be committed, with the reason.
    pub(super) left_out: Vec<(PathBuf, &'static str)>,
    /// Files that prevent the commit.
    pub(super) conflicts: Vec<Conflict>,
    /// The operations that wrote what is committed, by their sequence.
    pub(super) operations: BTreeMap<i64, Arc<Operation>>,
    /// The file of git's index that the plan was made with; none where there was none.
    pub(super) index_file: Option<IndexFile>,
}

/// A file of the commit.
pub(super) struct PlannedFile {
    pub(super) path: PathBuf,
    /// The name in the commit, relative to the work tree.
    pub(super) name: Vec<u8>,
    /// The name in HEAD, if it is another one.
    pub(super) moved_from: Option<Vec<u8>>,
    pub(super) committed: CommittedFile,
}

/// A file that prevents the commit.
pub(super) struct Conflict {
    pub(super) path: PathBuf,
    /// What others wrote; empty where the conflict is with what is staged.
    pub(super) foreign: Vec<ForeignPart>,
}

/// Makes the plan. The temporary folder gets `commit.index`, an index that has what HEAD has.
pub(super) fn make_plan(
    history: &History,
    selected: &[Operation],
    repository: &GitRepository,
    scratch: &ScratchFolder,
) -> Result<Plan, Failure> {
    let mut plan = Plan::default();
    let files = history.net_files(selected).map_err(unreadable_failure)?;
    let head = list_head(&repository.git)?;
    let mut jobs = Vec::new();
    for file in files {
        add_jobs(file, &head, repository, &mut jobs, &mut plan);
    }
    let state = GitState::read(head, &jobs, repository, scratch)?;
    for job in &jobs {
        plan_file(job, history, selected, &state, &mut plan)?;
    }
    plan.index_file = state.index_file;
    Ok(plan)
}

/// Adds a touched file to the jobs: one that was moved is one job if HEAD has it under its former name, else two.
fn add_jobs(
    file: NetFile,
    head: &Entries,
    repository: &GitRepository,
    jobs: &mut Vec<TouchedFile>,
    plan: &mut Plan,
) {
    let top = repository.git.top();
    let mut one = |file: NetFile, former: Option<Vec<u8>>| match name_in_tree(&file.path, top) {
        Ok(name) => jobs.push(TouchedFile {
            head_name: former.unwrap_or_else(|| name.clone()),
            name,
            file,
        }),
        Err(why) => plan.left_out.push((file.path, why)),
    };
    let Some(former) = file.moved_from.clone() else {
        return one(file, None);
    };
    let former_name = name_in_tree(&former, top).ok();
    let new_name = name_in_tree(&file.path, top).ok();
    let is_new = new_name.is_none_or(|name| !head.contains_key(&name));
    match former_name.filter(|name| is_new && head.contains_key(name)) {
        Some(former_name) => one(file, Some(former_name)),
        None => {
            let (mut gone, mut come) = (file.clone(), file);
            (gone.path, gone.moved_from, come.moved_from) = (former, None, None);
            one(gone, None);
            one(come, None);
        }
    }
}

/// Returns the name of a file relative to the work tree, or why git does not have it there.
fn name_in_tree(path: &Path, top: &Path) -> Result<Vec<u8>, &'static str> {
    let name = path
        .strip_prefix(top)
        .map_err(|_| "it is outside of the work tree of git")?;
    for folder in path.ancestors().skip(1).take_while(|folder| *folder != top) {
        if folder.join(".git").symlink_metadata().is_ok() {
            return Err("it is in another git repository");
        }
        if folder.is_symlink() {
            return Err("it is behind a symbolic link");
        }
    }
    Ok(name.as_os_str().as_bytes().to_vec())
}

fn plan_file(
    job: &TouchedFile,
    history: &History,
    selected: &[Operation],
    state: &GitState,
    plan: &mut Plan,
) -> Result<(), Failure> {
    if !state.differs(job) {
        return Ok(());
    }
    if let Some(why) = reason_to_leave_out(job, history, state)? {
        plan.left_out.push((job.file.path.clone(), why));
        return Ok(());
    }
    let (stored, compared) = state.versions(job)?;
    let found = history.uncommitted_hunks(&job.file, selected, &compared);
    let Some(found) = found.map_err(unreadable_failure)? else {
        return Ok(());
    };
    let decision = match decide(&found, &stored) {
        FileDecision::Commit(_) if state.is_staged_twice(job) => FileDecision::Staged,
        decision => decision,
    };
    match decision {
        FileDecision::Nothing => {}
        FileDecision::Foreign(_) if found.is_incomplete => {
            let why =
                "a recorded content is no longer stored, so that it is not known who wrote it";
            plan.left_out.push((job.file.path.clone(), why));
        }
        FileDecision::Foreign(foreign) => plan.conflicts.push(Conflict {
            path: job.file.path.clone(),
            foreign,
        }),
        FileDecision::Staged => plan.conflicts.push(Conflict {
            path: job.file.path.clone(),
            foreign: Vec::new(),
        }),
        FileDecision::Commit(committed) => {
            for operation in found.operations {
                plan.operations.insert(operation.sequence, operation);
            }
            plan.files.push(PlannedFile {
                path: job.file.path.clone(),
                name: job.name.clone(),
                moved_from: (job.name != job.head_name).then(|| job.head_name.clone()),
                committed,
            });
        }
    }
    Ok(())
}

/// Returns why a file that differs from HEAD cannot be committed here.
fn reason_to_leave_out(
    job: &TouchedFile,
    history: &History,
    state: &GitState,
) -> Result<Option<&'static str>, Failure> {
    let [committed, present, _] = state.entries(job);
    let mut entries = [committed, present].into_iter().flatten();
    if entries.any(|entry| entry.mode == SUBMODULE_MODE) {
        return Ok(Some("it is a submodule"));
    }
    if state.is_ignored(job) {
        return Ok(Some("git ignores it; `git add -f` tracks it"));
    }
    let difference = history.net_difference(&job.file);
    Ok(match difference.map_err(unreadable_failure)? {
        NetDifference::Omitted(Omission::Hidden) => Some("the rules forbid showing its text"),
        NetDifference::Omitted(Omission::TooLarge) => Some("it is too large to be compared"),
        NetDifference::Omitted(Omission::Unreadable) => Some("it is not a file that can be read"),
        _ => None,
    })
}
