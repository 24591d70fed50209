//! Adds and removes items of a top-level list of a TOML file, which is written as `[[name]]` tables or in brackets.

use serde_json::Value;
use toml_edit::{Array, Item, Value as Node};

use crate::container::{Comments, Container};
use crate::draft::SettingsDraft;
use crate::entry::EditError;
use crate::layout::{ending, line_end, mark_length};
use crate::toml::{gather, joined, key, of_item, one_line, parsed};

/// Adds an item (a table) to a list, unless it is there already.
pub(crate) fn add(
    draft: &mut SettingsDraft,
    path: &[String],
    value: &Value,
) -> Result<(), EditError> {
    let text = draft.text().to_owned();
    let document = parsed(&text)?;
    let (name, members) = match (path, value) {
        ([name], Value::Object(members)) => (name, members),
        _ => {
            let words = format!("{} is no list of tables", path.join("."));
            return Err(EditError::Unsure(words));
        }
    };
    match document.as_table().get(name) {
        None | Some(Item::None) => {}
        Some(list @ Item::ArrayOfTables(_)) => {
            if items(list).contains(value) {
                return Ok(());
            }
        }
        Some(list @ Item::Value(Node::Array(array))) => {
            if !items(list).contains(value) {
                let added = one_line(value);
                of_array(array, mark_length(&text))?.insert(draft, "    ", &|_| added.clone());
            }
            return Ok(());
        }
        Some(other) => {
            return Err(EditError::Kind {
                key: name.clone(),
                found: other.type_name(),
                wanted: "a list",
            });
        }
    }
    let end_of_line = line_end(&text);
    let gap = match text.trim().len() == mark_length(&text) {
        true => "",
        false => end_of_line,
    };
    let mut added = format!("{}{gap}[[{}]]{end_of_line}", ending(&text), key(name));
    for (name, value) in members {
        added += &format!("{} = {}{end_of_line}", key(name), one_line(value));
    }
    draft.insert(text.len(), &added);
    Ok(())
}

/// Removes the last item with this value from a list.
pub(crate) fn remove(
    draft: &mut SettingsDraft,
    path: &[String],
    value: &Value,
) -> Result<(), EditError> {
    let text = draft.text().to_owned();
    let document = parsed(&text)?;
    let shift = mark_length(&text);
    let Some(list) = path.first().and_then(|name| document.as_table().get(name)) else {
        return Ok(());
    };
    let Some(index) = items(list).iter().rposition(|item| item == value) else {
        return Ok(());
    };
    match list {
        Item::ArrayOfTables(tables) => {
            let mut lines = Vec::new();
            if let Some(table) = tables.get(index) {
                gather(&text, shift, None, &Item::Table(table.clone()), &mut lines);
            }
            lines.sort_by_key(|range| range.start);
            for range in joined(&text, lines).into_iter().rev() {
                draft.replace(range, "");
            }
        }
        Item::Value(Node::Array(array)) => of_array(array, shift)?.remove(draft, index),
        _ => {}
    }
    Ok(())
}

fn items(list: &Item) -> Vec<Value> {
    match of_item(list) {
        Value::Array(items) => items,
        _ => Vec::new(),
    }
}

fn of_array(array: &Array, shift: usize) -> Result<Container, EditError> {
    let unsure = || EditError::Unsure("a list is written in an unusual way".to_owned());
    let span = array.span().ok_or_else(unsure)?;
    let mut children = Vec::new();
    for value in array {
        let value = value.span().ok_or_else(unsure)?;
        children.push(value.start + shift..value.end + shift);
    }
    Ok(Container {
        open: span.start + shift + 1,
        close: span.end + shift - 1,
        children,
        comments: Comments::Hash,
    })
}
