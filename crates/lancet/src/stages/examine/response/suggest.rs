//! Suggestions for a path in a response that does not exist: files whose paths end in it, with backslashes read as
//! slashes, else files of the same name. A suggestion is never applied.

use std::path::PathBuf;

use crate::arguments::GlobArguments;
use crate::next_call::Remedy;
use crate::refusal::Refusal;
use crate::request::Search;
use crate::stages::context::CallContext;
use crate::stages::examine::search;
use crate::wording::{QuotedPath, join_paths, quote_path};

/// How many files are suggested.
const MAX_SUGGESTIONS: u64 = 5;

/// Adds to the refusal for a missing path the files that it may mean.
pub(super) fn add_suggested_files(
    context: &CallContext<'_>,
    mut refusal: Refusal,
    path: &str,
) -> Refusal {
    // Some models write backslashes between folders.
    let meant = path.replace('\\', "/");
    let found = match find_files_by_tail(context, &meant) {
        found if found.is_empty() => {
            let name = meant.rsplit('/').next().unwrap_or(&meant);
            find_files_by_tail(context, name)
        }
        found => found,
    };
    if found.is_empty() {
        return refusal;
    }
    let named: Vec<QuotedPath> = found.iter().map(|path| quote_path(path)).collect();
    let words = format!(
        "Of that name there is {}. Write that path if it is meant.",
        join_paths(&named, " and ")
    );
    let read = match found.as_slice() {
        [only] if refusal.remedy.is_none() => Some(Remedy::read_file(only.clone())),
        _ => None,
    };
    let remedy = read.or(refusal.remedy.take().map(|remedy| *remedy));
    let refusal = refusal.with_remedy(remedy);
    refusal
        .with_added_paragraph(&words)
        .with_field("same_name", named)
}

/// Finds the files whose paths end in these names.
fn find_files_by_tail(context: &CallContext<'_>, tail: &str) -> Vec<PathBuf> {
    let mut tail = tail;
    while let Some(rest) = ["/", "./", "../"]
        .iter()
        .find_map(|lead| tail.strip_prefix(lead))
    {
        tail = rest;
    }
    if tail.is_empty() {
        return Vec::new();
    }
    // Characters with a meaning in patterns are replaced by `?`, which matches any single character; other matches are
    // removed below.
    let pattern = tail.replace(['*', '[', ']', '{', '}', '!', '\\'], "?");
    let mut arguments = GlobArguments::new(format!("**/{pattern}"));
    arguments.limit = Some(MAX_SUGGESTIONS);
    let findings = search::examine(context, &Search::Glob(arguments));
    let Ok(findings) = findings else {
        return Vec::new();
    };
    let paths = findings.paths.iter().filter(|path| path.ends_with(tail));
    paths.map(|path| path.to_path_buf()).collect()
}
