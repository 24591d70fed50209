//! Puts entries into a settings text and takes them out. Everything else in the text stays: each change is checked against
//! what the text says before and after it.

use serde_json::{Map, Value};

use crate::draft::SettingsDraft;
use crate::entry::{EditError, Entry, Form, Presence};
use crate::{json, memory, toml, toml_list, yaml};

/// Returns the value of a settings text.
fn value(form: Form, text: &str) -> Result<Option<Value>, EditError> {
    match form {
        Form::Json => json::value(text),
        Form::Toml => toml::value(text),
        Form::Yaml => yaml::value(text),
        Form::Text => Ok(None),
    }
}

/// Returns the value that a path leads to; none where the text does not parse, either.
pub fn value_at(form: Form, text: &str, path: &[String]) -> Option<Value> {
    let whole = value(form, text).ok()??;
    let found = path.iter().try_fold(&whole, |value, name| value.get(name));
    found.cloned()
}

/// Returns whether a text has an entry.
///
/// # Errors
/// The text is not what its form asks for.
pub fn presence(form: Form, text: &str, entry: &Entry) -> Result<Presence, EditError> {
    let whole = value(form, text)?.unwrap_or_default();
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
        Entry::Block { text: lines } => memory::presence(text, lines),
        Entry::Whole { text: wanted } => match text {
            "" => Presence::Missing,
            text if text == wanted => Presence::Same,
            _ => Presence::Other,
        },
    })
}

/// Returns how many names of the path of an entry are there already.
///
/// # Errors
/// The text is not what its form asks for.
pub fn depth(form: Form, text: &str, entry: &Entry) -> Result<usize, EditError> {
    let (Entry::Member { path, .. } | Entry::Item { path, .. }) = entry else {
        return Ok(0);
    };
    let whole = value(form, text)?.unwrap_or_default();
    let mut node = Some(&whole);
    let mut there = 0;
    for name in path {
        node = node.and_then(|node| node.get(name));
        there += usize::from(node.is_some());
    }
    Ok(there)
}

/// Puts entries into a text.
///
/// # Errors
/// The text is not what its form asks for, or what would come of it would not say what is meant.
pub fn install(form: Form, text: &str, entries: &[Entry]) -> Result<SettingsDraft, EditError> {
    let mut draft = SettingsDraft::new(text);
    let mut wanted = value(form, text)?.unwrap_or_else(|| Value::Object(Map::new()));
    for entry in entries {
        match (entry, form) {
            (Entry::Whole { text: whole }, _) => {
                let length = draft.text().len();
                draft.replace(0..length, whole);
                return Ok(draft);
            }
            (Entry::Block { text: lines }, Form::Text) => memory::set(&mut draft, lines),
            (Entry::Member { path, value }, Form::Json) => json::set(&mut draft, path, value)?,
            (Entry::Member { path, value }, Form::Toml) => toml::set(&mut draft, path, value)?,
            (Entry::Member { path, value }, Form::Yaml) => yaml::set(&mut draft, path, value)?,
            (Entry::Item { path, value }, Form::Json) => json::add(&mut draft, path, value)?,
            (Entry::Item { path, value }, Form::Toml) => toml_list::add(&mut draft, path, value)?,
            _ => return Err(EditError::Unsure("this form has no such entry".to_owned())),
        }
        put(&mut wanted, entry);
    }
    check(form, &draft, &wanted)?;
    Ok(draft)
}

/// Takes entries out of a text. Each comes with how many names of its path were there before it: tables that came with it
/// and are empty now go with it.
///
/// # Errors
/// The text is not what its form asks for, or what would come of it would not say what is meant.
pub fn uninstall(
    form: Form,
    text: &str,
    entries: &[(Entry, usize)],
) -> Result<SettingsDraft, EditError> {
    let mut draft = SettingsDraft::new(text);
    let mut wanted = value(form, text)?.unwrap_or_else(|| Value::Object(Map::new()));
    for (entry, there) in entries.iter().rev() {
        match (entry, form) {
            (Entry::Whole { .. }, _) => {
                let length = draft.text().len();
                draft.replace(0..length, "");
                return Ok(draft);
            }
            (Entry::Block { .. }, _) => memory::unset(&mut draft),
            (Entry::Member { path, .. }, _) => unset(form, &mut draft, path)?,
            (Entry::Item { path, value }, Form::Json) => json::remove(&mut draft, path, value)?,
            (Entry::Item { path, value }, Form::Toml) => {
                toml_list::remove(&mut draft, path, value)?;
            }
            _ => return Err(EditError::Unsure("this form has no such entry".to_owned())),
        }
        take(&mut wanted, entry);
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
                unset(form, &mut draft, path)?;
                remove(&mut wanted, path);
            }
            if form == Form::Toml {
                drop_unwritten(&draft, &mut wanted, &path[..longest])?;
            }
        }
    }
    check(form, &draft, &wanted)?;
    Ok(draft)
}

/// Takes the tables and lists above an entry out of the wanted value where the text no longer has them: `[a.b]` is a table
/// `a`, too, which nobody wrote and which goes with its last table, and a list of `[[a]]` goes with its last item.
fn drop_unwritten(
    draft: &SettingsDraft,
    wanted: &mut Value,
    path: &[String],
) -> Result<(), EditError> {
    let is = toml::value(draft.text())?.unwrap_or_default();
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
            remove(wanted, path);
        }
    }
    Ok(())
}

fn unset(form: Form, draft: &mut SettingsDraft, path: &[String]) -> Result<(), EditError> {
    match form {
        Form::Json => json::unset(draft, path),
        Form::Toml => toml::unset(draft, path),
        Form::Yaml => yaml::unset(draft, path),
        Form::Text => Ok(()),
    }
}

/// Returns the new text must say what the old one said, with the entries put in or taken out, and nothing else.
fn check(form: Form, draft: &SettingsDraft, wanted: &Value) -> Result<(), EditError> {
    if form == Form::Text {
        return Ok(());
    }
    let is = value(form, draft.text())
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

/// Puts an entry into a value.
fn put(whole: &mut Value, entry: &Entry) {
    let (path, item) = match entry {
        Entry::Member { path, .. } => (path, None),
        Entry::Item { path, value } => (path, Some(value)),
        _ => return,
    };
    let mut node = whole;
    for name in path {
        if node.is_null() {
            // A key of YAML with nothing behind it.
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

/// Takes an entry out of a value.
fn take(whole: &mut Value, entry: &Entry) {
    match entry {
        Entry::Member { path, .. } => remove(whole, path),
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

fn remove(whole: &mut Value, path: &[String]) {
    if let Some((name, parents)) = path.split_last() {
        let found = parents
            .iter()
            .try_fold(whole, |node, name| node.get_mut(name));
        if let Some(members) = found.and_then(Value::as_object_mut) {
            members.shift_remove(name);
        }
    }
}
