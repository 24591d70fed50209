//! Records what changes below a root while a person lets lancet watch it: one operation whenever nothing has changed for
//! a while.

use std::cell::RefCell;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use lancet_history::{CheckpointKind, HistoryError, OperationAuthor, RecordedCall, WATCHED_CLIENT};
use lancet_recording::{
    ChangeSource, GitChanges, LookDepth, ProgramCall, RecordedLook, ReportedChanges, Unattributed,
    WatchedTree,
};

use super::root_recorder::{RecorderError, RootRecorder, Woken};
use super::{RecordError, Recording};
use crate::session::Session;

/// The tool of recorded changes.
const WATCH: &str = "watch";
/// Changes are recorded when nothing has changed for this time.
const QUIET: Duration = Duration::from_secs(2);
/// How often the end of a recorded call is waited for.
const CALL_INTERVAL: Duration = Duration::from_millis(200);
/// The longest time between two waits.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// Where the kernel reports no changes, a look may take at most one part in this many of the time.
const LOOK_PART: u32 = 20;

/// How changes are recorded.
#[derive(Clone, Debug, Default)]
pub struct WatchOptions {
    /// The client that made the changes; none if it is not known.
    pub client: Option<String>,
    /// Changes are recorded at this interval instead of when nothing has changed for two seconds.
    pub every: Option<Duration>,
}

/// The state of the work between two recordings.
struct WatchState<'w> {
    options: &'w WatchOptions,
    session: &'w Session,
    /// The checkpoint of the last recording.
    since: i64,
    /// The position of the tree at the last wait, and when it changed last.
    position: u64,
    changed: Instant,
    /// When the first change came that is not recorded.
    first: Option<Instant>,
    /// Where the kernel reports no changes: when the next look is made.
    next_look: Instant,
}

impl RootRecorder {
    /// Records what changes until `stop` can be read. What has changed by then is recorded, too. If the kernel does not
    /// report changes, `report` is called with the reason, and the files are looked at repeatedly.
    ///
    /// # Errors
    /// The root cannot be listed, or the history cannot be written.
    pub fn record_changes(
        mut self,
        options: &WatchOptions,
        session: &Session,
        stop: BorrowedFd<'_>,
        report: &dyn Fn(&RecorderError),
    ) -> Result<(), RecorderError> {
        if let Err(error) = self.watch_root() {
            report(&error);
        }
        let begun = self.look(|recording, source| recording.begin_watch(session, source))?;
        let now = Instant::now();
        let position = self.tree.as_ref().map_or(0, WatchedTree::position);
        let mut state = WatchState {
            options,
            session,
            since: begun.number,
            position,
            changed: now,
            first: None,
            next_look: now + QUIET,
        };
        loop {
            let woken = self.wait(state.next_wait(self.tree.is_some()), Some(stop));
            let woken = match woken {
                Err(RecorderError::Unwatched(error)) if self.root_exists() => {
                    report(&error.into());
                    self.tree = None;
                    Woken::GoOn
                }
                woken => woken?,
            };
            if let Err(error) = self.refresh() {
                if !self.root_exists() {
                    return Err(error);
                }
                report(&error);
                self.tree = None;
            }
            state.note_position(self.tree.as_ref());
            let is_open = self.recording.has_open_call().map_err(RecordError::from)?;
            if woken == Woken::End {
                if !is_open {
                    self.record(&mut state)?;
                }
                return Ok(());
            }
            if state.is_due(self.tree.is_some()) && !is_open {
                self.record(&mut state)?;
            }
        }
    }

    fn record(&mut self, state: &mut WatchState<'_>) -> Result<(), RecorderError> {
        if self.tree.is_some() && state.first.is_none() {
            return Ok(());
        }
        let begun = Instant::now();
        let (options, session, since) = (state.options, state.session, state.since);
        let look = self.look(|recording, source| {
            recording.record_watched(since, options.client.as_deref(), session, source)
        })?;
        state.since = look.number;
        state.first = None;
        let pause = QUIET
            .max(state.options.every.unwrap_or_default())
            .max(begun.elapsed() * LOOK_PART);
        state.next_look = Instant::now() + pause;
        Ok(())
    }

    fn look(
        &mut self,
        work: impl FnOnce(&Recording, Option<&dyn ChangeSource>) -> Result<RecordedLook, RecordError>,
    ) -> Result<RecordedLook, RecordError> {
        let Some(tree) = &mut self.tree else {
            return work(&self.recording, None);
        };
        let source = OwnTree(RefCell::new(tree));
        work(&self.recording, Some(&source))
    }

    fn root_exists(&self) -> bool {
        self.recording.opens_root()
    }
}

impl WatchState<'_> {
    fn note_position(&mut self, tree: Option<&WatchedTree>) {
        let position = tree.map_or(self.position, WatchedTree::position);
        if position != self.position {
            self.position = position;
            self.changed = Instant::now();
            self.first.get_or_insert(self.changed);
        }
    }

    /// Returns when the next recording is due; none if nothing has changed.
    fn due(&self, has_tree: bool) -> Option<Instant> {
        if !has_tree {
            return Some(self.next_look);
        }
        let first = self.first?;
        Some(match self.options.every {
            Some(every) => first + every,
            None => self.changed + QUIET,
        })
    }

    fn is_due(&self, has_tree: bool) -> bool {
        self.due(has_tree).is_some_and(|due| due <= Instant::now())
    }

    fn next_wait(&self, has_tree: bool) -> Duration {
        match self.due(has_tree) {
            None => LONGEST_WAIT,
            Some(due) => {
                let left = due.saturating_duration_since(Instant::now());
                left.clamp(CALL_INTERVAL, LONGEST_WAIT)
            }
        }
    }
}

/// The tree of this process, which was just compared with the disk.
struct OwnTree<'t>(RefCell<&'t mut WatchedTree>);

impl ChangeSource for OwnTree<'_> {
    fn changes_since(&self, checkpoint: Option<i64>) -> Option<ReportedChanges> {
        Some(self.0.borrow().report_changes(checkpoint))
    }

    fn note_checkpoint(&self, number: i64, position: u64) {
        self.0.borrow_mut().note_checkpoint(number, position);
    }
}

impl Recording {
    /// Returns whether a recorded call is running whose end is waited for.
    fn has_open_call(&self) -> Result<bool, HistoryError> {
        let open = self.store.open_program_calls(&self.workspace().id)?;
        Ok(open
            .iter()
            .any(|call| !call.has_ended && !call.is_in_background))
    }

    fn begin_watch(
        &self,
        session: &Session,
        source: Option<&dyn ChangeSource>,
    ) -> Result<RecordedLook, RecordError> {
        self.with_recorder_of(None, source, |recorder| {
            recorder.set_checkpoint(
                CheckpointKind::After,
                None,
                session.key(),
                Unattributed::AfterLeftCall,
                LookDepth::Reported,
            )
        })
    }

    /// Records what changed since a checkpoint and is not in the history yet.
    fn record_watched(
        &self,
        since: i64,
        client: Option<&str>,
        session: &Session,
        source: Option<&dyn ChangeSource>,
    ) -> Result<RecordedLook, RecordError> {
        let call = ProgramCall {
            since,
            tool: WATCH,
            author: OperationAuthor {
                session: session.key(),
                client: Some(client.unwrap_or(WATCHED_CLIENT)),
                ..OperationAuthor::default()
            },
            call: RecordedCall::default(),
            number: None,
            paths: &[],
            git: match client {
                Some(_) => GitChanges::Listed,
                None => GitChanges::Counted,
            },
        };
        self.with_recorder_of(None, source, |recorder| recorder.record_call(&call))
    }
}
