//! `Grep`: searches in files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::output;
use super::schema::strict_schema;
use super::tool::{Tool, check_search_path, deserialize_arguments, non_empty};
use crate::asked::{Search, ToolRequest};
use crate::receive::InvalidArguments;
use lancet_model::declaration::Declaration;

/// What `Grep` answers with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OutputMode {
    /// The files.
    #[default]
    FilesWithMatches,
    /// The lines.
    Content,
    /// How many lines of each file.
    Count,
}

/// Arguments of `Grep`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct GrepArguments {
    /// Regular expression, ripgrep's syntax
    pub pattern: String,
    /// File or folder; without it all roots
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only such files, as *.{ts,tsx}
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub glob: Option<String>,
    /// Only this type: rust, py, js
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Files (default), lines or counts
    #[serde(default)]
    pub output_mode: OutputMode,
    /// Lines after each match
    #[serde(default, rename = "-A", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub after: Option<u64>,
    /// Lines before
    #[serde(default, rename = "-B", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub before: Option<u64>,
    /// Lines around
    #[serde(default, rename = "-C", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub context: Option<u64>,
    /// Line numbers, on by default
    #[serde(default, rename = "-n", skip_serializing_if = "Option::is_none")]
    pub numbers: Option<bool>,
    /// Ignore case
    #[serde(default, rename = "-i")]
    pub ignore_case: bool,
    /// Matches may span lines, dot too
    #[serde(default)]
    pub multiline: bool,
    /// At most this many files, or matching lines; 250 by default
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub head_limit: Option<u64>,
    /// Pass over this many
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub offset: Option<u64>,
    /// Ignored files too
    #[serde(default)]
    pub include_ignored: bool,
}

impl GrepArguments {
    /// Converts the arguments to a request. An empty expression is allowed: it matches every line.
    #[doc(hidden)]
    pub fn into_request(self) -> Result<ToolRequest, InvalidArguments> {
        check_search_path("Grep", self.path.as_deref())?;
        Ok(ToolRequest::Search(Search::Grep(GrepArguments {
            path: non_empty(self.path),
            glob: non_empty(self.glob),
            kind: non_empty(self.kind),
            ..self
        })))
    }
}

/// The built-in tool `Grep`.
pub struct Grep;

impl Tool for Grep {
    fn name(&self) -> &'static str {
        "Grep"
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            title: "Search in files".into(),
            prompt: include_str!("prompts/grep.md").into(),
            output_schema: Some(output::search_schema()),
            search_hint: "search find text in files grep rg ripgrep regex".into(),
            always_load: true,
            ..Declaration::new(
                self.name(),
                "Searches files for a regular expression, as ripgrep does. Use it instead of grep or rg. The \
                    answer says what was not searched.",
                strict_schema::<GrepArguments>(),
            )
            .as_read_only()
        }
    }

    fn receive(&self, fields: Map<String, Value>) -> Result<ToolRequest, InvalidArguments> {
        deserialize_arguments::<GrepArguments>(self.name(), fields)?.into_request()
    }

    fn alternative_field_names(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("-A", "after"),
            ("-B", "before"),
            ("-C", "context"),
            ("-n", "line_numbers"),
            ("-i", "ignore_case"),
        ]
    }
}
