//! The only door to the disk: roots, snapshots, the write.
//!
//! A path becomes a [`Located`] file below a root, held by the handle of its folder; from there on every call
//! names that handle and one name, never a whole path again. Reading gives a [`Snapshot`], writing goes through
//! [`Workspace::commit`] alone. What a text means, who may change it and what was seen of it is not known here.

#[cfg(not(unix))]
compile_error!(
    "lancet runs on Linux and macOS; Windows itself is not supported yet (inside WSL it is Linux)."
);

mod branch;
mod buffer;
mod commit;
mod content;
mod disk;
mod displaced;
mod folder;
mod journal;
mod leaving;
mod locate;
mod locks;
mod mounts;
mod random;
mod recover;
mod resolved;
mod revision;
mod roots;
mod snapshot;
mod stamp;
mod sweep;

pub use branch::{FileReader, FolderHandle};
pub use commit::{
    CommitError, Durability, Expected, Guarantee, HardLinkPolicy, NewBytes, OldFile,
    ReadOnlyReason, Source, Strategy, Warning, Weak, Write, WriteOptions, Written,
    is_package_store,
};
pub use disk::{
    AttributesCopied, Call, Disk, EntryKind, FaultyDisk, FileSystemKind, Lasting, Lease, OpenMode,
    RealDisk, Replace,
};
pub use displaced::{DISPLACED_FOLDER, Displaced, LateWriteCheck, Limits, Seal, is_sealed_name};
pub use folder::{FolderEntry, FolderListing};
pub use journal::{
    Act, FileIdentity, FileJournal, Flush, Intent, Journal, Progress, Record, Step, Ticket,
};
pub use leaving::FolderRemoval;
pub use locate::{FileType, LocateError, Located};
pub use recover::{Recovered, RecoveryOutcome};
pub use resolved::{normalize_lexically, resolved_folder};
pub use revision::{Hasher, Revision};
pub use roots::{OpenError, Workspace};
pub use snapshot::{KnownContent, ReadError, Snapshot};
pub use stamp::{Moment, Stamp};
