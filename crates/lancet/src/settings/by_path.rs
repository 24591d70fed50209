//! Values that hold for files by pattern. The last pattern that matches decides, a later layer's before an earlier one's.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use super::Origin;

/// A value for the files that a pattern names.
#[derive(Debug, Clone)]
pub(super) struct PathRule<T> {
    pub(super) pattern: String,
    matcher: GlobMatcher,
    /// A pattern without a slash is about the name, at any depth.
    of_name: bool,
    /// The value as it was written.
    pub(super) word: String,
    value: T,
    pub(super) origin: Origin,
}

impl<T> PathRule<T> {
    /// The rule, or why the pattern is none.
    pub(super) fn new(
        pattern: String,
        word: String,
        value: T,
        origin: Origin,
    ) -> Result<Self, String> {
        let matcher = glob(&pattern)?;
        let of_name = !pattern.contains('/');
        Ok(PathRule {
            pattern,
            matcher,
            of_name,
            word,
            value,
            origin,
        })
    }

    fn matches(&self, relative: &Path) -> bool {
        match relative.file_name() {
            Some(name) if self.of_name => self.matcher.is_match(name),
            _ => self.matcher.is_match(relative),
        }
    }
}

/// What the rules say of a file, named relative to its root.
pub(super) fn decide<T: Copy>(rules: &[PathRule<T>], relative: &Path) -> Option<T> {
    let matching = rules.iter().rev().find(|rule| rule.matches(relative));
    matching.map(|rule| rule.value)
}

fn glob(pattern: &str) -> Result<GlobMatcher, String> {
    let rooted = pattern.strip_prefix('/').unwrap_or(pattern);
    if rooted.is_empty() || rooted.split('/').any(|part| part == "..") {
        return Err("it can never match".to_owned());
    }
    match GlobBuilder::new(rooted)
        .literal_separator(true)
        .backslash_escape(true)
        .build()
    {
        Ok(glob) => Ok(glob.compile_matcher()),
        Err(error) => Err(error.kind().to_string()),
    }
}
