//! `Glob`: lists files by name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::output;
use super::schema::strict_schema;
use super::tool::{Tool, check_search_path, deserialize_arguments, non_empty, non_zero};
use crate::asked::{Search, ToolRequest};
use crate::receive::InvalidArguments;
use lancet_model::declaration::Declaration;

/// Arguments of `Glob`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct GlobArguments {
    /// As src/**/*.{ts,tsx}; without a slash at any depth
    pub pattern: String,
    /// Folder to look in; without it all roots
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// At most this many, 100 by default
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Pass over this many
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub offset: Option<u64>,
    /// Ignored files too
    #[serde(default)]
    pub include_ignored: bool,
}

impl GlobArguments {
    /// Converts the arguments to a request.
    #[doc(hidden)]
    pub fn into_request(self) -> Result<ToolRequest, InvalidArguments> {
        if self.pattern.is_empty() {
            return Err(InvalidArguments::new(
                Some("pattern"),
                "Glob: pattern is empty; ** lists every file.".into(),
            ));
        }
        check_search_path("Glob", self.path.as_deref())?;
        Ok(ToolRequest::Search(Search::Glob(GlobArguments {
            path: non_empty(self.path),
            limit: non_zero(self.limit),
            ..self
        })))
    }
}

/// The built-in tool `Glob`.
pub struct Glob;

impl Tool for Glob {
    fn name(&self) -> &'static str {
        "Glob"
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            title: "Find files".into(),
            prompt: include_str!("prompts/glob.md").into(),
            output_schema: Some(output::search_schema()),
            search_hint: "find list ls files by name pattern glob".into(),
            always_load: true,
            ..Declaration::new(
                self.name(),
                "Lists files by name pattern, newest first. Use it instead of find or ls. Hidden and ignored \
                    files are left out and counted; name them literally to see them.",
                strict_schema::<GlobArguments>(),
            )
            .as_read_only()
        }
    }

    fn receive(&self, fields: Map<String, Value>) -> Result<ToolRequest, InvalidArguments> {
        deserialize_arguments::<GlobArguments>(self.name(), fields)?.into_request()
    }
}
