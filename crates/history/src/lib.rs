//! What was read and what was changed, kept across restarts.
//!
//! [`Ledger`] is one conversation's knowledge of files and lives in memory; [`Store`] keeps the ledgers of named
//! sessions ([`LedgerStore`]) and every change with the contents before and after ([`OperationStore`]) in the state
//! folder. Nothing here opens a file of the user: what is known about one is handed in as plain
//! bytes, ranges and integers.

mod content;
mod entry;
mod kept;
mod ledger;
mod operation;
mod seen;
mod session;
mod stamp;
mod store;

pub use content::{ChangesDoNotFit, RawChange, revise};
pub use entry::{Asked, Entry, Readings, Revision, Version};
pub use kept::KeptContent;
pub use ledger::{Budget, Ledger, Sight};
pub use operation::{
    By, ChangeKind, Confirmed, Content, Draft, FOUND_BACK, FileChange, FileDraft, Found, Kept,
    Limits, LogQuery, Operation, OperationKind, OperationState, OperationStore, Removed, Sealed,
    Standing, State, Statistics, StatisticsQuery, Sum, Sums, TakenBack, Unsealed,
};
pub use seen::Seen;
pub use session::{SessionName, SessionNameError};
pub use stamp::StampRecord;
pub use store::{
    Holder, LedgerStore, LeftIntent, Loaded, Saved, SetAside, Store, StoreError, StoreFacts, Turn,
    examine_store, files_set_aside,
};
