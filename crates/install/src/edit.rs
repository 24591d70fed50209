//! Inserts entries into a settings text and removes them. Everything else in the text stays: each change is checked by
//! comparing the parsed text before and after it.

use serde_json::{Map, Value};

use crate::draft::SettingsDraft;
use crate::entry::{EditError, Entry, Form, Presence};
use crate::{json, memory, toml, toml_list, yaml};

/// Returns the value of a settings text.
fn parse_value(form: Form, text: &str) -> Result<Option<Value>, EditError> {
    match form {
        Form::Json => json::parse_value(text),
        Form::Toml => toml::parse_value(text),
        Form::Yaml => yaml::parse_value(text),
        Form::Text => Ok(None),
    }
}

/// Returns the value at a path; none if there is none, or if the text does not parse.
pub fn parse_value_at(form: Form, text: &str, path: &[String]) -> Option<Value> {
    let whole = parse_value(form, text).ok()??;
    let found = path.iter().try_fold(&whole, |value, name| value.get(name));
    found.cloned()
}

/// Returns whether a text has an entry.
///
/// # Errors
/// The text is not valid in its form.
pub fn entry_presence(form: Form, text: &str, entry: &Entry) -> Result<Presence, EditError> {
    let whole = parse_value(form, text)?.unwrap_or_default();
    let there = |path: &[String]| path.iter().try_fold(&whole, |value, name| value.get(name));
    Ok(match entry {
        Entry::Member { path, value } => match there(path) {
            None => Presence::Missing,
            Some(found) if found == value => Presence::Same,
            Some(_) => Presence::Other,
        },
        Entry::Item { path, value } => match there(path).and_then(Value::as_array) {
            Some(items) if items.contains(value) => Presence::Same,
            _ => Presence::Missing,
        },
        Entry::Block { text: lines } => memory::lines_presence(text, lines),
        Entry::Whole { text: wanted } => match text {
            "" => Presence::Missing,
            text if text == wanted => Presence::Same,
            _ => Presence::Other,
        },
    })
}

/// Returns the number of names of an entry's path that exist already.
///
/// # Errors
/// The text is not valid in its form.
pub fn existing_depth(form: Form, text: &str, entry: &Entry) -> Result<usize, EditError> {
    let (Entry::Member { path, .. } | Entry::Item { path, .. }) = entry else {
        return Ok(0);
    };
    let whole = parse_value(form, text)?.unwrap_or_default();
    let mut node = Some(&whole);
    let mut there = 0;
    for name in path {
        node = node.and_then(|node| node.get(name));
        there += usize::from(node.is_some());
    }
    Ok(there)
}

/// Inserts entries into a text.
///
/// # Errors
/// The text is not valid in its form, or the result would not have the intended meaning.
pub fn install_entries(
    form: Form,
    text: &str,
    entries: &[Entry],
) -> Result<SettingsDraft, EditError> {
    let mut draft = SettingsDraft::new(text);
    let mut wanted = parse_value(form, text)?.unwrap_or_else(|| Value::Object(Map::new()));
    for entry in entries {
        match (entry, form) {
            (Entry::Whole { text: whole }, _) => {
                let length = draft.text().len();
                draft.replace(0..length, whole);
                return Ok(draft);
            }
            (Entry::Block { text: lines }, Form::Text) => memory::set_lines(&mut draft, lines),
            (Entry::Member { path, value }, Form::Json) => {
                json::set_member(&mut draft, path, value)?
            }
            (Entry::Member { path, value }, Form::Toml) => {
                toml::set_table(&mut draft, path, value)?
            }
            (Entry::Member { path, value }, Form::Yaml) => {
                yaml::set_member(&mut draft, path, value)?
            }
            (Entry::Item { path, value }, Form::Json) => json::add_item(&mut draft, path, value)?,
            (Entry::Item { path, value }, Form::Toml) => {
                toml_list::add_item(&mut draft, path, value)?
            }
            _ => return Err(EditError::Unsure("this form has no such entry".to_owned())),
        }
        insert_entry(&mut wanted, entry);
    }
    check_meaning(form, &draft, &wanted)?;
    Ok(draft)
}

/// Removes entries from a text. Each comes with the number of names of its path that existed before it; tables that
/// were created with it and are now empty are removed, too.
///
/// # Errors
/// The text is not valid in its form, or the result would not have the intended meaning.
pub fn uninstall_entries(
    form: Form,
    text: &str,
    entries: &[(Entry, usize)],
) -> Result<SettingsDraft, EditError> {
    let mut draft = SettingsDraft::new(text);
    let mut wanted = parse_value(form, text)?.unwrap_or_else(|| Value::Object(Map::new()));
    for (entry, there) in entries.iter().rev() {
        match (entry, form) {
            (Entry::Whole { .. }, _) => {
                let length = draft.text().len();
                draft.replace(0..length, "");
                return Ok(draft);
            }
            (Entry::Block { .. }, _) => memory::remove_lines(&mut draft),
            (Entry::Member { path, .. }, _) => unset_at_path(form, &mut draft, path)?,
            (Entry::Item { path, value }, Form::Json) => {
                json::remove_item(&mut draft, path, value)?
            }
            (Entry::Item { path, value }, Form::Toml) => {
                toml_list::remove_last_item(&mut draft, path, value)?;
            }
            _ => return Err(EditError::Unsure("this form has no such entry".to_owned())),
        }
        remove_entry(&mut wanted, entry);
        if let Entry::Member { path, .. } | Entry::Item { path, .. } = entry {
            let longest = path.len() - usize::from(matches!(entry, Entry::Member { .. }));
            for length in (*there + 1..=longest).rev() {
                let path = &path[..length];
                let found = path.iter().try_fold(&wanted, |value, name| value.get(name));
                let is_empty = found.is_some_and(|found| match found {
                    Value::Object(members) => members.is_empty(),
                    Value::Array(items) => items.is_empty(),
                    _ => false,
                });
                if !is_empty {
                    break;
                }
                unset_at_path(form, &mut draft, path)?;
                remove_path(&mut wanted, path);
            }
            if form == Form::Toml {
                drop_unwritten(&draft, &mut wanted, &path[..longest])?;
            }
        }
    }
    check_meaning(form, &draft, &wanted)?;
    Ok(draft)
}

/// Removes the tables and lists above an entry from the wanted value if the text no longer has them: `[a.b]` also
/// implies a table `a`, which is not written anywhere and disappears with its last table, and a list of `[[a]]`
/// disappears with its last item.
fn drop_unwritten(
    draft: &SettingsDraft,
    wanted: &mut Value,
    path: &[String],
) -> Result<(), EditError> {
    let is = toml::parse_value(draft.text())?.unwrap_or_default();
    let at = |whole: &Value, path: &[String]| {
        let found = path.iter().try_fold(whole, |value, name| value.get(name));
        found.cloned()
    };
    for length in (1..=path.len()).rev() {
        let path = &path[..length];
        let is_empty = at(wanted, path).is_some_and(|found| {
            found == Value::Object(Map::new()) || found == Value::Array(Vec::new())
        });
        if is_empty && at(&is, path).is_none() {
            remove_path(wanted, path);
        }
    }
    Ok(())
}

fn unset_at_path(form: Form, draft: &mut SettingsDraft, path: &[String]) -> Result<(), EditError> {
    match form {
        Form::Json => json::remove_member(draft, path),
        Form::Toml => toml::remove_table(draft, path),
        Form::Yaml => yaml::remove_member(draft, path),
        Form::Text => Ok(()),
    }
}

/// Checks that the new text has the same meaning as the old one with the entries inserted or removed, and nothing
/// else changed.
fn check_meaning(form: Form, draft: &SettingsDraft, wanted: &Value) -> Result<(), EditError> {
    if form == Form::Text {
        return Ok(());
    }
    let is = parse_value(form, draft.text())
        .map_err(|error| EditError::Unsure(format!("it cannot be edited safely ({error})")))?
        .unwrap_or_else(|| Value::Object(Map::new()));
    let is_empty = |value: &Value| value.as_object().is_some_and(Map::is_empty);
    if is == *wanted || (is_empty(wanted) && is.is_null()) {
        return Ok(());
    }
    Err(EditError::Unsure(
        "it is written in a way that cannot be edited safely".to_owned(),
    ))
}

/// Inserts an entry into a value.
fn insert_entry(whole: &mut Value, entry: &Entry) {
    let (path, item) = match entry {
        Entry::Member { path, .. } => (path, None),
        Entry::Item { path, value } => (path, Some(value)),
        _ => return,
    };
    let mut node = whole;
    for name in path {
        if node.is_null() {
            // A YAML key without a value.
            *node = Value::Object(Map::new());
        }
        if node.get(name).is_none() {
            let Some(members) = node.as_object_mut() else {
                return;
            };
            members.insert(name.clone(), Value::Object(Map::new()));
        }
        match node.get_mut(name) {
            Some(next) => node = next,
            None => return,
        }
    }
    match (item, entry) {
        (Some(item), _) => match node.as_array_mut() {
            Some(items) if items.contains(item) => {}
            Some(items) => items.push(item.clone()),
            None => *node = Value::Array(vec![item.clone()]),
        },
        (None, Entry::Member { value, .. }) => *node = value.clone(),
        _ => {}
    }
}

/// Removes an entry from a value.
fn remove_entry(whole: &mut Value, entry: &Entry) {
    match entry {
        Entry::Member { path, .. } => remove_path(whole, path),
        Entry::Item { path, value } => {
            let found = path.iter().try_fold(whole, |node, name| node.get_mut(name));
            if let Some(items) = found.and_then(Value::as_array_mut)
                && let Some(index) = items.iter().rposition(|item| item == value)
            {
                items.remove(index);
            }
        }
        _ => {}
    }
}

fn remove_path(whole: &mut Value, path: &[String]) {
    if let Some((name, parents)) = path.split_last() {
        let found = parents
            .iter()
            .try_fold(whole, |node, name| node.get_mut(name));
        if let Some(members) = found.and_then(Value::as_object_mut) {
            members.shift_remove(name);
        }
    }
}
