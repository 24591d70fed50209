//! Undoes the first of the two commits of a plan: every file gets its name and its state from before it again.

use std::path::PathBuf;

use lancet_workspace::{
    CommitError, ExecutableChange, ExpectedState, FileWrite, Located, NewBytes, OldFile,
    WriteOptions, WriteOutcome,
};

use super::carry_out::PlanWriting;
use super::write_options;
use crate::stages::plan::{FilePlan, HistoryContent, NewContent};

/// Undoes the first commit of a plan, of these files, and returns the error to report.
pub(super) fn put_back(
    writing: &PlanWriting<'_, '_>,
    files: &[usize],
    removed: &[WriteOutcome],
    cause: CommitError,
) -> CommitError {
    let displaced = removed.iter().filter_map(|file| file.displaced.as_ref());
    let kept: Vec<PathBuf> = displaced.map(|file| file.path.clone()).collect();
    let (cause, mut standing, mut all_kept) = match cause {
        CommitError::Partly {
            cause,
            standing,
            kept,
        } => (cause, standing, kept),
        cause => match try_put_back(writing, files, removed) {
            Some(()) => return cause,
            None => (Box::new(cause), Vec::new(), Vec::new()),
        },
    };
    standing.extend(files);
    all_kept.extend(kept);
    CommitError::Partly {
        cause,
        standing,
        kept: all_kept,
    }
}

/// Undoes the first commit; none if that is impossible.
fn try_put_back(
    writing: &PlanWriting<'_, '_>,
    files: &[usize],
    removed: &[WriteOutcome],
) -> Option<()> {
    let files = files.iter().map(|at| &writing.plan.files[*at]);
    let files: Vec<(&FilePlan, &WriteOutcome)> = files.zip(removed).collect();
    let places = files.iter().map(|(file, _)| Places::find(writing, file));
    let places: Vec<Places> = places.collect::<Option<_>>()?;
    let contents = files
        .iter()
        .map(|(file, to)| old_content(writing, file, to));
    let contents: Vec<Option<HistoryContent>> = contents.collect();
    let mut writes = Vec::with_capacity(files.len());
    for (((file, removed), places), content) in files.iter().zip(&places).zip(&contents) {
        writes.push(FileWrite {
            located: &places.now,
            expected: expected_now(file, removed),
            new: match &places.before {
                Some(before) => NewBytes::MovedTo(before),
                None => old_state(file, content.as_ref())?,
            },
            revision: None,
            options: options(writing, file),
        });
    }
    writing.workspace.commit(writes).ok().map(|_| ())
}

/// Where a file is now, and its name from before if it was moved.
struct Places {
    now: Located,
    before: Option<Located>,
}

impl Places {
    /// Locates a file that the first commit moved, removed or replaced by an empty folder; none if that is impossible.
    fn find(writing: &PlanWriting<'_, '_>, file: &FilePlan) -> Option<Places> {
        let workspace = writing.workspace;
        let path = file.target.path();
        let now = match &file.new {
            NewContent::Moved(_) => match workspace.locate_link(path).ok()? {
                Some(link) => link,
                None => workspace.locate_as_spelled(path).ok()?,
            },
            NewContent::EmptyFolder { .. } => workspace.locate_folder(path).ok()??,
            _ => workspace.locate_as_free(path).ok()?,
        };
        let before = match &file.new {
            NewContent::Moved(moved) => Some(workspace.locate_as_free(moved.from.path()).ok()?),
            _ => None,
        };
        Some(Places { now, before })
    }
}

/// Returns the state that the name of a file has now.
fn expected_now(file: &FilePlan, removed: &WriteOutcome) -> ExpectedState {
    match &file.new {
        NewContent::Moved(_) => file.expected.clone(),
        NewContent::EmptyFolder { .. } => ExpectedState::EmptyFolder {
            stamp: removed.stamp,
        },
        _ => ExpectedState::Missing,
    }
}

/// Returns the state that a file had before; none if its bytes cannot be read.
fn old_state<'f>(file: &'f FilePlan, content: Option<&'f HistoryContent>) -> Option<NewBytes<'f>> {
    Some(match &file.expected {
        ExpectedState::Missing => NewBytes::Nothing,
        ExpectedState::Link { target, .. } => NewBytes::Link(target),
        ExpectedState::EmptyFolder { stamp } => NewBytes::EmptyFolder {
            mode: stamp.permissions(),
        },
        ExpectedState::Content { revision, .. } => match (&file.base, content) {
            (Some(base), _) => NewBytes::Whole(&base.bytes),
            (None, Some(content)) => NewBytes::Copied {
                from: content,
                length: content.0.size(),
                revision: *revision,
            },
            (None, None) => return None,
        },
    })
}

/// Opens the content of a removed file that is not in memory. The removed file itself becomes the stored content.
fn old_content(
    writing: &PlanWriting<'_, '_>,
    file: &FilePlan,
    removed: &WriteOutcome,
) -> Option<HistoryContent> {
    let store = writing.context.engine().history()?;
    let displaced = removed.displaced.as_ref();
    let displaced = displaced.filter(|_| file.base.is_none())?;
    let revision = displaced.revision.as_bytes();
    store.adopt_file(revision, &displaced.path).ok()?;
    let content = store.open_content(revision).ok()??;
    Some(HistoryContent(content))
}

fn options(writing: &PlanWriting<'_, '_>, file: &FilePlan) -> WriteOptions {
    let stamp = file.expected.stamp();
    let is_file = matches!(file.expected, ExpectedState::Content { .. });
    WriteOptions {
        mode: stamp.map(|stamp| stamp.permissions()),
        owner: stamp
            .filter(|_| is_file)
            .map(|stamp| (stamp.uid, stamp.gid)),
        executable: ExecutableChange::Keep,
        old: OldFile::Keep,
        ..write_options(writing.context, writing.plan, file)
    }
}
