//! The program as a person or a script runs it: the real binary, in a separate folder, with an empty home.

mod agent;
mod agent_hooks;
mod always;
mod call;
#[path = "../../../search/tests/agreement/chance.rs"]
mod chance;
mod colours;
mod commit;
mod commit_histories;
mod completions;
#[cfg(target_os = "linux")]
mod confined;
#[cfg(target_os = "linux")]
mod converters;
mod diagnostics;
mod doctor;
mod documented;
mod edit;
mod edit_several;
mod editors;
mod events;
#[cfg(target_os = "linux")]
mod formatters;
mod history;
mod install;
mod instead;
mod limits;
#[cfg(target_os = "linux")]
mod linked_outside;
mod live;
mod mcp;
#[cfg(target_os = "linux")]
mod moving;
mod own_hooks;
#[path = "../../../lancet/tests/scenarios/page.rs"]
mod page;
mod pages;
#[cfg(all(feature = "pdf", target_os = "linux"))]
mod pdf;
mod pending;
mod permissions;
mod pictures;
#[cfg(all(feature = "pdf", target_os = "linux"))]
mod poisonous_files;
mod provider_rules;
mod random_histories;
mod read;
mod recorded_at_terminal;
mod renaming;
mod reply;
mod ripgrep;
mod roots;
mod scenes;
mod search;
mod sessions;
mod settings;
mod stage;
mod terminal;
#[path = "../../../search/tests/agreement/tree.rs"]
mod tree;
#[cfg(target_os = "linux")]
mod trusted_programs;
mod undo_many;
mod wall;
mod watch;
mod wordings;
mod write;
