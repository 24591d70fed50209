//! Parses which files of the same crate a file imports from.

use std::collections::{BTreeMap, BTreeSet};

use super::code::code;
use super::declaration::{Leaf, leaves, names};

/// The maximum number of re-exports that are followed, so that a loop of re-exports ends.
const MOST_RE_EXPORTS: usize = 8;

/// The path of a module or an item from the crate's top: `["stages", "desk", "Desk"]`.
type Path = Vec<String>;

/// The modules of one crate: its files, and the modules that a file defines inline.
pub(super) struct Modules {
    /// The file of each module that has one.
    by_path: BTreeMap<Path, usize>,
    /// The modules that are defined inline, between braces.
    inline: BTreeSet<Path>,
    /// Every path that the file's code names.
    named: Vec<BTreeSet<Path>>,
    /// The names that a `use` introduces: the path of the name, and the path that it refers to; none if that is in
    /// another crate.
    aliases: BTreeMap<Path, Option<Path>>,
    /// The modules whose whole content a `use …::*` brings into a module.
    globs: BTreeMap<Path, Vec<Option<Path>>>,
}

/// The declarations and references in one file.
struct Names {
    /// The module that the code is in, and at which depth of braces each inline module began.
    scope: Path,
    inline: Vec<usize>,
    depth: usize,
    /// The leaves of each `use`, with the module that it is in.
    uses: Vec<(Path, Leaf, Visibility)>,
    /// The paths outside of `use`, with the module that they are in.
    paths: Vec<(Path, Path)>,
    /// The code outside of `use`.
    body: String,
    modules: Vec<Path>,
}

/// Whether a `use` also makes the name visible outside of its module.
#[derive(Clone, Copy, PartialEq)]
enum Visibility {
    Private,
    ReExport,
}

impl Modules {
    /// Reads the files of a crate, given by path and text.
    pub(super) fn with_files(files: &[(&str, &str)]) -> Modules {
        let paths: Vec<_> = files.iter().map(|(path, _)| module_path(path)).collect();
        let parsed = files.iter().zip(&paths);
        let parsed: Vec<Names> = parsed
            .map(|((_, text), path)| Names::parse(text, path.clone()))
            .collect();
        let mut modules = Modules {
            by_path: paths.into_iter().zip(0..).collect(),
            inline: parsed
                .iter()
                .flat_map(|file| file.modules.clone())
                .collect(),
            named: Vec::new(),
            aliases: BTreeMap::new(),
            globs: BTreeMap::new(),
        };
        for file in &parsed {
            let named = modules.take_in(file);
            modules.named.push(named);
        }
        modules
    }

    /// Returns the files that a file imports from, each once, excluding itself.
    pub(super) fn imports(&self, at: usize) -> Vec<usize> {
        let files: BTreeSet<usize> = self.named[at]
            .iter()
            .filter_map(|path| self.defining_file(path.clone()))
            .filter(|file| *file != at)
            .collect();
        files.into_iter().collect()
    }

    /// Records the names that a file introduces, and returns every path that it names.
    fn take_in(&mut self, file: &Names) -> BTreeSet<Path> {
        let mut named = BTreeSet::new();
        for (scope, leaf, visibility) in &file.uses {
            let path = self.absolute(scope, &leaf.path);
            if leaf.is_glob {
                self.globs
                    .entry(scope.clone())
                    .or_default()
                    .push(path.clone());
                named.extend(path);
                continue;
            }
            let Some(name) = &leaf.name else { continue };
            let alias: Path = scope.iter().chain([name]).cloned().collect();
            // A name that is only re-exported is not an import of the file itself.
            let is_import = *visibility == Visibility::Private || occurs(&file.body, name);
            if is_import {
                named.extend(path.clone());
            }
            if path.as_ref() != Some(&alias) {
                self.aliases.insert(alias, path);
            }
        }
        for (scope, path) in &file.paths {
            named.extend(self.absolute(scope, path));
        }
        named
    }

    /// Converts a path to one from the crate's top; returns none for a path into another crate.
    fn absolute(&self, scope: &Path, path: &Path) -> Option<Path> {
        let mut base = match path.first()?.as_str() {
            "crate" => Vec::new(),
            "self" => scope.clone(),
            "super" => scope[..scope.len().checked_sub(1)?].to_vec(),
            first => {
                let child: Path = scope.iter().cloned().chain([first.to_owned()]).collect();
                if !self.by_path.contains_key(&child) && !self.inline.contains(&child) {
                    return None;
                }
                child
            }
        };
        for name in &path[1..] {
            match name.as_str() {
                "super" => drop(base.pop()?),
                name => base.push(name.to_owned()),
            }
        }
        Some(base)
    }

    /// Returns the file that defines the item of a path; re-exports are followed.
    fn defining_file(&self, mut path: Path) -> Option<usize> {
        for _ in 0..MOST_RE_EXPORTS {
            path = match self.behind(&path) {
                Some(Some(behind)) => behind,
                Some(None) => return None,
                None => break,
            };
        }
        (0..=path.len())
            .rev()
            .find_map(|depth| self.by_path.get(&path[..depth]).copied())
    }

    /// Returns the target of the first name on a path that is an alias: its path, or none for another crate.
    fn behind(&self, path: &Path) -> Option<Option<Path>> {
        for depth in 1..=path.len() {
            if let Some(behind) = self.aliases.get(&path[..depth]) {
                let rest = &path[depth..];
                return Some(behind.as_ref().map(|behind| [behind, rest].concat()));
            }
        }
        // An inline module that only re-exports: a name that it does not list comes from one of its globs.
        let parent = &path[..path.len().checked_sub(1)?];
        let glob = self
            .globs
            .get(parent)
            .filter(|_| self.inline.contains(parent))?;
        let behind = glob.first()?.as_ref();
        Some(behind.map(|behind| [behind, &path[parent.len()..]].concat()))
    }
}

impl Names {
    fn parse(text: &str, scope: Path) -> Names {
        let code = code(text);
        let mut names = Names {
            scope,
            inline: Vec::new(),
            depth: 0,
            uses: Vec::new(),
            paths: Vec::new(),
            body: String::new(),
            modules: Vec::new(),
        };
        let mut rest = code.as_str();
        while let Some(token) = next_token(&mut rest) {
            match token {
                "{" => names.depth += 1,
                "}" => names.close(),
                "mod" => names.module(&mut rest),
                "pub" => names.public(&mut rest),
                "use" => names.declaration(&mut rest, Visibility::Private),
                word => names.push_word(word),
            }
        }
        names
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.inline.last() == Some(&self.depth) {
            self.inline.pop();
            self.scope.pop();
        }
    }

    /// Skips the visibility of an item, such as `(in crate::stages)`; an item that is a `use` is a re-export.
    fn public(&mut self, rest: &mut &str) {
        let scope = rest
            .strip_prefix('(')
            .and_then(|inside| inside.split_once(')'));
        if let Some((_, after)) = scope {
            *rest = after;
        }
        let mut ahead = *rest;
        if next_token(&mut ahead) == Some("use") {
            *rest = ahead;
            self.declaration(rest, Visibility::ReExport);
        }
    }

    /// Enters an inline module; `mod name;` is another file.
    fn module(&mut self, rest: &mut &str) {
        let mut ahead = *rest;
        let Some(name) = next_token(&mut ahead) else {
            return;
        };
        if ahead.trim_start().starts_with('{') {
            next_token(&mut ahead);
            self.scope.push(name.to_owned());
            self.modules.push(self.scope.clone());
            self.inline.push(self.depth);
            self.depth += 1;
        }
        *rest = ahead;
    }

    fn declaration(&mut self, rest: &mut &str, visibility: Visibility) {
        let end = rest.find(';').unwrap_or(rest.len());
        for leaf in leaves(&rest[..end]) {
            self.uses.push((self.scope.clone(), leaf, visibility));
        }
        *rest = &rest[end..];
    }

    fn push_word(&mut self, word: &str) {
        self.body.push_str(word);
        self.body.push(' ');
        if word.contains("::") && !word.starts_with(':') {
            self.paths.push((self.scope.clone(), names(word)));
        }
    }
}

/// Returns `["stages", "desk"]` for `crates/lancet/src/stages/desk.rs`; the top for `lib.rs` and `main.rs`.
fn module_path(file: &str) -> Path {
    let below = file.split_once("/src/").map_or(file, |(_, below)| below);
    let path = below.strip_suffix(".rs").unwrap_or(below);
    match path {
        "lib" | "main" => Vec::new(),
        path => path.split('/').map(str::to_owned).collect(),
    }
}

/// Finds the next brace, word or path; the text after it stays in `rest`.
fn next_token<'c>(rest: &mut &'c str) -> Option<&'c str> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':');
    let start = rest.find(|letter| is_part(letter) || matches!(letter, '{' | '}'))?;
    let token = &rest[start..];
    let length = match token.starts_with(['{', '}']) {
        true => 1,
        false => token.find(|letter| !is_part(letter)).unwrap_or(token.len()),
    };
    *rest = &token[length..];
    Some(&token[..length])
}

/// Returns whether a name is a word of the code.
fn occurs(code: &str, name: &str) -> bool {
    let mut words = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.any(|word| word == name)
}
