//! Records what other programs change below the root of an engine: checkpoints, and operations made from the difference
//! between two of them.

mod calls;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use lancet_git::GlobalFiles;
use lancet_history::{
    CheckpointQuery, HistoryError, OperationAuthor, OperationStore, WorkspaceRef,
};
use lancet_local_state::git_objects::objects_folder;
use lancet_recording::{Recorder, ScanCoverage, Unattributed};
use lancet_search::Excludes;

use crate::call::Caller;
use crate::engine::{EngineView, Lancet};
use crate::operation::new_id;
use crate::session::Session;
use crate::stages::examine::search::gate::WalkGuard;

pub use self::calls::{BegunCall, BegunRun, CallEnd, EndedCall};
pub use lancet_history::{Checkpoint, CheckpointKind, RecordedCall};
pub use lancet_recording::{RecordError, RecordedLook, format_command, shown_script};

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
}

impl Lancet {
    /// Prepares to record what other programs change below the first root; none without a state folder.
    pub fn recording(&self) -> Option<Recording> {
        let engine = self.engine();
        let store = Arc::clone(engine.history()?);
        crate::stages::heal::settle_history_once(&engine);
        Some(Recording { engine, store })
    }
}

impl Recording {
    /// Returns the root.
    pub fn root(&self) -> &Path {
        self.workspace().root
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
            recorder.set_checkpoint(kind, name, session.key(), unattributed)
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
        });
        Ok(found?.into_iter().next())
    }

    fn workspace(&self) -> WorkspaceRef<'_> {
        let root = self.engine.roots()[0].as_path();
        self.engine
            .workspace_of(root)
            .map_or(WorkspaceRef { id: [0; 32], root }, |found| WorkspaceRef {
                id: found.id,
                root: found.root,
            })
    }

    fn with_recorder<T>(
        &self,
        read_until: Option<Instant>,
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
            },
            outside: GlobalFiles {
                config: &git.config,
                attributes: &git.attributes,
            },
            linked_objects: linked_objects.as_deref(),
            new_id: &new_id,
            read_until,
        })
    }
}
