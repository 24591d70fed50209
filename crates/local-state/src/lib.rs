//! The half of the state folder that belongs to one machine: who is alive there, what a write is about to do, which displaced
//! files may still be written into, and what running programs tell each other.
//!
//! What is kept of changes, questions and sessions (the records) is in `lancet-history`, and may be kept elsewhere. Nothing here
//! can be: a lock of a file, a process and a displaced file mean something on the machine that they are on. This is a crate of its
//! own so that the compiler keeps the two apart: nothing here can name a record, and whoever needs only this half does not build
//! a database.
//!
//! - [`process`] names processes across restarts and containers, and tells which of them have ended.
//! - [`LocalState`] is the store of the machine's half: the journal of the write and the displaced files. `Store` of
//!   `lancet-history` implements it in the database of the state folder.
//! - [`Presence`], [`UnsavedFiles`] and [`ResidentNote`] are files by which running programs tell others what they do.
//! - [`Holder`] is the process that holds a lock.

pub mod displaced;
mod holder;
pub mod identity;
mod presence;
pub mod process;
mod resident;
mod set_aside;
mod state;
mod unsaved;
mod unsealed;

pub use holder::Holder;
pub use presence::Presence;
pub use resident::ResidentNote;
pub use set_aside::SetAside;
pub use state::{LeftIntent, LocalState};
pub use unsaved::{UnsavedFiles, UnsavedList};
pub use unsealed::Unsealed;
