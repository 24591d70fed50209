//! `Undo`: undoes a change of the calling session.

use lancet_policy::ShownContent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::output;
use super::schema::strict_schema;
use super::tool::{Availability, Tool, deserialize_arguments};
use crate::asked::ToolRequest;
use crate::receive::InvalidArguments;
use lancet_model::declaration::Declaration;
use lancet_model::outcome::Layout;
use lancet_model::request::{Change, UndoScope};
use lancet_model::undo::{Selection, UndoRequest};

/// Arguments of `Undo`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct UndoArguments {
    /// The operation to take back; without it the newest of this session
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Show the patch, write nothing
    #[serde(default)]
    pub dry_run: bool,
}

impl UndoArguments {
    /// Converts the arguments to a request.
    fn into_request(self) -> ToolRequest {
        ToolRequest::Change(Change::TakeBack(self.into(), UndoScope::Own))
    }
}

impl From<UndoArguments> for UndoRequest {
    fn from(arguments: UndoArguments) -> Self {
        let newest_or_named = arguments
            .operation
            .map_or(Selection::Newest, Selection::Operation);
        UndoRequest {
            dry_run: arguments.dry_run,
            ..UndoRequest::undo(newest_or_named)
        }
    }
}

/// The built-in tool `Undo`.
pub struct Undo;

impl Tool for Undo {
    fn name(&self) -> &'static str {
        "Undo"
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            title: "Take a change back".into(),
            prompt: include_str!("prompts/undo.md").into(),
            output_schema: Some(output::file_list_change_schema()),
            search_hint: "undo revert take back change".into(),
            ..Declaration::new(
                self.name(),
                "Undoes a change that this session made. Without operation the newest; again, the one before. \
                    Refused where the file was changed since.",
                strict_schema::<UndoArguments>(),
            )
        }
    }

    fn receive(&self, fields: Map<String, Value>) -> Result<ToolRequest, InvalidArguments> {
        Ok(deserialize_arguments::<UndoArguments>(self.name(), fields)?.into_request())
    }

    fn availability(&self) -> Availability {
        Availability::WhenNamed
    }

    fn shows(&self) -> ShownContent {
        ShownContent::Nothing
    }

    fn layout(&self) -> Layout {
        Layout::Files
    }
}
