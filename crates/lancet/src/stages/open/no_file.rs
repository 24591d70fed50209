//! The refusals for a path that does not lead to a file: it does not exist, or is a folder.

use std::ffi::OsStr;
use std::path::PathBuf;

use lancet_workspace::{EntryKind, FileType};
use serde_json::json;

use crate::engine::EngineView;
use crate::message::{Message, message, tool_and_shell_term, verbatim};
use crate::next_call::Remedy;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::locate::{Target, find_same_tail, is_hidden};
use crate::wording::{QuotedPath, join_roots, on_one_line, quote_path};

/// How many entries of a folder an answer names.
const MAX_LISTED_ENTRIES: usize = 50;

/// How many names of a folder are compared with a name that does not exist.
const MAX_COMPARED_SIBLINGS: usize = 10_000;

/// How many names a "did you mean" suggests.
const MAX_SUGGESTIONS: usize = 3;

/// Refuses a path that does not exist, and names existing paths with a similar spelling.
pub(super) fn missing_refusal(engine: &EngineView, target: &Target) -> Refusal {
    let given = &target.given;
    let audience = engine.audience();
    let mut text = message!(
        "{}{}{}",
        tool_and_shell_term("", "No such file: "),
        given,
        tool_and_shell_term(" is not there.", ".")
    );
    let mut paths = similar_paths(engine, target);
    paths.extend(find_same_tail(engine, target.path()));
    let suggestions: Vec<QuotedPath> = paths.iter().map(|path| quote_path(path)).collect();
    let nearest = paths.into_iter().next();
    if !suggestions.is_empty() {
        text.push(message!(
            " Did you mean {}?",
            Message::joined(&suggestions, " or ")
        ));
    }
    let has_write = engine.tools.has_tool("Write");
    if !audience.is_person() {
        let write = has_write.then(|| message!(" with {},", verbatim(audience.tool("Write"))));
        let roots = join_roots(engine.roots());
        text.push(message!(" A new file is made{} below {}.", write, roots));
    }
    Refusal::from_message(RefusalKind::Missing, text)
        .with_remedy(nearest.map(Remedy::read_file))
        .with_field("file_path", quote_path(target.path()))
        .with_field("suggestions", json!(suggestions))
}

/// Suggests existing paths whose spelling is close to the first missing part of this path.
fn similar_paths(engine: &EngineView, target: &Target) -> Vec<PathBuf> {
    let wanted = target.located.first_missing();
    // All parts above the first missing one exist; the parts below it are appended unchanged.
    let depth = target.located.missing_folders().len();
    let Some(folder) = target.path().ancestors().nth(depth + 1) else {
        return Vec::new();
    };
    let rest: Vec<_> = target.path().iter().collect();
    let rest: PathBuf = rest[rest.len() - depth..].iter().collect();
    let siblings = target
        .located
        .names_near_missing(MAX_COMPARED_SIBLINGS)
        .unwrap_or_default();
    let names: Vec<String> = siblings
        .into_iter()
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    let shown = names
        .iter()
        .map(String::as_str)
        .filter(|name| !is_hidden(engine, &folder.join(name)));
    let closest = lancet_text::closest_names(&wanted.to_string_lossy(), shown, MAX_SUGGESTIONS);
    let paths = closest.into_iter().map(|name| {
        if depth == 0 {
            folder.join(name)
        } else {
            folder.join(name).join(&rest)
        }
    });
    let there = |path: &PathBuf| {
        let located = engine.workspace.locate_as_spelled(path);
        !is_hidden(engine, path)
            && located.is_ok_and(|located| {
                located.kind() != FileType::Missing && !is_hidden(engine, located.path())
            })
    };
    paths.filter(there).collect()
}

/// Refuses a folder, with its first entries.
pub(super) fn folder_refusal(engine: &EngineView, target: &Target) -> Refusal {
    let path = quote_path(target.path());
    let keep = |name: &OsStr, _: EntryKind| !is_hidden(engine, &target.path().join(name));
    let (entries, total) = target
        .located
        .entries(MAX_LISTED_ENTRIES, &keep)
        .map(|listing| (listing.entries, listing.total))
        .unwrap_or_default();
    let mut shown: Vec<Message> = entries
        .iter()
        .map(|entry| {
            let name = on_one_line(&entry.name.to_string_lossy());
            if entry.kind == EntryKind::Folder {
                message!("{}/", verbatim(name))
            } else {
                message!("{}", verbatim(name))
            }
        })
        .collect();
    if total > shown.len() {
        shown.push(message!("… and {} more", total - shown.len()));
    }
    let everything = engine.audience().list_call(target.path());
    let text = if shown.is_empty() {
        message!(
            "{} is a folder, and it shows no entries. Name a file.",
            &target.given
        )
    } else {
        message!(
            "{} is a folder. Name one of its files; it holds:\n{}\n{}",
            &target.given,
            Message::joined(shown, "\n"),
            verbatim(everything)
        )
    };
    Refusal::from_message(RefusalKind::Special, text).with_field("file_path", path)
}
