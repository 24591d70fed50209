//! The settings of each agent that have to change so that it uses lancet, as edits of their text.
//!
//! An [`Agent`] is a declaration: where its files are and which entries they must have. An edit is a
//! [`SettingsDraft`]: splices of the text, so that comments, order and every other byte stay. Nothing here accesses
//! the disk.

mod agent;
mod container;
mod draft;
mod edit;
mod entry;
mod json;
mod layout;
mod memory;
mod shell;
mod toml;
mod toml_list;
mod yaml;

pub use agent::{
    Agent, AgentFolders, FileChange, InstallScope, Installation, InstalledParts, Launch, Memory,
    OwnTools, PluginMark, Request, WriteConsent, agents, named,
};
pub use draft::{SettingsDraft, Splice, taken_back};
pub use edit::{depth, install, presence, uninstall, value_at};
pub use entry::{EditError, Entry, Form, Presence};
pub use shell::shell_word;
