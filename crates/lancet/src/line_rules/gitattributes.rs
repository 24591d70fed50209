//! `.gitattributes`: of each attribute the last line that matches counts, nearer files over farther, and a macro stands for
//! the attributes it is made of. Only those that bear on line endings, and on whether a difference can be shown.

use std::collections::BTreeMap;
use std::path::Path;

use lancet_text::LineEnd;

use super::pattern::{Dialect, LinePattern};
use super::{RuleFile, below, bounded};

/// The macro that git has by itself.
const BINARY: (&str, &str) = ("binary", "-diff -merge -text");
/// Macros inside of macros are followed so deep.
const DEEPEST: usize = 8;

/// What a line says of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State<'t> {
    Set,
    Unset,
    Unspecified,
    Value(&'t str),
}

/// Whether git takes a file for text when it takes it in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    /// It does.
    Yes,
    /// It does not: every byte stays.
    No,
    /// It looks.
    Auto,
    /// Nothing is said: the configuration decides.
    Unsaid,
}

/// Whether git shows differences of a file line by line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    Always,
    Never,
    /// Unless there is a NUL near its start.
    Look,
}

/// What the attributes of a file say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GitAttributes {
    pub(crate) text: Text,
    pub(crate) lines: Lines,
    /// The attribute by which git changes the content in ways that are not carried out here.
    pub(crate) converts: Option<&'static str>,
}

/// What git knows of a file by these files, the weakest first.
pub(crate) fn attributes(relative: &Path, files: &[RuleFile<'_>]) -> GitAttributes {
    let known = resolve(relative, files);
    let state = |name: &str| known.get(name).copied().unwrap_or(State::Unspecified);
    let said = Said::of(&known);
    let converts = ["filter", "working-tree-encoding", "ident"]
        .into_iter()
        .find(|name| match state(name) {
            State::Set => *name == "ident",
            State::Value(value) => *name != "ident" && !value.eq_ignore_ascii_case("utf-8"),
            State::Unset | State::Unspecified => false,
        });
    GitAttributes {
        text: match (said, state("eol")) {
            (Said::Binary, _) => Text::No,
            (Said::Auto, _) => Text::Auto,
            (Said::Text | Said::Input, _) | (_, State::Value("lf" | "crlf")) => Text::Yes,
            (Said::Nothing, _) => Text::Unsaid,
        },
        lines: match state("diff") {
            State::Set => Lines::Always,
            State::Unset => Lines::Never,
            State::Unspecified | State::Value(_) => Lines::Look,
        },
        converts,
    }
}

/// The line ending that these files name for a file.
pub(super) fn line_end(relative: &Path, files: &[RuleFile<'_>]) -> Option<LineEnd> {
    let known = resolve(relative, files);
    match (Said::of(&known), known.get("eol")) {
        (Said::Binary, _) => None,
        (_, Some(State::Value("crlf"))) => Some(LineEnd::Crlf),
        (_, Some(State::Value("lf"))) | (Said::Input, _) => Some(LineEnd::Lf),
        _ => None,
    }
}

/// `text`, or where that says nothing the older `crlf`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    Text,
    Binary,
    Input,
    Auto,
    Nothing,
}

impl Said {
    fn of(known: &BTreeMap<&str, State<'_>>) -> Said {
        let one = |name: &str| match known.get(name) {
            Some(State::Set) => Said::Text,
            Some(State::Unset) => Said::Binary,
            Some(State::Value("input")) => Said::Input,
            Some(State::Value("auto")) => Said::Auto,
            _ => Said::Nothing,
        };
        match one("text") {
            Said::Nothing => one("crlf"),
            said => said,
        }
    }
}

/// Every attribute of the file. Git goes from the strongest line to the weakest and keeps what it learns first; that
/// decides what an older macro may still say.
fn resolve<'t>(relative: &Path, files: &[RuleFile<'t>]) -> BTreeMap<&'t str, State<'t>> {
    let mut macros: BTreeMap<&str, &str> = BTreeMap::from([BINARY]);
    let mut matched: Vec<&str> = Vec::new();
    for file in files {
        let Some(path) = below(relative, file.folder) else {
            continue;
        };
        for line in bounded(file.text).lines() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(definition) = line.strip_prefix("[attr]") {
                // Git takes these from the top folder only.
                if file.folder.as_os_str().is_empty()
                    && let Some((name, words)) = definition.split_once(char::is_whitespace)
                {
                    macros.insert(name, words);
                }
                continue;
            }
            let Some((pattern, words)) = split_pattern(line) else {
                continue;
            };
            // A pattern that ends in a slash is about folders, and git takes no negation here.
            if pattern.ends_with('/') || pattern.starts_with('!') {
                continue;
            }
            if LinePattern::compile(&pattern, Dialect::Git).matches(&path) {
                matched.push(words);
            }
        }
    }
    let mut known = BTreeMap::new();
    for words in matched.iter().rev() {
        learn(&mut known, &macros, words, 0);
    }
    known
}

fn learn<'t>(
    known: &mut BTreeMap<&'t str, State<'t>>,
    macros: &BTreeMap<&'t str, &'t str>,
    words: &'t str,
    depth: usize,
) {
    for word in words.split_whitespace().rev() {
        let (name, state) = match (word.strip_prefix('-'), word.strip_prefix('!')) {
            (Some(name), _) => (name, State::Unset),
            (_, Some(name)) => (name, State::Unspecified),
            _ => match word.split_once('=') {
                Some((name, value)) => (name, State::Value(value)),
                None => (word, State::Set),
            },
        };
        if known.contains_key(name) {
            continue;
        }
        known.insert(name, state);
        if let (State::Set, Some(meant)) = (state, macros.get(name))
            && depth < DEEPEST
        {
            learn(known, macros, meant, depth + 1);
        }
    }
}

/// The pattern, unquoted where it is in quotes, and the rest of the line.
fn split_pattern(line: &str) -> Option<(String, &str)> {
    let Some(quoted) = line.strip_prefix('"') else {
        let end = line.find(char::is_whitespace)?;
        return Some((line[..end].to_owned(), &line[end..]));
    };
    let mut pattern = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((pattern, &quoted[at + 1..])),
            '\\' => pattern.push(characters.next()?.1),
            other => pattern.push(other),
        }
    }
    None
}
