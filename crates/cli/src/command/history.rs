//! The commands on the history: `log`, `show`, `diff`, `blame`, `stats`, `gc`, `verify`, and `undo`, `redo` and `restore` (all three in
//! `undo`).

pub(super) mod access;
mod across_projects;
mod attribution;
mod blame;
mod diff;
mod editor;
mod events;
mod gc;
mod line;
mod log;
mod missing_prompt;
mod moves;
mod operation_json;
mod owner;
mod patch;
mod prompt;
mod recorded_path;
pub(super) mod show;
mod since_checkpoint;
mod stats;
mod steps;
pub(super) mod time;
mod unattributed;
mod undo;
mod undo_hunk;
mod verify;
mod versions;
pub(super) mod wake;
mod watch;
pub(super) mod who;
mod wide_folder;
mod wrong_id;

pub(super) use access::open_history;
pub(super) use blame::blame;
pub(super) use diff::{default_query, diff};
pub(super) use events::events;
pub(super) use gc::gc;
pub(super) use log::log;
pub(super) use show::show;
pub(super) use stats::{format_count, stats};
pub(super) use undo::{redo, restore, undo};
pub(super) use verify::verify;
pub(super) use watch::watch;
