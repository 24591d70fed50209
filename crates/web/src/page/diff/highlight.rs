//! Syntax highlighting of a diff: whole files or none, by the number of their bytes, so that the same page always has
//! the same colours. The result is cached by content, because an open page is made again after every event.

use std::cell::Cell;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lancet_rendering::{DiffLine, Role, Span, SyntaxClassifier, SyntaxState};

/// The number of bytes that are highlighted in one answer. 20 kB are some 500 lines, and take some 50 ms the first time.
const MAX_HIGHLIGHTED_BYTES: usize = 20_000;
/// The time limit for one file. Only a text on which a language's patterns are slow beyond measure gets there.
const MAX_TIME: Duration = Duration::from_secs(2);
/// The number of files whose highlighting is cached.
const MAX_CACHED_FILES: usize = 64;

/// The spans of the lines of a diff, in the order in which its rows are made.
type LineSpans = Arc<Vec<Vec<Span>>>;

static CACHE: Mutex<VecDeque<(blake3::Hash, LineSpans)>> = Mutex::new(VecDeque::new());

/// The number of bytes that may still be highlighted in one answer.
#[derive(Debug)]
pub(in crate::page) struct HighlightingBudget(Cell<usize>);

impl HighlightingBudget {
    /// Returns the budget of one answer.
    pub(in crate::page) fn for_page() -> Self {
        Self(Cell::new(MAX_HIGHLIGHTED_BYTES))
    }

    /// Returns a budget with which nothing is highlighted.
    pub(in crate::page) fn none() -> Self {
        Self(Cell::new(0))
    }

    /// Takes the bytes of a file; false if they are not left.
    fn take(&self, bytes: usize) -> bool {
        let left = self.0.get().checked_sub(bytes);
        self.0.set(left.unwrap_or_else(|| self.0.get()));
        left.is_some()
    }
}

/// The syntax classes of a diff's lines.
pub(super) struct SyntaxHighlighter {
    key: blake3::Hash,
    source: SpanSource,
}

enum SpanSource {
    /// Highlighted before: the spans, and the number of lines that were passed on.
    Cached(LineSpans, usize),
    New(Box<NewSpans>),
}

/// Old and new lines are highlighted as two texts, which start again from the same state at each hunk.
struct NewSpans {
    syntax: SyntaxClassifier,
    old: SyntaxState,
    new: SyntaxState,
    spans: Vec<Vec<Span>>,
}

impl SyntaxHighlighter {
    /// Begins with a file whose `lines` are shown; none if its language is unknown or the budget is spent.
    pub(super) fn for_file<'l, 'd: 'l>(
        path: &Path,
        first_line: &str,
        lines: impl Iterator<Item = &'l DiffLine<'d>>,
        budget: &HighlightingBudget,
    ) -> Option<Self> {
        let mut hasher = blake3::Hasher::new();
        let mut bytes = 0;
        for part in [path.as_os_str().as_encoded_bytes(), first_line.as_bytes()] {
            hasher.update(&part.len().to_le_bytes()).update(part);
        }
        for line in lines {
            bytes += line.whole.len();
            // The numbers say where a hunk begins.
            for number in [line.old, line.new] {
                hasher.update(&number.unwrap_or(0).to_le_bytes());
            }
            hasher.update(line.whole.as_bytes()).update(b"\n");
        }
        if !budget.take(bytes) {
            return None;
        }
        let key = hasher.finalize();
        let cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        let known = cache.iter().find(|(known, _)| *known == key);
        let known = known.map(|(_, spans)| SpanSource::Cached(Arc::clone(spans), 0));
        drop(cache);
        let source = match known {
            Some(known) => known,
            None => {
                let syntax = SyntaxClassifier::detect(path, first_line, MAX_TIME)?;
                let (old, new) = (syntax.initial_state(), syntax.initial_state());
                let spans = Vec::new();
                SpanSource::New(Box::new(NewSpans {
                    syntax,
                    old,
                    new,
                    spans,
                }))
            }
        };
        Some(Self { key, source })
    }

    /// Starts a new hunk.
    pub(super) fn start_hunk(&mut self) {
        if let SpanSource::New(new) = &mut self.source {
            new.old = new.syntax.initial_state();
            new.new = new.old.clone();
        }
    }

    /// Returns the syntax classes of the next line, whose deceptive characters are visible already.
    pub(super) fn highlight_line(&mut self, line: &DiffLine<'_>, text: &str) -> Vec<Span> {
        match &mut self.source {
            SpanSource::Cached(spans, next) => {
                *next += 1;
                spans.get(*next - 1).cloned().unwrap_or_default()
            }
            SpanSource::New(new) => {
                let spans = new.classify(line, text);
                new.spans.push(spans.clone());
                spans
            }
        }
    }

    /// Stores what was highlighted for the next time.
    pub(super) fn store(self) {
        if let SpanSource::New(new) = self.source {
            let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
            if cache.len() >= MAX_CACHED_FILES {
                cache.pop_front();
            }
            cache.push_back((self.key, Arc::new(new.spans)));
        }
    }
}

impl NewSpans {
    fn classify(&mut self, line: &DiffLine<'_>, text: &str) -> Vec<Span> {
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
