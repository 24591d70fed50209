//! Syntax colours of source code. The definitions are loaded when a file is shown in colour, and not before.

use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

/// Longer lines are not coloured, nor the lines after one.
const LONGEST_LINE: usize = 8 << 10;
/// The time that colours may take for one file; the lines after it have none.
const BUDGET: Duration = Duration::from_secs(2);

/// Colours by the beginning of a scope's name; the first that fits counts.
const COLOURS: [(&str, &str); 18] = [
    ("comment", "90"),
    ("punctuation.definition.comment", "90"),
    ("string", "32"),
    ("constant.character.escape", "36"),
    ("constant.numeric", "36"),
    ("constant", "36"),
    ("keyword.operator", ""),
    ("keyword", "35"),
    ("storage", "35"),
    ("entity.name.function", "34"),
    ("support.function", "34"),
    ("variable.function", "34"),
    ("entity.name", "33"),
    ("support.type", "33"),
    ("support.class", "33"),
    ("variable.language", "31"),
    ("markup.heading", "1"),
    ("markup.bold", "1"),
];

/// The colours of one file, line by line.
pub(crate) struct SyntaxColours {
    state: ParseState,
    scopes: ScopeStack,
    set: &'static SyntaxSet,
    palette: Vec<(Scope, &'static str)>,
    began: Instant,
    is_over: bool,
}

impl SyntaxColours {
    /// The colours for a file, by its name or its first line; none where its syntax is not known.
    pub(crate) fn of(path: &Path, first_line: &str) -> Option<Self> {
        static SET: OnceLock<SyntaxSet> = OnceLock::new();
        let set = SET.get_or_init(SyntaxSet::load_defaults_newlines);
        let syntax = by_name(set, path).or_else(|| set.find_syntax_by_first_line(first_line))?;
        if syntax.name == "Plain Text" {
            return None;
        }
        let palette = COLOURS
            .iter()
            .filter_map(|(name, code)| Some((Scope::new(name).ok()?, *code)));
        Some(Self {
            state: ParseState::new(syntax),
            scopes: ScopeStack::new(),
            set,
            palette: palette.collect(),
            began: Instant::now(),
            is_over: false,
        })
    }

    /// Colours the next line, which has no line end.
    pub(crate) fn line(&mut self, text: &str) -> String {
        self.is_over |= text.len() > LONGEST_LINE || self.began.elapsed() > BUDGET;
        if self.is_over {
            return text.to_owned();
        }
        let ended = format!("{text}\n");
        let Ok(changes) = self.state.parse_line(&ended, self.set) else {
            self.is_over = true;
            return text.to_owned();
        };
        let mut out = String::with_capacity(text.len() * 2);
        let mut from = 0;
        for (at, change) in changes {
            self.put(&mut out, text, from, at);
            from = at;
            if self.scopes.apply(&change).is_err() {
                self.is_over = true;
            }
        }
        self.put(&mut out, text, from, text.len());
        out
    }

    fn put(&self, out: &mut String, text: &str, from: usize, to: usize) {
        let piece = text
            .get(from.min(text.len())..to.min(text.len()))
            .unwrap_or_default();
        match self.code() {
            "" => out.push_str(piece),
            _ if piece.trim().is_empty() => out.push_str(piece),
            code => out.push_str(&format!("\x1b[{code}m{piece}\x1b[0m")),
        }
    }

    /// The colour of the innermost scope that has one.
    fn code(&self) -> &'static str {
        let scopes = self.scopes.as_slice().iter().rev();
        let mut found = scopes.filter_map(|scope| {
            let fits = self
                .palette
                .iter()
                .find(|(begin, _)| begin.is_prefix_of(*scope));
            fits.map(|(_, code)| *code)
        });
        found.next().unwrap_or("")
    }
}

fn by_name<'s>(set: &'s SyntaxSet, path: &Path) -> Option<&'s SyntaxReference> {
    let name = path.file_name()?.to_str()?;
    if let Some(syntax) = set.find_syntax_by_extension(name) {
        return Some(syntax);
    }
    let extension = path.extension()?.to_str()?.to_lowercase();
    // Languages without a definition of their own that are near to another one.
    let alike = match extension.as_str() {
        "ts" | "tsx" | "jsx" | "mjs" | "cjs" | "mts" | "cts" | "json5" | "jsonc" => "js",
        "toml" | "ini" | "cfg" | "conf" => "properties",
        "kt" | "kts" | "swift" => "scala",
        "vue" | "svelte" => "html",
        "pyi" => "py",
        "zsh" | "fish" | "bats" => "sh",
        "cc" | "hpp" | "cxx" | "cu" => "cpp",
        other => other,
    };
    set.find_syntax_by_extension(alike)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_language_has_colours_and_an_unknown_one_none() {
        let mut colours = SyntaxColours::of(Path::new("a.rs"), "").expect("Rust");
        let line = colours.line("let x = 1; // é");
        assert!(line.contains("\x1b[35mlet\x1b[0m"), "{line:?}");
        assert!(line.contains("\x1b[36m1\x1b[0m"), "{line:?}");
        assert!(line.contains("\x1b[90m"), "{line:?}");
        let bare: String = strip(&line);
        assert_eq!(bare, "let x = 1; // é", "colours change no text");
        assert!(SyntaxColours::of(Path::new("a.unknown"), "text").is_none());
        assert!(SyntaxColours::of(Path::new("run"), "#!/bin/sh").is_some());
    }

    #[test]
    fn a_line_without_end_ends_the_colours() {
        let mut colours = SyntaxColours::of(Path::new("a.js"), "").expect("JavaScript");
        let long = "1,".repeat(LONGEST_LINE);
        assert_eq!(colours.line(&long), long);
        assert_eq!(colours.line("let x"), "let x");
    }

    fn strip(text: &str) -> String {
        let mut bare = String::new();
        let mut pieces = text.split('\x1b');
        bare.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            bare.push_str(piece.split_once('m').map_or("", |(_, rest)| rest));
        }
        bare
    }
}
