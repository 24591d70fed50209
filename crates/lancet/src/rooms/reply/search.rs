//! The answer to a search: its entries, what was left out, and the totals for programs.

use serde_json::json;

use crate::reply::Reply;
use crate::rooms::examine::search::Findings;
use crate::wording::quote_path;

/// Glob's answers hold no matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Matches {
    Counted,
    None,
}

/// The answer to a search.
pub(crate) fn found(findings: Findings, matches: Matches) -> Reply {
    let mut text = findings.text;
    for notice in &findings.notices {
        text.push_str(&format!("[lancet: {notice}]\n"));
    }
    text.truncate(text.trim_end_matches('\n').len());
    let kept = &findings.kept;
    let tally = &kept.tally;
    let timed_out = kept.stopped_at.is_some();
    let mut data = json!({
        "file_path": findings.starts.first().map(|path| quote_path(path)),
        "files": findings.files,
        "numFiles": kept.total,
        "numMatches": kept.matches,
        "totals": if timed_out { "at_least" } else { "exact" },
        "truncated": findings.truncated,
        "filesSearched": tally.searched,
        "skipped": {
            "ignored": tally.ignored,
            "hidden": tally.hidden,
            "denied": tally.denied,
            "binary": tally.binary,
            "tooLarge": tally.too_large,
            "unreadable": tally.unreadable,
        },
        "timedOut": timed_out,
    });
    if matches == Matches::None
        && let Some(fields) = data.as_object_mut()
    {
        fields.shift_remove("numMatches");
    }
    Reply::done(text, data, findings.person).with_rows(findings.rows)
}
