//! A list of file patterns that also match everything in a folder that they match.

use std::path::Path;

use super::by_path::PathRule;

/// A list of file patterns. A path matches if a pattern matches it or a folder above it.
#[derive(Debug, Clone, Default)]
pub struct PathPatterns(pub(super) Vec<PathRule<()>>);

impl PathPatterns {
    /// Returns whether a path, relative to its root, or a folder above it matches.
    pub fn matches(&self, relative: &Path) -> bool {
        !self.0.is_empty()
            && relative
                .ancestors()
                .take_while(|path| !path.as_os_str().is_empty())
                .any(|path| self.0.iter().any(|rule| rule.matches(path)))
    }

    /// Returns whether a pattern with a slash may match something below a folder that does not match itself.
    pub fn may_match_below(&self, folder: &Path) -> bool {
        self.0.iter().any(|rule| rule.may_match_below(folder))
    }
}
