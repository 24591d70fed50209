//! The *reply* stage: makes a text for the model that is short in proportion to the change, data for programs, and a
//! rendering for a person.

mod folder;
mod git;
mod others;
mod page;
pub(super) mod problems;
pub(crate) mod search;
mod sentences;

use lancet_model::non_exhaustive::NonExhaustive;
use lancet_model::person_text::PersonText;
use std::path::Path;

use lancet_text::unified_diff;
use lancet_workspace::WriteOutcome;
use serde_json::{Value, json};

use super::context::CallContext;
use super::plan::{ConflictingFile, DryRun, FilePlan, Plan};
use super::record::Recorded;
use crate::audience::Audience;
use crate::outcome::{
    ChangeOutcome, Diagnosis, FileOutcome, Layout, LeftOutFile, Matching, Outcome, RefusedOutcome,
    WrittenFile,
};
use crate::receive::Repair;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::wording::{format_count, quote_path, truncate};

use self::sentences::{
    FileForPerson, Tense, describe_warning, headline, push_executable_change, push_notices,
    push_repairs, text_for_person,
};

pub(crate) use folder::folder_reply;
pub(crate) use others::reply_without_write;
pub(crate) use page::page_reply;

/// The longest notice, in characters.
const MAX_NOTICE_LENGTH: usize = 9_000;

/// Returns the answer of a host's tool that wrote nothing.
pub(crate) fn host_tool_reply(text: String, data: Value) -> Reply {
    let data = if data.is_object() {
        data
    } else {
        json!({ "result": data })
    };
    Reply::new(text.clone(), Outcome::Answered(data), text)
}

/// Returns the answer to a dry run.
pub(crate) fn dry_run_reply(
    context: &CallContext<'_>,
    mut plan: Plan,
    repairs: &[Repair],
    asks: Option<&str>,
) -> Reply {
    let mut text = String::from("Dry run: nothing was written.\n");
    let audience = context.engine().audience();
    text.extend(lead_line(&plan, audience));
    let mut person = Vec::new();
    let mut files = Vec::new();
    for file in &mut plan.files {
        text.push_str(&format!(
            "{}\n{}",
            headline(file, Tense::Would, audience),
            truncate(&shown_diff(file), MAX_NOTICE_LENGTH)
        ));
        push_executable_change(&mut text, file, None);
        push_notices(&mut text, file, audience);
        person.push(FileForPerson::new(file, "would be "));
        let git_diff = git::predicted_diff(context.engine(), file);
        files.push(FileOutcome {
            git_diff,
            ..file_outcome(file, None, audience)
        });
    }
    if let Some(reason) = asks.filter(|reason| audience.mentions_question(reason)) {
        text.push_str(&format!(
            "[lancet: before it is written a person is asked: {reason}]\n"
        ));
    }
    push_repairs(&mut text, repairs);
    let person = text_for_person(person, String::new());
    assemble_reply(context, &plan, text, files, None, person)
}

/// Returns the answer to a call that was carried out.
pub(crate) fn change_reply(
    context: &CallContext<'_>,
    recorded: Recorded,
    repairs: &[Repair],
    found: Diagnosis,
) -> Reply {
    let Recorded {
        mut plan,
        written,
        operation,
        mut contents,
    } = recorded;
    let mut text = String::new();
    let audience = context.engine().audience();
    text.extend(lead_line(&plan, audience));
    let mut person = Vec::new();
    let mut files = Vec::new();
    for (at, (file, written)) in plan.files.iter_mut().zip(&written).enumerate() {
        text.push_str(&format!(
            "{}\n{}",
            headline(file, Tense::Did, audience),
            shown_body(file)
        ));
        push_executable_change(&mut text, file, Some(written));
        if !text.ends_with('\n') {
            text.push('\n');
        }
        push_notices(&mut text, file, audience);
        for warning in &written.warnings {
            let warning = describe_warning(warning).render(audience);
            text.push_str(&format!("[lancet: {warning}]\n"));
        }
        if !file.removes() && !file.view.removed_later && !file.view.is_hidden {
            text.push_str(&format!(
                "[lancet: now at revision {}]\n",
                written.revision.short_hex()
            ));
        }
        person.push(FileForPerson::new(file, ""));
        let content = contents.get(at).and_then(|(_, content)| content.as_deref());
        let git_diff = git::diff_after_change(context.engine(), (file, written), content);
        files.push(FileOutcome {
            user_modified: plan.origin.user_modified,
            git_diff,
            ..file_outcome(file, Some(written), audience)
        });
    }
    push_repairs(&mut text, repairs);
    let found_problems = problems::format_problems(&found, audience);
    text.push_str(&found_problems);
    let person = text_for_person(person, found_problems);
    let reply = assemble_reply(
        context,
        &plan,
        text,
        files,
        Some((operation, found)),
        person,
    );
    match contents.pop() {
        Some((original, content))
            if plan.files.len() == 1 && context.engine().base().give_contents =>
        {
            reply.with_contents(original, content)
        }
        _ => reply,
    }
}

/// Returns the answer to a call that was refused.
pub(crate) fn refusal_reply(
    context: &CallContext<'_>,
    refusal: Refusal,
    path: Option<&str>,
) -> Reply {
    let limit = context.refusals;
    let refusal = refusal.rendered_for(context.engine().audience());
    let person = format!(
        "refused {} {}: {}\n{}",
        context.tool,
        quote_path(Path::new(path.unwrap_or_default())),
        refusal.kind().name(),
        refusal.text()
    );
    let (mut text, outcome) = RefusedOutcome::new(refusal, context.numbers, path);
    if !limit.fits(&text) {
        text = limit.truncate(&text, limit.most.saturating_sub(60));
    }
    Reply::new(text, Outcome::Refused(outcome), person)
}

/// The replacement for the diff of a withheld file.
const WITHHELD_DIFF: &str = "(its text is not shown)\n";

/// Returns the diff of a change. The diff of a withheld file is shown only to the person who is asked.
fn shown_diff(file: &FilePlan) -> String {
    if file.is_withheld() {
        WITHHELD_DIFF.to_owned()
    } else {
        unified_diff(&file.view.patch)
    }
}

fn shown_body(file: &FilePlan) -> &str {
    if file.is_withheld() {
        WITHHELD_DIFF
    } else {
        &file.view.body
    }
}

/// Returns the line at the beginning of the answer that says what is undone.
fn lead_line(plan: &Plan, audience: &Audience) -> Option<String> {
    let lead = plan.origin.lead.as_ref()?;
    Some(format!("{}\n", lead.render(audience)))
}

/// Returns the outcome for one file. Patch and notices are moved out of the plan, which has been rendered by then: a
/// patch can be large.
fn file_outcome(
    file: &mut FilePlan,
    written: Option<&WriteOutcome>,
    audience: &Audience,
) -> FileOutcome {
    let has_state = !file.removes() && !file.view.removed_later && !file.view.is_hidden;
    let written = written.filter(|_| has_state);
    let patch = match file.is_withheld() {
        true => Vec::new(),
        false => std::mem::take(&mut file.view.patch),
    };
    let mut warnings = std::mem::take(&mut file.view.notices);
    warnings.extend(
        written
            .iter()
            .flat_map(|written| &written.warnings)
            .map(describe_warning),
    );
    let warnings = warnings.iter().map(|words| words.render(audience));
    let rungs = std::mem::take(&mut file.view.rungs);
    let syntax_error = file.view.syntax_error.take();
    let view = &file.view;
    FileOutcome {
        path: file.target.path().to_path_buf(),
        kind: file.kind(),
        from_path: file.moved().map(|moved| moved.from.path().to_path_buf()),
        added: view.added,
        removed: view.removed,
        patch,
        encoding: file.encoding.name(),
        line_endings: file.endings,
        user_modified: false,
        warnings: warnings.collect(),
        executable: file.executable_change(written),
        coarse: view.coarse,
        matching: (!rungs.is_empty()).then_some(Matching {
            rungs,
            replacements: view.replacements,
            non_exhaustive: NonExhaustive,
        }),
        written: written.map(|written| WrittenFile {
            revision: written.revision.short_hex(),
            guarantee: written.guarantee,
            durable: written.durable,
            non_exhaustive: NonExhaustive,
        }),
        git_diff: None,
        syntax_error,
        non_exhaustive: NonExhaustive,
    }
}

/// Assembles the answer of a writing tool. An Edit or Write of one file has the fields of file and call in one object;
/// every other change has a list of files.
fn assemble_reply(
    context: &CallContext<'_>,
    plan: &Plan,
    mut text: String,
    files: Vec<FileOutcome>,
    done: Option<(String, Diagnosis)>,
    person: impl Into<PersonText>,
) -> Reply {
    let (operation, diagnosis) = done.unzip();
    let audience = context.engine().audience();
    let notes = others::notes_about_unwritten_files(plan);
    let notes: Vec<String> = notes.iter().map(|note| note.render(audience)).collect();
    for note in &notes {
        text.push_str(&format!("[lancet: {note}]\n"));
    }
    text.truncate(text.trim_end_matches('\n').len());
    let words = format!(
        "[lancet: the answer ends here at its limit; it was about {}]",
        format_count(plan.files.len(), "file")
    );
    // The lines that the answer shows have a smaller limit, so nothing that is cut off here counts as seen.
    context.limit.truncate_with_ending(&mut text, &words);
    let origin = &plan.origin;
    let outcome = ChangeOutcome {
        layout: match files.len() == 1 && !plan.names_unwritten_files() {
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
        left_out: origin.left_out.iter().map(left_out_file).collect(),
        omitted: origin.omitted.outcome(),
        notes,
        lead: origin.lead.as_ref().map(|lead| lead.render(audience)),
        diagnosis: diagnosis.unwrap_or_default(),
        non_exhaustive: NonExhaustive,
    };
    Reply::new(text, Outcome::Changed(outcome), person)
}

fn left_out_file(file: &ConflictingFile) -> LeftOutFile {
    LeftOutFile {
        path: file.path.clone(),
        operation: file.operation.clone(),
        non_exhaustive: NonExhaustive,
    }
}
