//! The lines of a page as the answer shows them: as many as fit, each cut where it is too long, and what they hold that
//! people do not see.

use lancet_history::Seen;
use lancet_text::{Document, hidden};

use super::Wanted;
use crate::ledger::raw;
use crate::limit::AnswerLimit;
use crate::rooms::CallContext;
use crate::settings::Gutter;

/// What is kept free for the words after a line that was cut.
const CUT_WORDS: usize = 200;
/// How many places of text that people do not see are named.
const NAMED: usize = 4;

/// Lines laid out for the answer.
#[derive(Default)]
pub(crate) struct Layout {
    pub(crate) text: String,
    pub(crate) lines: usize,
    pub(crate) truncated: bool,
    /// The bytes shown, in the coordinates of the document's raw bytes.
    pub(crate) seen: Seen,
    /// Where text stands that people do not see.
    pub(crate) hidden: HiddenPlaces,
    /// How long text and words about hidden text are.
    length: usize,
}

/// Places of text that people do not see, in words.
#[derive(Default)]
pub(crate) struct HiddenPlaces {
    named: Vec<String>,
    unnamed: usize,
}

impl HiddenPlaces {
    /// The places in the shown part of a line, which begins at a character counted from 0.
    fn of(line: usize, column: usize, shown: &str, room: usize) -> Self {
        let mut places = Self::default();
        for found in hidden(shown) {
            if places.named.len() < room {
                let column = column + shown[..found.range.start].chars().count() + 1;
                let words = found.words(shown);
                places
                    .named
                    .push(format!("line {}, column {column}: {words}", line + 1));
            } else {
                places.unnamed += 1;
            }
        }
        places
    }

    fn length(&self, limit: AnswerLimit) -> usize {
        self.named.iter().map(|words| limit.length(words) + 4).sum()
    }

    fn add(&mut self, other: HiddenPlaces) {
        self.named.extend(other.named);
        self.unnamed += other.unnamed;
    }

    /// The notice; none where everything can be seen.
    pub(crate) fn notice(&self) -> Option<String> {
        if self.named.is_empty() {
            return None;
        }
        let more = match self.unnamed {
            0 => String::new(),
            unnamed => format!("; and {unnamed} more"),
        };
        Some(format!(
            "text that people do not see: {}{more}",
            self.named.join("; ")
        ))
    }
}

impl Layout {
    /// Adds a line, where it fits. The first one is cut until it does, by `lay` with fewer characters.
    pub(crate) fn add_line(
        &mut self,
        context: &CallContext<'_>,
        budget: usize,
        line: usize,
        text: &str,
        lay: impl Fn(usize) -> LaidLine,
    ) -> Option<usize> {
        let most = context.engine().settings.read.max_line_chars;
        let room = NAMED.saturating_sub(self.hidden.named.len());
        let mut laid = lay(most);
        let mut found = HiddenPlaces::of(line, 0, &text[..laid.shown], room);
        let mut length = context.length(&laid.text) + found.length(context.limit);
        if self.length + length > budget {
            if self.lines > 0 {
                self.truncated = true;
                return None;
            }
            let fitting = budget.saturating_sub(found.length(context.limit) + CUT_WORDS);
            let fitting = context.limit.measure.prefix(text, fitting);
            laid = lay(text[..fitting].chars().count().min(most).max(1));
            found = HiddenPlaces::of(line, 0, &text[..laid.shown], room);
            length = context.length(&laid.text) + found.length(context.limit);
        }
        self.length += length;
        self.text.push_str(&laid.text);
        self.lines += 1;
        self.hidden.add(found);
        Some(laid.shown)
    }

    /// Adds a part of one line, alone, from a character on.
    pub(crate) fn add_part(&mut self, line: usize, column: usize, shown: &str, gutter: Gutter) {
        gutter.write(&mut self.text, line + 1);
        self.text.push_str(shown);
        self.text.push('\n');
        self.lines = 1;
        self.hidden = HiddenPlaces::of(line, column, shown, NAMED);
    }
}

pub(super) fn lay_out(
    context: &CallContext<'_>,
    document: &Document<'_>,
    wanted: Wanted,
    budget: usize,
) -> Layout {
    let gutter = context.engine().settings.read.gutter;
    let total = document.line_count();
    let mut layout = Layout::default();
    if wanted.first >= total {
        return layout;
    }
    if let Some(column) = wanted.column {
        lay_column(context, document, wanted.first, column, budget, &mut layout);
        return layout;
    }
    let end = total.min(wanted.first.saturating_add(wanted.most));
    // One after the other: looking each line up by itself was two thirds of the instructions of a Read of 1 MB.
    let ranges = document.lines_from(wanted.first);
    for (line, range) in (wanted.first..end).zip(ranges) {
        let text = &document.view()[range.clone()];
        let lay = |most| lay_line(line, text, most, gutter);
        let Some(shown) = layout.add_line(context, budget, line, text, lay) else {
            break;
        };
        let seen = if shown == text.len() {
            range.start..document.view().len().min(range.end + 1)
        } else {
            range.start..range.start + shown
        };
        layout.seen.add(raw(document, seen));
    }
    // A page that was asked for by its size and came whole is not cut.
    layout.truncated |= wanted.asked.limit == 0 && wanted.first + layout.lines < total;
    layout
}

/// A numbered line, and how many bytes of it are shown.
pub(crate) struct LaidLine {
    pub(crate) text: String,
    pub(crate) shown: usize,
}

/// Sets one line, cut where it is too long, and then followed by the call that shows the rest.
pub(crate) fn lay_line(line: usize, text: &str, most: usize, gutter: Gutter) -> LaidLine {
    let mut out = String::with_capacity(text.len() + 8);
    gutter.write(&mut out, line + 1);
    let cut_at = if text.len() <= most {
        None
    } else {
        text.char_indices().nth(most).map(|(at, _)| at)
    };
    let shown = cut_at.unwrap_or(text.len());
    out.push_str(&text[..shown]);
    out.push('\n');
    if let Some(at) = cut_at {
        let left = text[at..].chars().count();
        out.push_str(&format!("[lancet: line {} goes on for {left} more characters; offset {} with column {} shows them]\n", line + 1, line + 1, most + 1));
    }
    LaidLine { text: out, shown }
}

/// Sets one line alone, from a character on.
fn lay_column(
    context: &CallContext<'_>,
    document: &Document<'_>,
    line: usize,
    column: usize,
    budget: usize,
    layout: &mut Layout,
) {
    let range = document.line_range(line);
    let text = &document.view()[range.clone()];
    let start = text
        .char_indices()
        .nth(column)
        .map_or(text.len(), |(at, _)| at);
    let end = start + part_that_fits(context, &text[start..], budget);
    let gutter = context.engine().settings.read.gutter;
    layout.add_part(line, column, &text[start..end], gutter);
    layout.truncated = end < text.len();
    layout.text.push_str(&column_notice(
        line,
        column,
        text[start..end].chars().count(),
        end == text.len(),
    ));
    let whole = document.line_range_whole(line);
    let shown_end = if end == text.len() {
        whole.end
    } else {
        range.start + end
    };
    layout
        .seen
        .add(raw(document, range.start + start..shown_end));
}

/// How many bytes of a line that is shown alone fit, together with the words about what people do not see in it.
pub(crate) fn part_that_fits(context: &CallContext<'_>, text: &str, budget: usize) -> usize {
    let measure = context.limit.measure;
    let end = measure.prefix(text, budget);
    let found = HiddenPlaces::of(usize::MAX - 1, text.len(), &text[..end], NAMED);
    match found.length(context.limit) {
        0 => end,
        words => measure.prefix(text, budget.saturating_sub(words).max(100)),
    }
}

/// What part of a line was shown alone.
pub(crate) fn column_notice(line: usize, column: usize, shown: usize, to_end: bool) -> String {
    let (line, first) = (line + 1, column + 1);
    if to_end {
        return format!("[lancet: line {line}, from character {first} to its end]\n");
    }
    format!(
        "[lancet: line {line}, characters {first} to {}; offset {line} with column {} goes on]\n",
        column + shown,
        column + shown + 1
    )
}
