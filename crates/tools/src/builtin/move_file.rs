//! `MoveFile`: moves or renames a file.

use lancet_model::non_exhaustive::NonExhaustive;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::output;
use super::schema::strict_schema;
use super::tool::{Availability, OtherName, Tool, check_path, deserialize_arguments};
use crate::asked::ToolRequest;
use crate::receive::InvalidArguments;
use lancet_model::declaration::Declaration;
use lancet_model::outcome::Layout;
use lancet_model::request::{Change, FileRequest, MoveRequest, Request};

/// Arguments of `MoveFile`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MoveFileArguments {
    /// Absolute path of the file
    pub from_path: String,
    /// Its new absolute path; nothing may be there
    pub to_path: String,
    /// No effect here
    #[serde(default)]
    pub insist: bool,
    /// Show the move, write nothing
    #[serde(default)]
    pub dry_run: bool,
}

impl MoveFileArguments {
    /// Converts the arguments to a request.
    fn into_request(self) -> Result<ToolRequest, InvalidArguments> {
        check_path("MoveFile", "from_path", &self.from_path)?;
        check_path("MoveFile", "to_path", &self.to_path)?;
        let to = MoveRequest::new(self.to_path);
        let request = Request {
            files: vec![FileRequest::rename(self.from_path, to)],
            insist: self.insist.into(),
            dry_run: self.dry_run.into(),
            non_exhaustive: NonExhaustive,
        };
        Ok(ToolRequest::Change(Change::MoveFile(request)))
    }
}

/// The built-in tool `MoveFile`.
pub struct MoveFile;

impl Tool for MoveFile {
    fn name(&self) -> &'static str {
        "MoveFile"
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            title: "Move a file".into(),
            prompt: include_str!("prompts/move_file.md").into(),
            output_schema: Some(output::file_list_change_schema()),
            search_hint: "move rename file".into(),
            ..Declaration::new(
                self.name(),
                "Moves or renames a file. Never over an existing one; missing folders are made. What was read of \
                    it still counts under the new name. Imports follow where a language server knows them.",
                strict_schema::<MoveFileArguments>(),
            )
        }
    }

    fn receive(&self, fields: Map<String, Value>) -> Result<ToolRequest, InvalidArguments> {
        deserialize_arguments::<MoveFileArguments>(self.name(), fields)?.into_request()
    }

    fn other_names(&self) -> &'static [OtherName] {
        const NAMES: &[OtherName] = &[
            OtherName::unconditional("move_file"),
            OtherName::unconditional("rename_file"),
        ];
        NAMES
    }

    fn availability(&self) -> Availability {
        Availability::WhenNamed
    }

    fn layout(&self) -> Layout {
        Layout::Files
    }
}
