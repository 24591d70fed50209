//! The half of the state folder that belongs to one machine: which processes are alive, what a write is about to do,
//! which displaced files may still be written to, and what running programs publish to each other.
//!
//! The records (changes, questions and sessions) are in `lancet-history` and may be stored on another machine. Nothing
//! here can be: a lock of a file, a process and a displaced file only mean something on their own machine. This is a
//! separate crate so that the compiler keeps the two apart: nothing here can name a record, and a program that needs
//! only this half does not build a database.
//!
//! - [`process`] names processes across restarts and containers, and recognises those that have ended.
//! - [`LocalState`] is the store of the machine's half: the journal of the write and the displaced files. `Store` of
//!   `lancet-history` implements it in the database of the state folder.
//! - [`ViewerPresence`], [`UnsavedFiles`] and [`ResidentNote`] are files by which running programs publish their state to
//!   others.
//! - [`git_objects`] are hard links to objects of git that checkpoints need.
//! - [`listings`] are the files that say what the last full scan of a root found.
//! - [`RecorderPlace`] is where the process that watches a root is found by others.
//! - [`LockHolder`] is the process that holds a lock.

pub mod displaced;
pub mod git_objects;
mod holder;
pub mod identity;
pub mod listings;
mod presence;
pub mod process;
mod recorder_place;
mod resident;
mod set_aside;
mod state;
mod unsaved;
mod unsealed;

pub use holder::LockHolder;
pub use presence::ViewerPresence;
pub use recorder_place::{RecorderClaim, RecorderPlace, RecorderWork, RunningRecorder};
pub use resident::ResidentNote;
pub use set_aside::SetAsideDatabase;
pub use state::{LocalState, OrphanedIntent};
pub use unsaved::{UnsavedFiles, UnsavedList};
pub use unsealed::UnsealedFile;
