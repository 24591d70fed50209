//! Reads and writes the user's files; all tools access them through this crate. Its parts are roots, snapshots, and a
//! write that never loses another program's change.
//!
//! - [`Workspace`] opens the roots. [`Workspace::locate`] resolves a path to a [`Located`] file below a root, which
//!   holds an open handle of the file's folder. All later calls use that handle and the file's name, and do not resolve
//!   the path again.
//! - [`Located::read_snapshot`] reads a file as it was at one moment ([`Snapshot`]) and identifies its content
//!   ([`Revision`]).
//! - [`Workspace::commit`] writes files, all or none, if they still have the [`ExpectedState`] content. [`WriteOutcome`] names
//!   the [`WriteGuarantee`] that the file system allowed; [`CommitError`] says why nothing was written.
//! - [`Workspace::recover_commits`] completes or undoes what a crashed process left.
//! - [`Disk`] is the trait of all system calls; [`RealDisk`] makes them.
//!
//! ```
//! use std::sync::Arc;
//! use lancet_workspace::{CommitError, ExpectedState, NewBytes, RealDisk, Workspace, FileWrite, WriteOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("a.txt"), "one\n")?;
//!
//! let workspace = Workspace::open(&[folder.path().to_path_buf()], Arc::new(RealDisk), None)?;
//! let path = workspace.roots()[0].join("a.txt");
//! let located = workspace.locate(&path)?;
//! let read_snapshot = located.read_snapshot(1 << 20)?;
//! let write = FileWrite {
//!     located: &located,
//!     expected: ExpectedState::Content {
//!         revision: read_snapshot.revision,
//!         stamp: read_snapshot.stamp,
//!         bytes: Some(Arc::clone(&read_snapshot.bytes)),
//!     },
//!     new: NewBytes::Whole(b"two\n"),
//!     revision: None,
//!     options: WriteOptions::default(),
//! };
//! workspace.commit(vec![write.clone()])?;
//! assert_eq!(std::fs::read_to_string(&path)?, "two\n");
//!
//! // The file no longer has the expected content: the same write is refused.
//! assert!(matches!(workspace.commit(vec![write]), Err(CommitError::Changed { index: 0 })));
//! # Ok(())
//! # }
//! ```
//!
//! # Limitations
//! The crate runs on Linux and macOS; macOS has no leases, and the crate is untested there. A lease is granted only to
//! the owner of a file, on a file system that supports leases; elsewhere the bytes are compared a second time, and the
//! guarantee is weaker. The crate does not know what a text means, which files the policy allows to change, or what a
//! model has seen. `docs/write-promises.md` lists what the tests show.

#[cfg(not(unix))]
compile_error!(
    "lancet runs on Linux and macOS; Windows itself is not supported yet (inside WSL it is Linux)."
);

mod buffer;
mod commit;
mod content;
mod disk;
mod displaced;
mod file_watch;
mod folder;
mod folder_removal;
mod handles;
mod hashed_parts;
mod journal;
mod link_folder;
mod linked_files;
mod locate;
mod locks;
mod machine;
mod mount_watch;
mod mounts;
mod process_identity;
mod prove;
mod random;
mod recover;
mod resolved;
mod revision;
mod roots;
mod scan;
mod slots;
mod snapshot;
mod stamp;
mod state_file;
mod sweep;
mod watch;
mod workspace_id;
mod write_promise;

pub use commit::{
    CommitError, Durability, ExecutableChange, ExpectedState, FileWrite, HardLinkPolicy, NewBytes,
    OldFile, OldFilePermission, ReadOnlyReason, Source, UnsafeReason, WeakProtectionPolicy,
    WriteGuarantee, WriteOptions, WriteOutcome, WriteStrategy, WriteWarning, is_package_store,
};
pub use disk::{
    AttributesCopied, Disk, EntryKind, FileSystemHost, FileSystemKind, Lease, MountId, OpenMode,
    RealDisk, ReplaceMode,
};
#[cfg(feature = "testing")]
pub use disk::{DiskCall, FaultDuration, FaultyDisk};
pub use displaced::{
    DISPLACED_FOLDER, DisplacedFile, DisplacedLimits, LateWriteCheck, Seal, is_sealed_name,
};
pub use file_watch::FileWatch;
pub use folder::{FolderEntry, FolderListing};
pub use folder_removal::FolderRemoval;
pub use handles::{FileReader, FolderHandle};
pub use hashed_parts::HashedParts;
pub use journal::{
    CommitIntent, CommitProgress, EntryId, FileIdentity, FileJournal, FlushTime, IntentStep,
    Journal, OpenEntry, StepAction,
};
pub use link_folder::{LinkFolder, LinkOutcome};
pub use linked_files::find_linked_files;
pub use locate::{LocateError, Located};
pub use machine::{close_inherited_handles, is_memory_scarce, lower_priority, watch_limit};
pub use mount_watch::MountWatch;
pub use prove::{
    Check, CheckAnswer, CheckResult, FileSystemProof, ProofError, ProofProgress, ProofRequest,
    play_proof_role, prove_file_system,
};
pub use recover::{RecoveredFile, RecoveryOutcome};
pub use resolved::{all_names_through_links, normalize_lexically, resolve_folder};
pub use revision::{Revision, RevisionHasher};
pub use roots::{OpenError, RootMatch, Workspace};
pub use scan::KnownContent;
pub use slots::SlotLocks;
pub use snapshot::{ReadError, Snapshot};
pub use stamp::{FileType, Moment, Stamp};
pub use state_file::StateFile;
pub use watch::{
    FolderChange, FolderWatch, Interest, WaitResult, WatchedFolder, is_told_of, wait_for_changes,
    wait_for_input,
};
pub use workspace_id::{FolderOrigin, WorkspaceId};
pub use write_promise::{WritePromise, write_promise};
