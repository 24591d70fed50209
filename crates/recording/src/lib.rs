//! Records what other programs change: the files below a root are looked at before and after, and the difference is an
//! operation of the history.
//!
//! - [`Recorder`] belongs to one root. [`Recorder::look`] sets a checkpoint; [`Recorder::record`] sets one, and what changed
//!   since the one before is an operation.
//! - [`Coverage`] says which files are looked at.
//! - [`shown_command`] is a command line without what is secret in it.
//!
//! # Limitations
//! Symbolic links, empty folders and files whose name is not UTF-8 are part of a checkpoint, but not of an operation: they are named in
//! [`RecordedCall::not_kept`](lancet_history::RecordedCall::not_kept). Owner, extended attributes and ACLs are not recorded.
//! A file is compared by its stat first, with git's rule for racy ones; a write through a mapping that leaves the stat as it
//! was is seen only once the stat changes.

mod command;
mod compare;
mod contents;
mod coverage;
mod kept_state;
mod moves;
mod operation;
mod recorder;
mod scan;
mod seen_stat;

pub use command::shown_command;
pub use coverage::Coverage;
pub use recorder::{ProgramCall, RecordError, RecordedLook, Recorder};
