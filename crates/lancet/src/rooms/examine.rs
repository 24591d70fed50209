//! examine: reads the disk and the ledger and works out what a call would do, without writing anything.

mod cell;
pub(crate) mod change;
pub(crate) mod clash;
pub(crate) mod credential;
mod delete;
pub(crate) mod edit;
pub(crate) mod explain;
pub(crate) mod folder;
pub(crate) mod formatted;
mod gather;
pub(crate) mod hidden;
pub(crate) mod large;
mod located_file;
mod mode;
pub(crate) mod move_lines;
pub(crate) mod new_file;
pub(crate) mod open;
pub(crate) mod read;
pub(crate) mod read_state;
mod relocate;
pub(crate) mod remarks;
pub(crate) mod reply;
pub(crate) mod search;
pub(crate) mod undo;
pub(crate) mod view;
mod whole_file;
pub(crate) mod write;
