//! `.gitattributes`: of each attribute the last line that matches counts, nearer files over farther. Only what bears on
//! line endings is read: `text`, `eol`, the older `crlf`, `binary`, and macros made of them.

use std::path::Path;

use lancet_text::LineEnd;

use super::pattern::{Dialect, Pattern};
use super::{RuleFile, below, bounded};

/// What git knows about one file.
#[derive(Default)]
struct Attributes {
    binary: bool,
    end: Option<LineEnd>,
}

pub(super) fn line_end(relative: &Path, files: &[RuleFile<'_>]) -> Option<LineEnd> {
    let mut attributes = Attributes::default();
    let mut macros: Vec<(&str, Vec<&str>)> = Vec::new();
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
                let mut words = definition.split_whitespace();
                if file.folder.as_os_str().is_empty()
                    && let Some(name) = words.next()
                {
                    macros.push((name, words.collect()));
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
            if Pattern::compile(&pattern, Dialect::Git).matches(&path) {
                for word in words.split_whitespace() {
                    match macros.iter().rev().find(|(name, _)| *name == word) {
                        Some((_, meant)) => {
                            meant.iter().for_each(|word| set(&mut attributes, word))
                        }
                        None => set(&mut attributes, word),
                    }
                }
            }
        }
    }
    attributes.end.filter(|_| !attributes.binary)
}

fn set(attributes: &mut Attributes, word: &str) {
    match word {
        "text" | "text=auto" | "!text" | "crlf" | "!crlf" | "-binary" | "!binary" => {
            attributes.binary = false
        }
        "-text" | "-crlf" | "binary" => attributes.binary = true,
        "eol=crlf" => attributes.end = Some(LineEnd::Crlf),
        "eol=lf" | "crlf=input" => attributes.end = Some(LineEnd::Lf),
        "-eol" | "!eol" => attributes.end = None,
        _ => {}
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
