//! Formats a session on one line, and the files that several sessions work on.

use lancet::sessions::{Overlap, SessionOverview};

use crate::command::history::{time, who};
use crate::surroundings::Surroundings;
use crate::terminal::{Colour, Style, escape_line_for_terminal};

/// How many files that several sessions work on are listed.
const MAX_OVERLAPS: usize = 20;

/// Lists the sessions, one a line, with a second line for those that are stopped.
pub(super) fn format_sessions(sessions: &[SessionOverview], colour: Colour) -> String {
    let width = |text: &str| text.chars().count();
    let names = sessions.iter().map(|one| width(&format_name(one)));
    let names = names.max().unwrap_or(0);
    let clients = sessions.iter().map(|one| width(&format_client(one)));
    let clients = clients.max().unwrap_or(0);
    let mut out = String::new();
    for one in sessions {
        let key = format_name(one);
        let gap = " ".repeat(names.saturating_sub(width(&key)));
        out.push_str(&format!(
            "{}{gap}  {:<clients$}  {}\n",
            colour.paint(Style::Cyan, &key),
            format_client(one),
            format_activity(one),
        ));
        if let Some(stop) = &one.stop {
            let words = stop.words.as_deref();
            let words = words.map_or_else(String::new, |words| format!(": {words}"));
            let told = format!(
                "  stopped {} ago by {}{words}",
                time::format_age(stop.time),
                stop.by
            );
            out.push_str(&format!(
                "{}\n",
                colour.paint(Style::Red, &escape_line_for_terminal(&told))
            ));
        }
    }
    out
}

/// Returns the name of a session. That of a sub-agent is indented below its parent's, and its kind follows.
fn format_name(session: &SessionOverview) -> String {
    let key = escape_line_for_terminal(&session.key);
    match &session.sub_agent {
        None => key.into_owned(),
        Some(found) => {
            let kind = found.kind.as_deref().unwrap_or("sub-agent");
            let indent = "  ".repeat(session.depth.saturating_sub(1));
            format!("{indent}└ {key} ({})", escape_line_for_terminal(kind))
        }
    }
}

/// Returns the client with its version, and since when it is connected.
fn format_client(session: &SessionOverview) -> String {
    let Some(first) = session.connections.first() else {
        return "not connected".to_owned();
    };
    let mut words = escape_line_for_terminal(
        first
            .client
            .as_deref()
            .map_or("-", who::client_display_name),
    )
    .into_owned();
    if let Some(version) = &first.version {
        words.push_str(&format!(" {}", escape_line_for_terminal(version)));
    }
    if let Some(since) = first.since {
        words.push_str(&format!(", {}", time::format_age(since)));
    }
    words
}

fn format_activity(session: &SessionOverview) -> String {
    let activity = &session.activity;
    let mut words = Vec::new();
    if let Some(known) = activity.known_files {
        words.push(format!("knows {}", format_file_count(known)));
    }
    words.push(match activity.changed_files {
        0 => "changed nothing".to_owned(),
        changed => format!("changed {}", format_file_count(changed)),
    });
    match session.waiting.len() {
        0 => {}
        1 => words.push("1 call waits (`lancet pending`)".to_owned()),
        more => words.push(format!("{more} calls wait (`lancet pending`)")),
    }
    words.join(", ")
}

fn format_file_count(count: u64) -> String {
    match count {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    }
}

/// Lists the files that several sessions work on.
pub(super) fn format_overlaps(overlaps: &[Overlap], around: &Surroundings) -> String {
    if overlaps.is_empty() {
        return String::new();
    }
    let mut out = "\nfiles that several sessions work on:\n".to_owned();
    for overlap in overlaps.iter().take(MAX_OVERLAPS) {
        let sessions = overlap.sessions.iter().map(|one| match one.changed {
            Some(time) => format!("{} changed it {} ago", one.key, time::format_age(time)),
            None => format!("{} has read it", one.key),
        });
        let sessions = sessions.collect::<Vec<_>>().join(", ");
        out.push_str(&format!(
            "  {}: {}\n",
            escape_line_for_terminal(&around.relative(&overlap.path)),
            escape_line_for_terminal(&sessions)
        ));
    }
    if overlaps.len() > MAX_OVERLAPS {
        out.push_str(&format!("  and {} more\n", overlaps.len() - MAX_OVERLAPS));
    }
    out
}
