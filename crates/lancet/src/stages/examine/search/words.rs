//! The sentences after a search: totals, what was left out, where it stopped, the call for the next page.

use lancet_search::{SearchTotals, Tally};
use serde_json::Value;

use super::pages::Page;
use super::scope::display_path;
use crate::arguments::OutputMode;
use crate::session::CachedResult;
use crate::stages::context::CallContext;

/// Writes a number with its noun: "1 file", "2 matches".
pub(super) fn format_count(number: u64, noun: &str) -> String {
    let ending = match (number, noun.ends_with("ch")) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{number} {noun}{ending}")
}

/// Writes a total of a search: "2 files", or "at least 2 files" where it stopped counting.
pub(super) fn format_total(kept: &CachedResult, number: u64, noun: &str) -> String {
    format!(
        "{}{}",
        at_least_if_inexact(kept),
        format_count(number, noun)
    )
}

fn at_least_if_inexact(kept: &CachedResult) -> &'static str {
    match kept.totals {
        SearchTotals::Exact => "",
        SearchTotals::AtLeast => "at least ",
    }
}

/// Says what a Glob found, and among how many files.
pub(super) fn glob_summary(
    kept: &CachedResult,
    page: &Page,
    offset: u64,
    truncated: bool,
) -> String {
    let found = if kept.total == 0 {
        "no file matches".to_owned()
    } else if truncated || offset > 0 {
        format!(
            "{}, newest first",
            describe_range(kept, page, offset, kept.total, "file")
        )
    } else {
        format!("{}, newest first", format_total(kept, kept.total, "file"))
    };
    let verb = match kept.total {
        0 => "looked at",
        _ => "looked at in all",
    };
    format!(
        "{found}; {} {verb}{}",
        format_count(kept.tally.searched, "file"),
        describe_left_out(&kept.tally)
    )
}

/// Says what a Grep found, and among how many files.
pub(super) fn grep_summary(
    kept: &CachedResult,
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
            describe_range(kept, page, offset, matches, "match"),
            format_total(kept, kept.total, "file")
        ),
        (matches, OutputMode::Content) => {
            format!(
                "{} in {}",
                format_count(matches, "match"),
                format_total(kept, kept.total, "file")
            )
        }
        (matches, _) if cut => format!(
            "{} with {}",
            describe_range(kept, page, offset, kept.total, "file"),
            format_total(kept, matches, "match")
        ),
        (matches, _) => format!(
            "{} with {}",
            format_total(kept, kept.total, "file"),
            format_total(kept, matches, "match")
        ),
    };
    format!(
        "{found}; {} searched{}",
        format_count(kept.tally.searched, "file"),
        describe_left_out(&kept.tally)
    )
}

/// Writes "files 1-100 of 105", or that the page is past the end.
fn describe_range(kept: &CachedResult, page: &Page, offset: u64, total: u64, noun: &str) -> String {
    let plural = if noun.ends_with("ch") {
        format!("{noun}es")
    } else {
        format!("{noun}s")
    };
    let total = format!("{}{total}", at_least_if_inexact(kept));
    if page.end == offset {
        return format!("nothing at offset {offset} of {total} {plural}");
    }
    if page.end == offset + 1 {
        return format!("{noun} {} of {total}", page.end);
    }
    format!("{plural} {}-{} of {total}", offset + 1, page.end)
}

/// Lists what was left out, by reason.
fn describe_left_out(tally: &Tally) -> String {
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
        text.push_str(&format!(
            "; {} withheld",
            format_count(tally.denied, "file")
        ));
    }
    if tally.cut > 0 {
        text.push_str(&format!(
            "; {} searched only up to a NUL byte",
            format_count(tally.cut, "file")
        ));
    }
    text
}

/// Says that the search was stopped before its end.
pub(super) fn stopped_sentence(
    context: &CallContext<'_>,
    kept: &CachedResult,
    page: &Page,
) -> Option<String> {
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
pub(super) fn next_page_call(
    context: &CallContext<'_>,
    tool: &str,
    call: Value,
    kept: &CachedResult,
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
    let next = engine
        .audience()
        .next_page_call(tool, &call, context.limit.most);
    format!("next page: {next}")
}
