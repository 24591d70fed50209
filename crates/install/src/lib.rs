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
    Agent, AgentFolders, FileChange, InstallRequest, InstallScope, Installation, InstalledParts,
    LaunchCommand, MemoryUse, OwnTools, PluginMark, WriteConsent, all_agents, find_agent,
};
pub use draft::{SettingsDraft, Splice, revert_splices};
pub use edit::{
    entry_presence, existing_depth, install_entries, parse_value_at, uninstall_entries,
};
pub use entry::{EditError, Entry, Form, Presence};
pub use shell::quote_shell_word;
