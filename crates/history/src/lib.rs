//! Records what each session has read, and every change with the contents to undo it, across restarts.
//!
//! - [`Ledger`] contains what one session knows about files: the hash, the byte ranges that were shown ([`SeenRanges`]),
//!   and the content within a budget. It is in memory; a [`LedgerStore`] persists it for named sessions.
//! - [`OperationStore`] stores changes ([`Operation`]) with the contents before and after. A change is recorded in
//!   two steps, [`begin`](RecordStore::begin) before the files are written and [`finish`](RecordStore::finish)
//!   afterwards, so that a crash in between can be settled from the files.
//! - [`MoveStore`] continues records under the present names of files and roots that other programs moved.
//! - [`MarkStore`] stores the points in a session's changes at which the user sent a prompt ([`PromptMark`]).
//! - [`SubAgentStore`] records which sessions are sub-agents of others ([`SubAgent`]), and which session each call
//!   belongs to.
//! - [`ActivityStore`] lists the active sessions and those whose writes the user has stopped.
//! - [`QuestionStore`] stores questions to the user and their decisions, which outlive the call that asked.
//! - [`CheckpointStore`] stores snapshots of the files below a root ([`Checkpoint`]).
//! - [`ReviewStore`] stores the user's last look at each file, and the comments that are to be delivered to a
//!   session.
//! - [`Store`] implements all of them in an SQLite database in the state folder; large contents are files next to it,
//!   named by their hash.
//!
//! ```
//! use std::path::Path;
//! use lancet_history::{LedgerEntry, Ledger, LedgerStore as _, LoadCursor, SessionName, StampRecord, Store, FileVersion};
//!
//! let folder = tempfile::tempdir()?;
//! let store = Store::new(folder.path());
//! let session = SessionName::new("evening")?;
//! let version = FileVersion { revision: [7; 32], size: 12, stamp: StampRecord::default() };
//! let entry = LedgerEntry::from_write(version, None);
//! let _ = store.save_entries(&session, &[(Path::new("/p/a.txt"), &entry)])?;
//!
//! // Another process that serves the same session:
//! let loaded = Store::new(folder.path()).load_rows(&session, LoadCursor::default())?;
//! let mut ledger = Ledger::new();
//! ledger.merge_rows(loaded.rows, loaded.cursor);
//! assert!(ledger.get_without_use(Path::new("/p/a.txt")).is_some_and(LedgerEntry::is_whole));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Limitations
//!
//! The crate opens no file of the user: the caller passes bytes, ranges and integers, and reads the files to settle
//! an unfinished operation. The database is not flushed at each save; after a power cut the last records may be
//! missing, and hashes still decide what is true. On a file system without shared memory it is slower, but as safe.

mod activity;
mod checkpoint;
mod content;
mod entry;
mod error;
mod event;
mod git_head;
mod kept;
mod ledger;
mod line_numbers;
mod mark;
#[cfg(feature = "testing")]
pub mod memory;
mod moves;
mod operation;
mod program_call;
mod question;
mod recorded_call;
mod review;
mod seen;
mod session;
mod stamp;
mod store;
mod sub_agent;
mod workspace;

pub use activity::{ActivityStore, ChangedPath, OpenSession, SessionActivity, SessionStop};
pub use checkpoint::{
    Checkpoint, CheckpointDraft, CheckpointEntry, CheckpointEntryKind, CheckpointKind,
    CheckpointOutcome, CheckpointQuery, CheckpointStore, ContentIdentity, DroppedObjects,
    EntryChange, IdentifiedBlob,
};
pub use content::{ChangesDoNotFit, RawChange, apply_changes};
pub use entry::{AnsweredRanges, FileVersion, LedgerEntry, ReadRange, Revision};
pub use error::{AnnounceConflict, HistoryError, StorePlace};
pub use event::{EventKind, EventPage, EventStore, RecordedEvent, RecordedFact, SessionBegin};
pub use git_head::{GitHead, HeadMove};
pub use kept::StoredContent;
pub use ledger::{Ledger, LedgerBudget, Observation};
pub use line_numbers::{ChangeDetail, LineChange, LineNumbers, LinePlace, MoveOrigin};
pub use mark::{MarkQuery, MarkStore, PromptMark};
pub use moves::{FormerRoot, HistoryPoint, MoveStore, RecordRename};
pub use operation::{
    ALREADY_UNDONE_MARK, CallerFilter, ChangeKind, CheckedContents, CompressResult, ConfirmOutcome,
    ContentDraft, ContentFault, ContentStore, DraftState, FileChange, FileDraft, FilesBelow,
    HistoryLimits, IdMatch, LaterState, LogQuery, Operation, OperationAuthor, OperationDraft,
    OperationKind, OperationState, OperationStore, ParentFilter, PruneResult, RecordStore,
    RecordedState, ReversalDirection, ReversedChange, RivalState, Statistics, StatisticsQuery,
    StoreUpkeep, Totals, TotalsByName, UNATTRIBUTED_TOOL, WATCHED_CLIENT,
};
pub use program_call::{CallMaker, OpenCall, ProgramCallDraft, ProgramCallStore};
pub use question::{
    AskOutcome, DecideOutcome, Digest, MAX_OPEN, MAX_OPEN_PER_SESSION, QuestionDraft, QuestionFile,
    QuestionQuery, QuestionRecord, QuestionState, QuestionStore, RecordedDecision,
};
pub use recorded_call::RecordedCall;
pub use review::{
    Comment, CommentDraft, CommentKind, CommentQuery, DeliveredWith, LastLook,
    MAX_WAITING_COMMENTS, NewLook, PAGE_CLIENT, PartialUndo, ReplacedLook, ReviewStore,
    SHELL_CLIENT, UnseenFile, UnseenQuery, disambiguate_client,
};
pub use seen::SeenRanges;
pub use session::{SessionName, SessionNameError};
pub use stamp::StampRecord;
pub use store::{
    DATABASE_NAME, INLINE_LIMIT, LedgerStore, LoadCursor, LoadedRows, SaveOutcome, Store,
    StoreFacts, examine_hooks, examine_store, files_set_aside,
};
pub use sub_agent::{
    AnnouncementHandling, CallOwner, ConversationReport, ConversationRole, RunningSubAgent,
    SubAgent, SubAgentStore,
};
pub use workspace::{KnownWorkspace, WorkspaceRef};
