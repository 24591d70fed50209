//! Names that other agents use for the same fields, and the tool that a name means. Only what plainly means the same is
//! taken; anything else is answered with the closest name. A tool's other names are declared with the tool.

use serde_json::{Map, Value};

use crate::builtin::{self, Tool};
use crate::closest::closest;

/// Field names that come with a tool's other name. Under the tool's own name they are refused with the right one.
const OTHER_FIELDS: &[(&str, &str)] = &[
    ("path", "file_path"),
    ("absolute_path", "file_path"),
    ("old_str", "old_string"),
    ("new_str", "new_string"),
    ("file_text", "content"),
];

/// Field names of other tools that are too far from ours to be found by their letters.
const FAR_FIELDS: &[(&str, &str)] = &[
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
    ("hash", "revision"),
    ("version", "revision"),
];

/// The own name of the built-in tool that is called by that name or by that other name: `View`, `Replace`, `read_file`,
/// `write_file`, `str_replace`.
pub fn canonical_tool(name: &str) -> Option<&'static str> {
    builtin::called(name, &Map::new()).map(|tool| tool.name())
}

/// The tool that a name probably means, for an answer to an unknown one; none where nothing is near.
pub fn closest_tool(name: &str) -> Option<&'static str> {
    if let Some(tool) = canonical_tool(name) {
        return Some(tool);
    }
    let own = builtin::all().map(Tool::name);
    let others = builtin::all().flat_map(Tool::other_names);
    closest(name, own.chain(others.map(|other| other.name))).and_then(canonical_tool)
}

/// Gives fields of other agents' tools the names that they have here.
pub(super) fn rename_fields(fields: &mut Map<String, Value>) {
    for (other, field) in OTHER_FIELDS {
        if !fields.contains_key(*field)
            && let Some(value) = fields.shift_remove(*other)
        {
            fields.insert((*field).to_owned(), value);
        }
    }
}

/// The field of a schema that an unknown one probably means.
pub(super) fn closest_field<'k>(name: &str, known: &'k Map<String, Value>) -> Option<&'k str> {
    let far = FAR_FIELDS
        .iter()
        .find(|(other, _)| *other == name)
        .map(|(_, field)| *field);
    let far = far
        .and_then(|field| known.get_key_value(field))
        .map(|(field, _)| field.as_str());
    far.or_else(|| closest(name, known.keys().map(String::as_str)))
}
