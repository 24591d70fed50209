//! Hints for a search that found nothing: the closest match that does exist. They take at most 100 ms, except for a few
//! files that are always checked, and name nothing that a wider search would not show.

use std::path::PathBuf;
use std::time::Duration;

use lancet_search::{
    Case, Gate as _, ListedFile, Order, Pattern, PatternOptions, SearchExtent, Stop as _,
};
use lancet_workspace::EntryKind;

use super::gate::Guard;
use super::resident;
use super::scope::{Scope, display_path, path_of};
use super::{Limit, options};
use crate::arguments::{GlobArguments, GrepArguments};
use crate::session::Kept;
use crate::stages::context::CallContext;

/// The time for all hints of one answer.
const TIME: Duration = Duration::from_millis(100);
/// The time for hints where many files were searched: a hint is then a matter of chance, and the search itself took
/// long.
const SHORT_TIME: Duration = Duration::from_millis(30);
const MANY: u64 = 5_000;
/// How many files are checked even after the time has run out.
const FREE_LOOKS: usize = 64;
/// How many files a hint names.
const NAMED: usize = 3;
/// How many file names are compared with a pattern.
const COMPARED: usize = 20_000;

/// Hints for a Glob that found nothing.
pub(super) fn for_glob(
    context: &CallContext<'_>,
    scope: &Scope,
    arguments: &GlobArguments,
    kept: &Kept,
) -> Vec<String> {
    let limit = Limit::within(context, time(kept)).with_free_looks(FREE_LOOKS);
    let mut hints = Vec::new();
    if kept.tally.ignored > 0 && scope.respects_rules() {
        let ignored = scope.of_ignored(context, None);
        let mut survey = ignored.list(context, &limit, Order::Newest, SearchExtent::Whole);
        if survey.total > 0 {
            let names = some_names(context, &ignored.paths(), survey.files.first(NAMED + 1));
            hints.push(format!(
                "{} among the ignored match: {names}; {} lists them",
                super::words::count(survey.total, "file"),
                context.engine().audience().with_ignored()
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
            super::quoted(pattern),
            super::quoted(&format!("{pattern}/**"))
        ));
    }
    if hints.is_empty()
        && let Some(names) = near_names(context, scope, pattern, &limit)
    {
        hints.push(format!("files with a name like it: {names}"));
    }
    hints.extend(several_globs(&arguments.pattern));
    hints.extend(hidden(kept));
    hints
}

/// Hints for a Grep that found nothing.
pub(super) fn for_grep(
    context: &CallContext<'_>,
    scope: &Scope,
    arguments: &GrepArguments,
    kept: &Kept,
) -> Vec<String> {
    let limit = Limit::within(context, time(kept)).with_free_looks(FREE_LOOKS);
    let (case, span) = options(arguments);
    let expression = &arguments.pattern;
    let patterns = &context.engine().base().caches.patterns;
    let mut hints = Vec::new();
    let tally = &kept.tally;
    if tally.searched + tally.binary + tally.too_large + tally.unreadable == 0 {
        hints.push("no file was searched: path, glob and type leave none".to_owned());
        hints.extend(arguments.glob.as_deref().and_then(several_globs));
    }
    let mut try_with =
        |scope: &Scope, pattern: Result<Pattern, _>, words: &dyn Fn(&str) -> String| {
            let Ok::<Pattern, lancet_search::PatternError>(pattern) = pattern else {
                return;
            };
            let mut survey = scope.count(
                context,
                &limit,
                &pattern,
                Order::Newest,
                SearchExtent::Whole,
            );
            if survey.total > 0 {
                let names = some_names(context, &scope.paths(), survey.files.first(NAMED + 1));
                let files = super::words::count(survey.total, "file");
                hints.push(words(&format!("{files}: {names}")));
            }
        };
    if kept.tally.ignored > 0 && scope.respects_rules() {
        let pattern = patterns.get(expression, PatternOptions::new(case, span));
        let ignored = scope.of_ignored(context, pattern.as_ref().ok());
        try_with(&ignored, pattern, &|files| {
            let flag = context.engine().audience().with_ignored();
            format!("it is in ignored files, {files}; {flag} searches them")
        });
    }
    if case == Case::Sensitive && expression.chars().any(char::is_alphabetic) {
        let options = PatternOptions::new(Case::Insensitive, span);
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
        && let Some(names) = near_names(context, scope, expression, &limit)
    {
        hints.push(format!(
            "no line has it, but files are named like it: {names}"
        ));
    }
    hints.extend(hidden(kept));
    hints
}

fn time(kept: &Kept) -> Duration {
    if kept.tally.searched > MANY {
        SHORT_TIME
    } else {
        TIME
    }
}

/// Names a few of the given files.
fn some_names(
    context: &CallContext<'_>,
    starts: &[PathBuf],
    files: &[lancet_search::ListedFile],
) -> String {
    let names: Vec<String> = files
        .iter()
        .take(NAMED)
        .map(|entry| display_path(context.engine(), &path_of(starts, entry)))
        .collect();
    let more = if files.len() > NAMED {
        " and others"
    } else {
        ""
    };
    format!("{}{more}", names.join(", "))
}

/// Finds files that would be searched and whose names are close to the last part of a pattern.
fn near_names(
    context: &CallContext<'_>,
    scope: &Scope,
    pattern: &str,
    limit: &Limit<'_>,
) -> Option<String> {
    let last = pattern.rsplit('/').next()?.trim_matches('*');
    let plain = |character: char| character.is_alphanumeric() || "._- ".contains(character);
    if last.chars().count() < 3 || !last.chars().all(plain) {
        return None;
    }
    // Comparing the names of a large tree letter by letter would take most of the answer's time.
    let resident = resident::named_like(context.engine(), &scope.starts, last, NAMED);
    if let Some(near) = resident {
        let gate = Guard::new(context.engine());
        let near = near
            .iter()
            .filter(|path| gate.may_read(path, EntryKind::File));
        let near: Vec<String> = near
            .map(|path| display_path(context.engine(), path))
            .collect();
        return (!near.is_empty()).then(|| near.join(", "));
    }
    let mut survey = scope
        .with_all_names()
        .list(context, limit, Order::Path, SearchExtent::Whole);
    let files = survey.files.part(0..COMPARED)?;
    let name = |entry: &'_ ListedFile| Some(entry.relative.file_name()?.to_str()?.to_owned());
    let named =
        |entry: &ListedFile| display_path(context.engine(), &path_of(&scope.paths(), entry));
    let folded = last.to_lowercase();
    let mut near: Vec<String> = files
        .iter()
        .take_while(|_| !limit.is_over())
        .filter(|entry| name(entry).is_some_and(|name| name.to_lowercase().contains(&folded)))
        .take(NAMED)
        .map(named)
        .collect();
    if near.is_empty() {
        let names: Vec<String> = files.iter().filter_map(name).collect();
        let names = names.iter().take_while(|_| !limit.is_over());
        for close in lancet_text::closest(last, names.map(String::as_str), NAMED) {
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
fn several_globs(glob: &str) -> Option<String> {
    let parts: Vec<&str> = glob
        .split([',', ' '])
        .filter(|part| !part.is_empty())
        .collect();
    (parts.len() > 1 && !glob.contains('{')).then(|| {
        format!(
            "{} is one glob; several are written {}",
            super::quoted(glob),
            super::quoted(&format!("{{{}}}", parts.join(",")))
        )
    })
}

fn hidden(kept: &Kept) -> Option<String> {
    (kept.tally.hidden > 0).then(|| {
        "hidden files and folders are looked into where path or glob names one literally".to_owned()
    })
}
