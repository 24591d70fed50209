//! The parts that the programs hosting lancet share, without a type of any protocol.
//!
//! For calls: the threads that carry them out ([`pool`]), those that wait for the user ([`decisions`]), the end of
//! calls that do not stop ([`deadline`]), the session, turn and call that a request belongs to ([`identity`],
//! [`conversation`]), maintenance while there are no calls ([`idle`]), the [`tokens`] of a server on the network,
//! access to its page ([`door`]), and the [`Log`].
//!
//! For the process: it starts programs and confines itself. All programs that the settings or the user's environment
//! name are started by one process, the [launcher](Launcher), which is started before the kernel confines its parent,
//! because children of a process that is confined by Landlock are confined, too. A request to the launcher names a
//! kind of program and an entry of the table that the launcher has read itself, never a command line. So whatever
//! happens to the confined process, it cannot start anything that the user did not name.

mod captured;
mod commands;
mod confinement;
pub mod conversation;
mod converter;
pub mod deadline;
pub mod decisions;
mod descendants;
pub mod descriptors;
pub mod door;
pub mod identity;
pub mod idle;
mod launcher;
mod log;
pub mod pool;
mod programs;
mod running;
mod servers;
pub mod sub_agents;
mod syscall_filter;
mod temporary_folder;
pub mod tokens;
pub mod wall;
mod wire;

pub use confinement::{CONFINED_ARGUMENT, LIMITED_ARGUMENT, exec_confined, exec_limited};
pub use launcher::{Launcher, RunningProgram, serve_launcher};
pub use log::{Level, Log};
pub use programs::{LaunchRequest, Programs, ServerProgram, Streams};
