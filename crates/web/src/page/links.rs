//! Addresses within the page, and paths as they are shown.

use std::path::{Component, Path, PathBuf};

use lancet::Lancet;
use lancet::doors::escape_line_for_terminal;
use lancet::history::History;

/// Returns an address with fields in its query.
pub(super) fn address_with_query(path: &str, fields: &[(&str, &str)]) -> String {
    let mut encoded = form_urlencoded::Serializer::new(String::new());
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        encoded.append_pair(name, value);
    }
    let encoded = encoded.finish();
    match encoded.is_empty() {
        true => path.to_owned(),
        false => format!("{path}?{encoded}"),
    }
}

/// Returns the address of a file's history.
pub(super) fn file_history_address(path: &Path) -> String {
    address_with_query("/history/file", &[("path", &path.to_string_lossy())])
}

/// Returns the address of the page with the author of each line of a file.
pub(super) fn line_authors_address(path: &Path) -> String {
    address_with_query("/history/lines", &[("path", &path.to_string_lossy())])
}

/// Returns a path relative to its root, with deceptive characters made visible.
pub(super) fn display_path(history: &History, path: &Path) -> String {
    escape_line_for_terminal(&history.relative_to_root(path).to_string_lossy()).into_owned()
}

/// Returns the file that a query names: below a root, by its absolute path or relative to the first root.
pub(super) fn path_from_query(lancet: &Lancet, given: &str) -> Option<PathBuf> {
    let roots = lancet.roots();
    let path = roots.first()?.join(given);
    let is_plain = path
        .components()
        .all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    (is_plain && roots.iter().any(|root| path.starts_with(root))).then_some(path)
}
