//! Classifies the parts of a line of source code: comments, strings, keywords. The definitions of languages are loaded
//! when they are first needed, and not before.

use std::ops::Range;
use std::path::Path;
use std::sync::{LazyLock, OnceLock};
use std::time::{Duration, Instant};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

/// Longer lines are not highlighted, nor are the lines after one.
const LONGEST_LINE: usize = 8 << 10;

/// The kind of a part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// A comment.
    Comment,
    /// Quoted text.
    Quoted,
    /// A number, or an escaped character in a text.
    Number,
    /// A constant with a name.
    Constant,
    /// A keyword of the language.
    Keyword,
    /// The name of a function.
    Function,
    /// The name of a type.
    Type,
    /// `self`, `this` and the like.
    Itself,
    /// A heading or bold words of a document.
    Strong,
}

/// Tokens by the beginning of a scope's name; the first match counts, and none is plain text.
const TOKENS: [(&str, Option<Token>); 18] = [
    ("comment", Some(Token::Comment)),
    ("punctuation.definition.comment", Some(Token::Comment)),
    ("string", Some(Token::Quoted)),
    ("constant.character.escape", Some(Token::Number)),
    ("constant.numeric", Some(Token::Number)),
    ("constant", Some(Token::Constant)),
    ("keyword.operator", None),
    ("keyword", Some(Token::Keyword)),
    ("storage", Some(Token::Keyword)),
    ("entity.name.function", Some(Token::Function)),
    ("support.function", Some(Token::Function)),
    ("variable.function", Some(Token::Function)),
    ("entity.name", Some(Token::Type)),
    ("support.type", Some(Token::Type)),
    ("support.class", Some(Token::Type)),
    ("variable.language", Some(Token::Itself)),
    ("markup.heading", Some(Token::Strong)),
    ("markup.bold", Some(Token::Strong)),
];

static PALETTE: LazyLock<Vec<(Scope, Option<Token>)>> = LazyLock::new(|| {
    let scopes = TOKENS.iter();
    let scopes = scopes.filter_map(|(name, token)| Some((Scope::new(name).ok()?, *token)));
    scopes.collect()
});

/// A part of a line, in bytes.
pub type Span = (Range<usize>, Token);

/// The language of a file, and the time that may be spent on it.
pub struct SyntaxClassifier {
    reference: &'static SyntaxReference,
    set: &'static SyntaxSet,
    began: Instant,
    budget: Duration,
    is_over: bool,
}

/// The parser state before the next line of a text.
#[derive(Clone, PartialEq, Eq)]
pub struct SyntaxState {
    parser: ParseState,
    scopes: ScopeStack,
}

impl SyntaxClassifier {
    /// Detects the language of a file by its name or its first line; returns none if it is unknown. The lines after the
    /// budget is spent are plain text.
    pub fn detect(path: &Path, first_line: &str, budget: Duration) -> Option<Self> {
        static SET: OnceLock<SyntaxSet> = OnceLock::new();
        let set = SET.get_or_init(SyntaxSet::load_defaults_newlines);
        let reference =
            find_syntax_by_name(set, path).or_else(|| set.find_syntax_by_first_line(first_line))?;
        (reference.name != "Plain Text").then(|| Self {
            reference,
            set,
            began: Instant::now(),
            budget,
            is_over: false,
        })
    }

    /// Returns the state at the beginning of a text.
    pub fn initial_state(&self) -> SyntaxState {
        SyntaxState {
            parser: ParseState::new(self.reference),
            scopes: ScopeStack::new(),
        }
    }

    /// Classifies the parts of the next line, which has no line end. Parts that are plain text are left out.
    pub fn classify_line(&mut self, state: &mut SyntaxState, text: &str) -> Vec<Span> {
        self.is_over |= text.len() > LONGEST_LINE || self.began.elapsed() > self.budget;
        if self.is_over {
            return Vec::new();
        }
        let ended = format!("{text}\n");
        let Ok(changes) = state.parser.parse_line(&ended, self.set) else {
            self.is_over = true;
            return Vec::new();
        };
        let mut spans = Vec::new();
        let mut from = 0;
        for (at, change) in changes {
            add_span(&mut spans, state, text, from..at);
            from = at;
            self.is_over |= state.scopes.apply(&change).is_err();
        }
        add_span(&mut spans, state, text, from..text.len());
        spans
    }
}

/// Adds a part to the spans of a line if it has a token.
fn add_span(spans: &mut Vec<Span>, state: &SyntaxState, text: &str, range: Range<usize>) {
    let range = range.start.min(text.len())..range.end.min(text.len());
    let is_blank = text
        .get(range.clone())
        .unwrap_or_default()
        .trim()
        .is_empty();
    let Some(token) = token_of_scopes(&state.scopes).filter(|_| !is_blank) else {
        return;
    };
    match spans.last_mut() {
        Some((last, same)) if *same == token && last.end == range.start => last.end = range.end,
        _ => spans.push((range, token)),
    }
}

/// Returns the token of the innermost scope that has an entry.
fn token_of_scopes(scopes: &ScopeStack) -> Option<Token> {
    let mut found = scopes.as_slice().iter().rev().filter_map(|scope| {
        let mut palette = PALETTE.iter();
        palette.find(|(begin, _)| begin.is_prefix_of(*scope))
    });
    found.next().and_then(|(_, token)| *token)
}

fn find_syntax_by_name<'s>(set: &'s SyntaxSet, path: &Path) -> Option<&'s SyntaxReference> {
    let name = path.file_name()?.to_str()?;
    if let Some(syntax) = set.find_syntax_by_extension(name) {
        return Some(syntax);
    }
    let extension = path.extension()?.to_str()?.to_lowercase();
    // There is no definition for these languages; the definition of a similar one is used.
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

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn classifies_parts_of_a_line_in_order() {
        let mut syntax = SyntaxClassifier::detect(Path::new("a.rs"), "", LONG).expect("Rust");
        let mut state = syntax.initial_state();
        let text = "let x = 1; // é";
        let spans = syntax.classify_line(&mut state, text);
        let named: Vec<_> = spans
            .iter()
            .map(|(range, token)| (&text[range.clone()], *token))
            .collect();
        assert_eq!(
            named,
            [
                ("let", Token::Keyword),
                ("1", Token::Number),
                ("// é", Token::Comment),
            ]
        );
    }

    #[test]
    fn detects_language_by_first_line() {
        assert!(SyntaxClassifier::detect(Path::new("a.unknown"), "text", LONG).is_none());
        assert!(SyntaxClassifier::detect(Path::new("run"), "#!/bin/sh", LONG).is_some());
    }

    #[test]
    fn stops_at_overlong_line_or_spent_budget() {
        let mut syntax = SyntaxClassifier::detect(Path::new("a.js"), "", LONG).expect("JavaScript");
        let mut state = syntax.initial_state();
        assert_eq!(
            syntax.classify_line(&mut state, &"1,".repeat(LONGEST_LINE)),
            []
        );
        assert_eq!(syntax.classify_line(&mut state, "let x"), []);
        let mut spent =
            SyntaxClassifier::detect(Path::new("a.js"), "", Duration::ZERO).expect("JavaScript");
        let mut state = spent.initial_state();
        std::thread::sleep(Duration::from_millis(1));
        assert_eq!(spent.classify_line(&mut state, "let x"), []);
    }
}
