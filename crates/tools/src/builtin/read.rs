//! `Read`: shows a text file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::schema::strict_schema;
use super::tool::{OtherName, Tool, check_path, deserialize_arguments, non_empty, non_zero};
use crate::asked::ToolRequest;
use crate::receive::InvalidArguments;
use lancet_model::declaration::Declaration;
use lancet_model::page_range::PageRange;

/// What `Read` shows of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReadMode {
    /// Its lines.
    #[default]
    Text,
    /// The functions, types and other symbols of source code, with their lines.
    Outline,
}

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
    /// Pages of a PDF: 3, 1-5 or 10-, at most 20
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
    /// outline: names and line ranges of source code
    #[serde(default)]
    pub mode: ReadMode,
    /// Show the text again though unchanged
    #[serde(default)]
    pub force: bool,
}

impl ReadArguments {
    /// Converts the arguments to a request.
    #[doc(hidden)]
    pub fn into_request(self) -> Result<ToolRequest, InvalidArguments> {
        check_path("Read", "file_path", &self.file_path)?;
        let pages = non_empty(self.pages);
        if let Some(pages) = &pages
            && PageRange::parse(pages).is_none()
        {
            let message = format!(
                "Read: pages is {pages:?}; it must be a page (3), a range (1-5) or all pages from one on (10-), counted from 1."
            );
            return Err(InvalidArguments::new(Some("pages"), message));
        }
        Ok(ToolRequest::Read(ReadArguments {
            limit: non_zero(self.limit),
            column: non_zero(self.column),
            pages,
            ..self
        }))
    }
}

/// The built-in tool `Read`.
pub struct Read;

impl Tool for Read {
    fn name(&self) -> &'static str {
        "Read"
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            title: "Read a file".into(),
            prompt: include_str!("prompts/read.md").into(),
            search_hint: "read view show open cat file text lines picture notebook".into(),
            always_load: true,
            // There is no output schema, because several agents would show the model the structured content instead of
            // the text.
            ..Declaration::new(
                self.name(),
                "Shows a file: text with line numbers, pictures, notebooks. Use it instead of cat, head or sed. \
                    Needed before changing a file. Use offset and limit only for large files; read several files at \
                    once where useful.",
                strict_schema::<ReadArguments>(),
            )
            .as_read_only()
        }
    }

    fn receive(&self, fields: Map<String, Value>) -> Result<ToolRequest, InvalidArguments> {
        deserialize_arguments::<ReadArguments>(self.name(), fields)?.into_request()
    }

    fn other_names(&self) -> &'static [OtherName] {
        const NAMES: &[OtherName] = &[
            OtherName::unconditional("View"),
            OtherName::unconditional("read_file"),
        ];
        NAMES
    }

    fn remove_foreign_fields(
        &self,
        fields: &mut Map<String, Value>,
    ) -> Result<(), InvalidArguments> {
        match fields.get("mode") {
            None => {}
            Some(Value::Null) => drop(fields.shift_remove("mode")),
            Some(Value::String(mode)) if mode.is_empty() => drop(fields.shift_remove("mode")),
            Some(Value::String(mode)) if mode == "text" || mode == "outline" => {}
            Some(_) => {
                return Err(InvalidArguments::new(
                    Some("mode"),
                    "Read: mode can be \"outline\" for names and line ranges of source code; leave it out for the text.".into(),
                ));
            }
        }
        // Some models send a single page as a number.
        if let Some(Value::Number(page)) = fields.get("pages") {
            let page = page.to_string();
            fields.insert("pages".to_owned(), page.into());
        }
        Ok(())
    }
}
