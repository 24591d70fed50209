//! `.gitattributes`: for each attribute the last matching line decides, nearer files override farther ones, and a macro
//! expands to its attributes. Only the attributes about line endings and diffs are evaluated.

use std::collections::BTreeMap;
use std::path::Path;

use lancet_text::LineEnd;

use super::pattern::{Dialect, LinePattern};
use super::{RuleFile, limit_rule_text, path_below_folder};

/// The macro that is built into git.
const BINARY_MACRO: (&str, &str) = ("binary", "-diff -merge -text");
/// How deep macros inside macros are expanded.
const MAX_MACRO_DEPTH: usize = 8;

/// The state that a line gives an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AttributeState<'t> {
    Set,
    Unset,
    Unspecified,
    Value(&'t str),
}

/// Whether git treats a file as text when it is added, and so converts its line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextConversion {
    /// Git treats it as text.
    Yes,
    /// Git treats it as binary and keeps every byte.
    No,
    /// Git decides by the content.
    Auto,
    /// No attribute decides it; git's configuration does.
    Unspecified,
}

/// Whether git diffs a file line by line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineDiffing {
    Always,
    Never,
    /// Git diffs it by lines unless there is a NUL byte near its start.
    Look,
}

/// The evaluated attributes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GitAttributes {
    pub(crate) text: TextConversion,
    pub(crate) lines: LineDiffing,
    /// The attribute by which git converts the content in a way that lancet does not reproduce.
    pub(crate) converts: Option<&'static str>,
}

/// Evaluates the attributes of a file from these rule files, the weakest first.
pub(crate) fn attributes(relative: &Path, files: &[RuleFile<'_>]) -> GitAttributes {
    let known = resolve_attributes(relative, files);
    let state = |name: &str| {
        known
            .get(name)
            .copied()
            .unwrap_or(AttributeState::Unspecified)
    };
    let text = TextAttribute::from_attributes(&known);
    let converts = ["filter", "working-tree-encoding", "ident"]
        .into_iter()
        .find(|name| match state(name) {
            AttributeState::Set => *name == "ident",
            AttributeState::Value(value) => {
                *name != "ident" && !value.eq_ignore_ascii_case("utf-8")
            }
            AttributeState::Unset | AttributeState::Unspecified => false,
        });
    GitAttributes {
        text: match (text, state("eol")) {
            (TextAttribute::Binary, _) => TextConversion::No,
            (TextAttribute::Auto, _) => TextConversion::Auto,
            (TextAttribute::Text | TextAttribute::Input, _)
            | (_, AttributeState::Value("lf" | "crlf")) => TextConversion::Yes,
            (TextAttribute::Nothing, _) => TextConversion::Unspecified,
        },
        lines: match state("diff") {
            AttributeState::Set => LineDiffing::Always,
            AttributeState::Unset => LineDiffing::Never,
            AttributeState::Unspecified | AttributeState::Value(_) => LineDiffing::Look,
        },
        converts,
    }
}

/// Finds the line ending that these rule files prescribe for a file.
pub(super) fn line_end(relative: &Path, files: &[RuleFile<'_>]) -> Option<LineEnd> {
    let known = resolve_attributes(relative, files);
    match (TextAttribute::from_attributes(&known), known.get("eol")) {
        (TextAttribute::Binary, _) => None,
        (_, Some(AttributeState::Value("crlf"))) => Some(LineEnd::Crlf),
        (_, Some(AttributeState::Value("lf"))) | (TextAttribute::Input, _) => Some(LineEnd::Lf),
        _ => None,
    }
}

/// The value of `text` or, where that is unspecified, of the older attribute `crlf`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextAttribute {
    Text,
    Binary,
    Input,
    Auto,
    Nothing,
}

impl TextAttribute {
    fn from_attributes(known: &BTreeMap<&str, AttributeState<'_>>) -> TextAttribute {
        let one = |name: &str| match known.get(name) {
            Some(AttributeState::Set) => TextAttribute::Text,
            Some(AttributeState::Unset) => TextAttribute::Binary,
            Some(AttributeState::Value("input")) => TextAttribute::Input,
            Some(AttributeState::Value("auto")) => TextAttribute::Auto,
            _ => TextAttribute::Nothing,
        };
        match one("text") {
            TextAttribute::Nothing => one("crlf"),
            text => text,
        }
    }
}

/// Resolves every attribute of the file. Like git, it goes from the strongest line to the weakest and keeps the first
/// value, which decides whether an older macro still applies.
fn resolve_attributes<'t>(
    relative: &Path,
    files: &[RuleFile<'t>],
) -> BTreeMap<&'t str, AttributeState<'t>> {
    let mut macros: BTreeMap<&str, &str> = BTreeMap::from([BINARY_MACRO]);
    let mut matched: Vec<&str> = Vec::new();
    for file in files {
        let Some(path) = path_below_folder(relative, file.folder) else {
            continue;
        };
        for line in limit_rule_text(file.text).lines() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(definition) = line.strip_prefix("[attr]") {
                // Git reads macro definitions only from the top folder.
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
            // A pattern that ends in a slash matches folders only, and git allows no negation here.
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
        set_attributes(&mut known, &macros, words, 0);
    }
    known
}

fn set_attributes<'t>(
    known: &mut BTreeMap<&'t str, AttributeState<'t>>,
    macros: &BTreeMap<&'t str, &'t str>,
    words: &'t str,
    depth: usize,
) {
    for word in words.split_whitespace().rev() {
        let (name, state) = match (word.strip_prefix('-'), word.strip_prefix('!')) {
            (Some(name), _) => (name, AttributeState::Unset),
            (_, Some(name)) => (name, AttributeState::Unspecified),
            _ => match word.split_once('=') {
                Some((name, value)) => (name, AttributeState::Value(value)),
                None => (word, AttributeState::Set),
            },
        };
        if known.contains_key(name) {
            continue;
        }
        known.insert(name, state);
        if let (AttributeState::Set, Some(meant)) = (state, macros.get(name))
            && depth < MAX_MACRO_DEPTH
        {
            set_attributes(known, macros, meant, depth + 1);
        }
    }
}

/// Splits a line into its pattern, unquoted where it is in quotes, and the rest.
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
