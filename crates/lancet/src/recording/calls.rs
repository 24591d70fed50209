//! Records the calls of other programs whose beginning and end are reported separately, by the hooks of an agent.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use lancet_history::{
    CallMaker, CheckpointKind, HistoryError, OpenCall, OperationAuthor, ProgramCallDraft,
    RecordedCall,
};
use lancet_recording::{
    GitChanges, LookDepth, ProgramCall, RecordError, RecordedLook, Unattributed,
};
use lancet_workspace::FolderHandle;

use super::Recording;
use crate::call::Caller;
use crate::session::Session;

/// How long the end of a call waits until the checkpoint before the call is set, and how often it asks.
const PATIENCE: Duration = Duration::from_secs(600);
const PAUSE: Duration = Duration::from_millis(20);

/// The tool of a command that this process runs.
const RUN: &str = "run";

/// A call that is about to begin.
#[derive(Clone, Debug, Default)]
pub struct BegunCall {
    /// Identifies the call, so that its end is matched with its beginning.
    pub key: String,
    /// The caller's name for the tool.
    pub tool: String,
    /// The command line, without secrets.
    pub command: Option<String>,
    /// The files that it changes, as far as it names them; empty if it may change any file.
    pub paths: Vec<PathBuf>,
    /// The process that makes it, as process id and start time with a colon in between.
    pub process: Option<String>,
    /// Whether its end will be reported.
    pub end_report: EndReport,
}

/// Whether the caller reports the end of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndReport {
    /// It does.
    #[default]
    Sent,
    /// It does not: the call has ended when the next event of its session arrives. Only a call that names its files
    /// may be reported this way.
    NotSent,
}

/// The end of a call.
#[derive(Clone, Debug, Default)]
pub struct EndedCall {
    /// The key that was given when it began.
    pub key: String,
    /// The tool name to match if no open call in the session has `key`; `None` to match by `key` alone.
    pub tool: Option<String>,
    /// Its exit code, where it is known.
    pub exit_code: Option<i32>,
    /// Whether it has ended, or goes on.
    pub end: CallEnd,
}

/// Whether a call has ended when its caller goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallEnd {
    /// It has ended.
    #[default]
    Ended,
    /// It goes on in the background.
    GoesOn,
}

/// A command that this process runs.
#[derive(Debug)]
pub struct BegunRun {
    /// The number of the checkpoint before it.
    since: i64,
    /// The number of the call.
    call: i64,
    /// The root, which the command may remove.
    root: Option<FolderHandle>,
}

impl Recording {
    /// Sets a checkpoint before a command that this process runs.
    ///
    /// # Errors
    /// The root cannot be listed, or the history cannot be written.
    pub fn begin_run(&self, session: &Session) -> Result<BegunRun, RecordError> {
        let look = self.set_checkpoint(CheckpointKind::Before, None, session)?;
        let call = self.store.begin_program_call(&ProgramCallDraft {
            workspace: self.workspace(),
            key: &look.id,
            session: session.key(),
            tool: RUN,
            command: None,
            paths: &[],
            time: milliseconds(),
            maker: CallMaker::ThisProcess,
        })?;
        self.store.program_call_begun(call, look.number)?;
        let since = look.number;
        let root = self.with_recorder_of(None, None, |recorder| recorder.hold_root());
        Ok(BegunRun { since, call, root })
    }

    /// Records what a command changed as one operation; none where nothing changed.
    ///
    /// # Errors
    /// The root cannot be listed, or the history cannot be written.
    pub fn end_run(
        &self,
        run: &BegunRun,
        caller: &Caller,
        call: RecordedCall,
        session: &Session,
    ) -> Result<RecordedLook, RecordError> {
        let recording = self.holding_root(run.root.clone());
        let look = recording.record(run.since, RUN, caller, call, session);
        self.forget_run(run)?;
        look
    }

    /// Ends a command that changed nothing, because it was not started.
    ///
    /// # Errors
    /// The history cannot be written.
    pub fn forget_run(&self, run: &BegunRun) -> Result<(), HistoryError> {
        self.store.end_program_calls(&[run.call])
    }

    /// Sets a checkpoint before a call of another program. Changes since the last one that no call made become an
    /// operation `unattributed`. Files that would be read after `read_until` are not: the call may be changing them.
    /// `caller` is the one of earlier calls of the session whose end is not reported.
    ///
    /// # Errors
    /// The root cannot be listed, or the history cannot be written.
    pub fn begin_call(
        &self,
        call: &BegunCall,
        caller: &Caller,
        session: &Session,
        read_until: Option<Instant>,
    ) -> Result<RecordedLook, RecordError> {
        self.end_unreported(session, caller, read_until)?;
        let since = self.end_left_calls(None)?;
        let number = self.store.begin_program_call(&ProgramCallDraft {
            workspace: self.workspace(),
            key: &call.key,
            session: session.key(),
            tool: &call.tool,
            command: call.command.as_deref(),
            paths: &call.paths,
            time: milliseconds(),
            maker: CallMaker::Another(call.process.as_deref()),
        })?;
        let unattributed = Unattributed::Recorded { since };
        let look = self.with_recorder(read_until, |recorder| {
            let (kind, key) = (CheckpointKind::Before, session.key());
            recorder.set_checkpoint(kind, None, key, unattributed, LookDepth::Reported)
        });
        match look {
            Ok(look) => {
                self.store.program_call_begun(number, look.number)?;
                if call.end_report == EndReport::NotSent {
                    self.store.program_call_left(number, look.number)?;
                }
                Ok(look)
            }
            Err(error) => {
                self.store.end_program_calls(&[number])?;
                Err(error)
            }
        }
    }

    /// Records what a call changed since the checkpoint before it as one operation. The end of a call whose beginning
    /// is not known sets a checkpoint.
    ///
    /// # Errors
    /// The root cannot be listed, or the history cannot be written.
    pub fn end_call(
        &self,
        ended: &EndedCall,
        caller: &Caller,
        session: &Session,
    ) -> Result<RecordedLook, RecordError> {
        let Some((call, since)) = self.begun(ended, session)? else {
            return self.look_after(session.key(), None, LookDepth::Reported);
        };
        let look = self.record_open(&call, since, ended.exit_code, caller, None)?;
        match ended.end {
            CallEnd::Ended => self.store.end_program_calls(&[call.number])?,
            CallEnd::GoesOn => self.store.program_call_left(call.number, look.number)?,
        }
        // What an earlier call left running may have changed something up to here.
        self.end_background(session, Some(call.number), caller)?;
        Ok(look)
    }

    /// Sets a checkpoint at a prompt. The calls of the session that are open were denied or interrupted, so what
    /// changed since then is `unattributed`.
    ///
    /// # Errors
    /// The root cannot be listed, or the history cannot be written.
    pub fn at_prompt(
        &self,
        session: &Session,
        caller: &Caller,
        read_until: Option<Instant>,
    ) -> Result<RecordedLook, RecordError> {
        self.end_background(session, None, caller)?;
        let since = self.end_left_calls(Some(session.key()))?;
        let unattributed = Unattributed::Recorded { since };
        self.with_recorder(read_until, |recorder| {
            let (kind, key) = (CheckpointKind::Prompt, session.key());
            recorder.set_checkpoint(kind, None, key, unattributed, LookDepth::Full)
        })
    }

    /// Sets the last checkpoint of a turn or of a session.
    ///
    /// # Errors
    /// The root cannot be listed, or the history cannot be written.
    pub fn at_end(&self, session: &Session, caller: &Caller) -> Result<RecordedLook, RecordError> {
        self.end_background(session, None, caller)?;
        let since = self.end_left_calls(Some(session.key()))?;
        self.look_after(session.key(), since, LookDepth::Full)
    }

    fn look_after(
        &self,
        session: &str,
        since: Option<i64>,
        depth: LookDepth,
    ) -> Result<RecordedLook, RecordError> {
        let unattributed = Unattributed::Recorded { since };
        self.with_recorder(None, |recorder| {
            recorder.set_checkpoint(CheckpointKind::After, None, session, unattributed, depth)
        })
    }

    /// Finds the call that has ended, with the checkpoint before it. That one may still be in the making.
    fn begun(
        &self,
        ended: &EndedCall,
        session: &Session,
    ) -> Result<Option<(OpenCall, i64)>, HistoryError> {
        let until = Instant::now() + PATIENCE;
        loop {
            let mut open = self.store.open_program_calls(&self.workspace().id)?;
            open.retain(|call| call.session == session.key());
            // A call in the background may have ended, too, if it has this key.
            open.sort_by_key(|call| call.is_in_background);
            let is_same_tool = |call: &&OpenCall| {
                !call.is_in_background && ended.tool.as_ref() == Some(&call.tool)
            };
            let by_key = open.iter().find(|call| call.key == ended.key);
            let Some(call) = by_key.or_else(|| open.iter().find(is_same_tool)).cloned() else {
                return Ok(None);
            };
            match call.since {
                Some(since) => return Ok(Some((call, since))),
                // The process that was setting the checkpoint has ended without one.
                None if call.has_ended || Instant::now() >= until => {
                    self.store.end_program_calls(&[call.number])?;
                    return Ok(None);
                }
                None => thread::sleep(PAUSE),
            }
        }
    }

    /// Records the calls of a session that went on in the background, except this one, and ends them.
    fn end_background(
        &self,
        session: &Session,
        except: Option<i64>,
        caller: &Caller,
    ) -> Result<(), RecordError> {
        self.end_in_background(session, caller, None, |call| Some(call.number) != except)
    }

    /// Records the calls of a session that have ended although their end is not reported. These are the calls in the
    /// background that name their files: only a program that may change any file goes on there.
    fn end_unreported(
        &self,
        session: &Session,
        caller: &Caller,
        read_until: Option<Instant>,
    ) -> Result<(), RecordError> {
        self.end_in_background(session, caller, read_until, |call| !call.paths.is_empty())
    }

    fn end_in_background(
        &self,
        session: &Session,
        caller: &Caller,
        read_until: Option<Instant>,
        is_meant: impl Fn(&OpenCall) -> bool,
    ) -> Result<(), RecordError> {
        // The event is one of another call.
        let caller = Caller {
            call: None,
            ..caller.clone()
        };
        for call in self.store.open_program_calls(&self.workspace().id)? {
            let is_of_session = call.is_in_background && call.session == session.key();
            if let Some(since) = call.since.filter(|_| is_of_session && is_meant(&call)) {
                let _look = self.record_open(&call, since, None, &caller, read_until)?;
                self.store.end_program_calls(&[call.number])?;
            }
        }
        Ok(())
    }

    fn record_open(
        &self,
        call: &OpenCall,
        since: i64,
        exit_code: Option<i32>,
        caller: &Caller,
        read_until: Option<Instant>,
    ) -> Result<RecordedLook, RecordError> {
        let ended = ProgramCall {
            since,
            tool: &call.tool,
            author: OperationAuthor {
                session: &call.session,
                client: caller.client.as_deref(),
                version: caller.version.as_deref(),
                turn: caller.turn.as_deref(),
                call: caller.call.as_deref(),
            },
            call: RecordedCall {
                command: call.command.clone(),
                exit_code,
                duration: (milliseconds() - call.time).max(0),
                ..RecordedCall::default()
            },
            number: Some(call.number),
            paths: &call.paths,
            git: GitChanges::Listed,
        };
        self.with_recorder(read_until, |recorder| recorder.record_call(&ended))
    }

    /// Ends the calls whose end is never reported: those whose process has ended, and those of a session whose turn is
    /// over. Returns the checkpoint before the first of them, so that what they changed can be recorded. While another
    /// call is open they stay, because they may share its changes.
    fn end_left_calls(&self, over: Option<&str>) -> Result<Option<i64>, HistoryError> {
        let open = self.store.open_program_calls(&self.workspace().id)?;
        let is_left = |call: &OpenCall| call.has_ended || over == Some(call.session.as_str());
        if !open.iter().all(is_left) {
            return Ok(None);
        }
        let numbers: Vec<i64> = open.iter().map(|call| call.number).collect();
        self.store.end_program_calls(&numbers)?;
        Ok(open.iter().filter_map(|call| call.since).min())
    }
}

fn milliseconds() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
        })
}
