//! Records what other programs change below the root of an engine: checkpoints, and operations made from the difference
//! between two of them.

mod calls;
mod remote;
mod root_recorder;
mod server_recorder;
mod watched;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use lancet_git::GlobalFiles;
use lancet_history::{
    CheckpointQuery, HistoryError, OperationAuthor, OperationStore, WorkspaceRef,
};
use lancet_local_state::git_objects::objects_folder;
use lancet_local_state::listings::listing_file;
use lancet_recording::{
    ChangeSource, GitChanges, LookDepth, Recorder, RecorderRequest, ScanCoverage, Unattributed,
};
use lancet_search::Excludes;
use lancet_workspace::FolderHandle;

use crate::call::Caller;
use crate::engine::{EngineView, Lancet};
use crate::operation::new_id;
use crate::session::Session;
use crate::stages::examine::search::gate::WalkGuard;

use self::remote::RemoteRecorder;

pub use self::calls::{BegunCall, BegunRun, CallEnd, EndReport, EndedCall};
pub use self::root_recorder::{RecorderError, RecorderOffice, RootRecorder};
pub use self::server_recorder::StandbyRecorder;
pub use self::watched::WatchOptions;
pub use lancet_history::{Checkpoint, CheckpointKind, RecordedCall};
pub use lancet_local_state::{RecorderWork, RunningRecorder};
pub use lancet_recording::{
    RecordError, RecordedLook, format_command, quote_argument, shown_script,
};

/// Records what other programs change below the first root of an engine.
///
/// ```
/// use lancet::recording::{CheckpointKind, RecordedCall};
/// use lancet::{Caller, Lancet};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (folder, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// # let file = folder.path().join("a.txt");
/// # std::fs::write(&file, "one\n")?;
/// let lancet = Lancet::builder()
///     .root(folder.path())
///     .state_dir(state.path())
///     .open()?;
/// let recording = lancet.recording().ok_or("no state folder")?;
/// let session = lancet.new_session();
///
/// let before = recording.set_checkpoint(CheckpointKind::Before, None, &session)?;
/// std::fs::write(&file, "two\n")?; // another program
/// let call = RecordedCall::default();
/// let after = recording.record(before.number, "Bash", &Caller::default(), call, &session)?;
/// assert!(after.operation.is_some());
/// # Ok(())
/// # }
/// ```
pub struct Recording {
    engine: Arc<EngineView>,
    store: Arc<dyn OperationStore>,
    /// The process of the agent that this process works for.
    agent: Option<String>,
    /// The root, opened before the call whose changes are recorded.
    held_root: Option<FolderHandle>,
}

impl Lancet {
    /// Prepares to record what other programs change below the first root; none without a state folder.
    pub fn recording(&self) -> Option<Recording> {
        let engine = self.engine();
        let store = Arc::clone(engine.history()?);
        crate::stages::heal::settle_history_once(&engine);
        Some(Recording {
            engine,
            store,
            agent: None,
            held_root: None,
        })
    }
}

impl Recording {
    /// Returns the root.
    pub fn root(&self) -> &Path {
        self.workspace().root
    }

    /// Names the process of the agent that this process works for, by its id and start time with a colon in between. A
    /// recorder that it asks ends with the agent.
    #[must_use]
    pub fn for_agent(self, agent: Option<&str>) -> Self {
        let agent = agent.map(str::to_owned);
        Recording { agent, ..self }
    }

    /// Returns the process that watches the root; none if there is none.
    pub fn running_recorder(&self) -> Option<RunningRecorder> {
        self.remote()?.find()
    }

    /// Asks the process that watches the root to do so for the looks to come: a server begins only then.
    pub fn ask_to_watch(&self) {
        if let Some(remote) = self.remote() {
            // Without an answer every look lists the root itself.
            let _ = remote.send(&RecorderRequest::Watch);
        }
    }

    /// Sets a checkpoint. If the process of a recorded call ended before it could record its changes, they become an
    /// operation of the tool `unattributed`.
    ///
    /// # Errors
    /// The root cannot be listed, or the history cannot be written.
    pub fn set_checkpoint(
        &self,
        kind: CheckpointKind,
        name: Option<&str>,
        session: &Session,
    ) -> Result<RecordedLook, RecordError> {
        let unattributed = Unattributed::AfterLeftCall;
        self.with_recorder(None, |recorder| {
            let key = session.key();
            recorder.set_checkpoint(kind, name, key, unattributed, LookDepth::Reported)
        })
    }

    /// Sets a checkpoint after a call of another program. What changed since the checkpoint `since`, and is not in the
    /// history yet, becomes one operation of `tool`; none where nothing changed.
    ///
    /// # Errors
    /// The root cannot be listed, or the history cannot be written.
    pub fn record(
        &self,
        since: i64,
        tool: &str,
        caller: &Caller,
        call: RecordedCall,
        session: &Session,
    ) -> Result<RecordedLook, RecordError> {
        let call = lancet_recording::ProgramCall {
            since,
            tool,
            author: OperationAuthor {
                session: session.key(),
                client: caller.client.as_deref(),
                version: caller.version.as_deref(),
                turn: caller.turn.as_deref(),
                call: caller.call.as_deref(),
            },
            call,
            number: None,
            paths: &[],
            git: GitChanges::Listed,
        };
        self.with_recorder(None, |recorder| recorder.record_call(&call))
    }

    /// Lists the checkpoints of the root, newest first.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn checkpoints(&self, limit: Option<usize>) -> Result<Vec<Checkpoint>, HistoryError> {
        self.store.checkpoints(&CheckpointQuery {
            workspace: Some(self.workspace().id),
            limit,
            ..CheckpointQuery::default()
        })
    }

    /// Finds the newest checkpoint of the root with this name or id.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn find(&self, called: &str) -> Result<Option<Checkpoint>, HistoryError> {
        let found = self.store.checkpoints(&CheckpointQuery {
            workspace: Some(self.workspace().id),
            called: Some(called.to_owned()),
            limit: Some(1),
            ..CheckpointQuery::default()
        });
        Ok(found?.into_iter().next())
    }

    fn workspace(&self) -> WorkspaceRef<'_> {
        first_workspace(&self.engine)
    }

    /// Returns the recorder of the root, which may not exist; none without a state folder.
    fn remote(&self) -> Option<RemoteRecorder> {
        Some(RemoteRecorder {
            state: self.engine.base().state_folder()?.to_path_buf(),
            key: recorder_key(self.workspace()),
            agent: self.agent.clone(),
        })
    }

    /// Returns whether the same files are covered under both.
    fn has_same_rules(&self, other: &Recording) -> bool {
        let policies = (
            self.engine.permissions.policy(),
            other.engine.permissions.policy(),
        );
        Arc::ptr_eq(&policies.0, &policies.1)
            && Arc::ptr_eq(&self.engine.settings, &other.engine.settings)
    }

    /// Returns the same with the root as it was opened before a call.
    fn holding_root(&self, root: Option<FolderHandle>) -> Recording {
        Recording {
            engine: Arc::clone(&self.engine),
            store: Arc::clone(&self.store),
            agent: self.agent.clone(),
            held_root: root,
        }
    }

    /// Returns whether the root can be opened.
    fn opens_root(&self) -> bool {
        self.with_recorder_of(None, None, |recorder| recorder.opens_root())
    }

    /// Returns a number that differs between settings under which other files may be covered, or read.
    fn coverage_fingerprint(&self) -> [u8; 32] {
        let settings = &self.engine.settings;
        let basis = format!(
            "{:?}",
            (
                env!("CARGO_PKG_VERSION"),
                self.root(),
                self.engine.base().state_folder(),
                &settings.checkpoint,
                &settings.search.excludes,
                self.engine.permissions.policy().describe_denied_reads(),
            )
        );
        *blake3::hash(basis.as_bytes()).as_bytes()
    }

    fn with_recorder<T>(
        &self,
        read_until: Option<Instant>,
        work: impl FnOnce(&Recorder<'_>) -> T,
    ) -> T {
        let remote = self.remote();
        let changes = remote.as_ref().map(|remote| remote as &dyn ChangeSource);
        self.with_recorder_of(read_until, changes, work)
    }

    /// Calls `work` with what looks at the root. `changes` is the process that watches it.
    fn with_recorder_of<T>(
        &self,
        read_until: Option<Instant>,
        changes: Option<&dyn ChangeSource>,
        work: impl FnOnce(&Recorder<'_>) -> T,
    ) -> T {
        let settings = &self.engine.settings;
        let excludes = settings.search.excludes.clone().map(|file| Excludes {
            file,
            relative_to: self.engine.full_workspace().roots()[0].clone(),
        });
        let (git, checkpoint) = (&settings.write.git, &settings.checkpoint);
        let gate = WalkGuard::for_checkpoint(&self.engine);
        let state = self.engine.base().state_folder();
        let workspace = self.workspace();
        let linked_objects = state.map(|state| objects_folder(state, &workspace.id));
        let listing = state.map(|state| listing_file(state, &workspace.id));
        work(&Recorder {
            workspace,
            disk: Arc::clone(&self.engine.base().disk),
            store: &*self.store,
            coverage: ScanCoverage {
                excludes: excludes.as_ref(),
                gate: &gate,
                leaves_out: &|path| checkpoint.exclude.matches(path),
                takes_in: &|path| checkpoint.include.matches(path),
                may_take_in_below: &|folder| checkpoint.include.may_match_below(folder),
                largest_file: checkpoint.max_file,
                most_bytes: checkpoint.max_size,
                fingerprint: &|| self.coverage_fingerprint(),
            },
            outside: GlobalFiles {
                config: &git.config,
                attributes: &git.attributes,
            },
            linked_objects: linked_objects.as_deref(),
            listing: listing.as_deref(),
            new_id: &new_id,
            read_until,
            changes,
            held_root: self.held_root.as_ref(),
        })
    }
}

/// Returns the first root of an engine.
fn first_workspace(engine: &EngineView) -> WorkspaceRef<'_> {
    let root = engine.roots()[0].as_path();
    engine
        .workspace_of(root)
        .map_or(WorkspaceRef { id: [0; 32], root }, |found| WorkspaceRef {
            id: found.id,
            root: found.root,
        })
}

/// Returns what identifies the recorder of a root in the state folder.
fn recorder_key(workspace: WorkspaceRef<'_>) -> String {
    let digits = workspace.id.iter().take(16);
    digits.map(|byte| format!("{byte:02x}")).collect()
}
