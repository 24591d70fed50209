//! What a change did to a file besides its lines: symbolic links, folders and permission bits.

use std::path::Path;

use lancet::doors::{escape_line_for_terminal, path_text};
use lancet::history::{ChangeKind, FileChange, RecordedState};

/// The permission bits of a mode.
const PERMISSION_BITS: u32 = 0o7777;

/// Returns the label of a file's change; none for the usual kind.
pub(super) fn kind_label(kind: ChangeKind) -> Option<&'static str> {
    match kind {
        ChangeKind::Create => Some("new"),
        ChangeKind::Delete => Some("removed"),
        ChangeKind::Move => Some("moved"),
        ChangeKind::Mode => Some("permissions"),
        _ => None,
    }
}

/// Returns the label of a recorded change: that of its kind, and whether a link or a folder was changed.
pub(super) fn change_label(change: &FileChange) -> Option<&'static str> {
    let is_link =
        |state: &Option<RecordedState>| state.as_ref().is_some_and(|state| state.link.is_some());
    let is_folder =
        |state: &Option<RecordedState>| state.as_ref().is_some_and(RecordedState::is_folder);
    let is_about_folder = is_folder(&change.before) || is_folder(&change.after);
    match (change.kind, is_link(&change.before), is_link(&change.after)) {
        (ChangeKind::Create, _, true) => Some("new link"),
        (ChangeKind::Delete, true, _) => Some("link removed"),
        (ChangeKind::Create, ..) if is_about_folder => Some("new folder"),
        (ChangeKind::Delete, ..) if is_about_folder => Some("folder removed"),
        (ChangeKind::Update, false, true) => Some("file became a link"),
        (ChangeKind::Update, true, false) => Some("link became a file"),
        (ChangeKind::Update, true, true) => Some("link changed"),
        (kind, ..) => kind_label(kind),
    }
}

/// Returns what a change did besides changing lines, as sentences.
pub(super) fn change_facts(change: &FileChange) -> Vec<String> {
    let mut facts = Vec::new();
    let (before, after) = (change.before.as_ref(), change.after.as_ref());
    let target = |state: Option<&RecordedState>| {
        let link = state?.link.as_deref()?;
        Some(visible_path(link))
    };
    match (target(before), target(after)) {
        (Some(before), Some(after)) if before != after => {
            facts.push(format!("It led to {before} and now leads to {after}."));
        }
        (_, Some(after)) => facts.push(format!("It leads to {after}.")),
        (Some(before), None) => facts.push(format!("It led to {before}.")),
        (None, None) => {}
    }
    let bits = |state: Option<&RecordedState>| {
        let state = state.filter(|state| state.link.is_none() && state.mode != 0)?;
        Some(state.mode & PERMISSION_BITS)
    };
    match (bits(before), bits(after)) {
        (Some(before), Some(after)) if before != after => {
            facts.push(format!("Permission bits: {before:03o}, now {after:03o}."));
        }
        (None, Some(bits)) if bits & 0o111 != 0 && !after.is_some_and(RecordedState::is_folder) => {
            facts.push("It is executable.".to_owned());
        }
        _ => {}
    }
    facts
}

fn visible_path(path: &Path) -> String {
    escape_line_for_terminal(&path_text(path)).into_owned()
}
