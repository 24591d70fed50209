//! The *examine* stage for renaming a symbol: finds the symbol on its line, queries the language server for the edits
//! in every file, and makes one plan of them. Nothing is found by text alone.

use std::ops::Range;
use std::sync::Arc;

use lancet_history::LinePlace;
use lancet_language::{PlannedEdits, RefactorError, RenameRequest};
use lancet_text::Document;
use serde_json::json;

use super::change;
use super::planned::{self, DiskTexts, Purpose};
use super::read_state::{CurrentVersion, ReadState, RequiredPart, read_state};
use crate::ledger::raw_range;
use crate::message::{CALL_VERB, Message, SEND_THIS_AGAIN, message, verbatim};
use crate::next_call::Remedy;
use crate::refusal::{Refusal, RefusalKind};
use crate::request::{DryRun, FileRequest, PlannedRole, Request, SymbolRename};
use crate::stages::attempt::{Attempt, Freshness};
use crate::stages::context::CallContext;
use crate::stages::locate::{Intent, Target, locate};
use crate::stages::open::{decode, refuse_notebook, require_file, snapshot_to_change};
use crate::stages::plan::{PartialApproval, Plan};
use crate::stages::server_text::server_text;
use crate::wording::{format_count, quote_path, truncate};

/// The time limit for a server, as a multiple of the wait for problems.
const TIME_LIMIT_FACTOR: u32 = 10;

/// The most characters of a line that a refusal quotes.
const MAX_QUOTED_LENGTH: usize = 300;

/// Works out the plan that gives a symbol another name.
pub(crate) fn examine(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    asked: &SymbolRename,
) -> Result<Plan, Refusal> {
    let target = locate(context.engine(), &asked.path, Intent::Edit)?;
    require_file(context.engine(), &target)?;
    // The file is read from the disk: the server must be queried about its present content, and only once, so a cached
    // copy with a racy stat is not used.
    let mut from_disk = Attempt::new(Freshness::FromDisk);
    let base = snapshot_to_change(context, &mut from_disk, &target)?;
    refuse_notebook(context.engine(), &target, &base.bytes)?;
    let document = decode(context.engine(), &target, &base.bytes)?;
    let current = CurrentVersion::from_snapshot(&base, &document);
    let revision = asked.revision.as_deref();
    let read_state = read_state(
        context,
        target.path(),
        current,
        revision,
        RequiredPart::Places,
    )?;
    let line = find_symbol_line(context, &target, &document, &read_state, asked.line)?;
    let places = find_symbol_on_line(&document, &target, line, asked)?;
    let Some(language) = context.engine().language() else {
        return Err(planned::no_servers_refusal());
    };
    let text: Arc<str> = match server_text(&base.bytes) {
        Some(text) => text.into(),
        None => return Err(not_utf8_refusal(&target)),
    };
    let ranges: Vec<Range<usize>> = places
        .iter()
        .filter_map(|place| planned::server_range(&document, place.clone()))
        .collect();
    let Some(first) = ranges.first() else {
        return Err(not_utf8_refusal(&target));
    };
    let question = RenameRequest {
        path: target.path(),
        text: &text,
        symbol: first.clone(),
        new_name: &asked.new_name,
    };
    let mut texts = DiskTexts::new(context, &asked.symbol);
    let until = planned::deadline(context, TIME_LIMIT_FACTOR);
    let plan = language
        .plan_rename(&question, &mut texts, until)
        .map_err(|error| refuse(context, error))?;
    require_one_meaning(&target, &document, &plan, (&places, &ranges), asked)?;
    let role = |path: &std::path::Path| match path == target.path() {
        true => PlannedRole::Named,
        false => PlannedRole::Other,
    };
    let mut edits = planned::edits_of_plan(context, &texts, &plan, Purpose::Rename, role)?;
    // The named file comes first: its lines are shown.
    edits.sort_by_key(|(path, _)| std::path::Path::new(path) != target.path());
    if let Some((_, named)) = edits.first_mut() {
        named.revision.clone_from(&asked.revision);
    }
    let files = edits
        .into_iter()
        .map(|(path, edit)| FileRequest::edit(path, vec![edit]))
        .collect();
    let request = Request {
        dry_run: asked.dry_run,
        ..Request::new(files)
    };
    let mut lead = lead_sentence(&plan, asked);
    if let Some(untold) = texts.incomplete_search_sentence() {
        lead.push(message!("\n[lancet: {}]", untold));
    }
    context.charge_sentence(context.length(&lead.render(context.engine().audience())));
    let mut plan = change::examine_as_one(context, attempt, &request)?;
    plan.origin.parts = PartialApproval::Inseparable;
    plan.origin.lead = Some(lead);
    Ok(plan)
}

/// Returns the sentence at the beginning of the answer.
fn lead_sentence(plan: &PlannedEdits, asked: &SymbolRename) -> Message {
    let places: usize = plan.files.iter().map(|file| file.spans.len()).sum();
    let others = match (plan.files.len(), asked.dry_run) {
        (1, _) | (_, DryRun::Yes) => "",
        _ => " Lines of the other files are named, not shown: read such a file before you edit it.",
    };
    message!(
        "`{}` to `{}`, planned by {}: {} in {}.{}",
        verbatim(&asked.symbol),
        verbatim(&asked.new_name),
        verbatim(&plan.server),
        verbatim(format_count(places, "place")),
        verbatim(format_count(plan.files.len(), "file")),
        others
    )
}

fn refuse(context: &CallContext<'_>, error: RefactorError) -> Refusal {
    planned::no_plan_refusal(context, error, Purpose::Rename, "the language server")
}

/// Returns the line with the symbol, counted from 0. It must have been shown, with this number.
fn find_symbol_line(
    context: &CallContext<'_>,
    target: &Target,
    document: &Document<'_>,
    read_state: &ReadState,
    number: u64,
) -> Result<usize, Refusal> {
    let path = quote_path(target.path());
    let line = usize::try_from(number).unwrap_or(usize::MAX);
    if line == 0 || line > document.line_count() {
        let text = message!(
            "{} has {}, and the call names line {}. Send the number of a line that is there.",
            &path,
            verbatim(format_count(document.line_count(), "line")),
            number
        );
        return Err(Refusal::from_message(RefusalKind::Invalid, text).with_field("file_path", path));
    }
    let bytes = raw_range(document, document.line_range(line - 1));
    let why = if !read_state.seen.missing_from(bytes).is_empty() {
        message!(
            "Line {} of {} was not shown in this session.",
            number,
            &path
        )
    } else if is_moved(read_state, line - 1) {
        message!(
            "Lines of {} have moved since line {} was shown.",
            &path,
            number
        )
    } else {
        return Ok(line - 1);
    };
    let call = context.read_call(target.path(), Some(line), Some(1));
    let text = message!(
        "{} {} {} and {}.",
        why,
        CALL_VERB,
        verbatim(call),
        SEND_THIS_AGAIN
    );
    Err(Refusal::from_message(RefusalKind::NotRead, text)
        .with_remedy(Remedy::read_lines(Some(line), Some(1)))
        .with_field("file_path", path)
        .with_field("lines", vec![line]))
}

/// Returns whether a line has a different number now than when it was shown.
fn is_moved(read_state: &ReadState, line: usize) -> bool {
    match read_state.numbers.current_place(line as u64) {
        LinePlace::At { line: now, .. } => now != line as u64,
        LinePlace::Replaced => false,
        LinePlace::Unknown => true,
    }
}

/// Returns the places where the symbol occurs on the line as a whole word.
fn find_symbol_on_line(
    document: &Document<'_>,
    target: &Target,
    line: usize,
    asked: &SymbolRename,
) -> Result<Vec<Range<usize>>, Refusal> {
    let range = document.line_range(line);
    let text = &document.view()[range.clone()];
    let symbol = asked.symbol.as_str();
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let joins = |beside: Option<char>, own: Option<char>| {
        beside.is_some_and(is_word) && own.is_some_and(is_word)
    };
    let places = text.match_indices(symbol).filter(|(at, _)| {
        let before = text[..*at].chars().next_back();
        let after = text[at + symbol.len()..].chars().next();
        !joins(before, symbol.chars().next()) && !joins(after, symbol.chars().next_back())
    });
    let places: Vec<Range<usize>> = places
        .map(|(at, _)| range.start + at..range.start + at + symbol.len())
        .collect();
    if !places.is_empty() {
        return Ok(places);
    }
    let path = quote_path(target.path());
    let text = message!(
        "symbol is not a whole word on line {} of {}, which is {}. Send the line and the name as they are there.",
        asked.line,
        &path,
        verbatim(json!(truncate(text, MAX_QUOTED_LENGTH)))
    );
    Err(Refusal::from_message(RefusalKind::NotFound, text).with_field("file_path", path))
}

/// Requires that the server renames all occurrences of the symbol together, where it occurs more than once on its line.
fn require_one_meaning(
    target: &Target,
    document: &Document<'_>,
    plan: &PlannedEdits,
    (places, ranges): (&[Range<usize>], &[Range<usize>]),
    asked: &SymbolRename,
) -> Result<(), Refusal> {
    let own = plan.files.iter().find(|file| file.path == target.path());
    let is_renamed = |range: &Range<usize>| {
        own.is_some_and(|file| file.spans.iter().any(|span| span.range == *range))
    };
    if ranges.len() < 2 || ranges.iter().all(is_renamed) {
        return Ok(());
    }
    let columns: Vec<usize> = places
        .iter()
        .map(|place| {
            let line = document.line_range(document.line_of(place.start));
            document.view()[line.start..place.start].chars().count() + 1
        })
        .collect();
    let path = quote_path(target.path());
    let named: Vec<String> = columns.iter().map(usize::to_string).collect();
    let text = message!(
        "symbol is on line {} of {} at columns {}, and these do not all mean the same. Nothing was renamed; name a line on which it occurs once, such as that of its definition.",
        asked.line,
        &path,
        verbatim(named.join(", "))
    );
    Err(Refusal::from_message(RefusalKind::Ambiguous, text)
        .with_field("file_path", path)
        .with_field("columns", columns))
}

fn not_utf8_refusal(target: &Target) -> Refusal {
    let path = target.display_name();
    let text = message!(
        "{} is not UTF-8, which language servers need. Nothing was renamed; make the change with Grep and Edit.",
        &path
    );
    Refusal::from_message(RefusalKind::Unencodable, text).with_field("file_path", path)
}
