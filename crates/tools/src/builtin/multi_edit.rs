//! `MultiEdit`: makes several edits in one or more files.

use lancet_model::non_exhaustive::NonExhaustive;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::output;
use super::schema::strict_schema;
use super::tool::{Tool, check_path, deserialize_arguments, non_empty};
use crate::asked::ToolRequest;
use crate::receive::InvalidArguments;
use lancet_model::declaration::Declaration;
use lancet_model::outcome::Layout;
use lancet_model::request::{Action, EditRequest, FileRequest, Request};

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

impl MultiEditArguments {
    /// Returns the path that an answer names if the call as a whole is refused.
    #[doc(hidden)]
    pub fn first_path(&self) -> Option<&str> {
        let first = self
            .edits
            .first()
            .and_then(|edit| edit.file_path.as_deref());
        self.file_path.as_deref().or(first)
    }

    /// Converts the arguments to a request.
    #[doc(hidden)]
    pub fn into_request(mut self) -> Result<ToolRequest, InvalidArguments> {
        self.file_path = non_empty(self.file_path);
        if let Some(path) = &self.file_path {
            check_path("MultiEdit", "file_path", path)?;
        }
        if self.edits.is_empty() {
            return Err(InvalidArguments::new(
                Some("edits"),
                "MultiEdit: edits needs at least 1; it has 0.".into(),
            ));
        }
        for (index, edit) in self.edits.iter_mut().enumerate() {
            edit.file_path = non_empty(edit.file_path.take());
            let place = format!("MultiEdit, edit {}", index + 1);
            let field = format!("edits[{index}].file_path");
            match (&edit.file_path, &self.file_path) {
                (Some(path), _) => check_path(&place, &field, path)?,
                (None, Some(_)) => {}
                (None, None) => {
                    return Err(InvalidArguments::new(
                        Some(&field),
                        format!(
                            "{place}: file_path is missing, and the call has no file_path for all its edits. Give one of them."
                        ),
                    ));
                }
            }
        }
        let request = Request {
            files: file_requests(self.edits, self.file_path.as_deref()),
            insist: self.insist.into(),
            dry_run: self.dry_run.into(),
            non_exhaustive: NonExhaustive,
        };
        Ok(request.into())
    }
}

/// Groups edits into a list of files. Consecutive edits of one path are one entry, so that they are applied in the
/// order in which they were sent. Edits without a path apply to the shared one.
pub fn file_requests(edits: Vec<EditItem>, shared: Option<&str>) -> Vec<FileRequest> {
    let mut files: Vec<FileRequest> = Vec::new();
    for item in edits {
        let edit = EditRequest {
            old: item.old_string,
            new: item.new_string,
            replace_all: item.replace_all,
            expect_count: None,
            revision: non_empty(item.revision),
            ..EditRequest::default()
        };
        let path = item.file_path.as_deref().or(shared).unwrap_or_default();
        match files.last_mut() {
            Some(FileRequest {
                path: last,
                action: Action::Edit(edits),
                non_exhaustive: NonExhaustive,
            }) if *last == path => edits.push(edit),
            _ => files.push(FileRequest::edit(path, vec![edit])),
        }
    }
    files
}

/// The built-in tool `MultiEdit`.
pub struct MultiEdit;

impl Tool for MultiEdit {
    fn name(&self) -> &'static str {
        "MultiEdit"
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            title: "Edit several places".into(),
            prompt: include_str!("prompts/multi_edit.md").into(),
            output_schema: Some(output::file_list_change_schema()),
            search_hint: "several edits at once patch refactor".into(),
            ..Declaration::new(
                self.name(),
                "Makes several edits in one or more files, all or none. Use it instead of apply_patch or patch. \
                    Each works as in Edit, on the result of those before it.",
                strict_schema::<MultiEditArguments>(),
            )
        }
    }

    fn receive(&self, fields: Map<String, Value>) -> Result<ToolRequest, InvalidArguments> {
        deserialize_arguments::<MultiEditArguments>(self.name(), fields)?.into_request()
    }

    fn layout(&self) -> Layout {
        Layout::Files
    }
}
