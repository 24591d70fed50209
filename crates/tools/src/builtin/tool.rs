//! The trait that every built-in tool implements.

use lancet_policy::ShownContent;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::asked::ToolRequest;
use crate::receive::InvalidArguments;
use lancet_model::audience::Vocabulary;
use lancet_model::declaration::Declaration;
use lancet_model::outcome::Layout;
use lancet_model::refusal::Numbers;
use lancet_model::request::LineRange;

/// A built-in tool. It has no state: it converts a call's arguments into a request, which crates/lancet carries out.
pub trait Tool: Sync {
    /// Returns the name by which models call the tool.
    fn name(&self) -> &'static str;

    /// Returns the tool's description for agents, hosts and people.
    fn declaration(&self) -> Declaration;

    /// Converts the arguments of a call to a request. The fields already fit the declared input schema.
    fn receive(&self, fields: Map<String, Value>) -> Result<ToolRequest, InvalidArguments>;

    /// Returns the names that other agents use for the same tool.
    fn other_names(&self) -> &'static [OtherName] {
        &[]
    }

    /// Removes fields that are not in the schema but that agents send out of habit, or refuses the call because of
    /// them.
    fn remove_foreign_fields(
        &self,
        _fields: &mut Map<String, Value>,
    ) -> Result<(), InvalidArguments> {
        Ok(())
    }

    /// Returns the fields whose names have characters other than letters, digits and underscores, each with its
    /// alternative name. Both names are accepted; lists for APIs that allow no such character use the alternative.
    fn alternative_field_names(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Returns whether the tool is offered if the settings select no tools.
    fn availability(&self) -> Availability {
        Availability::ByDefault
    }

    /// Returns whether the tool's answers show lines of a file that it writes; if so, a rule against reading also
    /// refuses the tool.
    fn shows(&self) -> ShownContent {
        ShownContent::Lines
    }

    /// Returns the layout of the JSON for a change of one file.
    fn layout(&self) -> Layout {
        Layout::OneFile
    }

    /// Returns the tool whose terms an answer uses for fields and next steps.
    fn vocabulary(&self) -> Vocabulary {
        Vocabulary::Edit
    }

    /// Returns the column of error numbers that the tool's refusals use.
    fn numbers(&self) -> Numbers {
        Numbers::Edit
    }
}

/// Another name of a tool, which other agents use.
pub struct OtherName {
    pub name: &'static str,
    /// If not empty, the name means this tool only if the call has one of these fields.
    pub only_with: &'static [&'static str],
}

impl OtherName {
    /// Creates a name that means the tool whatever the call's fields are.
    pub(super) const fn unconditional(name: &'static str) -> Self {
        Self {
            name,
            only_with: &[],
        }
    }

    /// Returns whether a call with this name and these fields means the tool.
    pub(super) fn applies_to(&self, fields: &Map<String, Value>) -> bool {
        self.only_with.is_empty()
            || self
                .only_with
                .iter()
                .any(|field| fields.contains_key(*field))
    }
}

/// When a tool is offered to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// The tool is also offered if the settings select no tools.
    ByDefault,
    /// The tool is offered only if the settings name it.
    WhenNamed,
}

/// Deserialises the typed arguments of a tool.
pub(super) fn deserialize_arguments<T: DeserializeOwned>(
    tool: &str,
    fields: Map<String, Value>,
) -> Result<T, InvalidArguments> {
    // The fields have been checked against the schema, so this fails only if schema and type disagree.
    serde_json::from_value(Value::Object(fields))
        .map_err(|error| InvalidArguments::new(None, format!("{tool}: {error}")))
}

/// Returns the text of an optional field; an empty text counts as an absent field.
pub(super) fn non_empty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// Returns the number of an optional field that counts from 1; 0 counts as an absent field.
pub(super) fn non_zero(number: Option<u64>) -> Option<u64> {
    number.filter(|number| *number > 0)
}

/// Refuses a path that no file can have. `place` names the tool and, in a list, the edit.
pub(super) fn check_path(place: &str, field: &str, path: &str) -> Result<(), InvalidArguments> {
    let wrong = if path.is_empty() {
        "is empty; give the absolute path of a file"
    } else if path.contains('\0') {
        "contains a NUL character, which no path can"
    } else {
        return Ok(());
    };
    Err(InvalidArguments::new(
        Some(field),
        format!(
            "{place}: {} {wrong}.",
            field.rsplit('.').next().unwrap_or(field)
        ),
    ))
}

/// Refuses an empty text in a field that must not be empty.
pub(super) fn require_non_empty(
    tool: &str,
    field: &str,
    text: &str,
) -> Result<(), InvalidArguments> {
    match text.is_empty() {
        true => Err(InvalidArguments::new(
            Some(field),
            format!("{tool}: {field} is empty; give text that occurs once in the file."),
        )),
        false => Ok(()),
    }
}

/// Validates lines given by their numbers, with the texts of the first and the last.
pub(super) fn line_range(
    tool: &str,
    (start, end): (u64, u64),
    expect: [String; 2],
) -> Result<LineRange, InvalidArguments> {
    if start == 0 || end < start {
        let field = if start == 0 { "start_line" } else { "end_line" };
        return Err(InvalidArguments::new(
            Some(field),
            format!(
                "{tool}: start_line is {start} and end_line is {end}; lines count from 1, and the last is not before the first."
            ),
        ));
    }
    Ok(LineRange::new(start, end, expect))
}

/// Refuses a folder to search in that cannot exist.
pub(super) fn check_search_path(tool: &str, path: Option<&str>) -> Result<(), InvalidArguments> {
    if path.is_some_and(|path| path.contains('\0')) {
        return Err(InvalidArguments::new(
            Some("path"),
            format!("{tool}: path contains a NUL character, which no path can."),
        ));
    }
    Ok(())
}
