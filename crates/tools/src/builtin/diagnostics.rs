//! `Diagnostics`: lists the problems that language servers find.

use lancet_model::non_exhaustive::NonExhaustive;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::schema::strict_schema;
use super::tool::{Offered, Tool, check_path, given, typed};
use crate::asked::Asked;
use crate::receive::InvalidArguments;
use lancet_model::audience::Vocabulary;
use lancet_model::declaration::{ANSWER_LIMIT, ANSWER_LIMIT_MCP, Declaration};
use lancet_model::refusal::Numbers;

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
            name: self.name().into(),
            title: "List problems".into(),
            summary: "Lists the problems that language servers find in a file, or in all files that they know.".into(),
            description: "Lists the problems that language servers find in a file, or in all files that they know. \
                Answers to changes already carry what a change broke."
                .into(),
            prompt: include_str!("prompts/diagnostics.md").into(),
            input_schema: strict_schema::<DiagnosticsArguments>(),
            output_schema: Some(json!({
                "type": "object",
                "properties": {
                    "problems": { "type": "array", "items": { "type": "object" } },
                    "more": { "type": "integer" },
                    "notReady": { "type": "array", "items": { "type": "string" } },
                },
            })),
            read_only: true,
            destructive: false,
            idempotent: true,
            concurrent: true,
            search_hint: "diagnostics problems errors warnings lint type check".into(),
            always_load: false,
            answer_limit_library: ANSWER_LIMIT,
            answer_limit_mcp: ANSWER_LIMIT_MCP,
 non_exhaustive: NonExhaustive,
}
    }

    fn receive(&self, fields: Map<String, Value>) -> Result<Asked, InvalidArguments> {
        let mut arguments = typed::<DiagnosticsArguments>(self.name(), fields)?;
        arguments.file_path = given(arguments.file_path);
        if let Some(path) = &arguments.file_path {
            check_path(self.name(), "file_path", path)?;
        }
        Ok(Asked::Diagnose {
            file_path: arguments.file_path,
        })
    }

    fn offered(&self) -> Offered {
        Offered::WhenNamed
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary::Edit
    }

    fn numbers(&self) -> Numbers {
        Numbers::Edit
    }
}
