//! The *examine* stage for Glob and Grep: runs the search and cuts the page that fits into the answer. Entries that are
//! left out are counted, a cut list names its total, and an empty result is always explained.

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
mod seen;
mod shell;
mod words;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use lancet_search::{Case, MatchSpan, Order, PatternError, PatternOptions, SearchTotals, Stop};
use serde_json::{Value, json};

use crate::arguments::{GlobArguments, GrepArguments, OutputMode};
use crate::call::Cancel;
use crate::limit::AnswerLimit;
use crate::message::{FileText, message};
use crate::path_list::PathList;
use crate::refusal::{Refusal, RefusalKind};
use crate::request::Search;
use crate::row::PageRows;
use crate::session::{Kept, PagedBy};
use crate::stages::context::CallContext;
use crate::wording::cut;

pub use matched::MatchedFiles;
pub(crate) use seen::SeenFile;
pub use shell::{ShellFormat, ShellReport, ShellSearch, Sort};

use pages::Page;
use recall::{WantedPage, recall};
use scope::Scope;

/// How many entries an answer of Glob has where the call names no number.
const GLOB_LIMIT: u64 = 100;
const GREP_LIMIT: u64 = 250;
/// The length that is reserved for the notices after the entries.
const NOTICE_ROOM: usize = 3_000;
/// The longest part of a pattern that an answer repeats.
const QUOTED: usize = 200;

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
    pub(crate) kept: Arc<Kept>,
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
    pub(crate) fn count_what_fits(&mut self, limit: AnswerLimit) {
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

/// The stop condition of a search: cancelled, or out of time.
pub(super) struct Limit<'c> {
    cancel: &'c Cancel,
    end: Instant,
    /// How many files may still be searched after the time has run out.
    free: AtomicUsize,
}

impl Stop for Limit<'_> {
    fn is_over(&self) -> bool {
        if self.cancel.is_cancelled() {
            return true;
        }
        let take_one = |left: usize| left.checked_sub(1);
        let is_free = self
            .free
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take_one)
            .is_ok();
        !is_free && Instant::now() >= self.end
    }
}

impl<'c> Limit<'c> {
    fn within(context: &'c CallContext<'_>, time: Duration) -> Self {
        let end = Instant::now() + time;
        Limit {
            cancel: &context.cancel,
            end: context.cancel.end().map_or(end, |call| call.min(end)),
            free: AtomicUsize::new(0),
        }
    }

    /// Lets a few files be searched even on a slow machine, so that the answer about a small folder depends only on the
    /// folder.
    fn with_free_looks(mut self, looks: usize) -> Self {
        self.free = AtomicUsize::new(looks);
        self
    }

    fn from_settings(context: &'c CallContext<'_>) -> Self {
        let budget = context.engine().settings.search.time_budget;
        Self::within(context, Duration::from_millis(budget))
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
fn room(context: &CallContext<'_>) -> usize {
    context.limit.most.saturating_sub(NOTICE_ROOM).max(500)
}

fn glob(context: &CallContext<'_>, arguments: &GlobArguments) -> Result<Findings, Refusal> {
    let scope = Scope::of_glob(context, arguments)?;
    let mut key = arguments.clone();
    (key.limit, key.offset) = (None, None);
    let key = pages::key(context, &key);
    let wanted = WantedPage {
        offset: arguments.offset.unwrap_or(0),
        limit: arguments.limit.unwrap_or(GLOB_LIMIT),
        paged_by: PagedBy::Files,
        totals: SearchTotals::AtLeast,
    };
    let found = recall(context, &key, wanted, &scope, |limit, extent| {
        scope.list(context, limit, Order::Newest, extent)
    });
    let page = found
        .page_request(context, wanted)
        .cut_list(|_| String::new());
    let kept = found.kept;
    let truncated = is_truncated(&kept, &page, kept.total);
    let hints = match kept.total == 0 && kept.stopped_at.is_none() {
        true => hint::for_glob(context, &scope, arguments, &kept),
        false => Vec::new(),
    };
    let again = |offset: u64| {
        let mut call = json!({ "pattern": arguments.pattern });
        put(&mut call, "path", arguments.path.as_deref());
        put(&mut call, "limit", arguments.limit);
        put(
            &mut call,
            "include_ignored",
            arguments.include_ignored.then_some(true),
        );
        call["offset"] = offset.into();
        call
    };
    let summary = Summary {
        found: words::of_glob(&kept, &page, wanted.offset, truncated),
        hints,
        next: truncated.then(|| ("Glob", again(page.end), kept.known)),
        person: format!(
            "listed {}: {}",
            quoted(&arguments.pattern),
            words::total(&kept, kept.total, "file")
        ),
    };
    Ok(findings(context, &scope, wanted, kept, page, summary))
}

fn grep(context: &CallContext<'_>, arguments: &GrepArguments) -> Result<Findings, Refusal> {
    let (case, span) = options(arguments);
    let patterns = &context.engine().base().caches.patterns;
    let pattern = patterns
        .get(&arguments.pattern, PatternOptions::new(case, span))
        .map_err(|error| unusable(context, &arguments.pattern, &error))?;
    let scope = Scope::of_grep(context, arguments)?;
    let mode = arguments.output_mode;
    #[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
    let order = match mode {
        OutputMode::FilesWithMatches => Order::Newest,
        OutputMode::Content | OutputMode::Count => Order::Path,
        _ => Order::Path,
    };
    let mut key = arguments.clone();
    (key.head_limit, key.offset) = (None, None);
    let key = pages::key(context, &key);
    let wanted = wanted_of_grep(arguments);
    let found = recall(context, &key, wanted, &scope, |limit, extent| {
        scope.count(context, limit, &pattern, order, extent)
    });
    let request = found.page_request(context, wanted);
    let page = match mode {
        OutputMode::Content => lines::cut(request, found.held.as_deref(), &pattern, arguments),
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
        true => hint::for_grep(context, &scope, arguments, &kept),
        false => Vec::new(),
    };
    let summary = Summary {
        found: words::of_grep(&kept, &page, mode, wanted.offset, truncated),
        hints,
        next: truncated.then(|| ("Grep", grep_from(arguments, page.end), known)),
        person: format!(
            "searched for {}: {} in {}",
            quoted(&arguments.pattern),
            words::total(&kept, kept.matches, "match"),
            words::total(&kept, kept.total, "file")
        ),
    };
    Ok(findings(context, &scope, wanted, kept, page, summary))
}

/// Returns the page that a Grep requests.
fn wanted_of_grep(arguments: &GrepArguments) -> WantedPage {
    let (paged_by, totals) = match arguments.output_mode {
        OutputMode::Content => (PagedBy::Matches, SearchTotals::AtLeast),
        OutputMode::Count => (PagedBy::Files, SearchTotals::Exact),
        _ => (PagedBy::Files, SearchTotals::AtLeast),
    };
    WantedPage {
        offset: arguments.offset.unwrap_or(0),
        limit: match arguments.head_limit {
            None => GREP_LIMIT,
            Some(0) => u64::MAX,
            Some(limit) => limit,
        },
        paged_by,
        totals,
    }
}

/// Returns the arguments of the same Grep, starting at another entry.
fn grep_from(arguments: &GrepArguments, offset: u64) -> Value {
    let mut call = serde_json::to_value(arguments).unwrap_or_default();
    if let Some(fields) = call.as_object_mut() {
        fields.retain(|_, value| *value != Value::Bool(false));
        if arguments.output_mode == OutputMode::FilesWithMatches {
            fields.remove("output_mode");
        }
    }
    put(&mut call, "-n", arguments.numbers);
    call["offset"] = offset.into();
    call
}

/// The text of an answer about its page, in the terms of its tool.
struct Summary {
    found: String,
    hints: Vec<String>,
    /// The tool and arguments of the call for the next page, and how many entries are known; none where this page is the last.
    next: Option<(&'static str, Value, u64)>,
    person: String,
}

/// Returns whether further entries follow the page.
fn is_truncated(kept: &Kept, page: &Page, all: u64) -> bool {
    page.end < all || kept.totals == SearchTotals::AtLeast
}

/// Combines a page with its notices.
fn findings(
    context: &CallContext<'_>,
    scope: &Scope,
    wanted: WantedPage,
    kept: Arc<Kept>,
    page: Page,
    summary: Summary,
) -> Findings {
    let mut notices = scope.notices.clone();
    notices.push(summary.found);
    notices.extend(summary.hints);
    notices.extend(words::stopped(context, &kept, &page));
    let truncated = summary.next.is_some();
    if let Some((tool, call, known)) = summary.next {
        notices.push(words::next(context, tool, call, &kept, known));
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

fn options(arguments: &GrepArguments) -> (Case, MatchSpan) {
    let case = if arguments.ignore_case {
        Case::Insensitive
    } else {
        Case::Sensitive
    };
    let span = if arguments.multiline {
        MatchSpan::MultiLine
    } else {
        MatchSpan::SingleLine
    };
    (case, span)
}

/// Returns the refusal of a regular expression, which suggests one that finds the same text literally.
fn unusable(context: &CallContext<'_>, expression: &str, error: &PatternError) -> Refusal {
    if error.spans_lines {
        let text = message!(
            "pattern holds a line end, and a match stays on one line. {} to search across lines.",
            context.engine().audience().across_lines()
        );
        return Refusal::stating(RefusalKind::Invalid, text).with("field", "pattern");
    }
    let words = cut(error.words.trim_end(), 1_500);
    let escaped = escape(expression);
    let mut text = message!(
        "pattern is no regular expression that ripgrep takes: {}",
        FileText(words)
    );
    if escaped != expression && expression.len() <= QUOTED {
        text.push(message!(
            "\nTo search for it literally, send {}.",
            FileText(json!(escaped).to_string())
        ));
    }
    Refusal::stating(RefusalKind::Invalid, text)
        .with("field", "pattern")
        .with("suggestion", escaped)
}

/// Escapes a text so that it matches literally.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if "\\.+*?()|[]{}^$".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

fn put(call: &mut Value, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        call[key] = value.into();
    }
}

fn quoted(text: &str) -> String {
    json!(cut(text, QUOTED)).to_string()
}
