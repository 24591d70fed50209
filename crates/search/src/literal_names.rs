//! Decides which entries a pattern names literally: `.github/**` names `.github`, which is then searched though it is
//! hidden; `*/.*` names nothing. Patterns are compared component by component, relative to the folder that they start
//! from.

use std::ffi::OsStr;
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use crate::glob::{class_end, escape_brackets, expand_braces};

/// The literal path components of some globs.
#[derive(Clone, Debug, Default)]
pub struct LiteralNames {
    patterns: Vec<Vec<Component>>,
}

#[derive(Clone, Debug)]
enum Component {
    /// `**`, which matches any number of folders.
    Deep,
    Literal(String),
    Wild(Box<GlobMatcher>),
}

impl LiteralNames {
    /// Collects the literal components of these globs. Negated globs contribute none.
    pub fn new<'g>(globs: impl IntoIterator<Item = &'g str>) -> Self {
        let mut patterns = Vec::new();
        for glob in globs.into_iter().filter(|glob| !glob.starts_with('!')) {
            let mut spellings = expand_braces(glob);
            if glob.contains('[') {
                spellings.extend(expand_braces(&escape_brackets(glob)));
            }
            for spelling in spellings {
                // Most globs of agents (`**/*.rs`) have none; compiling their wildcards took a tenth of a Glob in
                // memory.
                if !has_literal(&spelling) {
                    continue;
                }
                patterns.push(parse_components(&spelling));
            }
        }
        LiteralNames { patterns }
    }

    /// Returns whether a pattern has this name as a component; without it no path that ends in the name is named. This
    /// is cheap enough to be called for each entry of a tree.
    pub(crate) fn has_component(&self, name: &OsStr) -> bool {
        let mut components = self.patterns.iter().flatten();
        components.any(
            |component| matches!(component, Component::Literal(literal) if name == OsStr::new(literal)),
        )
    }

    /// Returns the names that patterns have as components.
    pub(crate) fn literals(&self) -> impl Iterator<Item = &OsStr> {
        let components = self.patterns.iter().flatten();
        components.filter_map(|component| match component {
            Component::Literal(literal) => Some(OsStr::new(literal)),
            _ => None,
        })
    }

    /// Returns whether the last component of this path, relative to the start, is named literally.
    pub fn names_literally(&self, relative: &Path) -> bool {
        relative
            .file_name()
            .is_some_and(|name| self.has_component(name))
            && self
                .patterns
                .iter()
                .any(|pattern| names_literally(pattern, relative))
    }
}

/// Simulates the pattern as an NFA, so that many `**` cost no more than few.
fn names_literally(pattern: &[Component], relative: &Path) -> bool {
    let mut states = vec![false; pattern.len() + 1];
    states[0] = true;
    let mut parts = relative.iter().peekable();
    while let Some(part) = parts.next() {
        let last = parts.peek().is_none();
        let mut next = vec![false; pattern.len() + 1];
        for at in 0..pattern.len() {
            if !states[at] {
                continue;
            }
            match &pattern[at] {
                Component::Deep => {
                    next[at] = true;
                    states[at + 1] = true;
                }
                Component::Literal(name) => {
                    if part == OsStr::new(name) {
                        if last {
                            return true;
                        }
                        next[at + 1] = true;
                    }
                }
                Component::Wild(matcher) => next[at + 1] |= matcher.is_match(part),
            }
        }
        states = next;
    }
    false
}

/// Returns whether a component has no wildcards.
fn has_literal(glob: &str) -> bool {
    let mut parts = glob.split('/').filter(|part| !part.is_empty());
    parts.any(|part| part != "**" && (literal_component(part).is_some() || !is_glob(part)))
}

fn is_glob(part: &str) -> bool {
    GlobBuilder::new(part)
        .literal_separator(true)
        .build()
        .is_ok()
}

fn parse_components(glob: &str) -> Vec<Component> {
    let anchored = glob.trim_start_matches('/');
    let mut components = Vec::new();
    if anchored.len() == glob.len() && !glob.trim_end_matches('/').contains('/') {
        components.push(Component::Deep);
    }
    for part in anchored.split('/').filter(|part| !part.is_empty()) {
        components.push(match part {
            "**" => Component::Deep,
            _ => {
                literal_component(part).map_or_else(|| wildcard_component(part), Component::Literal)
            }
        });
    }
    components
}

/// Returns the name that a component without wildcards matches; `None` where it has wildcards.
fn literal_component(part: &str) -> Option<String> {
    let characters: Vec<char> = part.chars().collect();
    let mut name = String::with_capacity(part.len());
    let mut at = 0;
    while at < characters.len() {
        match characters[at] {
            '*' | '?' => return None,
            '[' if class_end(&characters, at) > at => return None,
            '\\' => {
                at += 1;
                name.extend(characters.get(at));
            }
            character => name.push(character),
        }
        at += 1;
    }
    Some(name)
}

fn wildcard_component(part: &str) -> Component {
    let glob = GlobBuilder::new(part).literal_separator(true).build();
    match glob {
        Ok(glob) => Component::Wild(Box::new(glob.compile_matcher())),
        // A component that is no valid glob matches only itself.
        Err(_) => Component::Literal(part.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_named(glob: &str, path: &str) -> bool {
        LiteralNames::new([glob]).names_literally(Path::new(path))
    }

    #[test]
    fn literal_components_name_matching_paths() {
        for (glob, path) in [
            (".github/**", ".github"),
            ("**/.ci/**/*.yml", ".ci"),
            ("**/.ci/**/*.yml", "pkg/sub/.ci"),
            ("run.log", "run.log"),
            ("run.log", "deep/down/run.log"),
            ("build/*.py", "build"),
            ("*/build/x", "a/build"),
            ("{src,.github}/**", ".github"),
            ("app/[id]/page.tsx", "app/[id]"),
            ("/top", "top"),
        ] {
            assert!(is_named(glob, path), "{glob} names {path}");
        }
    }

    #[test]
    fn wildcards_name_nothing_and_anchors_apply() {
        for (glob, path) in [
            (".*", ".env"),
            ("*.log", "run.log"),
            ("*/jobs/*.yml", ".ci"),
            ("build/*.py", "sub/build"),
            ("build/*.py", "build/x.py"),
            ("/top", "sub/top"),
            ("!build", "build"),
        ] {
            assert!(!is_named(glob, path), "{glob} does not name {path}");
        }
    }

    #[test]
    fn matches_many_double_stars_quickly() {
        let glob = format!("{}b", "**/a/".repeat(40));
        let path = "a/".repeat(200);
        assert!(!is_named(&glob, &path) || is_named(&glob, "a"));
    }
}
