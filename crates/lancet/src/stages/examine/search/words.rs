//! The sentences after a search: totals, what was left out, where it stopped, the call for the next page.

use lancet_search::{SearchTotals, Tally};
use serde_json::Value;

use super::pages::Page;
use super::scope::display_path;
use crate::arguments::OutputMode;
use crate::session::Kept;
use crate::stages::context::CallContext;

/// Writes a number with its noun: "1 file", "2 matches".
pub(super) fn count(number: u64, noun: &str) -> String {
    let ending = match (number, noun.ends_with("ch")) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{number} {noun}{ending}")
}

/// Writes a total of a search: "2 files", or "at least 2 files" where it stopped counting.
pub(super) fn total(kept: &Kept, number: u64, noun: &str) -> String {
    format!("{}{}", at_least(kept), count(number, noun))
}

fn at_least(kept: &Kept) -> &'static str {
    match kept.totals {
        SearchTotals::Exact => "",
        SearchTotals::AtLeast => "at least ",
    }
}

/// Says what a Glob found, and among how many files.
pub(super) fn of_glob(kept: &Kept, page: &Page, offset: u64, truncated: bool) -> String {
    let found = if kept.total == 0 {
        "no file matches".to_owned()
    } else if truncated || offset > 0 {
        format!(
            "{}, newest first",
            range(kept, page, offset, kept.total, "file")
        )
    } else {
        format!("{}, newest first", total(kept, kept.total, "file"))
    };
    let verb = match kept.total {
        0 => "looked at",
        _ => "looked at in all",
    };
    format!(
        "{found}; {} {verb}{}",
        count(kept.tally.searched, "file"),
        left_out(&kept.tally)
    )
}

/// Says what a Grep found, and among how many files.
pub(super) fn of_grep(
    kept: &Kept,
    page: &Page,
    mode: OutputMode,
    offset: u64,
    truncated: bool,
) -> String {
    let cut = truncated || offset > 0;
    let found = match (kept.matches, mode) {
        (0, _) => "no match".to_owned(),
        (matches, OutputMode::Content) if cut => format!(
            "{} in {}",
            range(kept, page, offset, matches, "match"),
            total(kept, kept.total, "file")
        ),
        (matches, OutputMode::Content) => {
            format!(
                "{} in {}",
                count(matches, "match"),
                total(kept, kept.total, "file")
            )
        }
        (matches, _) if cut => format!(
            "{} with {}",
            range(kept, page, offset, kept.total, "file"),
            total(kept, matches, "match")
        ),
        (matches, _) => format!(
            "{} with {}",
            total(kept, kept.total, "file"),
            total(kept, matches, "match")
        ),
    };
    format!(
        "{found}; {} searched{}",
        count(kept.tally.searched, "file"),
        left_out(&kept.tally)
    )
}

/// Writes "files 1-100 of 105", or that the page is past the end.
fn range(kept: &Kept, page: &Page, offset: u64, total: u64, noun: &str) -> String {
    let plural = if noun.ends_with("ch") {
        format!("{noun}es")
    } else {
        format!("{noun}s")
    };
    let total = format!("{}{total}", at_least(kept));
    if page.end == offset {
        return format!("nothing at offset {offset} of {total} {plural}");
    }
    if page.end == offset + 1 {
        return format!("{noun} {} of {total}", page.end);
    }
    format!("{plural} {}-{} of {total}", offset + 1, page.end)
}

/// Lists what was left out, by reason.
fn left_out(tally: &Tally) -> String {
    let mut reasons = Vec::new();
    for (number, word) in [
        (tally.ignored, "ignored"),
        (tally.hidden, "hidden"),
        (tally.binary, "binary"),
        (tally.too_large, "too large"),
        (tally.unreadable, "unreadable"),
    ] {
        if number > 0 {
            reasons.push(format!("{number} {word}"));
        }
    }
    let mut text = String::new();
    if !reasons.is_empty() {
        text.push_str(&format!("; left out: {}", reasons.join(", ")));
    }
    if tally.denied > 0 {
        text.push_str(&format!("; {} withheld", count(tally.denied, "file")));
    }
    if tally.cut > 0 {
        text.push_str(&format!(
            "; {} searched only up to a NUL byte",
            count(tally.cut, "file")
        ));
    }
    text
}

/// Says that the search was stopped before its end.
pub(super) fn stopped(context: &CallContext<'_>, kept: &Kept, page: &Page) -> Option<String> {
    let at = kept.stopped_at.as_ref().or(page.stopped_at.as_ref())?;
    let place = display_path(context.engine(), at);
    let place = if place.is_empty() { "the root" } else { &place };
    Some(format!(
        "the time of {} ms was over: this is what was found so far, and there may be more; it stopped at {place}. \
         Search a narrower path, glob or type",
        context.engine().settings.search.time_budget
    ))
}

/// Returns the call for the next page. There is no such call beyond the cached part of a very long list.
pub(super) fn next(
    context: &CallContext<'_>,
    tool: &str,
    call: Value,
    kept: &Kept,
    known: u64,
) -> String {
    let beyond = kept.totals == SearchTotals::Exact
        && kept.total > kept.known
        && call["offset"].as_u64().is_some_and(|next| next >= known);
    if beyond {
        return format!(
            "only the first {} of {} files are kept in order; narrow the question to see others",
            kept.known, kept.total
        );
    }
    let engine = context.engine();
    let next = engine.audience().next_page(tool, &call, context.limit.most);
    format!("next page: {next}")
}
