//! `DeleteLines`: deletes whole lines, named by their numbers.

use lancet_model::non_exhaustive::NonExhaustive;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::output;
use super::schema::strict_schema;
use super::tool::{Offered, Tool, check_path, given, line_range, typed};
use crate::asked::Asked;
use crate::receive::InvalidArguments;
use lancet_model::declaration::Declaration;
use lancet_model::request::{EditRequest, FileRequest, Place, Request};

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
    /// Converts the arguments to a request.
    fn asked(self) -> Result<Asked, InvalidArguments> {
        check_path("DeleteLines", "file_path", &self.file_path)?;
        let lines = (self.start_line, self.end_line);
        let edit = EditRequest {
            revision: given(self.revision),
            place: Place::Lines(line_range("DeleteLines", lines, self.expect)?),
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

/// The built-in tool `DeleteLines`.
pub struct DeleteLines;

impl Tool for DeleteLines {
    fn name(&self) -> &'static str {
        "DeleteLines"
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            title: "Delete lines by number".into(),
            prompt: include_str!("prompts/delete_lines.md").into(),
            output_schema: Some(output::change_of_one_file()),
            search_hint: "delete remove lines by line number".into(),
            ..Declaration::new(
                self.name(),
                "Deletes whole lines, named by their numbers. Read them first. expect repeats the first and the \
                    last of them as they are.",
                strict_schema::<DeleteLinesArguments>(),
            )
        }
    }

    fn receive(&self, fields: Map<String, Value>) -> Result<Asked, InvalidArguments> {
        typed::<DeleteLinesArguments>(self.name(), fields)?.asked()
    }

    fn offered(&self) -> Offered {
        Offered::WhenNamed
    }
}
