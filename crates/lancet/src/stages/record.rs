//! The *record* stage: enters into the ledger what was shown or written, so that the next edit does not mistake the
//! session's own write for a change by another program, and reports the call to the observers.

mod numbers;
mod written_entry;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use lancet_history::{Observation, SeenRanges};
use lancet_text::apply_raw;
use lancet_workspace::{ExpectedState, WriteOutcome};

use self::numbers::shown_lines;
use self::written_entry::{note_in_ledger, record_move};
use super::commit::Committed;
use super::context::CallContext;
use super::examine::folder::FolderView;
use super::examine::read::{AnswerKind, Page};
use super::examine::search::Findings;
use super::plan::{FilePlan, NewContent, Plan};
use super::{announce, syntax};
use crate::events::Event;
use crate::ledger::version;
use crate::refusal::Refusal;

/// A change that is on the disk and in the ledger.
pub(crate) struct Recorded {
    pub(super) plan: Plan,
    pub(super) written: Vec<WriteOutcome>,
    pub(super) operation: String,
    /// The old and new bytes of each file, if the engine includes them in its replies.
    pub(super) contents: Vec<Contents>,
}

/// The old and new bytes of a file, if they are included in the reply.
type Contents = (Option<Arc<Vec<u8>>>, Option<Arc<Vec<u8>>>);

/// Records what a Read showed.
pub(crate) fn record_read(context: &CallContext<'_>, page: &Page) {
    let path = page.target.path();
    // An outline shows no line, and the ledger identifies a request by its range.
    if !context.session.is_for_host() && page.shape != AnswerKind::Outline {
        let mut ledger = context.session.ledger();
        let now = ledger.get_without_use(path).map(|entry| entry.revision);
        if page.shape == AnswerKind::Unchanged {
            ledger.update(path, |entry| {
                if entry.revision == page.version.revision {
                    entry.stamp = page.version.stamp;
                    entry.answered_unchanged(page.asked);
                }
            });
        } else if now == Some(page.version.revision) || now == page.known {
            ledger.record_shown(
                path,
                Observation {
                    version: page.version,
                    content: page.content.clone(),
                    shown: page.seen.ranges(),
                    numbered: shown_lines(page),
                    asked: Some(page.asked),
                },
            );
        }
        // Another call has written the file in the meantime, so the ledger already has a newer version than was shown.
        drop(ledger);
        context.session.store_entry(path);
    }
    let lines = page.start..page.start + page.lines;
    context.engine().notify_observers(|| Event::Read {
        time: SystemTime::now(),
        session: context.session.name().cloned(),
        caller: context.caller.clone(),
        path: path.to_path_buf(),
        lines,
    });
}

/// Notifies the observers of a folder that was viewed.
pub(crate) fn record_folder_view(context: &CallContext<'_>, folder: &FolderView) {
    context.engine().notify_observers(|| Event::Searched {
        time: SystemTime::now(),
        session: context.session.name().cloned(),
        caller: context.caller.clone(),
        tool: context.tool.clone(),
        paths: vec![folder.path.clone()],
        found: Arc::new(folder.entries.iter().collect()),
    });
}

/// Records what a search showed.
pub(crate) fn record_search(context: &CallContext<'_>, findings: &Findings) {
    let seen = match context.session.is_for_host() {
        true => &[],
        false => findings.seen.as_slice(),
    };
    let mut changed = Vec::new();
    {
        let mut ledger = context.session.ledger();
        for file in seen {
            // A version that was shown before stays in the ledger, so that the next edit can say what changed since. A
            // partial view that a host showed can only be replaced by a Read.
            let other = ledger
                .get_without_use(&file.path)
                .is_some_and(|entry| entry.revision != file.version.revision || entry.partial_view);
            if other {
                continue;
            }
            if !ledger
                .get_without_use(&file.path)
                .is_some_and(|entry| file.is_contained_in(entry))
            {
                changed.push(file.path.as_path());
            }
            ledger.record_shown(
                &file.path,
                Observation {
                    version: file.version,
                    content: None,
                    shown: file.seen.ranges(),
                    numbered: 0..0,
                    asked: None,
                },
            );
        }
    }
    context.session.store_entries(&changed);
    context.engine().notify_observers(|| Event::Searched {
        time: SystemTime::now(),
        session: context.session.name().cloned(),
        caller: context.caller.clone(),
        tool: context.tool.clone(),
        paths: findings.starts.clone(),
        found: Arc::clone(&findings.paths),
    });
}

/// Records what was written.
pub(crate) fn record_change(context: &CallContext<'_>, committed: Committed) -> Recorded {
    let Committed {
        mut plan,
        written,
        announced,
    } = committed;
    announce::mark_carried_out(context, &mut plan, &announced, &written);
    syntax::note_syntax_errors(context, &mut plan);
    let operation = announced.id;
    let contents = plan
        .files
        .iter_mut()
        .zip(&written)
        .map(|(file, written)| record_file(context, file, written))
        .collect();
    // An observer may make calls, about these files too, so the lock on the files (the turn) is released first.
    plan.turn = None;
    let tell = |path: &Path, before, after, lines: &[Range<usize>]| {
        context.engine().notify_observers(|| Event::Changed {
            time: SystemTime::now(),
            session: context.session.name().cloned(),
            caller: context.caller.clone(),
            tool: context.tool.clone(),
            path: path.to_path_buf(),
            before,
            after,
            lines: lines.to_vec(),
            operation: operation.clone(),
        });
    };
    for (file, written) in plan.files.iter().zip(&written) {
        let (path, before) = (file.target.path(), file.before_revision());
        let after = (!file.removes()).then(|| written.revision.short_hex());
        let lines = &file.view.lines;
        match file.moved() {
            Some(moved) => {
                tell(moved.from.path(), before, None, &[]);
                tell(path, None, after, lines);
            }
            None => tell(path, before, after, lines),
        }
    }
    Recorded {
        plan,
        written,
        operation,
        contents,
    }
}

fn record_file(context: &CallContext<'_>, file: &mut FilePlan, written: &WriteOutcome) -> Contents {
    let path = file.target.path().to_path_buf();
    let version = version(&written.revision, &written.stamp);
    let keep = context.engine().retains_contents(&path);
    let original = keep
        .then(|| file.base.as_ref().map(|base| Arc::clone(&base.bytes)))
        .flatten();
    // The ledger's copy is changed in place where there is no other reference to it, which saves copying up to 32 MB at
    // each edit.
    let base = file.base.take();
    if let ExpectedState::Content { bytes, .. } = &mut file.expected {
        *bytes = None;
    }
    if let NewContent::Moved(moved) = &mut file.new {
        let changes = std::mem::take(&mut moved.changes);
        let content = base.as_ref().filter(|_| keep);
        let content = content.map(|base| Arc::new(apply_raw(&base.bytes, &changes)));
        if !context.session.is_for_host() {
            record_move(context, file, &base, &changes, version);
        }
        return (original, content);
    }
    let removes = file.removes();
    let left = match &file.new {
        NewContent::Removed { .. } => NewContent::Removed {
            folders: Vec::new(),
        },
        // The answer depends on whether the name has bytes now.
        NewContent::Link { target } => NewContent::Link {
            target: target.clone(),
        },
        NewContent::EmptyFolder { mode } => NewContent::EmptyFolder { mode: *mode },
        _ => NewContent::Streamed(Vec::new()),
    };
    let new = match std::mem::replace(&mut file.new, left) {
        NewContent::HardLink(link) => link.otherwise,
        new => new,
    };
    if context.session.is_for_host() {
        // The model has not seen this version, so the ledger treats it like a change by another program.
        let content = match new {
            NewContent::Whole(bytes) | NewContent::Restored { bytes, .. } => Some(bytes),
            NewContent::Changes(changes) => base.map(|base| apply_raw(&base.bytes, &changes)),
            NewContent::Streamed(_)
            | NewContent::Copied { .. }
            | NewContent::Removed { .. }
            | NewContent::Link { .. }
            | NewContent::EmptyFolder { .. }
            | NewContent::HardLink(_)
            | NewContent::Moved(_) => None,
        };
        return (original, content.filter(|_| keep).map(Arc::new));
    }
    note_in_ledger(context, file, base, new, version);
    if removes || file.is_without_bytes() {
        context.session.remove_entry(&path);
    } else {
        context.session.store_entry(&path);
    }
    let content = if keep {
        context
            .session
            .ledger()
            .get_without_use(&path)
            .and_then(|entry| entry.content.clone())
    } else {
        None
    };
    (original, content)
}

/// Returns the root that a refused call concerns: that of its path, or else the first.
fn root_of_refused_call(context: &CallContext<'_>, path: Option<&str>) -> PathBuf {
    let roots = context.engine().roots();
    let of_path = roots
        .iter()
        .find(|root| path.is_some_and(|path| Path::new(path).starts_with(root)));
    of_path.or(roots.first()).cloned().unwrap_or_default()
}

/// Records what a refusal showed, and reports the refusal to the observers.
pub(crate) fn record_refusal(context: &CallContext<'_>, refusal: &Refusal, path: Option<&str>) {
    // A diff that is cut off does not count as shown.
    if let Some(shown) = &refusal.shown
        && context.refusals.fits(refusal.text())
        && !context.session.is_for_host()
    {
        context
            .session
            .ledger()
            .put(&shown.path, shown.entry.clone());
        context.session.store_entry(&shown.path);
    }
    if let Some(store) = context.engine().history() {
        // This is only for the statistics: if the state folder cannot be written, the refusal is not counted.
        let name = refusal.kind().name();
        let folder = root_of_refused_call(context, path);
        let _ = store.count_refusal(context.session.key(), &context.tool, name, &folder);
    }
    context.engine().notify_observers(|| Event::Refused {
        time: SystemTime::now(),
        session: context.session.name().cloned(),
        caller: context.caller.clone(),
        tool: context.tool.clone(),
        path: path.map(|path| super::locate::event_path(context.engine(), path)),
        kind: refusal.kind(),
    });
}

impl FilePlan {
    /// Lines that a formatter wrote and the answer does not show do not count as seen.
    fn forget_unshown(&self, seen: &mut SeenRanges) {
        for range in &self.view.unshown {
            seen.remove(range.clone());
        }
    }

    /// Returns the short revision before the change.
    fn before_revision(&self) -> Option<String> {
        self.expected
            .revision()
            .map(|revision| revision.short_hex())
    }
}
