//! Syntax colours of source code on a terminal.

use std::path::Path;
use std::time::Duration;

use lancet_rendering::{SyntaxClassifier, SyntaxState, Token};

/// The longest time for colouring one file; the lines after it are not coloured.
const BUDGET: Duration = Duration::from_secs(2);

/// The colours of one file, line by line.
pub(crate) struct SyntaxColours {
    syntax: SyntaxClassifier,
    state: SyntaxState,
}

impl SyntaxColours {
    /// Returns the colours for a file, by its name or its first line; none where its syntax is not known.
    pub(crate) fn for_file(path: &Path, first_line: &str) -> Option<Self> {
        let syntax = SyntaxClassifier::detect(path, first_line, BUDGET)?;
        let state = syntax.initial_state();
        Some(Self { syntax, state })
    }

    /// Colours the next line, which has no line end.
    pub(crate) fn paint_line(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() * 2);
        let mut from = 0;
        for (range, token) in self.syntax.classify_line(&mut self.state, text) {
            out.push_str(&text[from..range.start]);
            from = range.end;
            let (code, piece) = (colour_code(token), &text[range]);
            out.push_str(&format!("\x1b[{code}m{piece}\x1b[0m"));
        }
        out.push_str(&text[from..]);
        out
    }
}

fn colour_code(token: Token) -> u8 {
    match token {
        Token::Comment => 90,
        Token::Quoted => 32,
        Token::Number | Token::Constant => 36,
        Token::Keyword => 35,
        Token::Function => 34,
        Token::Type => 33,
        Token::Itself => 31,
        Token::Strong => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_known_languages_only() {
        let mut colours = SyntaxColours::for_file(Path::new("a.rs"), "").expect("Rust");
        let line = colours.paint_line("let x = 1; // é");
        assert!(line.contains("\x1b[35mlet\x1b[0m"), "{line:?}");
        assert!(line.contains("\x1b[36m1\x1b[0m"), "{line:?}");
        assert!(line.contains("\x1b[90m"), "{line:?}");
        let bare: String = strip(&line);
        assert_eq!(bare, "let x = 1; // é", "colours change no text");
        assert!(SyntaxColours::for_file(Path::new("a.unknown"), "text").is_none());
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
