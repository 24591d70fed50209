//! What a model may send to each tool, as types. The doc comment of a field is also its description in the tool's
//! schema, so it is short and speaks to the model. How raw JSON becomes one of these is in `receive`.

mod schema;
mod search;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::undo::{Conflicts, Direction, Overlap, Selection, TakeBack};

mod new;

pub use schema::strict_schema;
pub use search::{GlobArguments, GrepArguments, OutputMode};

/// Arguments of `Read`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ReadArguments {
    /// Absolute path
    pub file_path: String,
    /// First line, from 1
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub offset: Option<u64>,
    /// Number of lines
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Show the line at offset alone, from this character (from 1) on
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub column: Option<u64>,
    /// Show the text again though unchanged
    #[serde(default)]
    pub force: bool,
}

/// Arguments of `Edit`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct EditArguments {
    /// Absolute path
    pub file_path: String,
    /// Text to replace, as in the file; empty creates the file
    pub old_string: String,
    /// Text to put there
    pub new_string: String,
    /// Replace every place
    #[serde(default)]
    pub replace_all: bool,
    /// Refuse any other number of places
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub expect_count: Option<u64>,
    /// Refuse unless at this revision
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Write text refused as leaked
    #[serde(default)]
    pub insist: bool,
    /// Show the patch, write nothing
    #[serde(default)]
    pub dry_run: bool,
}

/// One edit of a `MultiEdit`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct EditItem {
    /// If not the outer one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    /// Text to replace
    pub old_string: String,
    /// Text to put there
    pub new_string: String,
    /// Replace every place
    #[serde(default)]
    pub replace_all: bool,
    /// Refuse unless at this revision
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
}

/// Arguments of `MultiEdit`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MultiEditArguments {
    /// Edits, applied in order
    #[schemars(length(min = 1))]
    pub edits: Vec<EditItem>,
    /// For edits that name none
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    /// Write text refused as leaked
    #[serde(default)]
    pub insist: bool,
    /// Show the patch, write nothing
    #[serde(default)]
    pub dry_run: bool,
}

/// What `Write` does with a file that is there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum WriteMode {
    /// Replace it.
    #[default]
    Overwrite,
    /// Add to its end.
    Append,
    /// Refuse.
    Create,
}

/// Arguments of `Write`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct WriteArguments {
    /// Absolute path
    pub file_path: String,
    /// The whole text; with append, what to add
    pub content: String,
    /// overwrite (default), append, or create (never over a file)
    #[serde(default)]
    pub mode: WriteMode,
    /// Refuse unless at this revision
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Write text refused as leaked
    #[serde(default)]
    pub insist: bool,
    /// Show the patch, write nothing
    #[serde(default)]
    pub dry_run: bool,
}

/// Arguments of `Undo`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct UndoArguments {
    /// The operation to take back; without it the newest of this session
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Show the patch, write nothing
    #[serde(default)]
    pub dry_run: bool,
}

impl From<UndoArguments> for TakeBack {
    fn from(arguments: UndoArguments) -> Self {
        TakeBack {
            selection: arguments
                .operation
                .map_or(Selection::Newest, Selection::Operation),
            direction: Direction::Undo,
            overlap: Overlap::Refuse,
            conflicts: Conflicts::Refuse,
            dry_run: arguments.dry_run,
        }
    }
}

/// The arguments of one call, typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arguments {
    /// Of `Read`.
    Read(ReadArguments),
    /// Of `Edit`.
    Edit(EditArguments),
    /// Of `MultiEdit`.
    MultiEdit(MultiEditArguments),
    /// Of `Write`.
    Write(WriteArguments),
    /// Of `Glob`.
    Glob(GlobArguments),
    /// Of `Grep`.
    Grep(GrepArguments),
    /// Of `Undo`.
    Undo(UndoArguments),
}

impl Arguments {
    /// The tool's own name, whatever other name it was called by.
    pub fn tool(&self) -> &'static str {
        match self {
            Arguments::Read(_) => "Read",
            Arguments::Edit(_) => "Edit",
            Arguments::MultiEdit(_) => "MultiEdit",
            Arguments::Write(_) => "Write",
            Arguments::Glob(_) => "Glob",
            Arguments::Grep(_) => "Grep",
            Arguments::Undo(_) => "Undo",
        }
    }
}
