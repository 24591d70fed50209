//! The text of a line in parts: the syntax class of each part, which parts changed, and the rest of a long line.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lancet::doors::escape_for_terminal;
use lancet_rendering::{DiffLine, Role, Span, SyntaxClassifier, SyntaxState, Token};

/// The number of bytes of a line that are shown at once; the rest can be opened.
const MAX_SHOWN_BYTES: usize = 600;
/// The time limit for the syntax highlighting of one answer. A test build is slower and must show the same result.
const HIGHLIGHTING_TIME: Duration = Duration::from_millis(match cfg!(debug_assertions) {
    true => 400,
    false => 12,
});

/// The time limit for the first lines of a language, whose patterns are compiled when they are first used.
const FIRST_HIGHLIGHTING_TIME: Duration = Duration::from_millis(match cfg!(debug_assertions) {
    true => 4_000,
    false => 100,
});

/// The largest number of languages that get this time.
const MOST_LANGUAGES: usize = 64;

/// The languages that were shown already, by file name extension.
static SHOWN: Mutex<BTreeSet<OsString>> = Mutex::new(BTreeSet::new());

/// Returns the time at which the highlighting of an answer that begins now has to stop.
pub(in crate::page) fn highlighting_deadline() -> Instant {
    let now = Instant::now();
    now.checked_add(HIGHLIGHTING_TIME).unwrap_or(now)
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::page) struct TextPart {
    /// The class of its syntax; empty for plain text.
    pub(in crate::page) class: &'static str,
    pub(in crate::page) is_changed: bool,
    pub(in crate::page) text: String,
}

/// The text of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::page) struct LineText {
    pub(in crate::page) parts: Vec<TextPart>,
    /// The rest of a long line.
    pub(in crate::page) rest: Vec<TextPart>,
    /// The number of characters of the rest.
    pub(in crate::page) more: usize,
}

impl LineText {
    /// Assembles a line.
    pub(super) fn new(text: &str, changed: &[Range<usize>], spans: &[Span]) -> Self {
        let cut = match text.len() > MAX_SHOWN_BYTES {
            true => floor_char_boundary(text, MAX_SHOWN_BYTES),
            false => text.len(),
        };
        Self {
            parts: split_into_parts(text, 0..cut, changed, spans),
            rest: split_into_parts(text, cut..text.len(), changed, spans),
            more: text[cut..].chars().count(),
        }
    }
}

/// Returns the nearest character boundary at or before this position.
fn floor_char_boundary(text: &str, at: usize) -> usize {
    let mut places = (0..=at.min(text.len())).rev();
    places
        .find(|place| text.is_char_boundary(*place))
        .unwrap_or(0)
}

/// Splits a range of a line wherever its class changes or a changed part begins or ends.
fn split_into_parts(
    text: &str,
    range: Range<usize>,
    changed: &[Range<usize>],
    spans: &[Span],
) -> Vec<TextPart> {
    let mut parts: Vec<TextPart> = Vec::new();
    let (mut at, mut changes, mut tokens) = (
        range.start,
        changed.iter().peekable(),
        spans.iter().peekable(),
    );
    while at < range.end {
        while changes.next_if(|change| change.end <= at).is_some() {}
        while tokens.next_if(|(span, _)| span.end <= at).is_some() {}
        let (is_changed, change_ends) = range_membership(changes.peek().copied(), at);
        let (is_token, token_ends) = range_membership(tokens.peek().map(|(span, _)| span), at);
        let end = range.end.min(change_ends).min(token_ends);
        let token = tokens.peek().filter(|_| is_token);
        // A range that is not on character boundaries is not part of the text; the text is shown unchanged to its
        // end.
        let (piece, end) = match text.get(at..end) {
            Some(piece) if !piece.is_empty() => (piece, end),
            _ => (text.get(at..range.end).unwrap_or_default(), range.end),
        };
        parts.push(TextPart {
            class: token.map_or("", |(_, token)| css_class(*token)),
            is_changed,
            text: piece.to_owned(),
        });
        at = end;
    }
    parts
}

/// Returns whether a position is within a range that ends after it, and the next position at which that changes.
fn range_membership(range: Option<&Range<usize>>, at: usize) -> (bool, usize) {
    match range {
        Some(range) if range.start <= at => (true, range.end),
        Some(range) => (false, range.start),
        None => (false, usize::MAX),
    }
}

fn css_class(token: Token) -> &'static str {
    match token {
        Token::Comment => "s-comment",
        Token::Quoted => "s-string",
        Token::Number => "s-number",
        Token::Constant => "s-constant",
        Token::Keyword | Token::Itself => "s-keyword",
        Token::Function => "s-function",
        Token::Type => "s-type",
        Token::Strong => "s-strong",
    }
}

/// The syntax classes of a diff's lines. Old and new lines are highlighted as two texts, which start again from the
/// same state at each hunk.
pub(super) struct SyntaxHighlighter {
    syntax: SyntaxClassifier,
    old: SyntaxState,
    new: SyntaxState,
}

impl SyntaxHighlighter {
    pub(super) fn for_file(path: &Path, first_line: &str, budget: Duration) -> Option<Self> {
        let language = path.extension().unwrap_or_default().to_owned();
        let mut shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let budget = match shown.len() < MOST_LANGUAGES && shown.insert(language) {
            true => FIRST_HIGHLIGHTING_TIME,
            false => budget,
        };
        drop(shown);
        if budget.is_zero() {
            return None;
        }
        let syntax = SyntaxClassifier::detect(path, first_line, budget)?;
        let (old, new) = (syntax.initial_state(), syntax.initial_state());
        Some(Self { syntax, old, new })
    }

    /// Starts a new hunk.
    pub(super) fn start_hunk(&mut self) {
        self.old = self.syntax.initial_state();
        self.new = self.old.clone();
    }

    /// Returns the syntax classes of the next line, whose deceptive characters are visible already.
    pub(super) fn highlight_line(&mut self, line: &DiffLine<'_>, text: &str) -> Vec<Span> {
        match line.role {
            Role::Removed => self.syntax.classify_line(&mut self.old, text),
            Role::Added => self.syntax.classify_line(&mut self.new, text),
            Role::Kept if self.old == self.new => {
                let spans = self.syntax.classify_line(&mut self.new, text);
                self.old = self.new.clone();
                spans
            }
            Role::Kept => {
                self.syntax.classify_line(&mut self.old, text);
                self.syntax.classify_line(&mut self.new, text)
            }
            Role::Hunk { .. } | Role::FileHead | Role::Other => Vec::new(),
        }
    }
}

/// Returns the text of a diff's line, with deceptive characters made visible.
pub(super) fn visible_text(line: &DiffLine<'_>) -> String {
    escape_for_terminal(line.text()).into_owned()
}
