//! The built-in tool `ApplyPatch`: applies a patch in any of the formats in which models write edits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::output;
use super::schema::strict_schema;
use super::tool::{Availability, OtherName, Tool, deserialize_arguments};
use crate::asked::ToolRequest;
use crate::receive::InvalidArguments;
use lancet_model::declaration::Declaration;
use lancet_model::outcome::Layout;
use lancet_model::request::{Change, ResponseRequest};

/// Arguments of `ApplyPatch`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ApplyPatchArguments {
    /// The whole patch
    pub patch: String,
    /// Write text refused as leaked
    #[serde(default)]
    pub insist: bool,
    /// Show the patch, write nothing
    #[serde(default)]
    pub dry_run: bool,
}

impl ApplyPatchArguments {
    /// Converts the arguments to a request.
    #[doc(hidden)]
    pub fn into_request(self) -> ToolRequest {
        ToolRequest::Change(Change::Response(ResponseRequest {
            text: self.patch.into(),
            format: None,
            insist: self.insist.into(),
            dry_run: self.dry_run.into(),
        }))
    }
}

/// The built-in tool `ApplyPatch`.
pub struct ApplyPatch;

impl Tool for ApplyPatch {
    fn name(&self) -> &'static str {
        "ApplyPatch"
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            title: "Apply a patch".into(),
            prompt: include_str!("prompts/apply_patch.md").into(),
            output_schema: Some(output::file_list_change_schema()),
            search_hint: "apply patch diff edit add delete move files".into(),
            ..Declaration::new(
                self.name(),
                "Applies a patch to one or more files, all or nothing. *** Begin Patch, then *** Add File:, *** \
                    Update File: or *** Delete File: sections, then *** End Patch; unified diffs and SEARCH/REPLACE \
                    blocks too. Read the files first.",
                strict_schema::<ApplyPatchArguments>(),
            )
        }
    }

    fn receive(&self, fields: Map<String, Value>) -> Result<ToolRequest, InvalidArguments> {
        Ok(deserialize_arguments::<ApplyPatchArguments>(self.name(), fields)?.into_request())
    }

    fn other_names(&self) -> &'static [OtherName] {
        const NAMES: &[OtherName] = &[OtherName::unconditional("apply_patch")];
        NAMES
    }

    fn availability(&self) -> Availability {
        Availability::WhenNamed
    }

    fn layout(&self) -> Layout {
        Layout::Files
    }
}
