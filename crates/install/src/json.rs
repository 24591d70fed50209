//! Edits settings in JSON, with comments and trailing commas, or JSON5. The parser supplies the positions; the text
//! is spliced.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use crate::container::{ChildStyle, Comments, Container};
use crate::draft::SettingsDraft;
use crate::entry::EditError;
use crate::layout::{
    byte_order_mark_length, indentation, is_first_on_line, line_end, missing_line_end,
};

/// One step of indentation if the file shows none.
const DEFAULT_INDENT: &str = "  ";

/// Returns the value of a text; `None` if it has none, or only comments.
pub(crate) fn parse_value(text: &str) -> Result<Option<Value>, EditError> {
    Ok(parse_root(text)?.map(Value::from))
}

fn parse_root(text: &str) -> Result<Option<Node<'_>>, EditError> {
    let options = ParseOptions {
        // No agent accepts a text without commas.
        allow_missing_commas: false,
        ..ParseOptions::default()
    };
    let start = byte_order_mark_length(text);
    let parsed = parse_to_ast(&text[start..], &CollectOptions::default(), &options);
    let parsed = parsed.map_err(|error| EditError::Damaged {
        form: "JSON",
        line: Some(error.line_display()),
        words: error.kind().to_string(),
    })?;
    Ok(parsed.value)
}

/// Sets a member of an object, and creates the objects that lead to it.
pub(crate) fn set_member(
    draft: &mut SettingsDraft,
    path: &[String],
    value: &Value,
) -> Result<(), EditError> {
    place_value(draft, path, value, PlacedKind::Member)
}

/// Adds an item to a list, and creates the objects that lead to it.
pub(crate) fn add_item(
    draft: &mut SettingsDraft,
    path: &[String],
    item: &Value,
) -> Result<(), EditError> {
    place_value(draft, path, item, PlacedKind::Item)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PlacedKind {
    Member,
    Item,
}

fn place_value(
    draft: &mut SettingsDraft,
    path: &[String],
    value: &Value,
    kind: PlacedKind,
) -> Result<(), EditError> {
    let text = draft.text().to_owned();
    let whole = match kind {
        PlacedKind::Member => value.clone(),
        PlacedKind::Item => Value::Array(vec![value.clone()]),
    };
    let Some(root) = parse_root(&text)? else {
        let root = nest_value(path, whole);
        let written = format_lines(&root, "", DEFAULT_INDENT, line_end(&text));
        let added = format!("{}{written}{}", missing_line_end(&text), line_end(&text));
        draft.insert(text.len(), &added);
        return Ok(());
    };
    let unit = detect_indent(&text, &root);
    let shift = byte_order_mark_length(&text);
    let mut node = &root;
    for (depth, name) in path.iter().enumerate() {
        let object = as_object(node, &path[..depth])?;
        let Some(property) = last_member_named(object, name) else {
            let container = object_container(object, shift);
            let value = nest_value(&path[depth + 1..], whole);
            container.insert(draft, &unit, &|style| {
                format_member(name, &value, style, &unit, &text)
            });
            return Ok(());
        };
        node = &property.value;
    }
    match kind {
        PlacedKind::Member => {
            if Value::from(node.clone()) == *value {
                return Ok(());
            }
            let range = shift_range(node.start()..node.end(), shift);
            let indent = indentation(&text, range.start).to_owned();
            let written = match text[range.clone()].contains('\n') {
                true => format_lines(value, &indent, &unit, line_end(&text)),
                false => format_one_line(value),
            };
            draft.replace(range, &written);
        }
        PlacedKind::Item => {
            let array = as_array(node, path)?;
            if array
                .elements
                .iter()
                .any(|item| Value::from(item.clone()) == *value)
            {
                return Ok(());
            }
            let container = array_container(array, shift);
            container.insert(draft, &unit, &|_| format_one_line(value));
        }
    }
    Ok(())
}

/// Removes a member from its object.
pub(crate) fn remove_member(draft: &mut SettingsDraft, path: &[String]) -> Result<(), EditError> {
    let text = draft.text().to_owned();
    let Some(root) = parse_root(&text)? else {
        return Ok(());
    };
    let Some((name, parents)) = path.split_last() else {
        return Ok(());
    };
    let Some(Node::Object(object)) = find_node(&root, parents) else {
        return Ok(());
    };
    let mut properties = object.properties.iter();
    if let Some(index) = properties.rposition(|property| property.name.as_str() == name) {
        object_container(object, byte_order_mark_length(&text)).remove(draft, index);
    }
    Ok(())
}

/// Removes an item from its list.
pub(crate) fn remove_item(
    draft: &mut SettingsDraft,
    path: &[String],
    item: &Value,
) -> Result<(), EditError> {
    let text = draft.text().to_owned();
    let Some(root) = parse_root(&text)? else {
        return Ok(());
    };
    if let Some(Node::Array(array)) = find_node(&root, path) {
        let mut elements = array.elements.iter();
        if let Some(index) = elements.rposition(|element| Value::from(element.clone()) == *item) {
            array_container(array, byte_order_mark_length(&text)).remove(draft, index);
        }
    }
    Ok(())
}

/// Returns the node at a path.
fn find_node<'n, 'a>(root: &'n Node<'a>, path: &[String]) -> Option<&'n Node<'a>> {
    path.iter().try_fold(root, |node, name| match node {
        Node::Object(object) => last_member_named(object, name).map(|property| &property.value),
        _ => None,
    })
}

/// Returns the last member of that name: if a name occurs twice, the last one counts.
fn last_member_named<'n, 'a>(object: &'n Object<'a>, name: &str) -> Option<&'n ObjectProp<'a>> {
    let mut properties = object.properties.iter();
    properties.rfind(|property| property.name.as_str() == name)
}

fn object_container(object: &Object<'_>, shift: usize) -> Container {
    let child = |property: &ObjectProp<'_>| shift_range(property.start()..property.end(), shift);
    Container {
        open: object.start() + shift + 1,
        close: object.end() + shift - 1,
        children: object.properties.iter().map(child).collect(),
        comments: Comments::Slashes,
    }
}

fn array_container(array: &Array<'_>, shift: usize) -> Container {
    let child = |item: &Node<'_>| shift_range(item.start()..item.end(), shift);
    Container {
        open: array.start() + shift + 1,
        close: array.end() + shift - 1,
        children: array.elements.iter().map(child).collect(),
        comments: Comments::Slashes,
    }
}

fn shift_range(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

fn as_object<'n, 'a>(node: &'n Node<'a>, path: &[String]) -> Result<&'n Object<'a>, EditError> {
    node.as_object()
        .ok_or_else(|| kind_error(node, path, "an object"))
}

fn as_array<'n, 'a>(node: &'n Node<'a>, path: &[String]) -> Result<&'n Array<'a>, EditError> {
    node.as_array()
        .ok_or_else(|| kind_error(node, path, "a list"))
}

fn kind_error(node: &Node<'_>, path: &[String], wanted: &'static str) -> EditError {
    let found = match node {
        Node::StringLit(_) => "a string",
        Node::NumberLit(_) => "a number",
        Node::BooleanLit(_) => "true or false",
        Node::Object(_) => "an object",
        Node::Array(_) => "a list",
        Node::NullKeyword(_) => "null",
    };
    let key = match path.is_empty() {
        true => "the whole file".to_owned(),
        false => format!("\"{}\"", path.join(".")),
    };
    EditError::Kind { key, found, wanted }
}

/// Returns one step of indentation of a text: that of the first member of its root.
fn detect_indent(text: &str, root: &Node<'_>) -> String {
    let shift = byte_order_mark_length(text);
    let first = root
        .as_object()
        .and_then(|object| object.properties.first());
    let indent = first
        .map(|property| property.start() + shift)
        .filter(|start| is_first_on_line(text, *start))
        .map(|start| indentation(text, start));
    indent
        .filter(|indent| !indent.is_empty())
        .unwrap_or(DEFAULT_INDENT)
        .to_owned()
}

/// Returns a value nested in the objects that lead to it.
pub(crate) fn nest_value(path: &[String], value: Value) -> Value {
    path.iter().rev().fold(value, |value, name| {
        Value::Object(Map::from_iter([(name.clone(), value)]))
    })
}

fn format_member(
    name: &str,
    value: &Value,
    style: ChildStyle<'_>,
    unit: &str,
    text: &str,
) -> String {
    let written = match style {
        ChildStyle::OneLine => format_one_line(value),
        ChildStyle::Lines(indent) => format_lines(value, indent, unit, line_end(text)),
    };
    format!("{}: {written}", Value::from(name))
}

/// Returns a value on one line.
pub(crate) fn format_one_line(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<_> = members
                .iter()
                .map(|(name, value)| {
                    format!("{}: {}", Value::from(name.as_str()), format_one_line(value))
                })
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(format_one_line).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// Returns a value with the members of its objects on separate lines.
fn format_lines(value: &Value, indent: &str, unit: &str, end_of_line: &str) -> String {
    let Value::Object(members) = value else {
        return format_one_line(value);
    };
    if members.is_empty() {
        return "{}".to_owned();
    }
    let inner = format!("{indent}{unit}");
    let members: Vec<_> = members
        .iter()
        .map(|(name, value)| {
            let value = format_lines(value, &inner, unit, end_of_line);
            format!("{inner}{}: {value}", Value::from(name.as_str()))
        })
        .collect();
    let members = members.join(&format!(",{end_of_line}"));
    format!("{{{end_of_line}{members}{end_of_line}{indent}}}")
}
