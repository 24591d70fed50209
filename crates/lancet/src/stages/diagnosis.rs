//! Notifies language servers of calls, and adds the problems that they report to answers. A change is on the disk and
//! on record before a server is notified, and no server decides anything about a call.

use std::path::Path;
use std::time::{Duration, Instant};

use lancet_language::{ChangedText, LanguageServers, ServerStatus};
use serde_json::json;

use super::context::CallContext;
use super::examine::read::Page;
use super::locate::{Intent, is_hidden, locate};
use super::notice::{Effect, Notice};
use super::open::MAX_EDITED_SIZE;
use super::record::Recorded;
use super::reply;
use super::reply::problems::format_problem;
use super::server_text::server_text;
use crate::outcome::{ChangeKind, Diagnosis, FoundProblem};
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::settings::Diagnostics;
use crate::wording::format_count;

/// Notifies the servers of a file that was shown.
pub(super) fn notify_shown(context: &CallContext<'_>, page: &Page) {
    let path = page.target.path();
    let Some(language) = servers(context) else {
        return;
    };
    if context.session.is_for_host() || page.target.is_withheld() || !language.serves_file(path) {
        return;
    }
    if let Some(text) = page.content.as_deref().and_then(|bytes| server_text(bytes)) {
        language.announce_read(path, text);
    }
}

/// Notifies the servers of a change, and waits for their findings as long as the settings allow.
pub(super) fn diagnose_change(context: &CallContext<'_>, recorded: &Recorded) -> Diagnosis {
    let Some(language) = servers(context) else {
        return Diagnosis::default();
    };
    let revisions: Vec<String> = recorded
        .written
        .iter()
        .map(|file| file.revision.short_hex())
        .collect();
    let changes = changed_texts(language, recorded, &revisions);
    // Findings about an earlier version are no longer valid.
    context.session.inner.late_problems.forget();
    for file in &recorded.plan.files {
        if let Some(moved) = file.moved() {
            language.notify_moved(moved.from.path(), file.target.path());
        }
    }
    let pending = language.announce_changes(context.session.key(), &changes);
    if diagnostics(context) == Diagnostics::OnRead {
        // The result is stored for the next reading call.
        drop(pending);
        return Diagnosis::default();
    }
    let wait = Duration::from_millis(context.engine().settings.language.wait);
    let mut found = Diagnosis::from(language.wait_for_problems(pending, Instant::now() + wait));
    found.new.retain(|problem| may_name(context, &problem.path));
    separate_stopped_servers(language, &mut found);
    found
}

/// Separates the servers that do not run from those that will be ready: the former will not report anything later.
fn separate_stopped_servers(language: &LanguageServers, found: &mut Diagnosis) {
    if found.not_ready.is_empty() {
        return;
    }
    let states = language.server_states();
    let does_not_run = |name: &String| {
        let of_name = states.iter().filter(|state| state.name == *name);
        let mut standings = of_name.map(|state| state.standing);
        standings.any(|now| matches!(now, ServerStatus::Crashed | ServerStatus::GivenUp))
    };
    let (ended, starting) = std::mem::take(&mut found.not_ready)
        .into_iter()
        .partition(does_not_run);
    (found.not_running, found.not_ready) = (ended, starting);
}

/// The message for when there are no problems to list.
const NO_SERVERS_MESSAGE: &str = "No language server runs here: the project is not trusted (`lancet trust`), none for it is installed, or language.diagnostics is off. `lancet doctor` says which.";

/// Lists the problems that a file has now, or all files that the servers know.
pub(super) fn list_problems(
    context: &CallContext<'_>,
    file_path: Option<&str>,
) -> Result<Reply, Refusal> {
    let target = match file_path {
        Some(path) => Some(locate(context.engine(), path, Intent::Show)?),
        None => None,
    };
    let Some(language) = servers(context) else {
        let data = json!({ "problems": [], "notReady": [] });
        return Ok(reply::host_tool_reply(NO_SERVERS_MESSAGE.to_owned(), data));
    };
    if let Some(target) = &target {
        let snapshot = target.located.read_snapshot(MAX_EDITED_SIZE);
        if let Ok(snapshot) = &snapshot
            && let Some(text) = server_text(&snapshot.bytes)
        {
            language.announce_read(target.path(), text);
        }
    }
    let wait = Duration::from_millis(context.engine().settings.language.wait);
    let path = target.as_ref().map(|target| target.path());
    let mut found = Diagnosis::from(language.current_problems(path, Instant::now() + wait));
    found.new.retain(|problem| may_name(context, &problem.path));
    let mut text = String::new();
    for problem in &found.new {
        text.push_str(&format_problem(problem, context.engine().audience()));
        text.push('\n');
    }
    if found.more > 0 {
        text.push_str(&format!("[lancet: and {} more]\n", found.more));
    }
    if !found.not_ready.is_empty() {
        let servers = found.not_ready.join(", ");
        text.push_str(&format!(
            "[lancet: not ready: {servers}; call again later]\n"
        ));
    } else if found.new.is_empty() {
        text.push_str("No problems.\n");
    }
    text.truncate(text.trim_end().len());
    let data = json!({ "problems": found.new, "more": found.more, "notReady": found.not_ready });
    Ok(reply::host_tool_reply(text, data))
}

/// Returns the notices about problems that were found after their answer.
pub(super) fn late_problem_notices<'c>(
    context: &'c CallContext<'_>,
    effect: Effect,
) -> Vec<Notice<'c>> {
    let Some(language) = servers(context) else {
        return Vec::new();
    };
    if context.session.is_for_host()
        || (diagnostics(context) == Diagnostics::OnRead && effect == Effect::Writes)
    {
        return Vec::new();
    }
    let kept = &context.session.inner.late_problems;
    let found = Diagnosis::from(language.take_late_problems(context.session.key()));
    let more = found.more;
    let new = found.new.into_iter();
    kept.add(new.filter(|problem| may_name(context, &problem.path)));
    let audience = context.engine().audience();
    let told = |problem: FoundProblem| {
        let problem_line = format_problem(&problem, audience);
        let words = format!("a new problem since an earlier change: {problem_line}");
        Notice::new(&words, move || kept.take(&problem))
    };
    let mut notices: Vec<Notice<'_>> = kept.all().into_iter().map(told).collect();
    if more > 0 {
        let words = format!("{} more came with them", format_count(more, "new problem"));
        notices.push(Notice::new(&words, || true));
    }
    notices
}

/// Returns the servers, if the settings enable diagnostics.
fn servers<'c>(context: &'c CallContext<'_>) -> Option<&'c LanguageServers> {
    let language = context.engine().language()?;
    (diagnostics(context) != Diagnostics::Off).then_some(language)
}

fn diagnostics(context: &CallContext<'_>) -> Diagnostics {
    let wanted = context.engine().settings.language.diagnostics;
    wanted.unwrap_or(Diagnostics::AfterEdit)
}

/// Returns whether a file may be named to this caller: a server knows more files than the caller may see.
fn may_name(context: &CallContext<'_>, path: &Path) -> bool {
    let engine = context.engine();
    engine.covers(path) && !is_hidden(engine, path)
}

/// Builds what is sent to the servers: files with their texts before and after. The text of a file that no server
/// handles is not needed, but the file may be one of a server's settings.
fn changed_texts<'r>(
    language: &LanguageServers,
    recorded: &'r Recorded,
    revisions: &'r [String],
) -> Vec<ChangedText<'r>> {
    let mut changes = Vec::new();
    let files = recorded.plan.files.iter().zip(revisions);
    for ((file, revision), (old, new)) in files.zip(&recorded.contents) {
        let before = old.as_deref().and_then(|bytes| server_text(bytes));
        let after = new.as_deref().and_then(|bytes| server_text(bytes));
        let (path, source) = (file.target.path(), file.source().path());
        let is_created = file.kind() == ChangeKind::Create;
        // A text that is not UTF-8, or too large for memory, is not known here.
        let is_known = (is_created || before.is_some()) && (file.removes() || after.is_some());
        if language.serves_file(path) && !is_known {
            continue;
        }
        if file.moved().is_some() {
            changes.push(ChangedText {
                path: source,
                before: text_for_servers(language, source, before),
                after: None,
                revision,
            });
        }
        changes.push(ChangedText {
            path,
            before: text_for_servers(language, path, before)
                .filter(|_| !is_created && file.moved().is_none()),
            after: text_for_servers(language, path, after).filter(|_| !file.removes()),
            revision,
        });
    }
    changes
}

fn text_for_servers<'t>(
    language: &LanguageServers,
    path: &Path,
    text: Option<&'t str>,
) -> Option<&'t str> {
    match language.serves_file(path) {
        true => text,
        false => Some(""),
    }
}
