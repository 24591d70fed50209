//! `str_replace_based_edit_tool`: views and edits files with one tool, for models that are trained on it. Each of its
//! commands is a request of one of the other tools.

use lancet_model::non_exhaustive::NonExhaustive;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::read::ReadMode;
use super::schema::strict_schema;
use super::tool::{Availability, Tool, check_path, deserialize_arguments, non_empty, non_zero};
use crate::asked::ToolRequest;
use crate::builtin::read::ReadArguments;
use crate::receive::InvalidArguments;
use lancet_model::audience::Vocabulary;
use lancet_model::declaration::Declaration;
use lancet_model::request::{
    Change, EditRequest, FileRequest, Place, Request, UndoScope, WriteRequest,
};
use lancet_model::tool_names::TEXT_EDITOR as NAME;
use lancet_model::undo::{Selection, UndoRequest};

/// Arguments of `str_replace_based_edit_tool`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TextEditorArguments {
    /// What to do
    pub command: TextEditorCommand,
    /// Absolute path
    pub path: String,
    /// view: first and last line, from 1; -1 is the end
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view_range: Option<Vec<i64>>,
    /// view: show one line, from this character on
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub column: Option<u64>,
    /// create: the whole text
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_text: Option<String>,
    /// str_replace: text to replace, as in the file
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_str: Option<String>,
    /// str_replace: text to put there
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_str: Option<String>,
    /// insert: the line to insert after; 0 is the top
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub insert_line: Option<u64>,
    /// insert: the lines to insert
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insert_text: Option<String>,
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

/// What a call of `str_replace_based_edit_tool` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TextEditorCommand {
    /// Shows a file, or the entries of a folder.
    View,
    /// Writes a whole file.
    Create,
    /// Replaces one text.
    StrReplace,
    /// Inserts lines after a line.
    Insert,
    /// Takes back the session's last change of the file.
    UndoEdit,
}

impl TextEditorArguments {
    /// Converts the arguments to a request.
    fn into_request(self) -> Result<ToolRequest, InvalidArguments> {
        check_path(NAME, "path", &self.path)?;
        match self.command {
            TextEditorCommand::View => self.view_request(),
            TextEditorCommand::Create => {
                let content = require_field(self.file_text, "create", "file_text")?;
                let write = WriteRequest {
                    content,
                    revision: non_empty(self.revision),
                    ..WriteRequest::default()
                };
                let file = FileRequest::write(self.path, write);
                Ok(change_request(file, self.insist, self.dry_run))
            }
            TextEditorCommand::StrReplace => {
                let old = require_field(non_empty(self.old_str), "str_replace", "old_str")?;
                let edit = EditRequest {
                    old,
                    new: self.new_str.unwrap_or_default(),
                    revision: non_empty(self.revision),
                    ..EditRequest::default()
                };
                let file = FileRequest::edit(self.path, vec![edit]);
                Ok(change_request(file, self.insist, self.dry_run))
            }
            TextEditorCommand::Insert => {
                let line = require_field(self.insert_line, "insert", "insert_line")?;
                let text = non_empty(self.insert_text).or(non_empty(self.new_str));
                let edit = EditRequest {
                    new: require_field(text, "insert", "insert_text")?,
                    revision: non_empty(self.revision),
                    place: Place::AfterLine(line),
                    ..EditRequest::default()
                };
                let file = FileRequest::edit(self.path, vec![edit]);
                Ok(change_request(file, self.insist, self.dry_run))
            }
            TextEditorCommand::UndoEdit => {
                let mut undo = UndoRequest::undo(Selection::File(self.path.into()));
                undo.dry_run = self.dry_run;
                Ok(ToolRequest::Change(Change::TakeBack(undo, UndoScope::Own)))
            }
        }
    }

    /// Creates the request that shows lines of a file or entries of a folder. The text is shown again even if it is
    /// unchanged, because models that are trained on this tool expect text from view.
    fn view_request(self) -> Result<ToolRequest, InvalidArguments> {
        let range = self.view_range.unwrap_or_default();
        let (offset, limit) = match *range.as_slice() {
            [] => (None, None),
            [from, to] if from >= 1 && to == -1 => (u64::try_from(from).ok(), None),
            [from, to] if from >= 1 && to >= from => {
                (u64::try_from(from).ok(), u64::try_from(to - from + 1).ok())
            }
            _ => {
                let message = format!(
                    "{NAME}: view_range must be [first line, last line], counted from 1, with -1 for the end of the file; not {range:?}."
                );
                return Err(InvalidArguments::new(Some("view_range"), message));
            }
        };
        Ok(ToolRequest::View(ReadArguments {
            file_path: self.path,
            offset,
            limit,
            column: non_zero(self.column),
            pages: None,
            mode: ReadMode::Text,
            force: true,
        }))
    }
}

fn change_request(file: FileRequest, insist: bool, dry_run: bool) -> ToolRequest {
    let request = Request {
        files: vec![file],
        insist: insist.into(),
        dry_run: dry_run.into(),
        non_exhaustive: NonExhaustive,
    };
    request.into()
}

/// Returns a field that a command requires, or refuses the call.
fn require_field<T>(value: Option<T>, command: &str, field: &str) -> Result<T, InvalidArguments> {
    value.ok_or_else(|| {
        let message = format!("{NAME}: {command} needs {field}. Send the whole call again.");
        InvalidArguments::new(Some(field), message)
    })
}

/// The built-in tool `str_replace_based_edit_tool`.
pub struct TextEditor;

impl Tool for TextEditor {
    fn name(&self) -> &'static str {
        NAME
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            title: "View and edit files".into(),
            prompt: include_str!("prompts/text_editor.md").into(),
            search_hint: "view read create edit replace insert undo file".into(),
            always_load: true,
            // There is no output schema: view returns text, and several agents would show the model structured content
            // instead.
            ..Declaration::new(
                self.name(),
                "Views, creates and edits text files. view a file before editing it. old_str must be unique: add \
                    whole lines. Keep the indentation exactly; leave line numbers out. undo_edit takes the last \
                    change of a file back.",
                strict_schema::<TextEditorArguments>(),
            )
        }
    }

    fn receive(&self, fields: Map<String, Value>) -> Result<ToolRequest, InvalidArguments> {
        deserialize_arguments::<TextEditorArguments>(self.name(), fields)?.into_request()
    }

    fn availability(&self) -> Availability {
        Availability::WhenNamed
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary::TextEditor
    }
}
