//! The names that other agents use for the same fields and tools. Only names that clearly mean the same are accepted;
//! any other name is answered with the closest one. A tool's other names are declared with the tool.

use serde_json::{Map, Value};

use super::invalid::InvalidArguments;
use crate::builtin::{self, Tool};
use lancet_model::closest::find_closest;

/// Field names that are accepted together with a tool's other name. Under the tool's own name they are refused, and the
/// message names the right field.
const FIELD_ALIASES: &[(&str, &str)] = &[
    ("path", "file_path"),
    ("absolute_path", "file_path"),
    ("old_str", "old_string"),
    ("new_str", "new_string"),
    ("file_text", "content"),
    ("input", "patch"),
];

/// Field names of other tools that are too different from ours to be found by edit distance.
const DISTANT_FIELD_ALIASES: &[(&str, &str)] = &[
    ("path", "file_path"),
    ("file", "file_path"),
    ("filename", "file_path"),
    ("absolute_path", "file_path"),
    ("target_file", "file_path"),
    ("old", "old_string"),
    ("search", "old_string"),
    ("new", "new_string"),
    ("replacement", "new_string"),
    ("replace", "new_string"),
    ("text", "content"),
    ("contents", "content"),
    ("file_text", "content"),
    ("expected_replacements", "expect_count"),
    ("start_line", "offset"),
    ("line", "offset"),
    ("lines", "limit"),
    ("input", "patch"),
    ("diff", "patch"),
    ("hash", "revision"),
    ("version", "revision"),
];

/// Returns the canonical name of the built-in tool that is called by this name or by one of its other names: `View`,
/// `Replace`, `read_file`, `write_file`, `str_replace`.
pub fn canonical_tool(name: &str) -> Option<&'static str> {
    builtin::find_called(name, &Map::new()).map(|tool| tool.name())
}

/// Finds the tool that an unknown name probably means; returns none if no name is close.
pub fn closest_tool(name: &str) -> Option<&'static str> {
    if let Some(tool) = canonical_tool(name) {
        return Some(tool);
    }
    let own = builtin::all_tools().map(Tool::name);
    let others = builtin::all_tools().flat_map(Tool::other_names);
    find_closest(name, own.chain(others.map(|other| other.name))).and_then(canonical_tool)
}

/// Renames the fields of other agents' tools to lancet's names.
pub(super) fn rename_fields(fields: &mut Map<String, Value>) {
    for (other, field) in FIELD_ALIASES {
        if !fields.contains_key(*field)
            && let Some(value) = fields.shift_remove(*other)
        {
            fields.insert((*field).to_owned(), value);
        }
    }
}

/// Renames fields that were sent under their alternative names to the names of the schema. Two names of one field with
/// different values are refused, because either could be meant.
pub(super) fn rename_alternative_fields(
    tool: &dyn Tool,
    fields: &mut Map<String, Value>,
) -> Result<(), InvalidArguments> {
    for (field, word) in tool.alternative_field_names() {
        let Some(value) = fields.shift_remove(*word) else {
            continue;
        };
        let other = fields.get(*field);
        if other.is_some_and(|other| *other != value) {
            let name = tool.name();
            return Err(InvalidArguments::new(
                Some(word),
                format!(
                    "{name}: {field} and {word} are the same field and differ; send one of them."
                ),
            ));
        }
        fields.insert((*field).to_owned(), value);
    }
    Ok(())
}

/// Finds the field of a schema that an unknown field probably means.
pub(super) fn closest_field<'k>(name: &str, known: &'k Map<String, Value>) -> Option<&'k str> {
    let far = DISTANT_FIELD_ALIASES
        .iter()
        .find(|(other, _)| *other == name)
        .map(|(_, field)| *field);
    let far = far
        .and_then(|field| known.get_key_value(field))
        .map(|(field, _)| field.as_str());
    far.or_else(|| find_closest(name, known.keys().map(String::as_str)))
}
