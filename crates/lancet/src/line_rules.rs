//! The line ending that `.editorconfig` and `.gitattributes` name for a new file. Pure: the texts of the rule files are
//! handed in, from the root down; what neither names is written as it was sent.

mod editorconfig;
mod gitattributes;
mod pattern;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use lancet_text::LineEnd;

pub(crate) use gitattributes::{Lines, Text, attributes as git_attributes};

/// Rule files longer than this are not read further: they are written by hand and a few kilobytes long.
pub(crate) const MOST_RULE_BYTES: usize = 64 * 1024;

/// One `.editorconfig` or `.gitattributes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleFile<'t> {
    /// The folder it stands in, relative to the root; empty for the root itself.
    pub folder: &'t Path,
    /// What it says.
    pub text: &'t str,
}

/// The line ending that the rules name for a new file, by its path relative to the root; none where they name none. The
/// files come from the root down. `.editorconfig` is asked first: it speaks of what editors write.
pub fn line_end_for_new(
    relative: &Path,
    editorconfig: &[RuleFile<'_>],
    gitattributes: &[RuleFile<'_>],
) -> Option<LineEnd> {
    editorconfig::line_end(relative, editorconfig)
        .or_else(|| gitattributes::line_end(relative, gitattributes))
}

/// The folders whose rule files count for a path, relative to the root, from the root down.
pub(crate) fn rule_folders(relative: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = relative
        .ancestors()
        .skip(1)
        .map(Path::to_path_buf)
        .collect();
    folders.reverse();
    folders
}

/// The path as seen from the folder of a rule file, with slashes; none where it is not below that folder.
fn below(relative: &Path, folder: &Path) -> Option<String> {
    let below = relative.strip_prefix(folder).ok()?;
    Some(
        below
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect::<Vec<_>>()
            .join("/"),
    )
}

fn bounded(text: &str) -> &str {
    let mut end = text.len().min(MOST_RULE_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &text[..end];
    text.strip_prefix('\u{FEFF}').unwrap_or(text)
}
