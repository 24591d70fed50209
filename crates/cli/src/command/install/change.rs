//! Computes the change of one settings file: its new text, and the receipt for it. Nothing here accesses the disk.

use std::path::PathBuf;

use lancet_install::{
    EditError, Entry, FileChange, Form, Presence, entry_presence, existing_depth, install_entries,
    revert_splices, uninstall_entries,
};
use serde_json::Value;

use super::receipt::{EntryReceipt, FileReceipt};

/// The new content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NewText {
    /// The file's text stays the same.
    Same,
    /// The file gets this text.
    Text(String),
    /// The file is removed.
    Removed,
}

fn hash(text: &str) -> String {
    lancet::Settings::fingerprint(text)
}

/// Returns the text before the installation, if the file is exactly as the receipt describes.
fn text_before_installation(text: &str, receipt: &FileReceipt) -> Option<String> {
    if hash(text) != receipt.after {
        return None;
    }
    let base = revert_splices(text, &receipt.splices)?;
    (receipt.before.as_deref() == Some(&hash(&base))).then_some(base)
}

/// Inserts the entries of a change into a file.
pub(super) fn install_into_text(
    change: &FileChange,
    text: Option<&str>,
    old: Option<&FileReceipt>,
    missing_folders: Vec<PathBuf>,
) -> Result<(NewText, FileReceipt), EditError> {
    let current = text.unwrap_or_default();
    let base = old.and_then(|old| text_before_installation(current, old));
    let is_exact = base.is_some() || old.is_none();
    let outdated = match base {
        Some(_) => Vec::new(),
        None => outdated_entries(change, current, old),
    };
    let cleared = match outdated.is_empty() {
        true => None,
        false => Some(remove_entries(change.form, current, &outdated)?),
    };
    let start = base.as_deref().or(cleared.as_deref()).unwrap_or(current);
    let mut entries = entry_receipts(change, start, text)?;
    let draft = install_entries(change.form, start, &change.entries)?;
    let (after, splices) = draft.into_parts();
    // The receipt contains no text of the file except an earlier entry with lancet's name, since the text may contain a
    // password. Where such a text was replaced, the splices are not stored, and `uninstall` removes lancet's entry
    // alone.
    let is_insertion = splices.iter().all(|splice| splice.removed.is_empty());
    if !is_exact && let Some(old) = old {
        let is_outdated = |kept: &EntryReceipt| outdated.iter().any(|out| out.entry == kept.entry);
        for kept in old.entries.iter().filter(|kept| !is_outdated(kept)) {
            let mut known = entries.iter_mut().filter(|entry| entry.entry == kept.entry);
            match known.next() {
                Some(entry) => *entry = kept.clone(),
                None => entries.push(kept.clone()),
            }
        }
    }
    let is_ours = text.is_none() || old.is_some_and(|old| old.is_new);
    let receipt = FileReceipt {
        path: change.path.clone(),
        is_new: is_ours,
        folders: match old {
            Some(old) if !old.folders.is_empty() => old.folders.clone(),
            _ => missing_folders,
        },
        before: (is_exact && is_insertion).then(|| hash(start)),
        after: hash(&after),
        splices: if is_exact && is_insertion {
            splices
        } else {
            Vec::new()
        },
        entries,
    };
    let new = match text == Some(after.as_str()) {
        true => NewText::Same,
        false => NewText::Text(after),
    };
    Ok((new, receipt))
}

/// Makes the receipts of the entries, and refuses entries that lancet must not write.
fn entry_receipts(
    change: &FileChange,
    start: &str,
    text: Option<&str>,
) -> Result<Vec<EntryReceipt>, EditError> {
    let mut entries = Vec::new();
    for entry in &change.entries {
        let found = entry_presence(change.form, start, entry)?;
        if matches!(entry, Entry::Whole { .. }) && found == Presence::Other && text.is_some() {
            return Err(EditError::Unsure(
                "it is there already, and not as lancet wrote it; move it away".to_owned(),
            ));
        }
        if found == Presence::Other
            && !names_lancet(entry)
            && plain_value(change.form, start, entry).is_none()
            && let Entry::Member { path, .. } = entry
        {
            return Err(EditError::Unsure(format!(
                "{} has its own rules, which lancet does not replace; leave --only out",
                path.join(".")
            )));
        }
        if let Some(other) = server_list_with_same_name(change.form, start, entry) {
            return Err(EditError::Unsure(format!(
                "{other} has its own entry `lancet`; remove that first"
            )));
        }
        if found == Presence::Missing || found == Presence::Other || names_lancet(entry) {
            entries.push(EntryReceipt {
                entry: entry.clone(),
                depth: existing_depth(change.form, start, entry)?.min(parent_count(entry)),
                was: earlier_value(change.form, start, entry),
            });
        }
    }
    Ok(entries)
}

/// Returns the entries that an earlier installation wrote and the present one does not have: a permission to write that
/// is withdrawn, or a hook that runs another program. Entries without a receipt, as in a project's settings that
/// another machine wrote, are found only if they are hooks, by the program that they run.
fn outdated_entries(
    change: &FileChange,
    text: &str,
    old: Option<&FileReceipt>,
) -> Vec<EntryReceipt> {
    let kept = old.into_iter().flat_map(|old| &old.entries);
    let mut found: Vec<EntryReceipt> = kept
        .filter(|kept| !is_planned(change, &kept.entry))
        .cloned()
        .collect();
    let hooks = change.entries.iter().filter(|entry| is_hook(entry));
    for entry in hooks.flat_map(|hook| similar_hooks(change.form, text, hook)) {
        let is_known = found.iter().any(|known| known.entry == entry);
        if !is_known && !change.entries.contains(&entry) {
            found.push(EntryReceipt {
                depth: parent_count(&entry),
                entry,
                was: None,
            });
        }
    }
    found
}

/// Reports whether a change contains an entry, or replaces it by another one.
fn is_planned(change: &FileChange, entry: &Entry) -> bool {
    let mut planned = change.entries.iter();
    match entry {
        Entry::Member { path, .. } => {
            planned.any(|other| matches!(other, Entry::Member { path: place, .. } if place == path))
        }
        Entry::Item { .. } => planned.any(|other| other == entry),
        Entry::Block { .. } | Entry::Whole { .. } => true,
    }
}

/// Returns a text without these entries. The values that they replaced are restored.
fn remove_entries(form: Form, text: &str, entries: &[EntryReceipt]) -> Result<String, EditError> {
    let back: Vec<Entry> = entries.iter().filter_map(restoring_entry).collect();
    let taken: Vec<_> = entries
        .iter()
        .filter(|kept| restoring_entry(kept).is_none())
        .map(|kept| (kept.entry.clone(), kept.depth))
        .collect();
    let (out, _) = uninstall_entries(form, text, &taken)?.into_parts();
    Ok(install_entries(form, &out, &back)?.into_parts().0)
}

/// Removes the entries of a receipt.
pub(super) fn uninstall_from_text(
    form: Form,
    text: Option<&str>,
    receipt: &FileReceipt,
) -> Result<NewText, EditError> {
    let Some(text) = text else {
        return Ok(NewText::Same);
    };
    let left = match text_before_installation(text, receipt) {
        Some(base) => base,
        None => {
            let wholes = receipt.entries.iter().map(|kept| &kept.entry);
            for entry in wholes.filter(|entry| matches!(entry, Entry::Whole { .. })) {
                if entry_presence(form, text, entry)? != Presence::Same {
                    return Err(EditError::Unsure(
                        "it was changed since lancet wrote it; it stays, remove it by hand"
                            .to_owned(),
                    ));
                }
            }
            remove_entries(form, text, &receipt.entries)?
        }
    };
    let is_empty = matches!(left.trim(), "" | "{}" | "\u{feff}");
    if receipt.is_new && is_empty {
        return Ok(NewText::Removed);
    }
    Ok(match left == text {
        true => NewText::Same,
        false => NewText::Text(left),
    })
}

/// Makes a receipt for a file whose receipt is lost: all entries with lancet's name, and the hooks that run it,
/// whatever its path is.
pub(super) fn without_receipt(change: &FileChange, text: Option<&str>) -> FileReceipt {
    let (hooks, others): (Vec<_>, Vec<_>) = change.entries.iter().partition(|entry| is_hook(entry));
    let hooks = hooks
        .into_iter()
        .flat_map(|hook| similar_hooks(change.form, text.unwrap_or_default(), hook));
    let named = others.into_iter().filter(|entry| names_lancet(entry));
    // A server in a list is recognized by its name, whatever program it starts.
    let named = named.flat_map(|entry| {
        let items = items_with_name(change.form, text.unwrap_or_default(), entry);
        match entry {
            Entry::Item { path, .. } if !items.is_empty() => items
                .into_iter()
                .map(|value| Entry::Item {
                    path: path.clone(),
                    value,
                })
                .collect(),
            entry => vec![entry.clone()],
        }
    });
    let entries = named.chain(hooks);
    let is_whole = |entry: &Entry| matches!(entry, Entry::Whole { .. });
    FileReceipt {
        path: change.path.clone(),
        is_new: change.entries.iter().any(is_whole),
        folders: Vec::new(),
        before: None,
        after: String::new(),
        splices: Vec::new(),
        entries: entries
            .map(|entry| EntryReceipt {
                depth: parent_count(&entry),
                entry,
                was: None,
            })
            .collect(),
    }
}

/// Reports whether an entry is a hook: an object in a list that is not a server, which has a name.
fn is_hook(entry: &Entry) -> bool {
    matches!(entry, Entry::Item { value, .. } if value.is_object() && value.get("name").is_none())
}

/// Returns the items in a text that have the name of an entry, which is a server in a list.
fn items_with_name(form: Form, text: &str, entry: &Entry) -> Vec<Value> {
    let Entry::Item { path, value } = entry else {
        return Vec::new();
    };
    let Some(name) = value.get("name") else {
        return Vec::new();
    };
    let found = lancet_install::parse_value_at(form, text, path);
    let items = found.and_then(|found| found.as_array().cloned());
    let mut items = items.unwrap_or_default();
    items.retain(|item| item.get("name") == Some(name));
    items
}

/// Returns the list in which another server has the name of an entry.
fn server_list_with_same_name(form: Form, text: &str, entry: &Entry) -> Option<String> {
    let Entry::Item { path, value } = entry else {
        return None;
    };
    let others = items_with_name(form, text, entry);
    others
        .iter()
        .any(|item| item != value)
        .then(|| path.join("."))
}

/// Returns the items in a text that run lancet as a hook does, whatever the path of the program.
fn similar_hooks(form: Form, text: &str, hook: &Entry) -> Vec<Entry> {
    let Entry::Item { path, value } = hook else {
        return Vec::new();
    };
    // A group that also runs other programs is not lancet's.
    let command = |group: &Value| match group["hooks"].as_array()?.as_slice() {
        [hook] => Some(hook["command"].as_str()?.to_owned()),
        _ => None,
    };
    let words = |command: &str| {
        let (_, rest) = command.rsplit_once(" hook ")?;
        rest.split_whitespace().next().map(str::to_owned)
    };
    let wanted = command(value).as_deref().and_then(words);
    let found = lancet_install::parse_value_at(form, text, path);
    let items = found.and_then(|found| found.as_array().cloned());
    let runs_it = |group: &Value| {
        command(group).is_some_and(|command| {
            command.contains("lancet") && wanted.is_some() && words(&command) == wanted
        })
    };
    items
        .into_iter()
        .flatten()
        .filter(runs_it)
        .map(|value| Entry::Item {
            path: path.clone(),
            value,
        })
        .collect()
}

/// Reports whether an entry has lancet's name, and so counts as lancet's even if another program wrote it.
pub(super) fn names_lancet(entry: &Entry) -> bool {
    match entry {
        Entry::Member { path, .. } => path.iter().any(|name| name.contains("lancet")),
        Entry::Item { value, .. } => value.to_string().contains("lancet"),
        Entry::Block { .. } | Entry::Whole { .. } => true,
    }
}

/// Returns the number of names that lead to an entry.
fn parent_count(entry: &Entry) -> usize {
    match entry {
        Entry::Member { path, .. } => path.len().saturating_sub(1),
        Entry::Item { path, .. } => path.len(),
        Entry::Block { .. } | Entry::Whole { .. } => 0,
    }
}

/// Returns the entry that restores the earlier value.
fn restoring_entry(kept: &EntryReceipt) -> Option<Entry> {
    match (&kept.entry, &kept.was) {
        (Entry::Member { path, .. }, Some(was)) => Some(Entry::Member {
            path: path.clone(),
            value: was.clone(),
        }),
        _ => None,
    }
}

/// Returns the value that an entry replaces, so that `uninstall` can restore it. A different entry with lancet's name
/// is the user's own.
fn earlier_value(form: Form, text: &str, entry: &Entry) -> Option<Value> {
    match entry {
        Entry::Member { path, value } if names_lancet(entry) => {
            let found = lancet_install::parse_value_at(form, text, path)?;
            (found != *value).then_some(found)
        }
        _ => plain_value(form, text, entry),
    }
}

/// Returns the string, number or boolean that an entry replaces; none for an entry with lancet's name.
fn plain_value(form: Form, text: &str, entry: &Entry) -> Option<Value> {
    if names_lancet(entry) {
        return None;
    }
    let Entry::Member { path, .. } = entry else {
        return None;
    };
    let found = lancet_install::parse_value_at(form, text, path)?;
    (!found.is_object() && !found.is_array()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn hook_change(command: &str) -> FileChange {
        FileChange {
            path: "/home/me/settings.json".into(),
            form: Form::Json,
            entries: vec![Entry::Item {
                path: vec!["hooks".to_owned(), "SessionStart".to_owned()],
                value: json!({ "hooks": [{ "type": "command", "command": command }] }),
            }],
        }
    }

    #[test]
    fn replaces_hook_of_another_path_without_receipt() {
        let theirs = r#"{"hooks":{"SessionStart":[
            {"hooks":[{"type":"command","command":"/a/lancet hook claude"}]},
            {"hooks":[{"type":"command","command":"/a/lancet hook claude"},{"type":"command","command":"date"}]},
            {"hooks":[{"type":"command","command":"lancet-check hook"}]}]}}"#;
        let change = hook_change("/new/lancet hook claude");
        let (text, _) =
            install_into_text(&change, Some(theirs), None, Vec::new()).expect("installed");
        let NewText::Text(text) = text else {
            panic!("it has changed")
        };
        assert_eq!(text.matches("/new/lancet hook claude").count(), 1, "{text}");
        assert_eq!(text.matches("/a/lancet hook claude").count(), 1, "{text}");
        assert!(
            text.contains("date") && text.contains("lancet-check"),
            "{text}"
        );
    }

    #[test]
    fn replaces_old_hook_in_changed_file() {
        let (old, new) = ("/old/lancet hook claude", "/new/lancet hook claude");
        let (text, receipt) = install_into_text(&hook_change(old), Some("{}\n"), None, Vec::new())
            .expect("installed");
        let NewText::Text(text) = text else {
            panic!("it has changed")
        };
        let changed = text.replacen('{', "{\n  \"theirs\": 1,", 1);
        let again = install_into_text(
            &hook_change(new),
            Some(&changed),
            Some(&receipt),
            Vec::new(),
        );
        let (text, receipt) = again.expect("installed");
        let NewText::Text(text) = text else {
            panic!("it has changed")
        };
        assert!(text.contains(new) && !text.contains(old), "{text}");
        let left = uninstall_from_text(Form::Json, Some(&text), &receipt).expect("taken out");
        let NewText::Text(left) = left else {
            panic!("it has changed")
        };
        assert!(left.contains("theirs") && !left.contains("hook"), "{left}");
    }

    #[test]
    fn removes_revoked_permission_from_changed_file() {
        let change = |allowed: &[&str]| FileChange {
            path: "/home/me/settings.json".into(),
            form: Form::Json,
            entries: allowed
                .iter()
                .map(|name| Entry::item(&["permissions", "allow"], name))
                .collect(),
        };
        let (read, edit) = ("mcp__lancet__Read", "mcp__lancet__Edit");
        let (text, receipt) =
            install_into_text(&change(&[read, edit]), None, None, Vec::new()).expect("installed");
        let NewText::Text(text) = text else {
            panic!("it is new")
        };
        let changed = text.replacen('[', "[\"theirs\", ", 1);
        let again = install_into_text(&change(&[read]), Some(&changed), Some(&receipt), Vec::new());
        let (text, receipt) = again.expect("installed");
        let NewText::Text(text) = text else {
            panic!("it has changed")
        };
        assert!(text.contains(read) && !text.contains(edit), "{text}");
        assert!(text.contains("theirs"), "{text}");
        assert_eq!(receipt.entries.len(), 1);
    }
}
