//! The text that an answer shows of a change: hunks, the changed lines numbered with four lines around them, and
//! sentences about how the text was matched.

use std::borrow::Cow;
use std::ops::Range;

use lancet_text::{
    Change, Document, Endings, FoundPlaces, Hunk, Remark, hunks_in_contexts, hunks_of_changes,
    outline_hunks,
};

use super::remarks::remark_sentence;
use crate::message::{FileText, Message, message, verbatim};
use crate::settings::Gutter;
use crate::stages::context::CallContext;
use crate::stages::plan::ChangeView;
use crate::wording::{format_count, name_lines, truncate};
use lancet_model::rung_names::name_rung;

/// How many lines around a change are shown and count as seen.
const SHOWN_CONTEXT: usize = 4;
/// How many lines of context the patch in the data has.
const PATCH_CONTEXT: usize = 3;
/// How many lines of a file's changes an answer shows at most.
const MAX_SHOWN_LINES: usize = 200;
/// The longest line that an answer shows whole, in characters; a longer one is cut and does not count as seen.
const MAX_LINE_LENGTH: usize = 2_000;
/// The length of a line number and a line end.
const GUTTER_LENGTH: usize = 18;
/// The most characters of replaced text that an answer quotes.
const MAX_QUOTED_LENGTH: usize = 600;

/// Returns the note that the sent text has line ends which the file does not use.
pub(crate) fn endings_note(sent: &str, endings: Endings) -> Option<Message> {
    let written = match endings {
        Endings::Crlf => return None,
        Endings::Lf | Endings::None => "as LF, like the file's",
        Endings::Cr => "as CR, like the file's",
        Endings::Mixed => "like those of the lines around them",
    };
    // Most texts have no CR, and one byte is found more quickly than two.
    let has_crlf = sent.as_bytes().contains(&b'\r') && sent.contains("\r\n");
    has_crlf.then(|| message!("the CRLF line ends that were sent were written {}", written))
}

/// Sentences about the edits of one file.
#[derive(Default)]
pub(crate) struct Notes {
    sentences: Vec<Message>,
}

impl Notes {
    /// Records that an edit was matched on a tolerant rung, at these lines.
    pub(crate) fn add_match(
        &mut self,
        found: &FoundPlaces,
        old: &str,
        text: &str,
        lines: Vec<usize>,
    ) {
        let Some(place) = found.places.first() else {
            return;
        };
        let replaced = &text[place.range.clone()];
        let mut words = message!(
            "matched {} at {}",
            name_rung(found.rung),
            verbatim(name_lines(lines, 20))
        );
        if replaced != old {
            words.push("; the text that was replaced:\n");
            words.push(FileText(truncate(
                replaced.trim_end_matches('\n'),
                MAX_QUOTED_LENGTH,
            )));
        }
        self.sentences.push(words);
    }

    pub(crate) fn add_remarks(&mut self, remarks: &[Remark]) {
        self.sentences.extend(remarks.iter().map(remark_sentence));
    }

    /// Records a change by another program that was merged, given as its diff.
    pub(crate) fn add_foreign_change(&mut self, diff: Option<&str>) {
        self.push_once(diff.map(|diff| {
            message!(
                "the file had changed since it was read; that change is kept:\n{}",
                FileText(truncate(diff, 8_000))
            )
        }));
    }

    pub(crate) fn push(&mut self, sentence: Message) {
        self.sentences.push(sentence);
    }

    /// Records a sentence once, which several edits of one file may share.
    pub(crate) fn push_once(&mut self, sentence: Option<Message>) {
        self.sentences
            .extend(sentence.filter(|told| !self.sentences.contains(told)));
    }

    /// Returns the sentences and charges them to the answer's budget.
    pub(crate) fn into_charged_sentences(self, context: &CallContext<'_>) -> Vec<Message> {
        let audience = context.engine().audience();
        let lengths = self
            .sentences
            .iter()
            .map(|note| context.length(&note.render(audience)));
        context.charge_sentence(lengths.sum());
        self.sentences
    }

    pub(crate) fn into_sentences(self) -> Vec<Message> {
        self.sentences
    }
}

/// How many lines precede a document that is only a part of its file, in the old and in the new version.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LineOffsets {
    pub(crate) old: i64,
    pub(crate) new: i64,
}

impl LineOffsets {
    fn shift_hunks(self, hunks: &mut [Hunk]) {
        for hunk in hunks {
            hunk.old_start = shift_line(hunk.old_start, self.old);
            hunk.new_start = shift_line(hunk.new_start, self.new);
        }
    }
}

fn shift_line(line: usize, by: i64) -> usize {
    usize::try_from(i64::try_from(line).unwrap_or(i64::MAX).saturating_add(by)).unwrap_or_default()
}

/// Makes the view of changes to a document, and the old lines that it shows whole.
pub(crate) fn change_view(
    context: &CallContext<'_>,
    document: &Document<'_>,
    changes: &[Change],
    notes: Notes,
    numbers: LineOffsets,
) -> (ChangeView, Vec<Range<usize>>) {
    let notices = notes.into_charged_sentences(context);
    let contexts = (PATCH_CONTEXT, SHOWN_CONTEXT);
    let (mut patch, around) = hunks_in_contexts(document.view(), document, changes, contexts);
    let shown = match around.filter(|around| !around.coarse) {
        None => ShownLines::without_lines(outline_unshown_changes(&patch.blocks, numbers)),
        Some(around) => {
            let gutter = context.engine().settings.read.gutter;
            render_numbered_lines(context, &around.hunks, numbers.new, gutter)
        }
    };
    numbers.shift_hunks(&mut patch.hunks);
    let view = ChangeView {
        added: patch.added,
        removed: patch.removed,
        coarse: patch.coarse,
        lines: patch
            .blocks
            .iter()
            .map(|(_, new)| {
                shift_line(new.start + 1, numbers.new)..shift_line(new.end + 1, numbers.new)
            })
            .collect(),
        patch: patch.hunks,
        body: shown.body,
        notices,
        numbered: shown.numbered,
        ..ChangeView::default()
    };
    (view, shown.old)
}

/// Makes the view of changes that only gives the numbers of their lines.
pub(crate) fn unshown_view(
    context: &CallContext<'_>,
    document: &Document<'_>,
    changes: &[Change],
    notes: Notes,
) -> ChangeView {
    let notices = notes.into_charged_sentences(context);
    let patch = hunks_of_changes(document.view(), document, changes, PATCH_CONTEXT);
    let lines: Vec<Range<usize>> = patch
        .blocks
        .iter()
        .map(|(_, new)| new.start + 1..new.end + 1)
        .collect();
    // Where lines were removed, the line that is now in their place is named.
    let numbers = lines
        .iter()
        .flat_map(|lines| lines.start..lines.end.max(lines.start + 1));
    let numbers = numbers.take(MAX_SHOWN_LINES);
    let body = format!("changed: {}\n", name_lines(numbers.collect(), 20));
    context.charge_sentence(context.length(&body));
    ChangeView {
        added: patch.added,
        removed: patch.removed,
        coarse: patch.coarse,
        lines,
        patch: patch.hunks,
        body,
        notices,
        ..ChangeView::default()
    }
}

/// The text that an answer shows of the lines around changes.
#[derive(Default)]
struct ShownLines {
    body: String,
    /// The lines of the old version that are shown whole, counted from 0.
    old: Vec<Range<usize>>,
    /// The lines of the new version that are shown with their numbers, counted from 1.
    numbered: Vec<Range<usize>>,
}

impl ShownLines {
    /// Returns a text that shows no line.
    fn without_lines(body: String) -> Self {
        Self {
            body,
            ..Self::default()
        }
    }

    fn add_number(&mut self, number: usize) {
        match self.numbered.last_mut() {
            Some(last) if last.end == number => last.end += 1,
            _ => self.numbered.push(number..number + 1),
        }
    }
}

/// Lists the line numbers of changes that are too long to show.
pub(crate) fn outline_unshown_changes(
    blocks: &[(Range<usize>, Range<usize>)],
    numbers: LineOffsets,
) -> String {
    // An empty side names the line before it, as in a unified diff.
    let start = |lines: &Range<usize>| lines.start + usize::from(!lines.is_empty());
    let mut hunks: Vec<Hunk> = blocks
        .iter()
        .map(|(old, new)| Hunk {
            old_start: start(old),
            old_lines: old.len(),
            new_start: start(new),
            new_lines: new.len(),
            lines: Vec::new(),
        })
        .collect();
    numbers.shift_hunks(&mut hunks);
    format!("changed, too long to show: {}\n", outline_hunks(&hunks))
}

/// Renders hunks as numbered lines of the new version, as many as fit, and returns the ranges of old lines that were
/// shown whole.
fn render_numbered_lines(
    context: &CallContext<'_>,
    hunks: &[Hunk],
    before: i64,
    gutter: Gutter,
) -> ShownLines {
    let mut shown = ShownLines::default();
    let mut lines = 0;
    for (at, hunk) in hunks.iter().enumerate() {
        if lines >= MAX_SHOWN_LINES {
            shown.body.push_str(&format!(
                "… and {} further on\n",
                format_count(hunks.len() - at, "change")
            ));
            break;
        }
        if at > 0 {
            shown.body.push_str("…\n");
        }
        let mut new_line = hunk.new_start;
        let mut old_line = hunk.old_start.saturating_sub(1);
        // Old lines that were replaced count as shown only if all the new lines that follow are shown whole.
        let mut replaced = Vec::new();
        let mut whole = true;
        for line in &hunk.lines {
            let (mark, text) = line.split_at(line.len().min(1));
            match mark {
                "-" => {
                    replaced.push((old_line..old_line + 1, is_whole(text)));
                    old_line += 1;
                    continue;
                }
                " " | "+" => {}
                _ => continue,
            }
            if mark == " " {
                count_replaced_as_shown(
                    &mut replaced,
                    whole && lines <= MAX_SHOWN_LINES,
                    &mut shown.old,
                );
                whole = true;
            } else {
                whole &= is_whole(text);
            }
            let told = match text.len() <= MAX_LINE_LENGTH {
                true => Cow::Borrowed(text),
                false => Cow::Owned(truncate(text, MAX_LINE_LENGTH)),
            };
            let length = context.length(&told) + GUTTER_LENGTH;
            if lines < MAX_SHOWN_LINES && context.budget.try_charge_lines(length) {
                let number = shift_line(new_line, before);
                let anchored = Some(text).filter(|text| is_whole(text));
                gutter.write_number(&mut shown.body, number, anchored);
                shown.add_number(number);
                shown.body.push_str(&told);
                shown.body.push('\n');
                if mark == " " && is_whole(text) {
                    push_lines(&mut shown.old, old_line..old_line + 1);
                }
                lines += 1;
            } else if lines <= MAX_SHOWN_LINES {
                // After the first line that does not fit, nothing more is shown.
                shown.body.push_str("…\n");
                lines = MAX_SHOWN_LINES + 1;
            }
            new_line += 1;
            if mark == " " {
                old_line += 1;
            }
        }
        count_replaced_as_shown(
            &mut replaced,
            whole && lines <= MAX_SHOWN_LINES,
            &mut shown.old,
        );
    }
    shown
}

/// Returns whether an answer shows a line in full.
pub(super) fn is_whole(text: &str) -> bool {
    text.len() <= MAX_LINE_LENGTH || text.chars().nth(MAX_LINE_LENGTH).is_none()
}

/// Counts replaced lines as shown if the lines that replace them were shown.
fn count_replaced_as_shown(
    replaced: &mut Vec<(Range<usize>, bool)>,
    all_shown: bool,
    shown: &mut Vec<Range<usize>>,
) {
    for (lines, whole) in replaced.drain(..) {
        if whole && all_shown {
            push_lines(shown, lines);
        }
    }
}

/// Adds lines to a list of ranges in ascending order; those that follow the last range extend it.
fn push_lines(shown: &mut Vec<Range<usize>>, lines: Range<usize>) {
    match shown.last_mut() {
        Some(last) if last.end == lines.start => last.end = lines.end,
        _ => shown.push(lines),
    }
}
