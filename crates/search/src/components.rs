//! Which entries a pattern names literally: `.github/**` names `.github`, and so searches it though it is hidden;
//! `*/.*` names nothing. Judged component by component, from the folder that the pattern starts at.

use std::ffi::OsStr;
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use crate::glob::{alternatives, class_end, escape_brackets};

/// The literal names in some patterns.
#[derive(Clone, Debug, Default)]
pub struct Named {
    patterns: Vec<Vec<Component>>,
}

#[derive(Clone, Debug)]
enum Component {
    /// `**`
    Deep,
    Literal(String),
    Wild(Box<GlobMatcher>),
}

impl Named {
    /// What these globs name. Negated ones name nothing.
    pub fn new<'g>(globs: impl IntoIterator<Item = &'g str>) -> Self {
        let mut patterns = Vec::new();
        for glob in globs.into_iter().filter(|glob| !glob.starts_with('!')) {
            let mut spellings = alternatives(glob);
            if glob.contains('[') {
                spellings.extend(alternatives(&escape_brackets(glob)));
            }
            for spelling in spellings {
                let components = components(&spelling);
                if components
                    .iter()
                    .any(|component| matches!(component, Component::Literal(_)))
                {
                    patterns.push(components);
                }
            }
        }
        Named { patterns }
    }

    /// Whether an entry, by its path from the start, is named literally by its last component.
    pub fn names(&self, relative: &Path) -> bool {
        self.patterns.iter().any(|pattern| names(pattern, relative))
    }
}

/// Follows every way through the pattern at once, so that many `**` cost no more than few.
fn names(pattern: &[Component], relative: &Path) -> bool {
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

fn components(glob: &str) -> Vec<Component> {
    let anchored = glob.trim_start_matches('/');
    let mut components = Vec::new();
    if anchored.len() == glob.len() && !glob.trim_end_matches('/').contains('/') {
        components.push(Component::Deep);
    }
    for part in anchored.split('/').filter(|part| !part.is_empty()) {
        components.push(match part {
            "**" => Component::Deep,
            _ => literal(part).map_or_else(|| wild(part), Component::Literal),
        });
    }
    components
}

/// The name that a component without wildcards stands for.
fn literal(part: &str) -> Option<String> {
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

fn wild(part: &str) -> Component {
    let glob = GlobBuilder::new(part).literal_separator(true).build();
    match glob {
        Ok(glob) => Component::Wild(Box::new(glob.compile_matcher())),
        // What is no glob matches nothing but itself.
        Err(_) => Component::Literal(part.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(glob: &str, path: &str) -> bool {
        Named::new([glob]).names(Path::new(path))
    }

    #[test]
    fn a_literal_component_is_named_where_the_pattern_has_it() {
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
            assert!(named(glob, path), "{glob} names {path}");
        }
    }

    #[test]
    fn a_wildcard_names_nothing_and_an_anchor_holds() {
        for (glob, path) in [
            (".*", ".env"),
            ("*.log", "run.log"),
            ("*/jobs/*.yml", ".ci"),
            ("build/*.py", "sub/build"),
            ("build/*.py", "build/x.py"),
            ("/top", "sub/top"),
            ("!build", "build"),
        ] {
            assert!(!named(glob, path), "{glob} does not name {path}");
        }
    }

    #[test]
    fn many_double_stars_end_soon() {
        let glob = format!("{}b", "**/a/".repeat(40));
        let path = "a/".repeat(200);
        assert!(!named(&glob, &path) || named(&glob, "a"));
    }
}
