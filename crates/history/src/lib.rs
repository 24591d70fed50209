//! What was read: the ledger of a session, kept across restarts.
//!
//! [`Ledger`] is one conversation's knowledge of files and lives in memory; [`Store`] keeps the ledgers of named
//! sessions in the state folder. Nothing here opens a file of the user: what is known about one is handed in as plain
//! bytes, ranges and integers.

mod content;
mod entry;
mod ledger;
mod seen;
mod session;
mod stamp;
mod store;

pub use content::{ChangesDoNotFit, RawChange, revise};
pub use entry::{Asked, Entry, Readings, Revision, Version};
pub use ledger::{Budget, Ledger, Sight};
pub use seen::Seen;
pub use session::{SessionName, SessionNameError};
pub use stamp::StampRecord;
pub use store::{
    LedgerStore, Loaded, Saved, SetAside, Store, StoreError, StoreFacts, Turn, examine_store,
};
