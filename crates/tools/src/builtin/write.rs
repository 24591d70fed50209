//! `Write`: creates, replaces or extends a file.

use lancet_model::non_exhaustive::NonExhaustive;
use lancet_policy::ShownContent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::output;
use super::schema::strict_schema;
use super::tool::{OtherName, Tool, check_path, deserialize_arguments, non_empty};
use crate::asked::ToolRequest;
use crate::receive::InvalidArguments;
use lancet_model::declaration::Declaration;
use lancet_model::refusal::Numbers;
use lancet_model::request::{FileRequest, Request, WriteMode, WriteRequest, WrittenNewline};

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

impl WriteArguments {
    /// Converts the arguments to a request.
    #[doc(hidden)]
    pub fn into_request(self) -> Result<ToolRequest, InvalidArguments> {
        check_path("Write", "file_path", &self.file_path)?;
        Ok(Request::from(self).into())
    }
}

impl From<WriteArguments> for Request {
    fn from(arguments: WriteArguments) -> Self {
        let write = WriteRequest {
            final_newline: WrittenNewline::AsSent,
            content: arguments.content,
            mode: arguments.mode,
            revision: non_empty(arguments.revision),
            non_exhaustive: NonExhaustive,
        };
        Request {
            files: vec![FileRequest::write(arguments.file_path, write)],
            insist: arguments.insist.into(),
            dry_run: arguments.dry_run.into(),
            non_exhaustive: NonExhaustive,
        }
    }
}

/// The built-in tool `Write`.
pub struct Write;

impl Tool for Write {
    fn name(&self) -> &'static str {
        "Write"
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            title: "Write a file".into(),
            prompt: include_str!("prompts/write.md").into(),
            output_schema: Some(output::one_file_change_schema()),
            search_hint: "write create new save overwrite append file".into(),
            always_load: true,
            ..Declaration::new(
                self.name(),
                "Creates a file or replaces all of it. Use it instead of cat or echo into a file. Read an \
                    existing file first; for small changes use Edit. Send the content in full, with no placeholder \
                    for what stays.",
                strict_schema::<WriteArguments>(),
            )
        }
    }

    fn receive(&self, fields: Map<String, Value>) -> Result<ToolRequest, InvalidArguments> {
        deserialize_arguments::<WriteArguments>(self.name(), fields)?.into_request()
    }

    fn other_names(&self) -> &'static [OtherName] {
        const NAMES: &[OtherName] = &[
            OtherName::unconditional("Replace"),
            OtherName::unconditional("write_file"),
        ];
        NAMES
    }

    fn shows(&self) -> ShownContent {
        ShownContent::Nothing
    }

    fn numbers(&self) -> Numbers {
        Numbers::Write
    }
}
