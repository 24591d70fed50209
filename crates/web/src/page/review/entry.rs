//! A file of the review in the form of the templates.

use lancet::doors::{escape_line_for_terminal, format_size, path_text};
use lancet::history::ChangeKind;
use lancet::outcome::unified_diff;
use lancet::review::{Contribution, ReviewText, ReviewedFile};

use crate::page::diff::{Diff, DiffPart, hidden_text_warning};

/// The largest number of sessions and operations that are listed individually.
const MAX_NAMED: usize = 8;

/// A file.
pub(super) struct FileEntry {
    /// Identifies what is shown: the newest operation, and the index of the file in it.
    pub(super) id: String,
    pub(super) path: String,
    /// The kind of change, if the file was not changed in place.
    pub(super) kind: Option<&'static str>,
    pub(super) moved_from: Option<String>,
    pub(super) added: usize,
    pub(super) removed: usize,
    /// Messages that are shown instead of a diff, or in addition to it.
    pub(super) facts: Vec<String>,
    /// Text that the change brings in and people cannot see.
    pub(super) hidden_text: Option<String>,
    /// The sessions that a comment can be for, the last writer first.
    pub(super) sessions: Vec<String>,
    /// The operations that contributed, newest first, with the author of each.
    pub(super) operations: Vec<(String, String)>,
    /// The number of operations that are not listed.
    pub(super) further: usize,
    /// The revision at the last look, as the forms send it back.
    pub(super) before: String,
    /// The name of each hunk, as the forms send it back; none if hunks cannot be undone.
    hunks: Vec<String>,
    /// The lines of each hunk in the new text, for comments.
    lines: Vec<(usize, usize)>,
    pub(super) diff: Diff,
    /// Whether the diff is omitted because the others are long.
    pub(super) is_left_out: bool,
}

impl FileEntry {
    pub(super) fn from_reviewed(file: &ReviewedFile, shown: &DiffPart<'_>) -> Self {
        let mut entry = Self {
            id: format!("{}.{}", file.operation, file.at),
            path: escape_line_for_terminal(&path_text(&file.relative)).into_owned(),
            kind: match (file.kind, &file.text) {
                (ChangeKind::Create, ReviewText::Link { .. }) => Some("new link"),
                (ChangeKind::Create, ReviewText::EmptyFolder) => Some("new folder"),
                (ChangeKind::Create, _) => Some("new file"),
                (ChangeKind::Delete, _) => Some("removed"),
                _ => None,
            },
            moved_from: file
                .moved_from
                .as_ref()
                .map(|old| escape_line_for_terminal(&path_text(old)).into_owned()),
            added: 0,
            removed: 0,
            facts: Vec::new(),
            hidden_text: None,
            sessions: contributing_sessions(file),
            operations: contributing_operations(file),
            further: file.contributions.len().saturating_sub(MAX_NAMED),
            before: file
                .before
                .as_ref()
                .map_or_else(|| "none".to_owned(), to_hex),
            hunks: Vec::new(),
            lines: Vec::new(),
            diff: Diff::from_unified(&file.path, &[], shown),
            is_left_out: false,
        };
        if let Some((before, after)) = file.modes {
            let words = format!("Permission bits: {before:03o}, now {after:03o}.");
            entry.facts.push(words);
        }
        entry.set_text(file, shown);
        entry
    }

    fn set_text(&mut self, file: &ReviewedFile, shown: &DiffPart<'_>) {
        let say = |facts: &mut Vec<String>, words: &str| facts.push(words.to_owned());
        match &file.text {
            ReviewText::Lines {
                hunks,
                added,
                removed,
            } => {
                (self.added, self.removed) = (*added, *removed);
                let of_one = |hunk: &lancet::review::ReviewHunk| {
                    unified_diff(std::slice::from_ref(&hunk.hunk))
                };
                let texts: Vec<String> = hunks.iter().map(of_one).collect();
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                self.hunks = hunks.iter().map(|hunk| hunk.lines.to_string()).collect();
                self.lines = hunks
                    .iter()
                    .map(|hunk| changed_line_range(&hunk.hunk))
                    .collect();
                self.hidden_text = hidden_text_warning(&texts);
                self.diff = Diff::from_unified(&file.path, &texts, shown);
                self.is_left_out = self.diff.hunks.is_empty() && self.diff.total > 0;
                if self.diff.total == 0 {
                    say(&mut self.facts, "The file is empty.");
                }
            }
            ReviewText::Withheld => say(
                &mut self.facts,
                "The rules forbid showing this file, so it is only named.",
            ),
            ReviewText::NotText { sizes } => self.facts.push(format!(
                "No text: {} before, {} now.",
                format_size(sizes.0),
                format_size(sizes.1)
            )),
            ReviewText::TooLarge { added, removed } => {
                (self.added, self.removed) = (*added, *removed);
                say(
                    &mut self.facts,
                    "Too large to compare by line. The history has each operation by itself.",
                );
            }
            ReviewText::Link { before, after } => {
                let target = |link: &Option<std::path::PathBuf>| match link {
                    None => "no link".to_owned(),
                    Some(to) => escape_line_for_terminal(&path_text(to)).into_owned(),
                };
                self.facts.push(format!(
                    "A symbolic link: {} before, {} now.",
                    target(before),
                    target(after)
                ));
            }
            ReviewText::EmptyFolder => say(&mut self.facts, "An empty folder."),
            ReviewText::Same => say(&mut self.facts, "The text is the same."),
            ReviewText::ByOperation(patches) => {
                say(
                    &mut self.facts,
                    "What you saw last is no longer kept, so each operation is shown by itself, the oldest first.",
                );
                let texts: Vec<&str> = patches
                    .iter()
                    .filter_map(|(_, patch)| patch.as_deref())
                    .collect();
                self.hidden_text = hidden_text_warning(&texts);
                self.diff = Diff::from_unified(&file.path, &texts, shown);
                self.is_left_out = self.diff.hunks.is_empty() && self.diff.total > 0;
            }
            _ => say(&mut self.facts, "The history has what happened."),
        }
    }

    /// Returns the name of a hunk, if it can be undone.
    pub(super) fn hunk(&self, text: &usize) -> Option<&str> {
        self.hunks.get(*text).map(String::as_str)
    }

    /// Returns the first and the last changed line of a hunk in the new text.
    pub(super) fn lines(&self, text: &usize) -> (usize, usize) {
        self.lines.get(*text).copied().unwrap_or((1, 1))
    }

    /// Returns the last session that wrote.
    pub(super) fn session(&self) -> &str {
        self.sessions.first().map_or("", String::as_str)
    }
}

/// Returns the first and the last changed line of a hunk in the new text, or the line before if lines were only
/// removed.
fn changed_line_range(hunk: &lancet::outcome::Hunk) -> (usize, usize) {
    let mut next = hunk.new_start.max(1);
    let (mut first, mut last) = (None, next);
    for line in &hunk.lines {
        match line.chars().next() {
            Some('+') => {
                first.get_or_insert(next);
                last = next;
                next += 1;
            }
            Some('-') => {
                let before = next.saturating_sub(1).max(1);
                first.get_or_insert(before);
                last = last.max(before);
            }
            Some(' ') => next += 1,
            _ => {}
        }
    }
    let first = first.unwrap_or(last);
    (first, last.max(first))
}

fn contributing_sessions(file: &ReviewedFile) -> Vec<String> {
    let mut sessions: Vec<String> = Vec::new();
    let others = file.contributions.iter().filter(|one| !one.is_a_persons);
    for one in others {
        if !sessions.contains(&one.operation.session) && sessions.len() < MAX_NAMED {
            sessions.push(one.operation.session.clone());
        }
    }
    sessions
}

fn contributing_operations(file: &ReviewedFile) -> Vec<(String, String)> {
    let by = |one: &Contribution| {
        let who = match (one.is_a_persons, &one.operation.client) {
            (true, _) => "you",
            (false, Some(client)) => client,
            (false, None) => "unknown",
        };
        let who = format!("{} by {who}", one.operation.tool);
        (
            one.operation.id.clone(),
            escape_line_for_terminal(&who).into_owned(),
        )
    };
    file.contributions.iter().take(MAX_NAMED).map(by).collect()
}

/// Returns the bytes in hexadecimal digits.
fn to_hex(bytes: &[u8; 32]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the revision with these digits; `none` means that there is no file.
pub(super) fn parse_revision(digits: &str) -> Option<Option<[u8; 32]>> {
    if digits == "none" {
        return Some(None);
    }
    let bytes = blake3::Hash::from_hex(digits).ok()?;
    Some(Some(*bytes.as_bytes()))
}
