//! `lancet stats`: statistics of the history.

use std::path::PathBuf;

use lancet::history::{Statistics, StatisticsQuery, Totals};
use serde_json::{Value, json};

use super::access::{open_history, unreadable_failure};
use super::{time, who};
use crate::arguments::StatsArguments;
use crate::failure::{Exit, Failure};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{Colour, Style, escape_for_terminal, print, print_paged, stdout_is_terminal};

/// How many files are listed for a person.
const MAX_LISTED_FILES: usize = 20;

/// Runs `lancet stats`.
pub(crate) fn stats(arguments: &StatsArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let path = arguments.path.as_deref();
    let path = path.map(|path| around.absolute(path)).transpose()?;
    let reach = match (&path, arguments.all) {
        (_, true) => RootHint::Nothing,
        (Some(path), false) => RootHint::At(path),
        (None, false) => RootHint::Project,
    };
    let history = open_history(&arguments.place, reach, around)?;
    let below = match arguments.all {
        true => vec![PathBuf::from("/")],
        false => Vec::new(),
    };
    let query = StatisticsQuery {
        below,
        // The history has resolved paths, so symbolic links in the given path are resolved as well.
        path: path.map(|path| path.canonicalize().unwrap_or(path)),
        session: arguments.session.clone(),
        client: arguments
            .client
            .as_deref()
            .map(who::client_from_display_name),
        since: arguments
            .since
            .as_deref()
            .map(time::parse_since)
            .transpose()?,
        ..StatisticsQuery::default()
    };
    let sums = history.statistics(&query).map_err(unreadable_failure)?;
    // A session may have refusals and no change.
    if sums.total.operations == 0 && sums.refusals.is_empty() && !arguments.all {
        if let Some(session) = &arguments.session {
            who::check_session(&history, session)?;
        }
        if let Some(client) = &arguments.client {
            who::check_client(&history, client)?;
        }
    }
    let files: Vec<(String, Totals)> = sums
        .files
        .iter()
        .map(|(path, sum)| {
            let name = match arguments.json {
                true => path.display().to_string(),
                false => around.relative(path),
            };
            (name, *sum)
        })
        .collect();
    if arguments.json {
        let data = statistics_json(&sums, &files);
        print(&format!("{data}\n"))?;
        return Ok(Exit::Done);
    }
    let out = format_tables(&sums, &files, around.colour(stdout_is_terminal()));
    print_paged(&out, around)?;
    Ok(Exit::Done)
}

fn statistics_json(sums: &Statistics, files: &[(String, Totals)]) -> Value {
    let list = |sums: &[(String, Totals)]| -> Value {
        sums.iter()
            .map(|(name, sum)| {
                json!({ "name": name, "operations": sum.operations, "added": sum.added, "removed": sum.removed })
            })
            .collect()
    };
    let counts = |counts: &[(String, u64)]| -> Value {
        counts
            .iter()
            .map(|(name, count)| (name.clone(), json!(count)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    json!({
        "operations": sums.total.operations, "added": sums.total.added, "removed": sums.total.removed,
        "files": list(files), "tools": list(&sums.tools), "sessions": list(&sums.sessions),
        "clients": list(&sums.clients), "rungs": counts(&sums.rungs), "refusals": counts(&sums.refusals),
    })
}

/// Returns the totals, and a table of each kind that has rows.
fn format_tables(sums: &Statistics, files: &[(String, Totals)], colour: Colour) -> String {
    let mut out = format!(
        "{}, {} added, {} removed\n",
        format_count(sums.total.operations, "change"),
        format_count(sums.total.added, "line"),
        sums.total.removed
    );
    let mut table = |title: &str, rows: Vec<(String, String)>| {
        if !rows.is_empty() {
            out.push_str(&format!("\n{}\n", colour.paint(Style::Bold, title)));
            for (name, value) in rows {
                out.push_str(&format!("  {value:<24}  {}\n", escape_for_terminal(&name)));
            }
        }
    };
    let lines = |sums: &[(String, Totals)]| -> Vec<(String, String)> {
        let value =
            |sum: &Totals| format!("{:>6}  +{} -{}", sum.operations, sum.added, sum.removed);
        sums.iter()
            .take(MAX_LISTED_FILES)
            .map(|(name, sum)| (name.clone(), value(sum)))
            .collect()
    };
    let counts = |counts: &[(String, u64)]| -> Vec<(String, String)> {
        counts
            .iter()
            .map(|(name, count)| (name.clone(), format!("{count:>6}")))
            .collect()
    };
    table("files", lines(files));
    table("tools", lines(&sums.tools));
    table("sessions", lines(&merge_unnamed_sessions(&sums.sessions)));
    let clients = sums.clients.iter();
    let clients: Vec<_> = clients
        .map(|(name, sum)| (who::client_display_name(name).to_owned(), *sum))
        .collect();
    table("clients", lines(&clients));
    table("matched", counts(&sums.rungs));
    table("refusals", counts(&sums.refusals));
    out
}

/// Returns the sessions with a name that a client or a person chose. Those whose name lancet made up are summed up in
/// one row, because users do not type such a name.
fn merge_unnamed_sessions(sessions: &[(String, Totals)]) -> Vec<(String, Totals)> {
    let mut unnamed = Totals::default();
    let mut rows = Vec::new();
    let mut others = 0;
    for (name, sum) in sessions {
        if who::is_unnamed(name) {
            others += 1;
            unnamed.operations += sum.operations;
            unnamed.added += sum.added;
            unnamed.removed += sum.removed;
        } else {
            rows.push((name.clone(), *sum));
        }
    }
    if others > 0 {
        rows.push((
            format!("({} without a name)", format_count(others, "session")),
            unnamed,
        ));
    }
    rows
}

/// Writes a number with its noun.
pub(in crate::command) fn format_count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
