//! Formatters: the new text of a file is passed through the program that the settings name for it, inside the same
//! plan, so that approver, history, ledger and answer see the formatted text. A formatter that fails changes nothing,
//! and the answer reports it.

mod run;

use std::ops::Range;

use lancet_text::{
    Change, Document, Encoding, LineStarts, LineTable as _, RawChange, apply_changes, apply_raw,
    difference,
};

use self::run::{
    DecodingLoss, FormatResult, command_name, find_formatter, not_formatted_sentence, run,
};
use super::edit::source::CombinedChanges;
use super::read_state::DIFF_BUDGET;
use super::view::{LineOffsets, Notes, change_view, is_whole};
use crate::ledger::raw_lines;
use crate::message::{Message, message, verbatim};
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::plan::ChangeView;
use crate::wording::name_lines;

/// How many lines outside an edit are named.
const MAX_NAMED_LINES: usize = 20;

/// The effect of a formatter on a plan.
#[derive(Default)]
pub(crate) struct FormatterEffect {
    /// The sentence of the answer about it.
    pub(crate) notice: Option<Message>,
    /// The lines of the new text that the formatter wrote, from 0.
    pub(crate) lines: Vec<Range<usize>>,
}

/// Formats the result of edits. Where that is impossible, the edits are not changed.
pub(super) fn format_edits(
    context: &CallContext<'_>,
    target: &Target,
    document: &Document<'_>,
    laid: &mut CombinedChanges,
) -> FormatterEffect {
    // Without a formatter the new text is not even assembled.
    if find_formatter(context, target).is_none() {
        return FormatterEffect::default();
    }
    let decoded = DecodingLoss::from_document(document);
    let sent = apply_changes(document.view(), &laid.changes);
    let (text, by) = match run(context, target, document.view(), (&sent, decoded)) {
        FormatResult::Unchanged => return FormatterEffect::default(),
        FormatResult::Failed(notice) => {
            return FormatterEffect::with_notice(message!("{}", verbatim(notice)));
        }
        FormatResult::Text { text, by } => (text, by),
    };
    let changes = line_changes(document.view(), &text);
    let raw = match document.raw_changes(&changes) {
        Ok(raw) if encodes_text_exactly(document, &apply_raw(document.raw(), &raw), &text) => raw,
        _ => return FormatterEffect::with_notice(not_lossless_message(&by, document.encoding())),
    };
    let blocks = difference(&sent, &text, 0, DIFF_BUDGET).blocks;
    let notice = formatter_notice(&by, &sent, &laid.changes, &blocks);
    (laid.changes, laid.raw) = (changes, raw);
    FormatterEffect {
        notice: Some(notice),
        lines: blocks.into_iter().map(|(_, new)| new).collect(),
    }
}

/// Returns the notice for a file that is too large for memory although a formatter is named for it.
pub(super) fn too_large_to_format(context: &CallContext<'_>, target: &Target) -> FormatterEffect {
    let formatter = find_formatter(context, target);
    let words = |formatter| {
        not_formatted_sentence(&command_name(formatter), "the file is too large for it")
    };
    FormatterEffect {
        notice: formatter
            .map(words)
            .map(|words| message!("{}", verbatim(words))),
        lines: Vec::new(),
    }
}

/// The content of a file that is written whole, after formatting.
pub(super) struct FormattedFile {
    pub(super) bytes: Vec<u8>,
    /// The sentence of the answer about the formatter.
    pub(super) notice: Option<Message>,
    /// The change that the formatter made, for the answer; empty where it changed nothing.
    pub(super) body: String,
    /// The bytes that the formatter wrote and the answer does not show.
    pub(super) unshown: Vec<Range<u64>>,
}

/// Formats a file that is written whole. `old` is the text that it replaces.
pub(super) fn format_file(
    context: &CallContext<'_>,
    target: &Target,
    old: &str,
    bytes: Vec<u8>,
    encoding: Encoding,
) -> FormattedFile {
    let as_sent = |bytes: Vec<u8>, notice| FormattedFile {
        bytes,
        notice,
        body: String::new(),
        unshown: Vec::new(),
    };
    if find_formatter(context, target).is_none() {
        return as_sent(bytes, None);
    }
    let Ok(document) = Document::decode(&bytes, Some(encoding)) else {
        return as_sent(bytes, None);
    };
    let sent = (document.view(), DecodingLoss::from_document(&document));
    let (text, by) = match run(context, target, old, sent) {
        FormatResult::Unchanged => return as_sent(bytes, None),
        FormatResult::Failed(notice) => {
            return as_sent(bytes, Some(message!("{}", verbatim(notice))));
        }
        FormatResult::Text { text, by } => (text, by),
    };
    let changes = line_changes(document.view(), &text);
    let made = document.raw_changes(&changes);
    let made = made.map(|raw| apply_raw(document.raw(), &raw));
    let made = match made {
        Ok(made) if encodes_text_exactly(&document, &made, &text) => made,
        _ => {
            let notice = not_lossless_message(&by, document.encoding());
            return as_sent(bytes, Some(notice));
        }
    };
    let (view, _) = change_view(
        context,
        &document,
        &changes,
        Notes::default(),
        LineOffsets::default(),
    );
    let lines = difference(document.view(), &text, 0, DIFF_BUDGET).blocks;
    let lines: Vec<Range<usize>> = lines.into_iter().map(|(_, new)| new).collect();
    let unshown = Document::decode(&made, Some(encoding)).map_or_else(
        |_| std::iter::once(0..made.len() as u64).collect(),
        |document| unshown_formatted_lines(&document, &view, &lines),
    );
    FormattedFile {
        bytes: made,
        notice: Some(message!("formatted by {}", verbatim(&by))),
        body: format!("{by} changed:\n{}", view.body),
        unshown,
    }
}

/// Returns the bytes of lines that a formatter wrote and an answer does not show whole, in the result of these changes.
pub(super) fn unshown_lines_after_format(
    document: &Document<'_>,
    changes: &[RawChange],
    view: &ChangeView,
    lines: &[Range<usize>],
) -> Vec<Range<u64>> {
    if lines.is_empty() {
        return Vec::new();
    }
    let result = apply_raw(document.raw(), changes);
    match Document::decode(&result, Some(document.encoding())) {
        Ok(document) => unshown_formatted_lines(&document, view, lines),
        Err(_) => std::iter::once(0..result.len() as u64).collect(),
    }
}

/// Returns the bytes of lines that a formatter wrote and an answer does not show whole.
pub(crate) fn unshown_formatted_lines(
    document: &Document<'_>,
    view: &ChangeView,
    lines: &[Range<usize>],
) -> Vec<Range<u64>> {
    let is_shown = |line: usize| {
        let number = line + 1;
        view.numbered.iter().any(|shown| shown.contains(&number))
            && is_whole(&document.view()[document.line_range(line)])
    };
    let all = lines.iter().flat_map(Clone::clone);
    let within = all.filter(|line| *line < document.line_count());
    within
        .filter(|line| !is_shown(*line))
        .map(|line| raw_lines(document, line..line + 1))
        .collect()
}

impl FormatterEffect {
    fn with_notice(notice: Message) -> Self {
        Self {
            notice: Some(notice),
            lines: Vec::new(),
        }
    }
}

/// Returns the changes, by whole lines, that turn one text into another.
pub(crate) fn line_changes(old: &str, new: &str) -> Vec<Change> {
    let (old_lines, new_lines) = (LineStarts::new(old), LineStarts::new(new));
    let start = |lines: &LineStarts, text: &str, line: usize| match line < lines.line_count() {
        true => lines.line_range(line).start,
        false => text.len(),
    };
    let bytes = |lines: &LineStarts, text: &str, block: &Range<usize>| {
        start(lines, text, block.start)..start(lines, text, block.end)
    };
    let blocks = line_blocks(old, new);
    let changes = blocks.iter().map(|(gone, come)| Change {
        range: bytes(&old_lines, old, gone),
        text: new[bytes(&new_lines, new, come)].to_owned(),
    });
    changes.collect()
}

/// Returns the runs of lines, from 0, in which two texts differ.
pub(crate) fn line_blocks(old: &str, new: &str) -> Vec<(Range<usize>, Range<usize>)> {
    difference(old, new, 0, DIFF_BUDGET).blocks
}

/// Returns whether bytes encode exactly this text in the encoding of the document.
fn encodes_text_exactly(document: &Document<'_>, bytes: &[u8], text: &str) -> bool {
    let made = Document::decode(bytes, Some(document.encoding()));
    made.is_ok_and(|made| made.view() == text && made.encoding() == document.encoding())
}

fn not_lossless_message(by: &str, encoding: Encoding) -> Message {
    message!(
        "not formatted: what {} gave cannot be written as {} without loss, so the text is as it was sent",
        verbatim(by),
        verbatim(encoding.name())
    )
}

/// Returns the lines of a formatted block, from 1, that are outside the edited lines of the text that was formatted. If
/// an edit lies inside the block, these are the lines before and after the edited ones.
fn lines_outside(old: &Range<usize>, new: &Range<usize>, edited: &[Range<usize>]) -> Vec<usize> {
    let end = old.end.max(old.start + 1);
    let touching = |span: &&Range<usize>| span.start < end && old.start < span.end;
    let first = edited.iter().filter(touching).map(|span| span.start).min();
    let last = edited.iter().filter(touching).map(|span| span.end).max();
    let (Some(first), Some(last)) = (first, last) else {
        // Removed lines are named by the line before them.
        return match new.is_empty() {
            true => vec![new.start.max(1)],
            false => (new.start + 1..new.end + 1).collect(),
        };
    };
    let before = first.saturating_sub(old.start).min(new.len());
    let after = old.end.saturating_sub(last).min(new.len() - before);
    let before = new.start..new.start + before;
    let after = new.end - after..new.end;
    before.chain(after).map(|line| line + 1).collect()
}

/// Returns the sentence about a formatter: which lines outside the edit it changed.
fn formatter_notice(
    by: &str,
    sent: &str,
    changes: &[Change],
    blocks: &[(Range<usize>, Range<usize>)],
) -> Message {
    let lines = LineStarts::new(sent);
    let mut grown = 0isize;
    let edited: Vec<Range<usize>> = changes
        .iter()
        .map(|change| {
            let start = change.range.start.saturating_add_signed(grown);
            grown += change.text.len() as isize - change.range.len() as isize;
            let end = start + change.text.len();
            // New text that ends in a newline does not extend into the next line.
            let last = end.saturating_sub(usize::from(change.text.ends_with('\n')));
            lines.line_of(start.min(sent.len()))..lines.line_of(last.min(sent.len())) + 1
        })
        .collect();
    let named = blocks
        .iter()
        .flat_map(|(old, new)| lines_outside(old, new, &edited));
    let named: Vec<usize> = named.collect();
    match named.is_empty() {
        true => message!("formatted by {}", verbatim(by)),
        false => message!(
            "formatted by {}, which also changed text outside the edit, at {}",
            verbatim(by),
            verbatim(name_lines(named, MAX_NAMED_LINES))
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_formatted_lines_outside_edit() {
        // Line 2 was edited; the formatter changed lines 1 and 2, and made two lines of line 4.
        let second = 1..2;
        let edited = std::slice::from_ref(&second);
        assert_eq!(lines_outside(&(0..2), &(0..2), edited), [1]);
        assert_eq!(lines_outside(&(3..4), &(3..5), edited), [4, 5]);
        assert_eq!(lines_outside(&(1..2), &(1..4), edited), [] as [usize; 0]);
        assert_eq!(lines_outside(&(1..3), &(1..4), edited), [4]);
    }
}
