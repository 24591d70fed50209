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
use crate::layout::{ending, indentation, is_first_on_line, line_end, mark_length};

/// One step of indentation if the file shows none.
const UNIT: &str = "  ";

/// Returns the value of a text; `None` if it has none, or only comments.
pub(crate) fn value(text: &str) -> Result<Option<Value>, EditError> {
    Ok(parsed(text)?.map(Value::from))
}

fn parsed(text: &str) -> Result<Option<Node<'_>>, EditError> {
    let options = ParseOptions {
        // No agent accepts a text without commas.
        allow_missing_commas: false,
        ..ParseOptions::default()
    };
    let start = mark_length(text);
    let parsed = parse_to_ast(&text[start..], &CollectOptions::default(), &options);
    let parsed = parsed.map_err(|error| EditError::Damaged {
        form: "JSON",
        line: Some(error.line_display()),
        words: error.kind().to_string(),
    })?;
    Ok(parsed.value)
}

/// Sets a member of an object, and creates the objects that lead to it.
pub(crate) fn set(
    draft: &mut SettingsDraft,
    path: &[String],
    value: &Value,
) -> Result<(), EditError> {
    place(draft, path, value, PlacedAs::Member)
}

/// Adds an item to a list, and creates the objects that lead to it.
pub(crate) fn add(
    draft: &mut SettingsDraft,
    path: &[String],
    item: &Value,
) -> Result<(), EditError> {
    place(draft, path, item, PlacedAs::Item)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PlacedAs {
    Member,
    Item,
}

fn place(
    draft: &mut SettingsDraft,
    path: &[String],
    value: &Value,
    kind: PlacedAs,
) -> Result<(), EditError> {
    let text = draft.text().to_owned();
    let whole = match kind {
        PlacedAs::Member => value.clone(),
        PlacedAs::Item => Value::Array(vec![value.clone()]),
    };
    let Some(root) = parsed(&text)? else {
        let root = nested(path, whole);
        let written = pretty(&root, "", UNIT, line_end(&text));
        let added = format!("{}{written}{}", ending(&text), line_end(&text));
        draft.insert(text.len(), &added);
        return Ok(());
    };
    let unit = unit_of(&text, &root);
    let shift = mark_length(&text);
    let mut node = &root;
    for (depth, name) in path.iter().enumerate() {
        let object = as_object(node, &path[..depth])?;
        let Some(property) = last_named(object, name) else {
            let container = of_object(object, shift);
            let value = nested(&path[depth + 1..], whole);
            container.insert(draft, &unit, &|style| {
                member(name, &value, style, &unit, &text)
            });
            return Ok(());
        };
        node = &property.value;
    }
    match kind {
        PlacedAs::Member => {
            if Value::from(node.clone()) == *value {
                return Ok(());
            }
            let range = shifted(node.start()..node.end(), shift);
            let indent = indentation(&text, range.start).to_owned();
            let written = match text[range.clone()].contains('\n') {
                true => pretty(value, &indent, &unit, line_end(&text)),
                false => one_line(value),
            };
            draft.replace(range, &written);
        }
        PlacedAs::Item => {
            let array = as_array(node, path)?;
            if array
                .elements
                .iter()
                .any(|item| Value::from(item.clone()) == *value)
            {
                return Ok(());
            }
            let container = of_array(array, shift);
            container.insert(draft, &unit, &|_| one_line(value));
        }
    }
    Ok(())
}

/// Removes a member from its object.
pub(crate) fn unset(draft: &mut SettingsDraft, path: &[String]) -> Result<(), EditError> {
    let text = draft.text().to_owned();
    let Some(root) = parsed(&text)? else {
        return Ok(());
    };
    let Some((name, parents)) = path.split_last() else {
        return Ok(());
    };
    let Some(Node::Object(object)) = found(&root, parents) else {
        return Ok(());
    };
    let mut properties = object.properties.iter();
    if let Some(index) = properties.rposition(|property| property.name.as_str() == name) {
        of_object(object, mark_length(&text)).remove(draft, index);
    }
    Ok(())
}

/// Removes an item from its list.
pub(crate) fn remove(
    draft: &mut SettingsDraft,
    path: &[String],
    item: &Value,
) -> Result<(), EditError> {
    let text = draft.text().to_owned();
    let Some(root) = parsed(&text)? else {
        return Ok(());
    };
    if let Some(Node::Array(array)) = found(&root, path) {
        let mut elements = array.elements.iter();
        if let Some(index) = elements.rposition(|element| Value::from(element.clone()) == *item) {
            of_array(array, mark_length(&text)).remove(draft, index);
        }
    }
    Ok(())
}

/// Returns the node at a path.
fn found<'n, 'a>(root: &'n Node<'a>, path: &[String]) -> Option<&'n Node<'a>> {
    path.iter().try_fold(root, |node, name| match node {
        Node::Object(object) => last_named(object, name).map(|property| &property.value),
        _ => None,
    })
}

/// Returns the last member of that name: if a name occurs twice, the last one counts.
fn last_named<'n, 'a>(object: &'n Object<'a>, name: &str) -> Option<&'n ObjectProp<'a>> {
    let mut properties = object.properties.iter();
    properties.rfind(|property| property.name.as_str() == name)
}

fn of_object(object: &Object<'_>, shift: usize) -> Container {
    let child = |property: &ObjectProp<'_>| shifted(property.start()..property.end(), shift);
    Container {
        open: object.start() + shift + 1,
        close: object.end() + shift - 1,
        children: object.properties.iter().map(child).collect(),
        comments: Comments::Slashes,
    }
}

fn of_array(array: &Array<'_>, shift: usize) -> Container {
    let child = |item: &Node<'_>| shifted(item.start()..item.end(), shift);
    Container {
        open: array.start() + shift + 1,
        close: array.end() + shift - 1,
        children: array.elements.iter().map(child).collect(),
        comments: Comments::Slashes,
    }
}

fn shifted(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

fn as_object<'n, 'a>(node: &'n Node<'a>, path: &[String]) -> Result<&'n Object<'a>, EditError> {
    node.as_object()
        .ok_or_else(|| kind(node, path, "an object"))
}

fn as_array<'n, 'a>(node: &'n Node<'a>, path: &[String]) -> Result<&'n Array<'a>, EditError> {
    node.as_array().ok_or_else(|| kind(node, path, "a list"))
}

fn kind(node: &Node<'_>, path: &[String], wanted: &'static str) -> EditError {
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
fn unit_of(text: &str, root: &Node<'_>) -> String {
    let shift = mark_length(text);
    let first = root
        .as_object()
        .and_then(|object| object.properties.first());
    let indent = first
        .map(|property| property.start() + shift)
        .filter(|start| is_first_on_line(text, *start))
        .map(|start| indentation(text, start));
    indent
        .filter(|indent| !indent.is_empty())
        .unwrap_or(UNIT)
        .to_owned()
}

/// Returns a value nested in the objects that lead to it.
pub(crate) fn nested(path: &[String], value: Value) -> Value {
    path.iter().rev().fold(value, |value, name| {
        Value::Object(Map::from_iter([(name.clone(), value)]))
    })
}

fn member(name: &str, value: &Value, style: ChildStyle<'_>, unit: &str, text: &str) -> String {
    let written = match style {
        ChildStyle::OneLine => one_line(value),
        ChildStyle::Lines(indent) => pretty(value, indent, unit, line_end(text)),
    };
    format!("{}: {written}", Value::from(name))
}

/// Returns a value on one line.
pub(crate) fn one_line(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<_> = members
                .iter()
                .map(|(name, value)| format!("{}: {}", Value::from(name.as_str()), one_line(value)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(one_line).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// Returns a value with the members of its objects on separate lines.
fn pretty(value: &Value, indent: &str, unit: &str, end_of_line: &str) -> String {
    let Value::Object(members) = value else {
        return one_line(value);
    };
    if members.is_empty() {
        return "{}".to_owned();
    }
    let inner = format!("{indent}{unit}");
    let members: Vec<_> = members
        .iter()
        .map(|(name, value)| {
            let value = pretty(value, &inner, unit, end_of_line);
            format!("{inner}{}: {value}", Value::from(name.as_str()))
        })
        .collect();
    let members = members.join(&format!(",{end_of_line}"));
    format!("{{{end_of_line}{members}{end_of_line}{indent}}}")
}
