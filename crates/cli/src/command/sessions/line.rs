//! Formats a session on one line, and the files that several sessions work on.

use lancet::sessions::{Overlap, SessionOverview};

use crate::command::history::{time, who};
use crate::surroundings::Surroundings;
use crate::terminal::{Colour, Style, visible_line};

/// How many files that several sessions work on are listed.
const MOST_OVERLAPS: usize = 20;

/// Lists the sessions, one a line, with a second line for those that are stopped.
pub(super) fn lines(sessions: &[SessionOverview], colour: Colour) -> String {
    let width = |text: &str| text.chars().count();
    let names = sessions.iter().map(|one| width(&name(one)));
    let names = names.max().unwrap_or(0);
    let clients = sessions.iter().map(|one| width(&client(one)));
    let clients = clients.max().unwrap_or(0);
    let mut out = String::new();
    for one in sessions {
        let key = name(one);
        let gap = " ".repeat(names.saturating_sub(width(&key)));
        out.push_str(&format!(
            "{}{gap}  {:<clients$}  {}\n",
            colour.paint(Style::Cyan, &key),
            client(one),
            doing(one),
        ));
        if let Some(stop) = &one.stop {
            let words = stop.words.as_deref();
            let words = words.map_or_else(String::new, |words| format!(": {words}"));
            let told = format!(
                "  stopped {} ago by {}{words}",
                time::age(stop.time),
                stop.by
            );
            out.push_str(&format!(
                "{}\n",
                colour.paint(Style::Red, &visible_line(&told))
            ));
        }
    }
    out
}

/// Returns the name of a session. That of a sub-agent is indented below its parent's, and its kind follows.
fn name(session: &SessionOverview) -> String {
    let key = visible_line(&session.key);
    match &session.sub_agent {
        None => key.into_owned(),
        Some(found) => {
            let kind = found.kind.as_deref().unwrap_or("sub-agent");
            let indent = "  ".repeat(session.depth.saturating_sub(1));
            format!("{indent}└ {key} ({})", visible_line(kind))
        }
    }
}

/// Returns the client with its version, and since when it is connected.
fn client(session: &SessionOverview) -> String {
    let Some(first) = session.connections.first() else {
        return "not connected".to_owned();
    };
    let mut words = visible_line(
        first
            .client
            .as_deref()
            .map_or("-", who::client_display_name),
    )
    .into_owned();
    if let Some(version) = &first.version {
        words.push_str(&format!(" {}", visible_line(version)));
    }
    if let Some(since) = first.since {
        words.push_str(&format!(", {}", time::age(since)));
    }
    words
}

fn doing(session: &SessionOverview) -> String {
    let activity = &session.activity;
    let mut words = Vec::new();
    if let Some(known) = activity.known_files {
        words.push(format!("knows {}", files(known)));
    }
    words.push(match activity.changed_files {
        0 => "changed nothing".to_owned(),
        changed => format!("changed {}", files(changed)),
    });
    match session.waiting.len() {
        0 => {}
        1 => words.push("1 call waits (`lancet pending`)".to_owned()),
        more => words.push(format!("{more} calls wait (`lancet pending`)")),
    }
    words.join(", ")
}

fn files(count: u64) -> String {
    match count {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    }
}

/// Lists the files that several sessions work on.
pub(super) fn overlaps(overlaps: &[Overlap], around: &Surroundings) -> String {
    if overlaps.is_empty() {
        return String::new();
    }
    let mut out = "\nfiles that several sessions work on:\n".to_owned();
    for overlap in overlaps.iter().take(MOST_OVERLAPS) {
        let sessions = overlap.sessions.iter().map(|one| match one.changed {
            Some(time) => format!("{} changed it {} ago", one.key, time::age(time)),
            None => format!("{} has read it", one.key),
        });
        let sessions = sessions.collect::<Vec<_>>().join(", ");
        out.push_str(&format!(
            "  {}: {}\n",
            visible_line(&around.relative(&overlap.path)),
            visible_line(&sessions)
        ));
    }
    if overlaps.len() > MOST_OVERLAPS {
        out.push_str(&format!("  and {} more\n", overlaps.len() - MOST_OVERLAPS));
    }
    out
}
