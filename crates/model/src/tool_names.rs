//! The names of the built-in tools. crates/tools declares the tools; a test there compares both.

use crate::refusal::Numbers;

/// The names of one tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolNames {
    /// The name by which models call the tool.
    pub name: &'static str,
    /// The names that other agents use for it.
    pub others: &'static [&'static str],
}

const fn tool_names(name: &'static str, others: &'static [&'static str]) -> ToolNames {
    ToolNames { name, others }
}

/// The built-in tools in the order in which they are listed.
pub const TOOL_NAMES: &[ToolNames] = &[
    tool_names("Read", &["View", "read_file"]),
    tool_names("Edit", &["str_replace", "Replace"]),
    tool_names("MultiEdit", &[]),
    tool_names("Write", &["Replace", "write_file"]),
    tool_names("NotebookEdit", &[]),
    tool_names("Glob", &[]),
    tool_names("Grep", &[]),
    tool_names("InsertBefore", &[]),
    tool_names("InsertAfter", &[]),
    tool_names("ReplaceLines", &[]),
    tool_names("DeleteLines", &[]),
    tool_names("MoveLines", &[]),
    tool_names("MoveFile", &["move_file", "rename_file"]),
    tool_names("DeleteFile", &["delete_file"]),
    tool_names("ApplyPatch", &["apply_patch"]),
    tool_names("Undo", &[]),
    tool_names("Diagnostics", &[]),
    tool_names("Rename", &["rename_symbol"]),
    tool_names(TEXT_EDITOR, &[]),
];

/// The name of the tool that views and edits files in one.
pub const TEXT_EDITOR: &str = "str_replace_based_edit_tool";

/// Returns whether a built-in tool has this name.
pub fn is_built_in(name: &str) -> bool {
    TOOL_NAMES.iter().any(|tool| tool.name == name)
}

/// Returns whether a built-in tool has this name, or is known by it to other agents.
pub fn is_known_name(name: &str) -> bool {
    TOOL_NAMES
        .iter()
        .any(|tool| tool.name == name || tool.others.contains(&name))
}

/// Returns the column of error numbers that a tool's refusals use; a host's tool uses that of Edit.
pub fn numbers_of_tool(name: &str) -> Numbers {
    match name {
        "Write" => Numbers::Write,
        _ => Numbers::Edit,
    }
}
