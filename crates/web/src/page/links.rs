//! Addresses within the page, and paths as they are shown.

use std::path::{Component, Path, PathBuf};

use lancet::Lancet;
use lancet::doors::{escape_line_for_terminal, path_from_text, path_text};
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
    address_with_query("/history/file", &[("path", &path_text(path))])
}

/// Returns the address of the page with the author of each line of a file.
pub(super) fn line_authors_address(path: &Path) -> String {
    address_with_query("/history/lines", &[("path", &path_text(path))])
}

/// Returns a path relative to its root, with deceptive characters made visible.
pub(super) fn display_path(history: &History, path: &Path) -> String {
    escape_line_for_terminal(&path_text(history.relative_to_root(path))).into_owned()
}

/// Returns the file that a query names: below a root, by its absolute path or relative to the first root. Bytes that
/// are not UTF-8 are `\xNN` in it.
pub(super) fn path_from_query(lancet: &Lancet, given: &str) -> Option<PathBuf> {
    let roots = lancet.roots();
    let path = roots.first()?.join(given);
    let path = path_from_text(path.as_os_str()).unwrap_or(path);
    let is_plain = path
        .components()
        .all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    (is_plain && roots.iter().any(|root| path.starts_with(root))).then_some(path)
}
