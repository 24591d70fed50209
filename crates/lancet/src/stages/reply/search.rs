//! The answer to a search: its entries, what was left out, and the totals for programs.

use crate::outcome::{Outcome, SearchOutcome, SkippedFiles, Totals};
use crate::reply::Reply;
use crate::stages::examine::search::Findings;
use lancet_model::non_exhaustive::NonExhaustive;

/// Whether the answer counts matches: Grep's does, Glob's does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatchCounting {
    Counted,
    None,
}

/// Returns the answer to a search.
pub(crate) fn search_reply(findings: Findings, matches: MatchCounting) -> Reply {
    let mut text = findings.text;
    for notice in &findings.notices {
        text.push_str(&format!("[lancet: {notice}]\n"));
    }
    text.truncate(text.trim_end_matches('\n').len());
    let kept = &findings.kept;
    let tally = &kept.tally;
    let timed_out = kept.stopped_at.is_some();
    let outcome = SearchOutcome {
        starts: findings.starts,
        files: findings.files,
        num_files: kept.total,
        num_matches: match matches {
            MatchCounting::Counted => Some(kept.matches),
            MatchCounting::None => None,
        },
        totals: match (timed_out, kept.totals) {
            (false, lancet_search::SearchTotals::Exact) => Totals::Exact,
            _ => Totals::AtLeast,
        },
        truncated: findings.truncated,
        files_searched: tally.searched,
        skipped: SkippedFiles {
            ignored: tally.ignored,
            hidden: tally.hidden,
            denied: tally.denied,
            binary: tally.binary,
            too_large: tally.too_large,
            unreadable: tally.unreadable,
            non_exhaustive: NonExhaustive,
        },
        timed_out,
        rows: findings.rows,
        non_exhaustive: NonExhaustive,
    };
    Reply::new(text, Outcome::Found(outcome), findings.person)
}
