//! The *examine* stage for Glob and Grep: runs the search and cuts the page that fits into the answer. Entries that are
//! left out are counted, a cut list names its total, and an empty result is always explained.

mod filter_refusals;
pub(crate) mod gate;
mod hint;
mod lead;
mod lines;
mod matched;
mod page_file;
mod pages;
mod recall;
mod resident;
mod rules_of_files;
mod scope;
mod search_limit;
mod seen;
mod shell;
mod words;

use std::path::PathBuf;
use std::sync::Arc;

use lancet_search::{
    CaseMatching, MatchSpan, PatternError, PatternOptions, ResultOrder, SearchTotals,
};
use serde_json::{Value, json};

use crate::arguments::{GlobArguments, GrepArguments, OutputMode};
use crate::limit::AnswerLimit;
use crate::message::{FileText, message};
use crate::path_list::PathList;
use crate::refusal::{Refusal, RefusalKind};
use crate::request::Search;
use crate::row::PageRows;
use crate::session::{CachedResult, PagedBy};
use crate::stages::context::CallContext;
use crate::wording::truncate;

pub use gate::LinkUse;
pub use matched::MatchedFiles;
pub(crate) use seen::SeenFile;
pub use shell::{ShellFormat, ShellReport, ShellSearch, SortOrder};

use pages::Page;
use recall::{WantedPage, recall_or_search};
use scope::Scope;

/// How many entries an answer of Glob has where the call names no number.
const DEFAULT_GLOB_LIMIT: u64 = 100;
const DEFAULT_GREP_LIMIT: u64 = 250;
/// The length that is reserved for the notices after the entries.
const NOTICES_LENGTH: usize = 3_000;
/// The longest part of a pattern that an answer repeats.
const MAX_QUOTED_LENGTH: usize = 200;

/// The result of a search, ready to be recorded and answered.
pub(crate) struct Findings {
    /// The files and folders where the search began.
    pub(crate) starts: Vec<PathBuf>,
    /// The entries of the page as text for the model.
    pub(crate) text: String,
    /// The sentences after the entries.
    pub(crate) notices: Vec<String>,
    /// The entries of the page as data.
    pub(crate) rows: PageRows,
    /// The files of the page, as the answer names them.
    pub(crate) files: Vec<String>,
    /// The absolute paths of the same files.
    pub(crate) paths: Arc<PathList>,
    /// The totals of the whole search.
    pub(crate) kept: Arc<CachedResult>,
    /// Whether further entries follow.
    pub(crate) truncated: bool,
    /// The lines that count as seen.
    pub(crate) seen: Vec<SeenFile>,
    /// One line for a person.
    pub(crate) person: String,
}

impl Findings {
    /// Removes lines from what counts as seen where the answer is too long to be shown whole: the page's length does
    /// not include long file names and the text about them.
    pub(crate) fn forget_seen_if_too_long(&mut self, limit: AnswerLimit) {
        let notice = limit.length("[lancet: ]\n");
        let notices = self
            .notices
            .iter()
            .map(|words| limit.length(words) + notice);
        if limit.length(&self.text) + notices.sum::<usize>() > limit.most {
            self.seen.clear();
        }
    }
}

/// Runs a search.
pub(crate) fn examine(context: &CallContext<'_>, search: &Search) -> Result<Findings, Refusal> {
    context.check_time()?;
    let findings = match search {
        Search::Glob(arguments) => glob(context, arguments)?,
        Search::Grep(arguments) => grep(context, arguments)?,
    };
    // A cancelled call gets no answer, even if it found entries.
    context.check_time()?;
    Ok(findings)
}

/// Returns the length that the entries of an answer may take.
fn space_for_entries(context: &CallContext<'_>) -> usize {
    context.limit.most.saturating_sub(NOTICES_LENGTH).max(500)
}

fn glob(context: &CallContext<'_>, arguments: &GlobArguments) -> Result<Findings, Refusal> {
    let scope = Scope::for_glob(context, arguments)?;
    let mut key = arguments.clone();
    (key.limit, key.offset) = (None, None);
    let key = pages::cache_key(context, &key);
    let wanted = WantedPage {
        offset: arguments.offset.unwrap_or(0),
        limit: arguments.limit.unwrap_or(DEFAULT_GLOB_LIMIT),
        paged_by: PagedBy::Files,
        totals: SearchTotals::AtLeast,
    };
    let found = recall_or_search(context, &key, wanted, &scope, |limit, extent| {
        scope.list_all_files(context, limit, ResultOrder::Newest, extent)
    });
    let page = found
        .page_request(context, wanted)
        .cut_list(|_| String::new());
    let kept = found.kept;
    let truncated = is_truncated(&kept, &page, kept.total);
    let hints = match kept.total == 0 && kept.stopped_at.is_none() {
        true => hint::hints_for_glob(context, &scope, arguments, &kept),
        false => Vec::new(),
    };
    let again = |offset: u64| {
        let mut call = json!({ "pattern": arguments.pattern });
        set_field(&mut call, "path", arguments.path.as_deref());
        set_field(&mut call, "limit", arguments.limit);
        set_field(
            &mut call,
            "include_ignored",
            arguments.include_ignored.then_some(true),
        );
        call["offset"] = offset.into();
        call
    };
    let summary = PageSummary {
        found: words::glob_summary(&kept, &page, wanted.offset, truncated),
        hints,
        next: truncated.then(|| ("Glob", again(page.end), kept.known)),
        person: format!(
            "listed {}: {}",
            quote_pattern(&arguments.pattern),
            words::format_total(&kept, kept.total, "file")
        ),
    };
    Ok(combine_findings(
        context, &scope, wanted, kept, page, summary,
    ))
}

fn grep(context: &CallContext<'_>, arguments: &GrepArguments) -> Result<Findings, Refusal> {
    let (case, span) = pattern_options(arguments);
    let patterns = &context.engine().base().caches.patterns;
    let pattern = patterns
        .get(&arguments.pattern, PatternOptions::new(case, span))
        .map_err(|error| unusable_refusal(context, &arguments.pattern, &error))?;
    let scope = Scope::for_grep(context, arguments)?;
    let mode = arguments.output_mode;
    #[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
    let order = match mode {
        OutputMode::FilesWithMatches => ResultOrder::Newest,
        OutputMode::Content | OutputMode::Count => ResultOrder::Path,
        _ => ResultOrder::Path,
    };
    let mut key = arguments.clone();
    (key.head_limit, key.offset) = (None, None);
    let key = pages::cache_key(context, &key);
    let wanted = wanted_grep_page(arguments);
    let found = recall_or_search(context, &key, wanted, &scope, |limit, extent| {
        scope.list_matching_files(context, limit, &pattern, order, extent)
    });
    let request = found.page_request(context, wanted);
    let page = match mode {
        OutputMode::Content => {
            lines::cut_page_of_lines(request, found.held.as_deref(), &pattern, arguments)
        }
        OutputMode::Count => request.cut_list(|entry| format!(":{}", entry.matches)),
        _ => request.cut_list(|_| String::new()),
    };
    let kept = found.kept;
    let (all, known) = match mode {
        OutputMode::Content => (kept.matches, kept.known_matches),
        _ => (kept.total, kept.known),
    };
    let truncated = is_truncated(&kept, &page, all);
    // A search that was stopped early does not show that there is no match.
    let hints = match kept.matches == 0 && kept.stopped_at.is_none() {
        true => hint::hints_for_grep(context, &scope, arguments, &kept),
        false => Vec::new(),
    };
    let summary = PageSummary {
        found: words::grep_summary(&kept, &page, mode, wanted.offset, truncated),
        hints,
        next: truncated.then(|| ("Grep", grep_arguments_from(arguments, page.end), known)),
        person: format!(
            "searched for {}: {} in {}",
            quote_pattern(&arguments.pattern),
            words::format_total(&kept, kept.matches, "match"),
            words::format_total(&kept, kept.total, "file")
        ),
    };
    Ok(combine_findings(
        context, &scope, wanted, kept, page, summary,
    ))
}

/// Returns the page that a Grep requests.
fn wanted_grep_page(arguments: &GrepArguments) -> WantedPage {
    let (paged_by, totals) = match arguments.output_mode {
        OutputMode::Content => (PagedBy::Matches, SearchTotals::AtLeast),
        OutputMode::Count => (PagedBy::Files, SearchTotals::Exact),
        _ => (PagedBy::Files, SearchTotals::AtLeast),
    };
    WantedPage {
        offset: arguments.offset.unwrap_or(0),
        limit: match arguments.head_limit {
            None => DEFAULT_GREP_LIMIT,
            Some(0) => u64::MAX,
            Some(limit) => limit,
        },
        paged_by,
        totals,
    }
}

/// Returns the arguments of the same Grep, starting at another entry.
fn grep_arguments_from(arguments: &GrepArguments, offset: u64) -> Value {
    let mut call = serde_json::to_value(arguments).unwrap_or_default();
    if let Some(fields) = call.as_object_mut() {
        fields.retain(|_, value| *value != Value::Bool(false));
        if arguments.output_mode == OutputMode::FilesWithMatches {
            fields.remove("output_mode");
        }
    }
    set_field(&mut call, "-n", arguments.numbers);
    call["offset"] = offset.into();
    call
}

/// The text of an answer about its page, in the terms of its tool.
struct PageSummary {
    found: String,
    hints: Vec<String>,
    /// The tool and arguments of the call for the next page, and how many entries are known; none where this page is the last.
    next: Option<(&'static str, Value, u64)>,
    person: String,
}

/// Returns whether further entries follow the page.
fn is_truncated(kept: &CachedResult, page: &Page, all: u64) -> bool {
    page.end < all || kept.totals == SearchTotals::AtLeast
}

/// Combines a page with its notices.
fn combine_findings(
    context: &CallContext<'_>,
    scope: &Scope,
    wanted: WantedPage,
    kept: Arc<CachedResult>,
    page: Page,
    summary: PageSummary,
) -> Findings {
    let mut notices = scope.notices.clone();
    notices.push(summary.found);
    notices.extend(summary.hints);
    notices.extend(words::stopped_sentence(context, &kept, &page));
    let truncated = summary.next.is_some();
    if let Some((tool, call, known)) = summary.next {
        notices.push(words::next_page_call(context, tool, call, &kept, known));
    }
    let paths = Arc::new(page.paths);
    Findings {
        starts: kept.starts.clone(),
        person: summary.person,
        rows: match wanted.paged_by {
            PagedBy::Matches => PageRows::Lines(page.lines),
            PagedBy::Files => PageRows::files(Arc::clone(&paths), page.matches),
        },
        files: page.files,
        paths,
        text: page.text,
        notices,
        kept,
        truncated,
        seen: page.seen,
    }
}

fn pattern_options(arguments: &GrepArguments) -> (CaseMatching, MatchSpan) {
    let case = if arguments.ignore_case {
        CaseMatching::Insensitive
    } else {
        CaseMatching::Sensitive
    };
    let span = if arguments.multiline {
        MatchSpan::MultiLine
    } else {
        MatchSpan::SingleLine
    };
    (case, span)
}

/// Returns the refusal of a regular expression, which suggests one that finds the same text literally.
fn unusable_refusal(context: &CallContext<'_>, expression: &str, error: &PatternError) -> Refusal {
    if error.spans_lines {
        let text = message!(
            "pattern holds a line end, and a match stays on one line. {} to search across lines.",
            context.engine().audience().multiline_option()
        );
        return Refusal::from_message(RefusalKind::Invalid, text).with_field("field", "pattern");
    }
    let words = truncate(error.words.trim_end(), 1_500);
    let escaped = escape_regex(expression);
    let mut text = message!(
        "pattern is no regular expression that ripgrep takes: {}",
        FileText(words)
    );
    if escaped != expression && expression.len() <= MAX_QUOTED_LENGTH {
        text.push(message!(
            "\nTo search for it literally, send {}.",
            FileText(json!(escaped).to_string())
        ));
    }
    Refusal::from_message(RefusalKind::Invalid, text)
        .with_field("field", "pattern")
        .with_field("suggestion", escaped)
}

/// Escapes a text so that it matches literally.
pub fn escape_regex(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if "\\.+*?()|[]{}^$".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

fn set_field(call: &mut Value, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        call[key] = value.into();
    }
}

fn quote_pattern(text: &str) -> String {
    json!(truncate(text, MAX_QUOTED_LENGTH)).to_string()
}
