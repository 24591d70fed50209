//! Makes the calls that a refusal suggests (`error.next`) from its details. Each is checked in advance like any other
//! call, and one that would be refused is left out.

use std::path::Path;

use serde_json::{Value, json};

use super::context::{CallContext, FileLocking};
use super::examine;
use super::predict::predict;
use super::program_results::Formatting;
use lancet_model::tool_names::TEXT_EDITOR;

use crate::audience::ReadLines;
use crate::next_call::{Correction, NextCall, PartRemedy, ReadRemedy, Remedy, TextEdit};
use crate::questions::RecordedCall;
use crate::refusal::{Refusal, RefusalKind};
use crate::request::{Action, Change, DryRun, EditRequest, Place, Request, ResponseRequest};
use crate::session::Check;

/// The longest list of calls, as JSON, in bytes.
const MAX_JSON_LENGTH: usize = 4_000;
/// How many calls a refusal names at most.
const MAX_CALLS: usize = 5;

/// Adds the suggested calls to a refusal. `change` is the change that was refused; none where the call was not a
/// change.
pub(super) fn add_suggested_calls(
    context: &CallContext<'_>,
    change: Option<&Change<'_>>,
    refusal: Refusal,
) -> Refusal {
    // A call whose question is open reveals nothing about its file.
    if refusal.withheld.is_some() || context.cancel.stopped().is_some() {
        return refusal;
    }
    let (remedy, mut refusal) = refusal.take_remedy();
    let calls = match remedy.or_else(|| default_read(&refusal)) {
        None => return refusal,
        Some(Remedy::Read(read)) => read_call(context, &refusal, &read).into_iter().collect(),
        Some(Remedy::Corrections { edit, corrections }) => match change {
            Some(Change::Files(request)) => {
                let corrections = (edit, corrections.as_slice());
                corrected_calls(context, refusal.kind(), request, corrections)
            }
            _ => Vec::new(),
        },
        Some(Remedy::Edits(edits)) => match change {
            Some(Change::Response(response)) => edit_calls(context, &edits, response.dry_run),
            _ => Vec::new(),
        },
        Some(Remedy::Parts(parts)) => match change {
            Some(Change::Response(response)) => response_calls(context, &parts, response),
            _ => Vec::new(),
        },
    };
    let calls: Vec<NextCall> = calls
        .into_iter()
        .take(MAX_CALLS)
        .filter(|call| would_pass(context, call))
        .collect();
    let length = serde_json::to_string(&calls).map_or(usize::MAX, |json| json.len());
    if length <= MAX_JSON_LENGTH {
        refusal.set_next(calls);
    }
    refusal
}

/// Returns the Read that helps where a refusal names no lines.
fn default_read(refusal: &Refusal) -> Option<Remedy> {
    let helps = matches!(refusal.kind(), RefusalKind::NotRead | RefusalKind::Stale);
    helps.then(|| Remedy::Read(ReadRemedy::default()))
}

/// Returns whether a call would not be refused now. Nothing is written or recorded.
fn would_pass(context: &CallContext<'_>, call: &NextCall) -> bool {
    let mut foreseen = prediction_context(context, &call.tool);
    !matches!(
        predict(&mut foreseen, call.arguments.clone()),
        Check::Refused(_)
    )
}

/// Returns the context in which another call of the same caller is predicted.
fn prediction_context<'s>(context: &CallContext<'s>, tool: &str) -> CallContext<'s> {
    let (caller, cancel) = (context.caller.clone(), context.cancel.clone());
    let mut foreseen = CallContext::new(context.session, tool.to_owned(), caller, cancel);
    foreseen.approver = context.approver.clone();
    foreseen.applied_by = context.applied_by;
    // Whether a person can be asked depends on this field.
    foreseen.recorded = context
        .recorded
        .as_ref()
        .map(|call| RecordedCall::new(&context.tool, &Value::Null, call.deciders));
    foreseen.turns = FileLocking::NotTaken;
    foreseen.formatting.set(Formatting::Off);
    foreseen
}

fn read_call(context: &CallContext<'_>, refusal: &Refusal, read: &ReadRemedy) -> Option<NextCall> {
    let path = match &read.path {
        Some(path) => path.as_path(),
        None => Path::new(refusal.field("file_path")?.as_str()?),
    };
    path.to_str()?;
    let lines = ReadLines {
        path,
        offset: read.offset,
        limit: read.limit,
        column: read.column,
        pages: None,
    };
    let why = match refusal.kind() {
        RefusalKind::Missing => "shows the file of the nearest name",
        RefusalKind::Stale => "shows the file as it is now",
        _ => "shows what the call needs to have seen",
    };
    Some(match context.tool == TEXT_EDITOR {
        true => NextCall::new(context.tool_name(TEXT_EDITOR), lines.view_arguments(), why),
        false => NextCall::new(context.tool_name("Read"), lines.read_arguments(), why),
    })
}

/// Returns the same call with other texts for one of its edits.
fn corrected_calls(
    context: &CallContext<'_>,
    kind: RefusalKind,
    request: &Request,
    (number, corrections): (usize, &[Correction]),
) -> Vec<NextCall> {
    let Some(edits) = all_edits(request) else {
        return Vec::new();
    };
    let Some((path, failed)) = edits.get(number).copied() else {
        return Vec::new();
    };
    let calls = corrections.iter().filter_map(|correction| {
        let mut corrected = failed.clone();
        if let Some(old) = &correction.old {
            corrected.old.clone_from(old);
        }
        if let Some(new) = &correction.new {
            corrected.new.clone_from(new);
        }
        if kind == RefusalKind::Ambiguous {
            // Each call changes one place.
            corrected.replace_all = false;
            corrected.expect_count = None;
        }
        let mut all = edits.clone();
        all[number] = (path, &corrected);
        let (tool, arguments) = spell_edits(&context.tool, &all, request.dry_run)?;
        let why = describe_correction(correction);
        Some(NextCall::new(context.tool_name(tool), arguments, why))
    });
    calls.collect()
}

/// Edits of one file that replace a response.
fn edit_calls(context: &CallContext<'_>, edits: &[TextEdit], dry_run: DryRun) -> Vec<NextCall> {
    let calls = edits.iter().filter_map(|edit| {
        let request = EditRequest::new(edit.old.clone(), edit.new.clone());
        let (tool, arguments) = spell_edits("Edit", &[(edit.path.to_str()?, &request)], dry_run)?;
        let why = describe_lines(edit.lines);
        Some(NextCall::new(context.tool_name(tool), arguments, why))
    });
    calls.collect()
}

/// Returns one call a place of the part that is ambiguous, or one call if no part is: each makes the changes of all
/// parts.
fn response_calls(
    context: &CallContext<'_>,
    parts: &[PartRemedy],
    response: &ResponseRequest<'_>,
) -> Vec<NextCall> {
    let mut several = parts.iter().filter(|part| part.edits.len() > 1);
    let (chosen, further) = (several.next(), several.next());
    if further.is_some() {
        // The calls would be the pairs of their places.
        return Vec::new();
    }
    let alternatives = chosen.map_or(1, |part| part.edits.len());
    let calls = (0..alternatives.min(MAX_CALLS)).filter_map(|which| {
        let taken = |part: &PartRemedy| {
            let edit = part.edits.get(which).or(part.edits.first())?;
            Some((part.part, edit.clone()))
        };
        let corrections = parts.iter().map(taken).collect::<Option<Vec<_>>>()?;
        let foreseen = prediction_context(context, &context.tool);
        let edits = examine::response::as_edits(&foreseen, response, &corrections)?;
        let requests: Vec<(&str, EditRequest)> = edits
            .iter()
            .filter_map(|edit| {
                let request = EditRequest::new(edit.old.clone(), edit.new.clone());
                Some((edit.path.to_str()?, request))
            })
            .collect();
        if requests.len() != edits.len() {
            return None;
        }
        let borrowed: Vec<(&str, &EditRequest)> =
            requests.iter().map(|(path, edit)| (*path, edit)).collect();
        let (tool, arguments) = spell_edits("Edit", &borrowed, response.dry_run)?;
        let why = match chosen {
            Some(part) => {
                let place = describe_lines(part.edits[which].lines);
                format!("makes all changes, part {} {place}", part.part + 1)
            }
            None => "makes all changes, with the lines of the file".to_owned(),
        };
        Some(NextCall::new(context.tool_name(tool), arguments, why))
    });
    calls.collect()
}

/// Returns the edits of a request with their paths, in the order sent; none where the request also does something else.
fn all_edits(request: &Request) -> Option<Vec<(&str, &EditRequest)>> {
    let mut all = Vec::new();
    for file in &request.files {
        let Action::Edit(edits) = &file.action else {
            return None;
        };
        all.extend(edits.iter().map(|edit| (file.path.as_str(), edit)));
    }
    Some(all)
}

/// Returns the tool and the arguments that request these edits, in the form of the called tool; none where the tools
/// have no such form.
fn spell_edits(
    called: &str,
    edits: &[(&str, &EditRequest)],
    dry_run: DryRun,
) -> Option<(&'static str, Value)> {
    let (tool, mut arguments) = match edits {
        [(path, edit)] if edit.place == Place::Before => {
            ("InsertBefore", insertion_arguments(path, edit))
        }
        [(path, edit)] if edit.place == Place::After => {
            ("InsertAfter", insertion_arguments(path, edit))
        }
        _ if edits.iter().any(|(_, edit)| edit.place != Place::Text) => return None,
        [(path, edit)] if called == TEXT_EDITOR && !edit.replace_all => (
            TEXT_EDITOR,
            json!({ "command": "str_replace", "path": path, "old_str": edit.old, "new_str": edit.new }),
        ),
        [(path, edit)] if called != "MultiEdit" => ("Edit", replacement_arguments(path, edit)),
        _ => {
            let mut items = Vec::new();
            for (path, edit) in edits {
                items.push(with_revision(replacement_arguments(path, edit), edit));
            }
            ("MultiEdit", json!({ "edits": items }))
        }
    };
    if let ([(_, edit)], false) = (edits, tool == "MultiEdit") {
        arguments = with_revision(arguments, edit);
    }
    if dry_run == DryRun::Yes {
        arguments["dry_run"] = json!(true);
    }
    Some((tool, arguments))
}

fn with_revision(mut arguments: Value, edit: &EditRequest) -> Value {
    if let Some(revision) = &edit.revision {
        arguments["revision"] = json!(revision);
    }
    arguments
}

fn insertion_arguments(path: &str, edit: &EditRequest) -> Value {
    json!({ "file_path": path, "marker": edit.old, "content": edit.new })
}

fn replacement_arguments(path: &str, edit: &EditRequest) -> Value {
    let mut arguments =
        json!({ "file_path": path, "old_string": edit.old, "new_string": edit.new });
    if edit.replace_all {
        arguments["replace_all"] = json!(true);
    }
    if let Some(count) = edit.expect_count {
        arguments["expect_count"] = json!(count);
    }
    arguments
}

fn describe_correction(correction: &Correction) -> String {
    match correction.lines {
        Some(lines) => describe_lines(lines),
        None => "without what is no text of the file".to_owned(),
    }
}

fn describe_lines((first, last): (usize, usize)) -> String {
    match first == last {
        true => format!("for line {first}"),
        false => format!("for lines {first}-{last}"),
    }
}
