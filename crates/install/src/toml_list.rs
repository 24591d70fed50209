//! Adds and removes items of a top-level list of a TOML file, which is written as `[[name]]` tables or in brackets.

use serde_json::Value;
use toml_edit::{Array, Item, Value as Node};

use crate::container::{Comments, Container};
use crate::draft::SettingsDraft;
use crate::entry::EditError;
use crate::layout::{byte_order_mark_length, line_end, missing_line_end};
use crate::toml::{
    collect_item_lines, format_key, format_one_line, item_value, join_ranges, parse_document,
};

/// Adds an item (a table) to a list, unless it is there already.
pub(crate) fn add_item(
    draft: &mut SettingsDraft,
    path: &[String],
    value: &Value,
) -> Result<(), EditError> {
    let text = draft.text().to_owned();
    let document = parse_document(&text)?;
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
            if list_items(list).contains(value) {
                return Ok(());
            }
        }
        Some(list @ Item::Value(Node::Array(array))) => {
            if !list_items(list).contains(value) {
                let added = format_one_line(value);
                array_container(array, byte_order_mark_length(&text))?.insert(
                    draft,
                    "    ",
                    &|_| added.clone(),
                );
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
    let gap = match text.trim().len() == byte_order_mark_length(&text) {
        true => "",
        false => end_of_line,
    };
    let mut added = format!(
        "{}{gap}[[{}]]{end_of_line}",
        missing_line_end(&text),
        format_key(name)
    );
    for (name, value) in members {
        added += &format!(
            "{} = {}{end_of_line}",
            format_key(name),
            format_one_line(value)
        );
    }
    draft.insert(text.len(), &added);
    Ok(())
}

/// Removes the last item with this value from a list.
pub(crate) fn remove_last_item(
    draft: &mut SettingsDraft,
    path: &[String],
    value: &Value,
) -> Result<(), EditError> {
    let text = draft.text().to_owned();
    let document = parse_document(&text)?;
    let shift = byte_order_mark_length(&text);
    let Some(list) = path.first().and_then(|name| document.as_table().get(name)) else {
        return Ok(());
    };
    let Some(index) = list_items(list).iter().rposition(|item| item == value) else {
        return Ok(());
    };
    match list {
        Item::ArrayOfTables(tables) => {
            let mut lines = Vec::new();
            if let Some(table) = tables.get(index) {
                collect_item_lines(&text, shift, None, &Item::Table(table.clone()), &mut lines);
            }
            lines.sort_by_key(|range| range.start);
            for range in join_ranges(&text, lines).into_iter().rev() {
                draft.replace(range, "");
            }
        }
        Item::Value(Node::Array(array)) => array_container(array, shift)?.remove(draft, index),
        _ => {}
    }
    Ok(())
}

fn list_items(list: &Item) -> Vec<Value> {
    match item_value(list) {
        Value::Array(items) => items,
        _ => Vec::new(),
    }
}

fn array_container(array: &Array, shift: usize) -> Result<Container, EditError> {
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
