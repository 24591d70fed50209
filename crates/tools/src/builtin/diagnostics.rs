//! `Diagnostics`: lists the problems that language servers find.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::schema::strict_schema;
use super::tool::{Availability, Tool, check_path, deserialize_arguments, non_empty};
use crate::asked::ToolRequest;
use crate::receive::InvalidArguments;
use lancet_model::declaration::Declaration;

/// Arguments of `Diagnostics`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct DiagnosticsArguments {
    /// Absolute path of a file; without it all files that the servers know
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
}

/// The built-in tool `Diagnostics`.
pub struct Diagnostics;

impl Tool for Diagnostics {
    fn name(&self) -> &'static str {
        "Diagnostics"
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            title: "List problems".into(),
            prompt: include_str!("prompts/diagnostics.md").into(),
            output_schema: Some(json!({
                "type": "object",
                "properties": {
                    "problems": { "type": "array", "items": { "type": "object" } },
                    "more": { "type": "integer" },
                    "notReady": { "type": "array", "items": { "type": "string" } },
                },
            })),
            search_hint: "diagnostics problems errors warnings lint type check".into(),
            ..Declaration::new(
                self.name(),
                "Lists the problems that language servers find in a file, or in all files that they know. Answers \
                    to changes already carry what a change broke.",
                strict_schema::<DiagnosticsArguments>(),
            )
            .as_read_only()
        }
    }

    fn receive(&self, fields: Map<String, Value>) -> Result<ToolRequest, InvalidArguments> {
        let mut arguments = deserialize_arguments::<DiagnosticsArguments>(self.name(), fields)?;
        arguments.file_path = non_empty(arguments.file_path);
        if let Some(path) = &arguments.file_path {
            check_path(self.name(), "file_path", path)?;
        }
        Ok(ToolRequest::Diagnose {
            file_path: arguments.file_path,
        })
    }

    fn availability(&self) -> Availability {
        Availability::WhenNamed
    }
}
