//! The sentences of an answer to a change: what happened to a file, the warnings of the commit, and the rendering for a
//! person.

use std::path::{Path, PathBuf};

use lancet_model::person_text::PersonText;
use lancet_text::{Hunk, Rung, unified_diff};
use lancet_workspace::{ExecutableChange, WriteOutcome, WriteWarning};

use super::super::plan::FilePlan;
use super::{MAX_NOTICE_LENGTH, WITHHELD_DIFF};
use crate::audience::Audience;
use crate::message::{Message, message, verbatim};
use crate::outcome::{FileOutcome, Outcome};
use crate::receive::Repair;
use crate::wording::{format_count, quote_path, truncate};

/// The longest diff in a rendering for a person, in characters.
const MAX_DIFF_FOR_PERSON: usize = 100_000;

/// Whether a sentence says what was done or what would be done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tense {
    Did,
    Would,
}

pub(super) fn headline(file: &FilePlan, tense: Tense, audience: &Audience) -> String {
    let path = audience.path_name(&quote_path(file.target.path()));
    let view = &file.view;
    if file.removes() {
        let verb = match tense {
            Tense::Did => "Removed",
            Tense::Would => "Would remove",
        };
        return format!("{verb} {path}.");
    }
    if file.changes_mode_only() {
        let verb = match tense {
            Tense::Did => "Changed",
            Tense::Would => "Would change",
        };
        return format!("{verb} the permission bits of {path}.");
    }
    if let Some(moved) = file.moved() {
        let verb = match tense {
            Tense::Did => "Moved",
            Tense::Would => "Would move",
        };
        let from = audience.path_name(&quote_path(moved.from.path()));
        let names = format!("{verb} {from} to {path}");
        return match view.is_hidden || (view.rungs.is_empty() && view.patch.is_empty()) {
            true => format!("{names}."),
            false => format!(
                "{names}: {} added, {} removed.",
                format_count(view.added, "line"),
                view.removed
            ),
        };
    }
    let verb = match (file.creates(), view.rungs.is_empty(), tense) {
        (true, _, Tense::Did) => "Created",
        (true, _, Tense::Would) => "Would create",
        (false, true, Tense::Did) => "Wrote",
        (false, true, Tense::Would) => "Would write",
        (false, false, Tense::Did) => "Edited",
        (false, false, Tense::Would) => "Would edit",
    };
    if file.creates() {
        return format!("{verb} {path}:");
    }
    if view.is_hidden {
        return format!("{verb} {path}.");
    }
    let how = if view.rungs.is_empty() {
        String::new()
    } else {
        format!("{}, ", format_count(view.replacements, "replacement"))
    };
    format!(
        "{verb} {path}: {how}{} added, {} removed.",
        format_count(view.added, "line"),
        view.removed
    )
}

/// Phrases a warning of the commit: its name, and what it means for the reader.
pub(super) fn describe_warning(warning: &WriteWarning) -> Message {
    let words = match warning {
        WriteWarning::NotDurable => {
            "written, but the folder could not be flushed: a power cut now may bring the old file back"
        }
        WriteWarning::Overwritten => {
            "written, and replaced by someone else in the next moment: read the file again before going on"
        }
        WriteWarning::LateWriter => {
            "written while someone else was about to write the old file: what they write goes to the kept old version, not into this file"
        }
        WriteWarning::LinksBroken => {
            "the file had other names (hard links); they keep the old text"
        }
        WriteWarning::Left(path) => {
            return message!(
                "{}: the old file could not be put away and is still at {}",
                verbatim(warning.name()),
                quote_path(path)
            );
        }
        WriteWarning::FolderStays(path) => {
            return message!(
                "{}: the empty folder {} could not be removed",
                verbatim(warning.name()),
                quote_path(path)
            );
        }
        WriteWarning::NotLocked => {
            "the folder cannot be locked: other lancet processes were not kept out"
        }
        WriteWarning::AttributesLost => {
            "written, but labels or capabilities of the security system could not be given to the new file: the user may have to set them again"
        }
        WriteWarning::OwnerLost => {
            "written, but the file belongs to this user now: only the superuser can give it to the one that it belonged to"
        }
        WriteWarning::Unprotected => {
            "written without keeping other writers away, which this file does not allow; the old text is kept"
        }
    };
    message!("{}: {}", verbatim(warning.name()), words)
}

/// Says that the permission to execute a file changed, or would change in a dry run.
pub(super) fn push_executable_change(
    text: &mut String,
    file: &FilePlan,
    written: Option<&WriteOutcome>,
) {
    let words = match (file.executable_change(written), written) {
        (ExecutableChange::Keep, _) => return,
        (ExecutableChange::Yes, Some(_)) => "it is executable now",
        (ExecutableChange::Yes, None) => "it would become executable",
        (ExecutableChange::No, Some(_)) => "it is not executable any more",
        (ExecutableChange::No, None) => "it would not be executable any more",
    };
    text.push_str(&format!("[lancet: {words}]\n"));
}

pub(super) fn push_notices(text: &mut String, file: &FilePlan, audience: &Audience) {
    for notice in file.target.notices.iter().chain(&file.view.notices) {
        let notice = truncate(&notice.render(audience), MAX_NOTICE_LENGTH);
        text.push_str(&format!("[lancet: {notice}]\n"));
    }
}

pub(super) fn push_repairs(text: &mut String, repairs: &[Repair]) {
    for repair in repairs {
        text.push_str(&format!("[lancet: {repair}]\n"));
    }
}

/// One file of a change, as a person sees it.
pub(super) struct FileForPerson {
    lead: &'static str,
    word: &'static str,
    from: Option<PathBuf>,
    path: PathBuf,
    added: usize,
    removed: usize,
    rung: Option<Rung>,
    /// Whether its lines are counted.
    is_counted: bool,
    is_withheld: bool,
}

impl FileForPerson {
    pub(super) fn new(file: &FilePlan, lead: &'static str) -> Self {
        let view = &file.view;
        let word = match () {
            () if file.removes() => "removed",
            () if file.moved().is_some() => "moved",
            () if file.changes_mode_only() => "changed permissions of",
            () if file.creates() => "created",
            () if view.rungs.is_empty() => "overwritten",
            () => "edited",
        };
        let from = file.moved().map(|moved| moved.from.located.relative());
        Self {
            lead,
            word,
            from: from.map(Path::to_path_buf),
            path: file.target.located.relative().to_path_buf(),
            added: view.added,
            removed: view.removed,
            rung: view.rungs.iter().copied().find(|rung| *rung != Rung::Exact),
            is_counted: !view.is_hidden,
            is_withheld: file.is_withheld(),
        }
    }

    /// Renders the file with the hunks of its change.
    fn render(&self, patch: &[Hunk]) -> String {
        let rung = self.rung.map_or_else(String::new, |rung| {
            format!(", matched on `{}`", rung.name())
        });
        let diff = match self.is_withheld {
            true => WITHHELD_DIFF.to_owned(),
            false => truncate(&unified_diff(patch), MAX_DIFF_FOR_PERSON),
        };
        let from = self
            .from
            .as_ref()
            .map_or_else(String::new, |from| format!("{} to ", quote_path(from)));
        let counts = match self.is_counted {
            true => format!("  +{} -{}", self.added, self.removed),
            false => String::new(),
        };
        format!(
            "{}{} {from}{}{counts}{rung}\n{diff}",
            self.lead,
            self.word,
            quote_path(&self.path),
        )
    }
}

/// Renders a change for a person: the files, and what language servers found.
pub(super) fn text_for_person(files: Vec<FileForPerson>, problems: String) -> PersonText {
    PersonText::on_demand(move |outcome| {
        let changed: &[FileOutcome] = match outcome {
            Outcome::Changed(changed) => &changed.files,
            _ => &[],
        };
        let files = files.iter().zip(changed);
        let mut text: String = files
            .map(|(file, changed)| file.render(&changed.patch))
            .collect();
        text.push_str(&problems);
        text
    })
}
