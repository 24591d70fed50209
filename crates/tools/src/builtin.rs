//! The built-in tools, each declared in one file (the line tools share theirs): its arguments, schema, prompt and
//! annotations, its other names, how its arguments become a request, and the layout of its answer. `REGISTRY` lists
//! them; no other code decides by a tool's name.

pub mod apply_patch;
pub mod delete_file;
pub mod diagnostics;
pub mod edit;
mod formats;
pub mod glob;
pub mod grep;
pub mod lines;
pub mod move_file;
pub mod multi_edit;
pub mod notebook_edit;
mod output;
#[cfg(test)]
mod prefix_tests;
pub mod read;
pub mod rename;
mod schema;
mod strict;
#[cfg(test)]
mod tests;
pub mod text_editor;
mod tool;
pub mod undo;
pub mod write;

use std::sync::{LazyLock, OnceLock};

use serde_json::{Map, Value};

pub use formats::{DescriptionLength, Format, ListForm, UnknownFormat, mcp_tool, tool_list};
pub use lancet_model::declaration::{ANSWER_LIMIT, ANSWER_LIMIT_MCP, Declaration};
pub use schema::strict_schema;
pub use strict::Strictness;
pub use tool::{Availability, Tool};

/// The built-in tools in the order in which they are listed.
static REGISTRY: &[&dyn Tool] = &[
    &read::Read,
    &edit::Edit,
    &multi_edit::MultiEdit,
    &write::Write,
    &notebook_edit::NotebookEdit,
    &glob::Glob,
    &grep::Grep,
    &lines::INSERT_BEFORE,
    &lines::INSERT_AFTER,
    &lines::REPLACE_LINES,
    &lines::DELETE_LINES,
    &lines::MOVE_LINES,
    &move_file::MoveFile,
    &delete_file::DeleteFile,
    &apply_patch::ApplyPatch,
    &undo::Undo,
    &diagnostics::Diagnostics,
    &rename::Rename,
    &text_editor::TextEditor,
];

/// Iterates over all built-in tools.
pub fn all_tools() -> impl Iterator<Item = &'static dyn Tool> {
    REGISTRY.iter().copied()
}

/// Finds the built-in tool with exactly this name.
pub fn find_by_name(name: &str) -> Option<&'static dyn Tool> {
    all_tools().find(|tool| tool.name() == name)
}

/// Finds the built-in tool that a call with this name and these fields means.
pub fn find_called(name: &str, fields: &Map<String, Value>) -> Option<&'static dyn Tool> {
    find_by_name(name).or_else(|| {
        all_tools().find(|tool| {
            let mut names = tool.other_names().iter();
            names.any(|other| other.name == name && other.applies_to(fields))
        })
    })
}

/// Returns whether a tool is offered if the settings select none. A tool of the host is.
pub fn is_default(name: &str) -> bool {
    find_by_name(name).is_none_or(|tool| tool.availability() == Availability::ByDefault)
}

/// Returns the declarations of the built-in tools in their fixed order: Read, Edit, MultiEdit, Write, NotebookEdit,
/// Glob, Grep, then the tools that are offered only if the settings name them.
pub fn declarations() -> &'static [Declaration] {
    static DECLARATIONS: LazyLock<Vec<Declaration>> =
        LazyLock::new(|| all_tools().map(|tool| tool.declaration()).collect());
    &DECLARATIONS
}

/// Finds the declaration of the built-in tool with exactly this name. It is created at the first call: creating those
/// of all tools took 6.5 of the 20 million instructions of a start.
pub fn declaration(name: &str) -> Option<&'static Declaration> {
    static DECLARATIONS: [OnceLock<Declaration>; REGISTRY.len()] =
        [const { OnceLock::new() }; REGISTRY.len()];
    let at = all_tools().position(|tool| tool.name() == name)?;
    Some(DECLARATIONS[at].get_or_init(|| REGISTRY[at].declaration()))
}
