//! Adds one rule to a settings file. Everything else in the file, including comments and order, stays as it is, and the
//! changes of a concurrent writer are not lost.

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use lancet_policy::RuleEffect;
use lancet_workspace::{
    CommitError, ExpectedState, FileType, FileWrite, NewBytes, RealDisk, Workspace, WriteOptions,
    resolve_folder,
};
use toml_edit::{Array, DocumentMut, Item, Table, Value};

use super::{Layer, Origin, Settings};

/// The longest settings file that is read, in bytes.
const MAX_FILE_SIZE: u64 = 1024 * 1024;
/// How often the write is retried after another writer was faster.
const MAX_ATTEMPTS: usize = 64;

/// A rule that is in a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavedRule {
    /// The line of the rule, from 1.
    pub line: usize,
}

/// Why a rule could not be added.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveRuleError {
    /// The file does not load as it is, so nothing is added to it.
    #[error("{0}")]
    Settings(#[from] super::SettingsError),
    /// The file cannot be edited as TOML.
    #[error("{0}")]
    Form(String),
    /// The operating system refused.
    #[error("{0}")]
    System(String),
    /// Other writers changed the file at every try.
    #[error("others kept writing it")]
    Busy,
}

/// Adds a rule to a settings file, which is created if it does not exist. A rule that is already there is not added
/// again.
///
/// # Errors
/// The settings do not load, or cannot be written.
pub fn save_rule(file: &Path, effect: RuleEffect, rule: &str) -> Result<SavedRule, SaveRuleError> {
    let system = |error: &dyn std::fmt::Display| SaveRuleError::System(error.to_string());
    // A settings file may be a symbolic link: its target is written.
    let file = resolve_folder(file);
    let folder = file.ancestors().skip(1).find(|folder| folder.is_dir());
    let root = folder.unwrap_or(Path::new("/")).to_path_buf();
    let workspace =
        Workspace::open(&[root], Arc::new(RealDisk), None).map_err(|error| system(&error))?;
    for _ in 0..MAX_ATTEMPTS {
        let located = workspace
            .locate_as_spelled(&file)
            .map_err(|error| system(&error))?;
        let (text, expected) = if located.kind() == FileType::Missing {
            (String::new(), ExpectedState::Missing)
        } else {
            let snapshot = located
                .read_snapshot(MAX_FILE_SIZE)
                .map_err(|error| system(&error))?;
            let text =
                String::from_utf8(snapshot.bytes.to_vec()).map_err(|error| system(&error))?;
            let expected = ExpectedState::Content {
                revision: snapshot.revision,
                stamp: snapshot.stamp,
                bytes: Some(snapshot.bytes),
            };
            (text, expected)
        };
        let layer = Layer {
            origin: Origin::User,
            path: file.clone(),
            text,
        };
        Settings::load(std::slice::from_ref(&layer))?;
        let added = add_rule_to_text(&layer.text, effect, rule)?;
        let kept = SavedRule {
            line: line_of_rule(&added, rule),
        };
        if added == layer.text {
            return Ok(kept);
        }
        let write = FileWrite {
            located: &located,
            expected,
            new: NewBytes::Whole(added.as_bytes()),
            revision: None,
            options: WriteOptions::default(),
        };
        match workspace.commit(vec![write]) {
            Ok(_) => return Ok(kept),
            Err(
                CommitError::Changed { .. }
                | CommitError::Exists { .. }
                | CommitError::FolderMoved { .. }
                | CommitError::Busy { .. },
            ) => std::thread::sleep(std::time::Duration::from_millis(5)),
            Err(error) => return Err(system(&error)),
        }
    }
    Err(SaveRuleError::Busy)
}

/// Adds one rule to one of the lists in a settings text.
pub fn add_rule_to_text(
    text: &str,
    effect: RuleEffect,
    rule: &str,
) -> Result<String, SaveRuleError> {
    let form = |words: &str| SaveRuleError::Form(words.to_owned());
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| SaveRuleError::Form(error.message().to_owned()))?;
    let permissions = document
        .entry("permissions")
        .or_insert_with(|| Item::Table(Table::new()));
    let table = permissions
        .as_table_like_mut()
        .ok_or_else(|| form("permissions is not a table"))?;
    let list = table
        .entry(effect.as_str())
        .or_insert_with(|| Item::Value(Value::Array(Array::new())));
    // The list may be written as a single string.
    if let Some(only) = list.as_str().map(str::to_owned) {
        *list = Item::Value(Value::Array(Array::from_iter([only])));
    }
    let array = list
        .as_array_mut()
        .ok_or_else(|| form("the rules are not a list"))?;
    if array.iter().any(|known| known.as_str() == Some(rule)) {
        return Ok(text.to_owned());
    }
    push_in_list_style(array, rule);
    Ok(document.to_string())
}

/// Adds an entry in the style of the list: on a separate line if the others are.
fn push_in_list_style(array: &mut Array, rule: &str) {
    let indent = array
        .iter()
        .last()
        .and_then(|last| last.decor().prefix()?.as_str())
        .filter(|prefix| prefix.contains('\n'))
        .and_then(|prefix| prefix.rsplit('\n').next())
        .map(str::to_owned);
    let Some(indent) = indent else {
        array.push(rule);
        return;
    };
    // A comment or line end after the last entry stays after it; the new entry follows.
    let trailing = array.trailing().as_str().unwrap_or_default().to_owned();
    let own_line = format!("\n{indent}");
    let (before, after) = match trailing.rfind('\n') {
        Some(at) => (trailing[..at].to_owned(), trailing[at..].to_owned()),
        None => (String::new(), "\n".to_owned()),
    };
    let mut value = Value::from(rule);
    let prefix = if array.trailing_comma() {
        format!("{before}{own_line}")
    } else {
        own_line
    };
    value.decor_mut().set_prefix(prefix);
    array.push_formatted(value);
    array.set_trailing_comma(true);
    array.set_trailing(after);
}

fn line_of_rule(text: &str, rule: &str) -> usize {
    let quoted = Value::from(rule).to_string();
    let at = text.find(quoted.trim()).unwrap_or(0);
    text[..at].matches('\n').count() + 1
}
