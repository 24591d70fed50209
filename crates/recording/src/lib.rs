//! Records the changes of other programs: the files below a root are scanned before and after (a "look"), and the
//! difference is an operation of the history.
//!
//! - [`Recorder`] belongs to one root. [`Recorder::set_checkpoint`] sets a checkpoint; [`Recorder::record_call`] sets one and
//!   records the changes since the one before as an operation.
//! - [`ScanCoverage`] determines which files are scanned.
//! - [`format_command`] returns a command line without secrets.
//!
//! # Limitations
//! Extended attributes and ACLs are not recorded, only that a file had some ([`had_attributes`]), and of folders only those without entries. A file is compared by
//! its stat first, with git's rule for racy stamps; a write through a mapping that leaves the stat unchanged is detected
//! only when the stat changes.

mod beside;
mod changes;
mod command;
mod compare;
mod contents;
mod coverage;
mod coverage_change;
mod extent;
mod find_entries;
mod git_view;
mod kept_state;
mod left_to_git;
mod listed_look;
mod listing;
mod look;
mod moves;
mod named_path;
mod object_links;
mod operation;
mod protocol;
mod recorder;
mod reported;
mod root;
mod scan;
mod seen_stat;
mod tree;

pub use command::{format_command, quote_argument, shown_script};
pub use coverage::ScanCoverage;
pub use look::{GitChanges, LookDepth, ProgramCall, RecordError, RecordedLook, Unattributed};
pub use protocol::{RecorderRequest, read_request, send_request, write_reply};
pub use recorder::Recorder;
pub use reported::{ChangeSource, ReportedChanges};
pub use seen_stat::had_attributes;
pub use tree::{TreeError, WatchedTree};
