//! The program as a person or a script runs it: the real binary, in a folder of its own, with an empty home.

mod agent;
mod always;
mod call;
mod doctor;
mod edit;
mod history;
mod limits;
mod live;
mod mcp;
#[path = "../../../lancet/tests/scenarios/page.rs"]
mod page;
mod pages;
mod permissions;
mod read;
mod reply;
mod roots;
mod scenes;
mod search;
mod settings;
mod stage;
mod terminal;
mod wall;
mod write;
