//! The line tools: `InsertBefore` and `InsertAfter` insert lines next to a marker, `ReplaceLines` and `DeleteLines`
//! change lines named by their numbers, and `MoveLines` moves such lines after a marker. Only their declarations and
//! arguments differ.

use lancet_model::non_exhaustive::NonExhaustive;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::output;
use super::schema::strict_schema;
use super::tool::{
    Availability, Tool, check_path, deserialize_arguments, line_range, non_empty, require_non_empty,
};
use crate::asked::ToolRequest;
use crate::receive::InvalidArguments;
use lancet_model::declaration::Declaration;
use lancet_model::outcome::Layout;
use lancet_model::request::{Change, EditRequest, FileRequest, LineMove, Place, Request};

/// A built-in tool that changes whole lines.
pub struct LineTool {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    prompt: &'static str,
    search_hint: &'static str,
    layout: Layout,
    input_schema: fn() -> Value,
    /// Converts the arguments of a call of the named tool to a request.
    receive: fn(&'static str, Map<String, Value>) -> Result<ToolRequest, InvalidArguments>,
}

/// The tool that inserts before a marker.
pub static INSERT_BEFORE: LineTool = LineTool {
    name: "InsertBefore",
    title: "Insert lines before a marker",
    description: "Inserts lines before the line of a marker. Read the file first. The marker is text of the file that \
        occurs once; it stays.",
    prompt: include_str!("prompts/insert_before.md"),
    search_hint: "insert add lines next to text",
    layout: Layout::OneFile,
    input_schema: strict_schema::<InsertArguments>,
    receive: |tool, fields| {
        deserialize_arguments::<InsertArguments>(tool, fields)?.into_request(tool, Place::Before)
    },
};

/// The tool that inserts after a marker.
pub static INSERT_AFTER: LineTool = LineTool {
    name: "InsertAfter",
    title: "Insert lines after a marker",
    description: "Inserts lines after the line of a marker. Read the file first. The marker is text of the file that \
        occurs once; it stays.",
    prompt: include_str!("prompts/insert_after.md"),
    receive: |tool, fields| {
        deserialize_arguments::<InsertArguments>(tool, fields)?.into_request(tool, Place::After)
    },
    ..INSERT_BEFORE
};

/// The tool that replaces lines by number.
pub static REPLACE_LINES: LineTool = LineTool {
    name: "ReplaceLines",
    title: "Replace lines by number",
    description: "Replaces whole lines, named by their numbers. Read them first. expect repeats the first and the last \
        of them as they are.",
    prompt: include_str!("prompts/replace_lines.md"),
    search_hint: "replace lines by line number",
    layout: Layout::OneFile,
    input_schema: strict_schema::<ReplaceLinesArguments>,
    receive: |tool, fields| {
        deserialize_arguments::<ReplaceLinesArguments>(tool, fields)?.into_request(tool)
    },
};

/// The tool that deletes lines by number.
pub static DELETE_LINES: LineTool = LineTool {
    name: "DeleteLines",
    title: "Delete lines by number",
    description: "Deletes whole lines, named by their numbers. Read them first. expect repeats the first and the last \
        of them as they are.",
    prompt: include_str!("prompts/delete_lines.md"),
    search_hint: "delete remove lines by line number",
    layout: Layout::OneFile,
    input_schema: strict_schema::<DeleteLinesArguments>,
    receive: |tool, fields| {
        deserialize_arguments::<DeleteLinesArguments>(tool, fields)?
            .into_replacement()
            .into_request(tool)
    },
};

/// The tool that moves lines.
pub static MOVE_LINES: LineTool = LineTool {
    name: "MoveLines",
    title: "Move lines",
    description: "Moves whole lines to another place or into another file. Read both files first. expect repeats the \
        first and the last line; the lines go after the line of the marker.",
    prompt: include_str!("prompts/move_lines.md"),
    search_hint: "move lines between files",
    layout: Layout::Files,
    input_schema: strict_schema::<MoveLinesArguments>,
    receive: |tool, fields| {
        deserialize_arguments::<MoveLinesArguments>(tool, fields)?.into_request(tool)
    },
};

impl Tool for LineTool {
    fn name(&self) -> &'static str {
        self.name
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            title: self.title.into(),
            prompt: self.prompt.into(),
            output_schema: Some(match self.layout {
                Layout::OneFile => output::one_file_change_schema(),
                Layout::Files => output::file_list_change_schema(),
            }),
            search_hint: self.search_hint.into(),
            ..Declaration::new(self.name, self.description, (self.input_schema)())
        }
    }

    fn receive(&self, fields: Map<String, Value>) -> Result<ToolRequest, InvalidArguments> {
        (self.receive)(self.name, fields)
    }

    fn availability(&self) -> Availability {
        Availability::WhenNamed
    }

    fn layout(&self) -> Layout {
        self.layout
    }
}

/// Arguments of `InsertBefore` and `InsertAfter`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct InsertArguments {
    /// Absolute path
    pub file_path: String,
    /// Text of the file, as there; it must be unique
    pub marker: String,
    /// Whole lines to insert
    pub content: String,
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

impl InsertArguments {
    /// Converts the arguments of a call of the named tool to a request.
    fn into_request(self, tool: &str, place: Place) -> Result<ToolRequest, InvalidArguments> {
        check_path(tool, "file_path", &self.file_path)?;
        require_non_empty(tool, "marker", &self.marker)?;
        let edit = EditRequest {
            old: self.marker,
            new: self.content,
            revision: non_empty(self.revision),
            place,
            ..EditRequest::default()
        };
        Ok(one_edit(self.file_path, edit, self.insist, self.dry_run))
    }
}

/// Arguments of `ReplaceLines`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ReplaceLinesArguments {
    /// Absolute path
    pub file_path: String,
    /// First line
    #[schemars(range(min = 1))]
    pub start_line: u64,
    /// Last line
    #[schemars(range(min = 1))]
    pub end_line: u64,
    /// First and last line as they are, or their anchors
    pub expect: [String; 2],
    /// Lines to put there; empty deletes
    pub content: String,
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

impl ReplaceLinesArguments {
    /// Converts the arguments of a call of the named tool to a request.
    fn into_request(self, tool: &str) -> Result<ToolRequest, InvalidArguments> {
        check_path(tool, "file_path", &self.file_path)?;
        let lines = (self.start_line, self.end_line);
        let edit = EditRequest {
            new: self.content,
            revision: non_empty(self.revision),
            place: Place::Lines(line_range(tool, lines, self.expect)?),
            ..EditRequest::default()
        };
        Ok(one_edit(self.file_path, edit, self.insist, self.dry_run))
    }
}

/// Arguments of `DeleteLines`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct DeleteLinesArguments {
    /// Absolute path
    pub file_path: String,
    /// First line
    #[schemars(range(min = 1))]
    pub start_line: u64,
    /// Last line
    #[schemars(range(min = 1))]
    pub end_line: u64,
    /// First and last line as they are, or their anchors
    pub expect: [String; 2],
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

impl DeleteLinesArguments {
    /// Converts the arguments to those of `ReplaceLines` without content.
    fn into_replacement(self) -> ReplaceLinesArguments {
        ReplaceLinesArguments {
            file_path: self.file_path,
            start_line: self.start_line,
            end_line: self.end_line,
            expect: self.expect,
            content: String::new(),
            revision: self.revision,
            insist: self.insist,
            dry_run: self.dry_run,
        }
    }
}

/// Arguments of `MoveLines`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MoveLinesArguments {
    /// Absolute path of the file with the lines
    pub from_path: String,
    /// First line
    #[schemars(range(min = 1))]
    pub start_line: u64,
    /// Last line
    #[schemars(range(min = 1))]
    pub end_line: u64,
    /// First and last line as they are, or their anchors
    pub expect: [String; 2],
    /// Absolute path of the file that gets them; may be the same
    pub to_path: String,
    /// Unique text there; the lines go after its line
    pub marker: String,
    /// Has no effect: the lines are a file's own
    #[serde(default)]
    pub insist: bool,
    /// Show the patch, write nothing
    #[serde(default)]
    pub dry_run: bool,
}

impl MoveLinesArguments {
    /// Converts the arguments of a call of the named tool to a request.
    fn into_request(self, tool: &str) -> Result<ToolRequest, InvalidArguments> {
        check_path(tool, "from_path", &self.from_path)?;
        check_path(tool, "to_path", &self.to_path)?;
        require_non_empty(tool, "marker", &self.marker)?;
        let lines = (self.start_line, self.end_line);
        let asked = LineMove {
            lines: line_range(tool, lines, self.expect)?,
            from: self.from_path,
            to: self.to_path,
            marker: self.marker,
            dry_run: self.dry_run.into(),
        };
        Ok(ToolRequest::Change(Change::MoveLines(asked)))
    }
}

/// Makes the request for one edit of one file.
fn one_edit(path: String, edit: EditRequest, insist: bool, dry_run: bool) -> ToolRequest {
    let request = Request {
        files: vec![FileRequest::edit(path, vec![edit])],
        insist: insist.into(),
        dry_run: dry_run.into(),
        non_exhaustive: NonExhaustive,
    };
    request.into()
}
