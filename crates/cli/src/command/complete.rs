//! `lancet complete`: the shell's completions for an id or a session. If nothing can be found it prints nothing and
//! succeeds, because its output is shown in the middle of a line that is being typed.

use std::collections::BTreeSet;

use lancet::history::LogQuery;

use super::history::open_history;
use crate::arguments::{CompleteArguments, CompletionKind};
use crate::failure::{Exit, Failure};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{escape_line_for_terminal, print};

/// The most changes that the shell offers for completion, the newest first.
const OFFERED_CHANGES: usize = 100;
/// How many of the newest changes are searched for named sessions, which are offered by name.
const CHANGES_SEARCHED_FOR_SESSIONS: usize = 1_000;

/// Runs `lancet complete`.
pub(crate) fn complete(
    arguments: &CompleteArguments,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    // Without a readable history there is nothing to offer.
    let words = list_completions(arguments, around).unwrap_or_default();
    print(&words)?;
    Ok(Exit::Done)
}

fn list_completions(arguments: &CompleteArguments, around: &Surroundings) -> Option<String> {
    let history = open_history(&arguments.place, RootHint::Project, around).ok()?;
    let query = LogQuery {
        limit: Some(match arguments.what {
            CompletionKind::Changes => OFFERED_CHANGES,
            CompletionKind::Sessions => CHANGES_SEARCHED_FOR_SESSIONS,
        }),
        ..LogQuery::default()
    };
    let operations = history.log(&query).ok()?;
    let mut out = String::new();
    match arguments.what {
        CompletionKind::Changes => {
            let short = history.short_ids(&operations).ok()?;
            for (operation, short) in operations.iter().zip(short) {
                let file = operation.files.first();
                let file =
                    file.map(|file| history.relative_to_root(&file.path).display().to_string());
                let file = file.unwrap_or_default();
                let what = format!("{} {file}", operation.tool);
                out.push_str(&format!(
                    "{}\t{}\n",
                    short.shown,
                    escape_line_for_terminal(&what)
                ));
            }
        }
        CompletionKind::Sessions => {
            let names = operations
                .iter()
                .map(|operation| operation.session.as_str());
            let named: BTreeSet<&str> =
                names.filter(|name| !name.starts_with("unnamed-")).collect();
            for name in named {
                out.push_str(&format!("{}\n", escape_line_for_terminal(name)));
            }
        }
    }
    Some(out)
}
