//! reply: makes a short text for the model in proportion to the change, data for programs, and a rendering for a
//! person.

mod folder;
mod git;
mod others;
mod page;
pub(crate) mod search;

use std::path::Path;

use lancet_text::{Rung, unified};
use lancet_workspace::{Warning, Written};
use serde_json::{Value, json};

use super::CallContext;
use super::plan::{DryRun, FilePlan, LeftOut, Plan};
use super::record::Recorded;
use crate::outcome::{
    ChangeOutcome, FileOutcome, Hunk, Layout, LeftOutFile, Matching, Outcome, RefusedOutcome,
    WrittenFile,
};
use crate::receive::Repair;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::wording::{count, cut, quote_path};

pub(crate) use folder::folder;
pub(crate) use others::nothing_written;
pub(crate) use page::page;

/// The longest diff in a rendering for a person, in characters.
const LONGEST_FOR_PERSON: usize = 100_000;
/// The longest notice, in characters.
const LONGEST_NOTICE: usize = 9_000;

/// The answer of a host's tool that wrote nothing.
pub(crate) fn host_answer(text: String, data: Value) -> Reply {
    let data = if data.is_object() {
        data
    } else {
        json!({ "result": data })
    };
    Reply::new(text.clone(), Outcome::Answered(data), text)
}

/// The answer to a dry run.
pub(crate) fn dry_run(
    context: &CallContext<'_>,
    mut plan: Plan,
    repairs: &[Repair],
    asks: Option<&str>,
) -> Reply {
    let mut text = String::from("Dry run: nothing was written.\n");
    text.extend(plan.origin.lead.iter().map(|lead| format!("{lead}\n")));
    let mut person = String::new();
    let mut files = Vec::new();
    for file in &mut plan.files {
        text.push_str(&format!(
            "{}\n{}",
            headline(file, Tense::Would),
            cut(&shown_diff(file), LONGEST_NOTICE)
        ));
        notices(&mut text, file);
        person.push_str(&for_person(file, "would be "));
        let git_diff = git::foreseen(context.engine(), file);
        files.push(FileOutcome {
            git_diff,
            ..file_outcome(file, None)
        });
    }
    if let Some(reason) = asks {
        text.push_str(&format!(
            "[lancet: before it is written a person is asked: {reason}]\n"
        ));
    }
    repaired(&mut text, repairs);
    finish(context, &plan, text, files, None, person)
}

/// The answer to a call that was carried out.
pub(crate) fn change(context: &CallContext<'_>, recorded: Recorded, repairs: &[Repair]) -> Reply {
    let Recorded {
        mut plan,
        written,
        operation,
        mut contents,
    } = recorded;
    let mut text = String::new();
    text.extend(plan.origin.lead.iter().map(|lead| format!("{lead}\n")));
    let mut person = String::new();
    let mut files = Vec::new();
    for (at, (file, written)) in plan.files.iter_mut().zip(&written).enumerate() {
        text.push_str(&format!(
            "{}\n{}",
            headline(file, Tense::Did),
            shown_body(file)
        ));
        if !text.ends_with('\n') {
            text.push('\n');
        }
        notices(&mut text, file);
        for warning in &written.warnings {
            text.push_str(&format!("[lancet: {}]\n", warning_words(warning)));
        }
        if !file.removes() {
            text.push_str(&format!(
                "[lancet: {} is now at revision {}]\n",
                quote_path(file.target.path()),
                written.revision.short()
            ));
        }
        person.push_str(&for_person(file, ""));
        let content = contents.get(at).and_then(|(_, content)| content.as_deref());
        let git_diff = git::after(context.engine(), (file, written), content);
        files.push(FileOutcome {
            user_modified: plan.origin.user_modified,
            git_diff,
            ..file_outcome(file, Some(written))
        });
    }
    repaired(&mut text, repairs);
    let reply = finish(context, &plan, text, files, Some(operation), person);
    match contents.pop() {
        Some((original, content))
            if plan.files.len() == 1 && context.engine().base().give_contents =>
        {
            reply.with_contents(original, content)
        }
        _ => reply,
    }
}

/// The answer to a call that was refused.
pub(crate) fn refusal(context: &CallContext<'_>, refusal: Refusal, path: Option<&str>) -> Reply {
    let limit = context.refusals;
    let person = format!(
        "refused {} {}: {}\n{}",
        context.tool,
        quote_path(Path::new(path.unwrap_or_default())),
        refusal.kind().name(),
        refusal.text()
    );
    let (mut text, outcome) = RefusedOutcome::new(refusal, context.numbers, path);
    if !limit.fits(&text) {
        text = limit.cut(&text, limit.most.saturating_sub(60));
    }
    Reply::new(text, Outcome::Refused(outcome), person)
}

/// The replacement for the diff of a withheld file.
const NOT_SHOWN: &str = "(its text is not shown)\n";

/// The diff of a change. The diff of a withheld file is shown only to the person who is asked.
fn shown_diff(file: &FilePlan) -> String {
    if file.is_withheld() {
        NOT_SHOWN.to_owned()
    } else {
        unified(&file.view.patch)
    }
}

fn shown_body(file: &FilePlan) -> &str {
    if file.is_withheld() {
        NOT_SHOWN
    } else {
        &file.view.body
    }
}

/// Whether a sentence says what was done or what would be done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tense {
    Did,
    Would,
}

fn headline(file: &FilePlan, tense: Tense) -> String {
    let path = quote_path(file.target.path());
    let view = &file.view;
    if file.removes() {
        let verb = match tense {
            Tense::Did => "Removed",
            Tense::Would => "Would remove",
        };
        return format!("{verb} {path}.");
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
    let how = if view.rungs.is_empty() {
        String::new()
    } else {
        format!("{}, ", count(view.replacements, "replacement"))
    };
    format!(
        "{verb} {path}: {how}{} added, {} removed.",
        count(view.added, "line"),
        view.removed
    )
}

/// Words a warning of the commit: its name, and what it means for the reader.
fn warning_words(warning: &Warning) -> String {
    let words = match warning {
        Warning::NotDurable => {
            "written, but the folder could not be flushed: a power cut now may bring the old file back"
        }
        Warning::Overwritten => {
            "written, and replaced by someone else in the next moment: read the file again before going on"
        }
        Warning::LateWriter => {
            "written while someone else was about to write the old file: what they write goes to the kept old version, not into this file"
        }
        Warning::LinksBroken => "the file had other names (hard links); they keep the old text",
        Warning::Left(path) => {
            return format!(
                "{}: the old file could not be put away and is still at {}",
                warning.name(),
                quote_path(path)
            );
        }
        Warning::FolderStays(path) => {
            return format!(
                "{}: the empty folder {} could not be removed",
                warning.name(),
                quote_path(path)
            );
        }
        Warning::NotLocked => {
            "the folder cannot be locked: other lancet processes were not kept out"
        }
        Warning::AttributesLost => {
            "written, but labels or capabilities of the security system could not be given to the new file: the user may have to set them again"
        }
        Warning::Unprotected => {
            "written without keeping other writers away, which this file does not allow; the old text is kept"
        }
    };
    format!("{}: {words}", warning.name())
}

fn notices(text: &mut String, file: &FilePlan) {
    for notice in file.target.notices.iter().chain(&file.view.notices) {
        text.push_str(&format!("[lancet: {}]\n", cut(notice, LONGEST_NOTICE)));
    }
}

fn repaired(text: &mut String, repairs: &[Repair]) {
    for repair in repairs {
        text.push_str(&format!("[lancet: {repair}]\n"));
    }
}

fn for_person(file: &FilePlan, lead: &str) -> String {
    let view = &file.view;
    let word = if file.removes() {
        "removed"
    } else if file.creates() {
        "created"
    } else if view.rungs.is_empty() {
        "overwritten"
    } else {
        "edited"
    };
    let rung = view
        .rungs
        .iter()
        .find(|rung| **rung != Rung::Exact)
        .map(|rung| format!(", matched on `{}`", rung.name()))
        .unwrap_or_default();
    let diff = cut(&shown_diff(file), LONGEST_FOR_PERSON);
    format!(
        "{lead}{word} {}  +{} -{}{rung}\n{diff}",
        quote_path(file.target.located.relative()),
        view.added,
        view.removed
    )
}

/// Makes the outcome of one file. Patch and notices are moved out of the plan, which is already rendered, because a
/// patch can be large.
fn file_outcome(file: &mut FilePlan, written: Option<&Written>) -> FileOutcome {
    let written = written.filter(|_| !file.removes());
    let patch = match file.is_withheld() {
        true => Vec::new(),
        false => std::mem::take(&mut file.view.patch),
    };
    let mut warnings = std::mem::take(&mut file.view.notices);
    warnings.extend(
        written
            .iter()
            .flat_map(|written| &written.warnings)
            .map(warning_words),
    );
    let rungs = std::mem::take(&mut file.view.rungs);
    let view = &file.view;
    FileOutcome {
        path: file.target.path().to_path_buf(),
        kind: file.kind(),
        added: view.added,
        removed: view.removed,
        patch: patch.into_iter().map(Hunk::from).collect(),
        encoding: file.encoding.name(),
        line_endings: file.endings,
        user_modified: false,
        warnings,
        coarse: view.coarse,
        matching: (!rungs.is_empty()).then_some(Matching {
            rungs,
            replacements: view.replacements,
        }),
        written: written.map(|written| WrittenFile {
            revision: written.revision.short(),
            guarantee: written.guarantee,
            durable: written.durable,
        }),
        git_diff: None,
    }
}

/// Puts the answer of a writing tool together. An Edit or Write of one file has the fields of file and call in one
/// object; every other change has a list of files.
fn finish(
    context: &CallContext<'_>,
    plan: &Plan,
    mut text: String,
    files: Vec<FileOutcome>,
    operation: Option<String>,
    person: String,
) -> Reply {
    let notes = others::notes(plan);
    for note in &notes {
        text.push_str(&format!("[lancet: {note}]\n"));
    }
    text.truncate(text.trim_end_matches('\n').len());
    let words = format!(
        "[lancet: the answer ends here at its limit; it was about {}]",
        count(plan.files.len(), "file")
    );
    // The lines that the answer shows have a smaller limit of their own, so nothing that is cut off here counts as
    // seen.
    context.limit.end_within(&mut text, &words);
    let origin = &plan.origin;
    let outcome = ChangeOutcome {
        layout: match files.len() == 1 && notes.is_empty() {
            true => context.layout,
            false => Layout::Files,
        },
        files,
        operation,
        dry_run: plan.dry_run == DryRun::Yes,
        found_back: origin
            .found_back
            .iter()
            .map(|file| file.path.clone())
            .collect(),
        left_out: origin.left_out.iter().map(left_out).collect(),
        notes,
    };
    Reply::new(text, Outcome::Changed(outcome), person)
}

fn left_out(file: &LeftOut) -> LeftOutFile {
    LeftOutFile {
        path: file.path.clone(),
        operation: file.operation.clone(),
    }
}
