//! Hints for a search that found nothing: the closest match that does exist. They take at most 100 ms, except for a few
//! files that are always checked, and name nothing that a wider search would not show.

use std::path::PathBuf;
use std::time::Duration;

use lancet_search::{
    CaseMatching, Gate as _, ListedFile, Pattern, PatternOptions, ResultOrder, SearchExtent,
    Stop as _,
};
use lancet_workspace::EntryKind;

use super::gate::WalkGuard;
use super::pattern_options;
use super::resident;
use super::scope::{Scope, display_path, path_of};
use super::search_limit::SearchLimit;
use crate::arguments::{GlobArguments, GrepArguments};
use crate::session::CachedResult;
use crate::stages::context::CallContext;

/// The time for all hints of one answer.
const HINT_TIME: Duration = Duration::from_millis(100);
/// The time for hints where many files were searched: a hint is then a matter of chance, and the search itself took
/// long.
const SHORT_HINT_TIME: Duration = Duration::from_millis(30);
const MANY_FILES: u64 = 5_000;
/// How many files are checked even after the time has run out.
const FREE_CHECKS: usize = 64;
/// How many files a hint names.
const MAX_NAMED_FILES: usize = 3;
/// How many file names are compared with a pattern.
const MAX_COMPARED_NAMES: usize = 20_000;

/// Hints for a Glob that found nothing.
pub(super) fn hints_for_glob(
    context: &CallContext<'_>,
    scope: &Scope,
    arguments: &GlobArguments,
    kept: &CachedResult,
) -> Vec<String> {
    let limit = SearchLimit::within(context, time_for_hints(kept)).with_free_checks(FREE_CHECKS);
    let mut hints = Vec::new();
    if kept.tally.ignored > 0 && scope.respects_rules() {
        let ignored = scope.ignored_files(context, None);
        let mut survey =
            ignored.list_all_files(context, &limit, ResultOrder::Newest, SearchExtent::Whole);
        if survey.total > 0 {
            let names = name_some_files(
                context,
                &ignored.paths(),
                survey.files.first_entries(MAX_NAMED_FILES + 1),
            );
            hints.push(format!(
                "{} among the ignored match: {names}; {} lists them",
                super::words::format_count(survey.total, "file"),
                context.engine().audience().include_ignored_option()
            ));
        }
    }
    let pattern = arguments.pattern.trim_end_matches('/');
    let names_a_folder = scope.paths().iter().any(|start| {
        let found = context
            .engine()
            .workspace
            .locate_as_spelled(&start.join(pattern));
        found.is_ok_and(|found| found.kind() == lancet_workspace::FileType::Directory)
    });
    if names_a_folder && !pattern.is_empty() {
        hints.push(format!(
            "{} is a folder; {} lists what is in it",
            super::quote_pattern(pattern),
            super::quote_pattern(&format!("{pattern}/**"))
        ));
    }
    if hints.is_empty()
        && let Some(names) = find_similar_names(context, scope, pattern, &limit)
    {
        hints.push(format!("files with a name like it: {names}"));
    }
    hints.extend(suggest_braces(&arguments.pattern));
    hints.extend(hidden_files_hint(kept));
    hints
}

/// Hints for a Grep that found nothing.
pub(super) fn hints_for_grep(
    context: &CallContext<'_>,
    scope: &Scope,
    arguments: &GrepArguments,
    kept: &CachedResult,
) -> Vec<String> {
    let limit = SearchLimit::within(context, time_for_hints(kept)).with_free_checks(FREE_CHECKS);
    let (case, span) = pattern_options(arguments);
    let expression = &arguments.pattern;
    let patterns = &context.engine().base().caches.patterns;
    let mut hints = Vec::new();
    let tally = &kept.tally;
    if tally.searched + tally.binary + tally.too_large + tally.unreadable == 0 {
        hints.push("no file was searched: path, glob and type leave none".to_owned());
        hints.extend(arguments.glob.as_deref().and_then(suggest_braces));
    }
    let mut try_with =
        |scope: &Scope, pattern: Result<Pattern, _>, words: &dyn Fn(&str) -> String| {
            let Ok::<Pattern, lancet_search::PatternError>(pattern) = pattern else {
                return;
            };
            let mut survey = scope.list_matching_files(
                context,
                &limit,
                &pattern,
                ResultOrder::Newest,
                SearchExtent::Whole,
            );
            if survey.total > 0 {
                let names = name_some_files(
                    context,
                    &scope.paths(),
                    survey.files.first_entries(MAX_NAMED_FILES + 1),
                );
                let files = super::words::format_count(survey.total, "file");
                hints.push(words(&format!("{files}: {names}")));
            }
        };
    if kept.tally.ignored > 0 && scope.respects_rules() {
        let pattern = patterns.get(expression, PatternOptions::new(case, span));
        let ignored = scope.ignored_files(context, pattern.as_ref().ok());
        try_with(&ignored, pattern, &|files| {
            let flag = context.engine().audience().include_ignored_option();
            format!("it is in ignored files, {files}; {flag} searches them")
        });
    }
    if case == CaseMatching::Sensitive && expression.chars().any(char::is_alphabetic) {
        let options = PatternOptions::new(CaseMatching::Insensitive, span);
        let pattern = patterns.get(expression, options);
        try_with(scope, pattern, &|files| {
            format!("in other letter case it is in {files}; -i finds it")
        });
    }
    if expression.contains('$') {
        let pattern = patterns.get_with_crlf(expression, PatternOptions::new(case, span));
        try_with(scope, pattern, &|files| {
            format!("with \\r?$ for $ it is in {files}, whose lines end in CRLF")
        });
    }
    if hints.is_empty()
        && arguments.path.as_deref().is_none_or(str::is_empty)
        && let Some(names) = find_similar_names(context, scope, expression, &limit)
    {
        hints.push(format!(
            "no line has it, but files are named like it: {names}"
        ));
    }
    hints.extend(hidden_files_hint(kept));
    hints
}

fn time_for_hints(kept: &CachedResult) -> Duration {
    if kept.tally.searched > MANY_FILES {
        SHORT_HINT_TIME
    } else {
        HINT_TIME
    }
}

/// Names a few of the given files.
fn name_some_files(
    context: &CallContext<'_>,
    starts: &[PathBuf],
    files: &[lancet_search::ListedFile],
) -> String {
    let names: Vec<String> = files
        .iter()
        .take(MAX_NAMED_FILES)
        .map(|entry| display_path(context.engine(), &path_of(starts, entry)))
        .collect();
    let more = if files.len() > MAX_NAMED_FILES {
        " and others"
    } else {
        ""
    };
    format!("{}{more}", names.join(", "))
}

/// Finds files that would be searched and whose names are close to the last part of a pattern.
fn find_similar_names(
    context: &CallContext<'_>,
    scope: &Scope,
    pattern: &str,
    limit: &SearchLimit<'_>,
) -> Option<String> {
    let last = pattern.rsplit('/').next()?.trim_matches('*');
    let plain = |character: char| character.is_alphanumeric() || "._- ".contains(character);
    if last.chars().count() < 3 || !last.chars().all(plain) {
        return None;
    }
    // Comparing the names of a large tree letter by letter would take most of the answer's time.
    let resident =
        resident::files_with_similar_name(context.engine(), &scope.starts, last, MAX_NAMED_FILES);
    if let Some(near) = resident {
        let gate = WalkGuard::new(context.engine());
        let near = near
            .iter()
            .filter(|path| gate.may_read(path, EntryKind::File));
        let near: Vec<String> = near
            .map(|path| display_path(context.engine(), path))
            .collect();
        return (!near.is_empty()).then(|| near.join(", "));
    }
    let mut survey = scope.with_all_names().list_all_files(
        context,
        limit,
        ResultOrder::Path,
        SearchExtent::Whole,
    );
    let files = survey.files.copy_range(0..MAX_COMPARED_NAMES)?;
    let name = |entry: &'_ ListedFile| Some(entry.relative.file_name()?.to_str()?.to_owned());
    let named =
        |entry: &ListedFile| display_path(context.engine(), &path_of(&scope.paths(), entry));
    let folded = last.to_lowercase();
    let mut near: Vec<String> = files
        .iter()
        .take_while(|_| !limit.should_stop())
        .filter(|entry| name(entry).is_some_and(|name| name.to_lowercase().contains(&folded)))
        .take(MAX_NAMED_FILES)
        .map(named)
        .collect();
    if near.is_empty() {
        let names: Vec<String> = files.iter().filter_map(name).collect();
        let names = names.iter().take_while(|_| !limit.should_stop());
        for close in lancet_text::closest_names(last, names.map(String::as_str), MAX_NAMED_FILES) {
            let found = files
                .iter()
                .find(|entry| name(entry).as_deref() == Some(close));
            near.extend(found.map(named));
        }
        near.dedup();
    }
    (!near.is_empty()).then(|| near.join(", "))
}

/// Recognises `*.ts,*.tsx`, which is a single pattern that matches nothing, and suggests the form with braces.
fn suggest_braces(glob: &str) -> Option<String> {
    let parts: Vec<&str> = glob
        .split([',', ' '])
        .filter(|part| !part.is_empty())
        .collect();
    (parts.len() > 1 && !glob.contains('{')).then(|| {
        format!(
            "{} is one glob; several are written {}",
            super::quote_pattern(glob),
            super::quote_pattern(&format!("{{{}}}", parts.join(",")))
        )
    })
}

fn hidden_files_hint(kept: &CachedResult) -> Option<String> {
    (kept.tally.hidden > 0).then(|| {
        "hidden files and folders are looked into where path or glob names one literally".to_owned()
    })
}
