//! Lays out the lines of a page: as many as fit, each cut where it is too long, and lists the places of characters that
//! people do not see.

use std::ops::Range;

use lancet_history::SeenRanges;
use lancet_text::hidden_runs;

use super::source::{PageLine, PageSource, ReadExtent};
use super::wanted::WantedRange;
use crate::limit::AnswerLimit;
use crate::refusal::Refusal;
use crate::settings::Gutter;
use crate::stages::context::CallContext;

/// The length that is reserved for the text after a line that was cut.
const CUT_NOTICE_LENGTH: usize = 200;
/// How many places of hidden text are named.
const MAX_NAMED_PLACES: usize = 4;

/// The lines laid out for the answer.
#[derive(Default)]
pub(crate) struct LaidOutPage {
    pub(crate) text: String,
    pub(crate) lines: usize,
    pub(crate) truncated: bool,
    /// The byte ranges of the file that are shown.
    pub(crate) seen: SeenRanges,
    /// The places of hidden text.
    pub(crate) hidden: HiddenPlaces,
    /// The length of the text and of the notice about hidden text.
    pub(super) length: usize,
}

/// Places of hidden text, as text for the notice.
#[derive(Default)]
pub(crate) struct HiddenPlaces {
    named: Vec<String>,
    unnamed: usize,
}

impl HiddenPlaces {
    /// Finds the hidden text in the shown part of a line, which begins at a character counted from 0.
    fn find_in_line(line: usize, column: usize, shown: &str, room: usize) -> Self {
        let mut places = Self::default();
        for found in hidden_runs(shown) {
            if places.named.len() < room {
                let column = column + shown[..found.range.start].chars().count() + 1;
                let words = found.describe(shown);
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

    /// Returns the notice about hidden text; none where there is none.
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

impl LaidOutPage {
    /// Adds a line if it fits, and returns the number of its bytes that are shown. The first line is cut until it fits.
    fn add_line(
        &mut self,
        context: &CallContext<'_>,
        budget: usize,
        line: usize,
        read: &PageLine<'_>,
    ) -> Option<usize> {
        let settings = &context.engine().settings.read;
        let (text, most) = (&*read.text, settings.max_line_chars);
        let room = MAX_NAMED_PLACES.saturating_sub(self.hidden.named.len());
        let start = self.text.len();
        let mut shown = lay_out_line(&mut self.text, line, read, most, settings.gutter);
        let mut found = HiddenPlaces::find_in_line(line, 0, &text[..shown], room);
        let mut length = context.length(&self.text[start..]) + found.length(context.limit);
        if self.length + length > budget {
            self.text.truncate(start);
            if self.lines > 0 {
                self.truncated = true;
                return None;
            }
            let fitting = budget.saturating_sub(found.length(context.limit) + CUT_NOTICE_LENGTH);
            let fitting = context.limit.measure.prefix_length(text, fitting);
            let fitting = text[..fitting].chars().count().min(most).max(1);
            shown = lay_out_line(&mut self.text, line, read, fitting, settings.gutter);
            found = HiddenPlaces::find_in_line(line, 0, &text[..shown], room);
            length = context.length(&self.text[start..]) + found.length(context.limit);
        }
        self.length += length;
        self.lines += 1;
        self.hidden.add(found);
        Some(shown)
    }

    /// Adds a part of a single line, from a character on.
    fn add_part(&mut self, line: usize, column: usize, shown: &str, gutter: Gutter) {
        gutter.write_number(&mut self.text, line + 1, None);
        self.text.push_str(shown);
        self.text.push('\n');
        self.lines = 1;
        self.hidden = HiddenPlaces::find_in_line(line, column, shown, MAX_NAMED_PLACES);
    }
}

/// Lays the wanted lines out, as many as fit the budget.
pub(super) fn lay_out_lines(
    context: &CallContext<'_>,
    source: &impl PageSource,
    wanted: WantedRange,
    budget: usize,
) -> Result<LaidOutPage, Refusal> {
    let total = source.count_lines();
    let mut layout = LaidOutPage::default();
    if wanted.first >= total {
        return Ok(layout);
    }
    if let Some(column) = wanted.column {
        lay_out_from_column(context, source, wanted.first, column, budget, &mut layout)?;
        return Ok(layout);
    }
    let end = total.min(wanted.first.saturating_add(wanted.most));
    // Consecutive lines are one range: adding the bytes of each line separately took 120 instructions.
    let mut together: Option<Range<u64>> = None;
    for (line, read) in (wanted.first..end).zip(source.read_lines(wanted.first)) {
        let read = read?;
        let Some(shown) = layout.add_line(context, budget, line, &read) else {
            break;
        };
        let part = read.seen_range(shown);
        match &mut together {
            Some(range) if range.end == part.start => range.end = part.end,
            _ => {
                let before = together.replace(part);
                before
                    .into_iter()
                    .for_each(|range| layout.seen.add(source.file_range(range)));
            }
        }
    }
    if let Some(range) = together {
        layout.seen.add(source.file_range(range));
    }
    // A page that is complete up to the requested limit is not truncated.
    layout.truncated |= wanted.asked.limit == 0 && wanted.first + layout.lines < total;
    Ok(layout)
}

/// Writes one line with its number, and returns how many of its bytes are shown. A line that is too long is cut and
/// followed by the call that shows the rest.
fn lay_out_line(
    out: &mut String,
    line: usize,
    read: &PageLine<'_>,
    most: usize,
    gutter: Gutter,
) -> usize {
    let text = &*read.text;
    let cut_at = if text.len() <= most {
        None
    } else {
        text.char_indices().nth(most).map(|(at, _)| at)
    };
    let shown = cut_at.unwrap_or(text.len());
    let whole = Some(text).filter(|_| read.is_whole(shown));
    gutter.write_number(out, line + 1, whole);
    out.push_str(&text[..shown]);
    out.push('\n');
    if !read.is_whole(shown) {
        // Where only the beginning of a line was read, its length is unknown.
        let (left, rest) = match read.extent {
            ReadExtent::ToEnd => {
                let left = text[shown..].chars().count();
                (format!(" for {left} more characters"), "them")
            }
            ReadExtent::Beginning => (String::new(), "more of it"),
        };
        out.push_str(&format!(
            "[lancet: line {} goes on{left}; offset {} with column {} shows {rest}]\n",
            line + 1,
            line + 1,
            most + 1
        ));
    }
    shown
}

/// Lays out a single line from a character on.
fn lay_out_from_column(
    context: &CallContext<'_>,
    source: &impl PageSource,
    line: usize,
    column: usize,
    budget: usize,
    layout: &mut LaidOutPage,
) -> Result<(), Refusal> {
    let read = source.read_from(line, column, budget.saturating_mul(4))?;
    let end = part_that_fits(context, &read.text, budget);
    let shown = &read.text[..end];
    let gutter = context.engine().settings.read.gutter;
    layout.add_part(line, column, shown, gutter);
    layout.truncated = !read.is_whole(end);
    layout.text.push_str(&column_notice(
        line,
        column,
        shown.chars().count(),
        read.is_whole(end),
    ));
    layout.seen.add(source.file_range(read.seen_range(end)));
    Ok(())
}

/// Returns how many bytes of a single line fit, together with the notice about hidden text in it.
fn part_that_fits(context: &CallContext<'_>, text: &str, budget: usize) -> usize {
    let measure = context.limit.measure;
    let end = measure.prefix_length(text, budget);
    let found =
        HiddenPlaces::find_in_line(usize::MAX - 1, text.len(), &text[..end], MAX_NAMED_PLACES);
    match found.length(context.limit) {
        0 => end,
        words => measure.prefix_length(text, budget.saturating_sub(words).max(100)),
    }
}

/// Returns the notice that says which part of a line was shown.
fn column_notice(line: usize, column: usize, shown: usize, to_end: bool) -> String {
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
