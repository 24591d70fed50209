//! The line ending that `.editorconfig` and `.gitattributes` prescribe for a new file. The functions are pure: they get
//! the texts of the rule files, from the root down. Where no rule applies, a file is written as it was sent.

mod editorconfig;
mod gitattributes;
mod pattern;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use lancet_text::LineEnd;

pub(crate) use gitattributes::{LineDiffing, TextConversion, attributes as git_attributes};

/// Rule files are read up to this length: people write them by hand, and they are a few kilobytes long.
pub(crate) const MAX_RULE_FILE_BYTES: usize = 64 * 1024;

/// One `.editorconfig` or `.gitattributes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleFile<'t> {
    /// The folder of the rule file, relative to the root; empty for the root itself.
    pub folder: &'t Path,
    /// The text of the rule file.
    pub text: &'t str,
}

/// Finds the line ending that the rules prescribe for a new file, by its path relative to the root; none where they
/// prescribe none. The rule files come from the root down. `.editorconfig` has priority, because its rules are about
/// what editors write.
pub fn line_end_for_new(
    relative: &Path,
    editorconfig: &[RuleFile<'_>],
    gitattributes: &[RuleFile<'_>],
) -> Option<LineEnd> {
    editorconfig::line_end(relative, editorconfig)
        .or_else(|| gitattributes::line_end(relative, gitattributes))
}

/// Lists the folders whose rule files apply to a path, relative to the root, from the root down.
pub(crate) fn rule_folders(relative: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = relative
        .ancestors()
        .skip(1)
        .map(Path::to_path_buf)
        .collect();
    folders.reverse();
    folders
}

/// Returns the path relative to the folder of a rule file, with slashes; none where it is not below that folder.
fn path_below_folder(relative: &Path, folder: &Path) -> Option<String> {
    let below = relative.strip_prefix(folder).ok()?;
    Some(
        below
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect::<Vec<_>>()
            .join("/"),
    )
}

fn limit_rule_text(text: &str) -> &str {
    let mut end = text.len().min(MAX_RULE_FILE_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &text[..end];
    text.strip_prefix('\u{FEFF}').unwrap_or(text)
}
