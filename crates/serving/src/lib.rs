//! Starts programs for a process that hosts lancet, and confines the process itself. All programs that the settings or
//! the person's environment name are started by one process, the [launcher](Launcher), which is begun before the kernel
//! confines its parent: children of a process that is confined by Landlock are confined, too.
//!
//! A request to the launcher names a kind of program and an entry of the table that the launcher has read itself, never
//! a command line. So whatever happens to the confined process, it cannot start anything that the person did not name.

mod confinement;
mod converter;
mod launcher;
mod programs;
mod running;
mod temporary_folder;
pub mod wall;
mod wire;

pub use confinement::{CONFINED, exec_confined};
pub use launcher::{Launcher, Running, serve};
pub use programs::{Launch, Programs, Streams};
