//! What a built-in tool consists of.

use lancet_policy::Shows;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::declaration::Declaration;
use crate::outcome::Layout;
use crate::receive::InvalidArguments;
use crate::refusal::Numbers;
use crate::request::Asked;

/// A built-in tool. A value of it has no state: a call's arguments become what the call asks for, and the rooms carry
/// that out.
pub(crate) trait Tool: Sync {
    /// The name that models call it by.
    fn name(&self) -> &'static str;

    /// What agents, hosts and people are told of it.
    fn declaration(&self) -> Declaration;

    /// What a call asks for. The fields fit the input schema of the declaration.
    fn receive(&self, fields: Map<String, Value>) -> Result<Asked, InvalidArguments>;

    /// Names that other agents use for the same tool.
    fn other_names(&self) -> &'static [OtherName] {
        &[]
    }

    /// Takes out fields that are not in the schema and that agents send out of habit, or refuses them.
    fn take_foreign_fields(
        &self,
        _fields: &mut Map<String, Value>,
    ) -> Result<(), InvalidArguments> {
        Ok(())
    }

    /// Whether it is offered where the settings choose no tools.
    fn offered(&self) -> Offered {
        Offered::ByDefault
    }

    /// Whether its answers show lines of a file that it writes: a rule against reading then applies.
    fn shows(&self) -> Shows {
        Shows::Lines
    }

    /// How the JSON of a change of one file is laid out.
    fn layout(&self) -> Layout {
        Layout::OneFile
    }

    /// Which column of error numbers its refusals use.
    fn numbers(&self) -> Numbers {
        Numbers::Edit
    }
}

/// Another name of a tool.
pub(crate) struct OtherName {
    pub(crate) name: &'static str,
    /// Where not empty, the name means this tool only if the call has one of these fields.
    pub(crate) only_with: &'static [&'static str],
}

impl OtherName {
    /// A name that means the tool whatever the call's fields are.
    pub(super) const fn always(name: &'static str) -> Self {
        Self {
            name,
            only_with: &[],
        }
    }

    /// Whether a call of this name with those fields means the tool.
    pub(super) fn applies_to(&self, fields: &Map<String, Value>) -> bool {
        self.only_with.is_empty()
            || self
                .only_with
                .iter()
                .any(|field| fields.contains_key(*field))
    }
}

/// When a tool is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offered {
    /// Also where the settings choose no tools.
    ByDefault,
    /// Only where the settings name it.
    WhenNamed,
}

/// The typed arguments of a tool.
pub(super) fn typed<T: DeserializeOwned>(
    tool: &str,
    fields: Map<String, Value>,
) -> Result<T, InvalidArguments> {
    // The schema has been checked already, so this fails only where schema and type disagree.
    serde_json::from_value(Value::Object(fields))
        .map_err(|error| InvalidArguments::new(None, format!("{tool}: {error}")))
}

/// The text of an optional field; an empty one says the same as none.
pub(super) fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// The number of an optional field that counts from 1; 0 says the same as none.
pub(super) fn counted(number: Option<u64>) -> Option<u64> {
    number.filter(|number| *number > 0)
}

/// Refuses a path that no file can have. `place` names the tool, and the edit in a list.
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
        format!("{place}: file_path {wrong}."),
    ))
}

/// Refuses a folder to search in that no folder can be.
pub(super) fn check_search_path(tool: &str, path: Option<&str>) -> Result<(), InvalidArguments> {
    if path.is_some_and(|path| path.contains('\0')) {
        return Err(InvalidArguments::new(
            Some("path"),
            format!("{tool}: path contains a NUL character, which no path can."),
        ));
    }
    Ok(())
}
