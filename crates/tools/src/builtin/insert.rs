//! `InsertBefore` and `InsertAfter`: put lines before or after the line of a marker.

use lancet_model::non_exhaustive::NonExhaustive;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::output;
use super::schema::strict_schema;
use super::tool::{Offered, Tool, check_given, check_path, given, typed};
use crate::asked::Asked;
use crate::receive::InvalidArguments;
use lancet_model::declaration::{ANSWER_LIMIT, ANSWER_LIMIT_MCP, Declaration};
use lancet_model::request::{EditRequest, FileRequest, Place, Request};

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
    fn asked(self, tool: &str, place: Place) -> Result<Asked, InvalidArguments> {
        check_path(tool, "file_path", &self.file_path)?;
        check_given(tool, "marker", &self.marker)?;
        let edit = EditRequest {
            old: self.marker,
            new: self.content,
            revision: given(self.revision),
            place,
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

/// The tool that inserts before a marker.
pub struct InsertBefore;

/// The tool that inserts after a marker.
pub struct InsertAfter;

impl Tool for InsertBefore {
    fn name(&self) -> &'static str {
        "InsertBefore"
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            title: "Insert lines before a marker".into(),
            summary: "Inserts lines before the line of a marker.".into(),
            description: "Inserts lines before the line of a marker. Read the file first. The marker is text of the file \
                that occurs once; it stays."
                .into(),
            prompt: include_str!("prompts/insert_before.md").into(),
            ..declared(self.name())
        }
    }

    fn receive(&self, fields: Map<String, Value>) -> Result<Asked, InvalidArguments> {
        typed::<InsertArguments>(self.name(), fields)?.asked(self.name(), Place::Before)
    }

    fn offered(&self) -> Offered {
        Offered::WhenNamed
    }
}

impl Tool for InsertAfter {
    fn name(&self) -> &'static str {
        "InsertAfter"
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            title: "Insert lines after a marker".into(),
            summary: "Inserts lines after the line of a marker.".into(),
            description: "Inserts lines after the line of a marker. Read the file first. The marker is text of the file \
                that occurs once; it stays."
                .into(),
            prompt: include_str!("prompts/insert_after.md").into(),
            ..declared(self.name())
        }
    }

    fn receive(&self, fields: Map<String, Value>) -> Result<Asked, InvalidArguments> {
        typed::<InsertArguments>(self.name(), fields)?.asked(self.name(), Place::After)
    }

    fn offered(&self) -> Offered {
        Offered::WhenNamed
    }
}

/// Returns the declaration with the fields that both tools share; title and texts are set per tool.
fn declared(name: &'static str) -> Declaration {
    Declaration {
        name: name.into(),
        title: "".into(),
        summary: "".into(),
        description: "".into(),
        prompt: "".into(),
        input_schema: strict_schema::<InsertArguments>(),
        output_schema: Some(output::change_of_one_file()),
        read_only: false,
        destructive: true,
        idempotent: false,
        concurrent: false,
        search_hint: "insert add lines next to text".into(),
        always_load: false,
        answer_limit_library: ANSWER_LIMIT,
        answer_limit_mcp: ANSWER_LIMIT_MCP,
        non_exhaustive: NonExhaustive,
    }
}
