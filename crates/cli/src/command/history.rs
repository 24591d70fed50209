//! The commands on the history: `log`, `show`, `stats`, `gc`, and `undo`, `redo` and `restore` (all three in `undo`).

mod access;
mod attribution;
mod events;
mod gc;
mod line;
mod log;
mod operation_json;
mod owner;
mod patch;
mod prompt;
mod show;
mod stats;
mod time;
mod undo;
mod wake;
mod watch;
mod who;

pub(super) use access::history;
pub(super) use events::events;
pub(super) use gc::gc;
pub(super) use log::log;
pub(super) use show::show;
pub(super) use stats::stats;
pub(super) use undo::{redo, restore, undo};
pub(super) use watch::watch;
