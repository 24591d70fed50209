//! The listing of a root: what a full scan found, in a file of the state folder. As long as a folder has its stat, it has
//! the same names, so a later look need not list it nor apply ignore rules to its entries: it compares their stats with
//! those of the listing. A changed folder is listed again.
//!
//! The file has the folders with the names in them (`listing/format.rs`), and at its end the looks since then with the names that
//! each recorded as changed (`listing/journal.rs`). The listing says nothing about contents: a name whose stat differs from it,
//! or that changed since, is compared with the newest checkpoint.

mod build;
mod format;
mod journal;
mod stored;
mod walk;

pub(crate) use self::build::ListingBuilder;
pub(crate) use self::journal::journal_record;
pub(crate) use self::stored::{ListedIndex, MAX_FILE_BYTES, TreeListing};
pub(crate) use self::walk::look_by_listing;
