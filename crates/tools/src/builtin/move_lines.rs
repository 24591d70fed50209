//! `MoveLines`: moves whole lines after a marker, in their own file or into another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::output;
use super::schema::strict_schema;
use super::tool::{Offered, Tool, check_given, check_path, line_range, typed};
use crate::asked::Asked;
use crate::receive::InvalidArguments;
use lancet_model::declaration::Declaration;
use lancet_model::outcome::Layout;
use lancet_model::request::{Change, LinesMove};

/// Arguments of `MoveLines`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MoveLinesArguments {
    /// Absolute path of the file with the lines
    pub from_path: String,
    /// First line
    #[schemars(range(min = 1))]
    pub start_line: u64,
    /// Last line
    #[schemars(range(min = 1))]
    pub end_line: u64,
    /// First and last line as they are, or their anchors
    pub expect: [String; 2],
    /// Absolute path of the file that gets them; may be the same
    pub to_path: String,
    /// Unique text there; the lines go after its line
    pub marker: String,
    /// Has no effect: the lines are a file's own
    #[serde(default)]
    pub insist: bool,
    /// Show the patch, write nothing
    #[serde(default)]
    pub dry_run: bool,
}

impl MoveLinesArguments {
    /// Converts the arguments to a request.
    fn asked(self) -> Result<Asked, InvalidArguments> {
        check_path("MoveLines", "from_path", &self.from_path)?;
        check_path("MoveLines", "to_path", &self.to_path)?;
        check_given("MoveLines", "marker", &self.marker)?;
        let lines = (self.start_line, self.end_line);
        let asked = LinesMove {
            lines: line_range("MoveLines", lines, self.expect)?,
            from: self.from_path,
            to: self.to_path,
            marker: self.marker,
            dry_run: self.dry_run.into(),
        };
        Ok(Asked::Change(Change::MoveLines(asked)))
    }
}

/// The built-in tool `MoveLines`.
pub struct MoveLines;

impl Tool for MoveLines {
    fn name(&self) -> &'static str {
        "MoveLines"
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            title: "Move lines".into(),
            prompt: include_str!("prompts/move_lines.md").into(),
            output_schema: Some(output::change_of_files()),
            search_hint: "move lines between files".into(),
            ..Declaration::new(
                self.name(),
                "Moves whole lines to another place or into another file. Read both files first. expect repeats \
                    the first and the last line; the lines go after the line of the marker.",
                strict_schema::<MoveLinesArguments>(),
            )
        }
    }

    fn receive(&self, fields: Map<String, Value>) -> Result<Asked, InvalidArguments> {
        typed::<MoveLinesArguments>(self.name(), fields)?.asked()
    }

    fn offered(&self) -> Offered {
        Offered::WhenNamed
    }

    fn layout(&self) -> Layout {
        Layout::Files
    }
}
