//! `Edit`: replaces one text in a file.

use lancet_model::non_exhaustive::NonExhaustive;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::output;
use super::schema::strict_schema;
use super::tool::{OtherName, Tool, check_path, deserialize_arguments, non_empty, non_zero};
use crate::asked::ToolRequest;
use crate::receive::InvalidArguments;
use lancet_model::declaration::Declaration;
use lancet_model::request::{EditRequest, FileRequest, Request};

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

impl EditArguments {
    /// Converts the arguments to a request.
    #[doc(hidden)]
    pub fn into_request(self) -> Result<ToolRequest, InvalidArguments> {
        check_path("Edit", "file_path", &self.file_path)?;
        let edit = EditRequest {
            old: self.old_string,
            new: self.new_string,
            replace_all: self.replace_all,
            expect_count: non_zero(self.expect_count),
            revision: non_empty(self.revision),
            ..EditRequest::default()
        };
        let request = Request {
            files: vec![FileRequest::edit(self.file_path, vec![edit])],
            insist: self.insist.into(),
            dry_run: self.dry_run.into(),
            non_exhaustive: NonExhaustive,
        };
        Ok(request.into())
    }
}

/// The built-in tool `Edit`.
pub struct Edit;

impl Tool for Edit {
    fn name(&self) -> &'static str {
        "Edit"
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            title: "Edit a file".into(),
            prompt: include_str!("prompts/edit.md").into(),
            output_schema: Some(output::one_file_change_schema()),
            search_hint: "edit change modify replace text in file patch sed".into(),
            always_load: true,
            ..Declaration::new(
                self.name(),
                "Replaces text in a file. Use it instead of apply_patch, patch or sed. Read the file first. \
                    old_string must be unique: add whole lines, or set replace_all. Keep the indentation exactly; \
                    leave line numbers out.",
                strict_schema::<EditArguments>(),
            )
        }
    }

    fn receive(&self, fields: Map<String, Value>) -> Result<ToolRequest, InvalidArguments> {
        deserialize_arguments::<EditArguments>(self.name(), fields)?.into_request()
    }

    /// `Replace` edits in one family of agents and writes a whole file in another, so the fields of the call decide.
    fn other_names(&self) -> &'static [OtherName] {
        const NAMES: &[OtherName] = &[
            OtherName::unconditional("str_replace"),
            OtherName {
                name: "Replace",
                only_with: &["old_string", "old_str"],
            },
        ];
        NAMES
    }
}
