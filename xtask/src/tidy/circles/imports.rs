//! Parses which files of the same crate a file imports from.

use std::collections::{BTreeMap, BTreeSet};

/// How many re-exports are followed at most, so that a loop of re-exports ends.
const MOST_RE_EXPORTS: usize = 8;

/// The word that replaces `pub use` and its narrower forms while a text is parsed.
const RE_EXPORT: &str = "re_export_use";

/// The modules of one crate, one for each file.
pub(super) struct Modules {
    /// The module's path below the crate, and the file's number: `["rooms", "desk"]`.
    by_path: BTreeMap<Vec<String>, usize>,
    paths: Vec<Vec<String>>,
    /// Every path that the file's text names, from the crate's top.
    named: Vec<BTreeSet<Vec<String>>>,
    /// The names that the file re-exports or imports, and the path behind each.
    aliases: Vec<BTreeMap<String, Vec<String>>>,
}

impl Modules {
    /// Reads the files of a crate, given by path and text.
    pub(super) fn of(files: &[(&str, &str)]) -> Modules {
        let paths: Vec<_> = files.iter().map(|(path, _)| module_path(path)).collect();
        let by_path: BTreeMap<_, _> = paths.iter().cloned().zip(0..).collect();
        let mut modules = Modules {
            by_path,
            paths,
            named: Vec::new(),
            aliases: Vec::new(),
        };
        for (at, (_, text)) in files.iter().enumerate() {
            let (named, aliases) = modules.read(at, text);
            modules.named.push(named);
            modules.aliases.push(aliases);
        }
        modules
    }

    /// The files that a file imports from, each once, itself left out.
    pub(super) fn imports(&self, at: usize) -> Vec<usize> {
        let files: BTreeSet<usize> = self.named[at]
            .iter()
            .filter_map(|path| self.defining_file(path.clone()))
            .filter(|file| *file != at)
            .collect();
        files.into_iter().collect()
    }

    /// The file that defines what a path names; re-exports are followed.
    fn defining_file(&self, mut path: Vec<String>) -> Option<usize> {
        for _ in 0..MOST_RE_EXPORTS {
            let (file, depth) = self.nearest(&path)?;
            let behind = path
                .get(depth)
                .and_then(|name| self.aliases[file].get(name));
            let Some(behind) = behind else {
                return Some(file);
            };
            let rest = path[depth + 1..].to_vec();
            path = behind.iter().cloned().chain(rest).collect();
        }
        self.nearest(&path).map(|(file, _)| file)
    }

    /// The innermost module on a path, and how many of the path's names lead to it.
    fn nearest(&self, path: &[String]) -> Option<(usize, usize)> {
        (0..=path.len())
            .rev()
            .find_map(|depth| Some((*self.by_path.get(&path[..depth])?, depth)))
    }

    /// Finds all paths that a text names, and those that a `use` gives a name to.
    fn read(
        &self,
        at: usize,
        text: &str,
    ) -> (BTreeSet<Vec<String>>, BTreeMap<String, Vec<String>>) {
        let code = without_comments_and_strings(text);
        let code = mark_re_exports(&code);
        let (mut named, mut aliases) = (BTreeSet::new(), BTreeMap::new());
        let mut rest = code.as_str();
        while let Some(word) = next_path(&mut rest) {
            let re_exported = word == RE_EXPORT;
            let declared = word == "use" || re_exported;
            let mut leaves = Vec::new();
            if declared {
                let end = rest.find(';').unwrap_or(rest.len());
                spread(&rest[..end], &mut Vec::new(), &mut leaves);
                rest = &rest[end..];
            } else {
                leaves.push((split(&word), None));
            }
            for (leaf, renamed) in leaves {
                let Some(path) = self.absolute(at, &leaf, declared) else {
                    continue;
                };
                let mut used = true;
                if declared && let Some(name) = renamed.or_else(|| leaf.last().cloned()) {
                    // A name that is only re-exported is not an import of the file itself.
                    used = !re_exported || occurs_twice(&code, &name);
                    aliases.insert(name, path.clone());
                }
                if used {
                    named.insert(path);
                }
            }
        }
        (named, aliases)
    }

    /// Converts a path to one from the crate's top; none for a path into another crate.
    fn absolute(&self, at: usize, path: &[String], declared: bool) -> Option<Vec<String>> {
        let own = &self.paths[at];
        let mut base = match path.first()?.as_str() {
            "crate" => Vec::new(),
            "self" => own.clone(),
            "super" => own[..own.len().checked_sub(1)?].to_vec(),
            first => {
                let child: Vec<_> = own.iter().cloned().chain([first.to_owned()]).collect();
                if !declared || !self.by_path.contains_key(&child) {
                    return None;
                }
                return Some(own.iter().cloned().chain(path.to_vec()).collect());
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
}

/// `["rooms", "desk"]` for `crates/lancet/src/rooms/desk.rs`; the top for `lib.rs` and `main.rs`.
fn module_path(file: &str) -> Vec<String> {
    let below = file.split_once("/src/").map_or(file, |(_, below)| below);
    let path = below.strip_suffix(".rs").unwrap_or(below);
    match path {
        "lib" | "main" => Vec::new(),
        path => path.split('/').map(str::to_owned).collect(),
    }
}

/// Finds the next `use`, or the next path that begins with `crate::`, `super::` or `self::`; the text after it stays in
/// `rest`.
fn next_path(rest: &mut &str) -> Option<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':');
    loop {
        let start = rest.find(is_part)?;
        let word = &rest[start..];
        let word = &word[..word.find(|letter| !is_part(letter)).unwrap_or(word.len())];
        *rest = &rest[start + word.len()..];
        let begins = ["crate::", "super::", "self::"];
        if word == "use" || word == RE_EXPORT || begins.iter().any(|begin| word.starts_with(begin))
        {
            return Some(word.to_owned());
        }
    }
}

/// Replaces every `pub use` in the code by one word.
fn mark_re_exports(code: &str) -> String {
    let mut marked = code.to_owned();
    for form in ["pub use", "pub(crate) use", "pub(super) use"] {
        marked = marked.replace(form, RE_EXPORT);
    }
    marked
}

/// Whether a name occurs in the code at least twice.
fn occurs_twice(code: &str, name: &str) -> bool {
    let words = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.filter(|word| *word == name).nth(1).is_some()
}

/// Expands the tree of a `use` into its paths, each with the name that `as` gives it.
fn spread(tree: &str, before: &mut Vec<String>, leaves: &mut Vec<(Vec<String>, Option<String>)>) {
    for branch in branches(tree) {
        let branch = branch.trim();
        let depth = before.len();
        if let Some((head, inside)) = branch.split_once('{') {
            before.extend(split(head));
            let inside = inside.rsplit_once('}').map_or(inside, |(inside, _)| inside);
            spread(inside, before, leaves);
        } else if !branch.is_empty() {
            let (path, renamed) = match branch.split_once(" as ") {
                Some((path, name)) => (path, Some(name.trim().to_owned())),
                None => (branch, None),
            };
            before.extend(split(path));
            // `{self, C}` imports the module itself.
            if before.len() > 1
                && before
                    .last()
                    .is_some_and(|name| name == "self" || name == "*")
            {
                before.pop();
            }
            leaves.push((before.clone(), renamed));
        }
        before.truncate(depth);
    }
}

/// Splits a `use` tree at the commas outside braces.
fn branches(tree: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, letter) in tree.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&tree[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tree[start..]);
    parts
}

fn split(path: &str) -> Vec<String> {
    let names = path.split("::").map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Removes line comments, and strings that are on one line, from a text.
fn without_comments_and_strings(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    for line in text.lines() {
        let mut quoted = false;
        let mut letters = line.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' if quoted => drop(letters.next()),
                '"' => quoted = !quoted,
                '/' if !quoted && letters.peek() == Some(&'/') => break,
                _ if !quoted => code.push(letter),
                _ => {}
            }
        }
        code.push('\n');
    }
    code
}
