//! Settings that apply to files by pattern. The last matching pattern decides, and a later layer wins over an earlier
//! one.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use super::Origin;

/// A value for the files that match a pattern.
#[derive(Debug, Clone)]
pub(super) struct PathRule<T> {
    pub(super) pattern: String,
    matcher: GlobMatcher,
    /// Whether the pattern has no slash, so that it matches the name alone, at any depth.
    of_name: bool,
    /// The value as it was written.
    pub(super) word: String,
    pub(super) value: T,
    pub(super) origin: Origin,
}

impl<T> PathRule<T> {
    /// Creates a rule, or returns why the pattern is invalid.
    pub(super) fn new(
        pattern: String,
        word: String,
        value: T,
        origin: Origin,
    ) -> Result<Self, String> {
        let matcher = compile_glob(&pattern)?;
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

    pub(super) fn matches(&self, relative: &Path) -> bool {
        match relative.file_name() {
            Some(name) if self.of_name => self.matcher.is_match(name),
            _ => self.matcher.is_match(relative),
        }
    }
}

impl<T> PathRule<T> {
    /// Returns whether the pattern has a slash and may match something below a folder.
    pub(super) fn may_match_below(&self, folder: &Path) -> bool {
        let rooted = self.pattern.strip_prefix('/').unwrap_or(&self.pattern);
        let literal = |part: &&str| !part.contains(['*', '?', '[', '{', '\\']);
        let mut parts = rooted.split('/').take_while(literal).zip(folder.iter());
        !self.of_name && parts.all(|(part, name)| name == part)
    }
}

/// Finds the value for a file, named relative to its root.
pub(super) fn find_value<'a, T>(rules: &'a [PathRule<T>], relative: &Path) -> Option<&'a T> {
    let matching = rules.iter().rev().find(|rule| rule.matches(relative));
    matching.map(|rule| &rule.value)
}

fn compile_glob(pattern: &str) -> Result<GlobMatcher, String> {
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
