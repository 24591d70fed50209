//! `DeleteFile`: removes a file.

use lancet_model::non_exhaustive::NonExhaustive;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::output;
use super::schema::strict_schema;
use super::tool::{Availability, OtherName, Tool, check_path, deserialize_arguments, non_empty};
use crate::asked::ToolRequest;
use crate::receive::InvalidArguments;
use lancet_model::declaration::Declaration;
use lancet_model::request::{DeleteRequest, FileRequest, Request};

/// Arguments of `DeleteFile`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct DeleteFileArguments {
    /// Absolute path of the file
    pub file_path: String,
    /// Refuse unless at this revision
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// No effect here
    #[serde(default)]
    pub insist: bool,
    /// Show the patch, write nothing
    #[serde(default)]
    pub dry_run: bool,
}

impl DeleteFileArguments {
    /// Converts the arguments to a request.
    fn into_request(self) -> Result<ToolRequest, InvalidArguments> {
        check_path("DeleteFile", "file_path", &self.file_path)?;
        let delete = DeleteRequest {
            revision: non_empty(self.revision),
            ..DeleteRequest::new()
        };
        let request = Request {
            files: vec![FileRequest::delete(self.file_path, delete)],
            insist: self.insist.into(),
            dry_run: self.dry_run.into(),
            non_exhaustive: NonExhaustive,
        };
        Ok(request.into())
    }
}

/// The built-in tool `DeleteFile`.
pub struct DeleteFile;

impl Tool for DeleteFile {
    fn name(&self) -> &'static str {
        "DeleteFile"
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            title: "Delete a file".into(),
            prompt: include_str!("prompts/delete_file.md").into(),
            output_schema: Some(output::one_file_change_schema()),
            // Repeating the call is refused and changes nothing further.
            idempotent: true,
            search_hint: "delete remove file".into(),
            ..Declaration::new(
                self.name(),
                "Removes a file that was read whole. Refused where it was changed since. Undo brings it back.",
                strict_schema::<DeleteFileArguments>(),
            )
        }
    }

    fn receive(&self, fields: Map<String, Value>) -> Result<ToolRequest, InvalidArguments> {
        deserialize_arguments::<DeleteFileArguments>(self.name(), fields)?.into_request()
    }

    fn other_names(&self) -> &'static [OtherName] {
        const NAMES: &[OtherName] = &[OtherName::unconditional("delete_file")];
        NAMES
    }

    fn availability(&self) -> Availability {
        Availability::WhenNamed
    }
}
