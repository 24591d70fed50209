//! Edits settings in TOML. The parser supplies the positions; the text is spliced. A new table is written at the end,
//! with a header, unless the table above it is an inline one.

use std::ops::Range;

use serde_json::{Map, Value, json};
use toml_edit::{Document, InlineTable, Item, TableLike, Value as Node};

use crate::container::{Comments, Container};
use crate::draft::SettingsDraft;
use crate::entry::EditError;
use crate::json::nest_value;
use crate::layout::{
    byte_order_mark_length, line_content_end, line_end, line_start, missing_line_end, next_line,
};

/// Returns the value of a text.
pub(crate) fn parse_value(text: &str) -> Result<Option<Value>, EditError> {
    let document = parse_document(text)?;
    Ok(Some(table_value(document.as_table())))
}

pub(crate) fn parse_document(text: &str) -> Result<Document<&str>, EditError> {
    let text = &text[byte_order_mark_length(text)..];
    Document::parse(text).map_err(|error| EditError::Damaged {
        form: "TOML",
        line: error
            .span()
            .and_then(|span| text.get(..span.start))
            .map(|before| before.matches('\n').count() + 1),
        words: error.message().trim().replace('\n', ", "),
    })
}

/// Sets a table, and creates the tables that lead to it.
pub(crate) fn set_table(
    draft: &mut SettingsDraft,
    path: &[String],
    value: &Value,
) -> Result<(), EditError> {
    let text = draft.text().to_owned();
    let document = parse_document(&text)?;
    let shift = byte_order_mark_length(&text);
    let mut table: &dyn TableLike = document.as_table();
    let mut inline: Option<&InlineTable> = None;
    for (depth, name) in path.iter().enumerate() {
        let Some(item) = table.get(name) else {
            match inline {
                Some(inline) => {
                    let value = nest_value(&path[depth + 1..], value.clone());
                    let added = format!("{} = {}", format_key(name), format_one_line(&value));
                    inline_container(inline, shift)?.insert(draft, "", &|_| added.clone());
                }
                None => append_table(draft, path, value)?,
            }
            return Ok(());
        };
        if depth + 1 == path.len() {
            if item_value(item) == *value {
                return Ok(());
            }
            remove_table(draft, path)?;
            return add_removed_table(draft, path, value);
        }
        inline = item.as_inline_table();
        table = item.as_table_like().ok_or_else(|| EditError::Kind {
            key: path[..=depth].join("."),
            found: item.type_name(),
            wanted: "a table",
        })?;
    }
    Ok(())
}

/// Sets a table that was just removed.
fn add_removed_table(
    draft: &mut SettingsDraft,
    path: &[String],
    value: &Value,
) -> Result<(), EditError> {
    let left = find_item(parse_document(draft.text())?.as_table(), path).map(item_value);
    match left {
        None => set_table(draft, path, value),
        Some(_) => Err(EditError::Unsure(format!(
            "{} is written in a way that cannot be replaced by itself",
            path.join(".")
        ))),
    }
}

/// Adds a table at the end of the file.
fn append_table(
    draft: &mut SettingsDraft,
    path: &[String],
    value: &Value,
) -> Result<(), EditError> {
    let Value::Object(members) = value else {
        let words = format!("{} is not a table", path.join("."));
        return Err(EditError::Unsure(words));
    };
    let text = draft.text();
    let end_of_line = line_end(text);
    let names: Vec<_> = path.iter().map(|name| format_key(name)).collect();
    let gap = match text.trim().len() == byte_order_mark_length(text) {
        true => "",
        false => end_of_line,
    };
    let mut added = format!(
        "{}{gap}[{}]{end_of_line}",
        missing_line_end(text),
        names.join(".")
    );
    for (name, value) in members {
        added += &format!(
            "{} = {}{end_of_line}",
            format_key(name),
            format_one_line(value)
        );
    }
    let at = text.len();
    draft.insert(at, &added);
    Ok(())
}

/// Removes a table, in whatever form it is written.
pub(crate) fn remove_table(draft: &mut SettingsDraft, path: &[String]) -> Result<(), EditError> {
    let text = draft.text().to_owned();
    let document = parse_document(&text)?;
    let shift = byte_order_mark_length(&text);
    let Some((name, parents)) = path.split_last() else {
        return Ok(());
    };
    if let Some(Item::Value(Node::InlineTable(parent))) = find_item(document.as_table(), parents) {
        let container = inline_container(parent, shift)?;
        let mut names = parent.iter();
        if let Some(index) = names.position(|(known, _)| known == name) {
            container.remove(draft, index);
        }
        return Ok(());
    }
    let parent: &dyn TableLike = match parents.is_empty() {
        true => document.as_table(),
        false => match find_item(document.as_table(), parents).and_then(Item::as_table_like) {
            Some(parent) => parent,
            None => return Ok(()),
        },
    };
    let Some((key, item)) = parent.get_key_value(name) else {
        return Ok(());
    };
    let mut lines = Vec::new();
    collect_item_lines(&text, shift, key.span(), item, &mut lines);
    lines.sort_by_key(|range| range.start);
    for range in join_ranges(&text, lines).into_iter().rev() {
        draft.replace(range, "");
    }
    Ok(())
}

/// Collects the lines of an item: those of its headers, and of each of its values.
pub(crate) fn collect_item_lines(
    text: &str,
    shift: usize,
    key: Option<Range<usize>>,
    item: &Item,
    lines: &mut Vec<Range<usize>>,
) {
    let mut add = |start: usize, end: usize| {
        let range = line_start(text, start + shift)..next_line(text, end + shift);
        lines.push(range);
    };
    match item {
        Item::None => {}
        Item::Value(value) => {
            if let (Some(key), Some(value)) = (key, value.span()) {
                add(key.start, value.end.max(key.end));
            }
        }
        Item::Table(table) => {
            if let Some(span) = table
                .span()
                .filter(|_| !table.is_implicit() && !table.is_dotted())
            {
                let end = line_content_end(text, span.start + shift) - shift;
                add(span.start, end);
            }
            for (name, item) in table {
                let key = table.key(name).and_then(toml_edit::Key::span);
                collect_item_lines(text, shift, key, item, lines);
            }
        }
        Item::ArrayOfTables(tables) => {
            for table in tables {
                collect_item_lines(text, shift, None, &Item::Table(table.clone()), lines);
            }
        }
    }
}

/// Joins ranges that touch, and includes the empty line before each one that is followed by another empty line or by
/// nothing.
pub(crate) fn join_ranges(text: &str, lines: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in lines {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    for range in &mut joined {
        let rest = &text[range.end..];
        let is_last = rest.is_empty() || rest.starts_with('\n') || rest.starts_with("\r\n");
        let before = &text[..range.start];
        let gap = line_end(text);
        let is_after_gap = before.ends_with(&format!("{gap}{gap}")) || before == gap;
        if is_last && is_after_gap {
            range.start -= gap.len();
        }
    }
    joined
}

/// Returns the item at a path.
fn find_item<'t>(root: &'t toml_edit::Table, path: &[String]) -> Option<&'t Item> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(root.get(first)?, |item, name| {
        item.as_table_like()?.get(name)
    })
}

fn inline_container(table: &InlineTable, shift: usize) -> Result<Container, EditError> {
    let unsure = || EditError::Unsure("an inline table is written in an unusual way".to_owned());
    let span = table.span().ok_or_else(unsure)?;
    let mut children = Vec::new();
    for (name, value) in table {
        let key = table.key(name).and_then(toml_edit::Key::span);
        let (key, value) = key.zip(value.span()).ok_or_else(unsure)?;
        children.push(key.start + shift..value.end + shift);
    }
    Ok(Container {
        open: span.start + shift + 1,
        close: span.end + shift - 1,
        children,
        comments: Comments::Hash,
    })
}

pub(crate) fn table_value(table: &dyn TableLike) -> Value {
    let members = table.iter();
    Value::Object(Map::from_iter(
        members.map(|(name, item)| (name.to_owned(), item_value(item))),
    ))
}

pub(crate) fn item_value(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => node_value(value),
        Item::Table(table) => table_value(table),
        Item::ArrayOfTables(tables) => {
            Value::Array(tables.iter().map(|table| table_value(table)).collect())
        }
    }
}

fn node_value(node: &Node) -> Value {
    match node {
        Node::String(text) => json!(text.value()),
        Node::Integer(number) => json!(number.value()),
        Node::Boolean(truth) => json!(truth.value()),
        // Numbers that JSON cannot express, and times, are compared as they are written.
        Node::Float(number) => json!({ "float": number.value().to_string() }),
        Node::Datetime(time) => json!({ "time": time.value().to_string() }),
        Node::Array(items) => Value::Array(items.iter().map(node_value).collect()),
        Node::InlineTable(table) => table_value(table),
    }
}

pub(crate) fn format_key(name: &str) -> String {
    let is_bare = |mark: char| mark.is_ascii_alphanumeric() || matches!(mark, '_' | '-');
    match !name.is_empty() && name.chars().all(is_bare) {
        true => name.to_owned(),
        false => Value::from(name).to_string(),
    }
}

/// Returns a value on one line. Strings are written as in JSON, which TOML reads in the same way.
pub(crate) fn format_one_line(value: &Value) -> String {
    match value {
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Object(members) => {
            let members: Vec<_> = members
                .iter()
                .map(|(name, value)| format!("{} = {}", format_key(name), format_one_line(value)))
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(format_one_line).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}
