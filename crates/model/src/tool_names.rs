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

const fn tool(name: &'static str, others: &'static [&'static str]) -> ToolNames {
    ToolNames { name, others }
}

/// The built-in tools in the order in which they are listed.
pub const TOOL_NAMES: &[ToolNames] = &[
    tool("Read", &["View", "read_file"]),
    tool("Edit", &["str_replace", "Replace"]),
    tool("MultiEdit", &[]),
    tool("Write", &["Replace", "write_file"]),
    tool("NotebookEdit", &[]),
    tool("Glob", &[]),
    tool("Grep", &[]),
    tool("InsertBefore", &[]),
    tool("InsertAfter", &[]),
    tool("ReplaceLines", &[]),
    tool("DeleteLines", &[]),
    tool("MoveLines", &[]),
    tool("MoveFile", &["move_file", "rename_file"]),
    tool("DeleteFile", &["delete_file"]),
    tool("ApplyPatch", &["apply_patch"]),
    tool("Undo", &[]),
    tool("Diagnostics", &[]),
    tool("Rename", &["rename_symbol"]),
    tool(TEXT_EDITOR, &[]),
];

/// The name of the tool that views and edits files in one.
pub const TEXT_EDITOR: &str = "str_replace_based_edit_tool";

/// Returns whether a built-in tool has this name.
pub fn is_built_in(name: &str) -> bool {
    TOOL_NAMES.iter().any(|tool| tool.name == name)
}

/// Returns whether a built-in tool has this name, or is known by it to other agents.
pub fn is_called(name: &str) -> bool {
    TOOL_NAMES
        .iter()
        .any(|tool| tool.name == name || tool.others.contains(&name))
}

/// Returns the column of error numbers that a tool's refusals use; a host's tool uses that of Edit.
pub fn numbers_of(name: &str) -> Numbers {
    match name {
        "Write" => Numbers::Write,
        _ => Numbers::Edit,
    }
}
