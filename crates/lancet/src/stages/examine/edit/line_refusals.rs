//! The refusals for line numbers that match no lines, lines other than expected, or two blocks of lines.

use serde_json::json;

use super::edit_session::EditSession;
use super::line_range::LineBlock;
use super::source::TextSource;
use crate::message::{CALL_VERB, Message, SEND_THIS_AGAIN, message, verbatim};
use crate::next_call::Remedy;
use crate::refusal::{Refusal, RefusalKind};
use crate::request::LineRange;
use crate::wording::{format_count, quote_path, truncate};

/// The most characters of a line that a refusal quotes.
const MAX_QUOTED_LENGTH: usize = 300;

impl<S: TextSource> EditSession<'_, S> {
    /// Returns the refusal for numbers that are never valid.
    pub(super) fn no_lines_refusal(&self, range: &LineRange) -> Refusal {
        let text = message!(
            "start_line {} and end_line {} name no lines: lines count from 1, and the last is not before the first.",
            range.start,
            range.end
        );
        Refusal::from_message(RefusalKind::Invalid, text)
            .with_field("file_path", quote_path(self.target.path()))
    }

    /// Returns the refusal for lines past the end of the file.
    pub(super) fn past_the_end_refusal(&self, first: u64, last: u64) -> Refusal {
        let path = quote_path(self.target.path());
        let text = message!(
            "{} has {}, and the call names {}. Send numbers of lines that are there.",
            &path,
            verbatim(format_count(self.source.line_count(), "line")),
            numbers(first, last)
        );
        Refusal::from_message(RefusalKind::Invalid, text).with_field("file_path", path)
    }

    /// Returns the refusal for lines that are not as expected: it quotes them, and says where the intended lines are.
    pub(super) fn unexpected_lines_refusal(
        &self,
        range: &LineRange,
        now: Option<&LineBlock>,
    ) -> Result<Refusal, Refusal> {
        let path = quote_path(self.target.path());
        let mut text = message!(
            "expect differs from {} of {}.",
            numbers(range.start, range.end),
            &path
        );
        let [first, last] = &range.expect;
        let mut entries = vec![(range.start, first)];
        if range.end > range.start || first != last {
            entries.push((range.end, last));
        }
        let mut data = Vec::new();
        for (number, entry) in entries {
            let line = usize::try_from(number).unwrap_or(usize::MAX);
            if line > self.source.line_count() {
                text.push(message!("\nThere is no line {}.", number));
                continue;
            }
            let span = self.source.line_span(line - 1)?;
            let told = match self.is_expected(&span, entry, number)? {
                true => message!("as expected"),
                false => message!("and expect has {}", verbatim(quote_line(entry))),
            };
            // A longer text is cut anyway, and a character has at most four bytes.
            let end = span.text_end.min(span.start + 4 * (MAX_QUOTED_LENGTH + 1));
            let stands = self.source.text_of(span.start..end)?;
            text.push(message!(
                "\nLine {} is {}, {}.",
                number,
                verbatim(quote_line(&stands)),
                told
            ));
            data.push(json!({ "line": number, "text": truncate(&stands, MAX_QUOTED_LENGTH) }));
        }
        text.push(match now {
            Some(block) => message!("\nThe lines that were shown with these numbers are now {}: send these numbers if those lines are meant.", block.numbers()),
            None => {
                message!("\nSend the numbers of the lines that are meant, and their text as it is.")
            }
        });
        Ok(Refusal::from_message(RefusalKind::NotFound, text)
            .with_field("file_path", path)
            .with_field("lines", data))
    }

    /// Returns the refusal for numbers that fit both the lines that have them now and the lines that were shown with
    /// them.
    pub(super) fn two_readings_refusal(
        &self,
        range: &LineRange,
        standing: &LineBlock,
        moved: &LineBlock,
    ) -> Refusal {
        let path = quote_path(self.target.path());
        let text = message!(
            "expect fits {} of {} as the file is now, and {}, where the lines are now that were shown with these numbers. For those send their new numbers; for the former call {} and {}.",
            numbers(range.start, range.end),
            &path,
            moved.numbers(),
            verbatim(self.read_block_call(standing)),
            SEND_THIS_AGAIN
        );
        Refusal::from_message(RefusalKind::Ambiguous, text)
            .with_field("file_path", path)
            .with_field(
                "places",
                vec![standing.numbers_as_json(), moved.numbers_as_json()],
            )
    }

    /// Returns the refusal for numbers where it is unknown which lines were shown with them.
    pub(super) fn unknown_numbers_refusal(&self, block: &LineBlock) -> Refusal {
        let path = quote_path(self.target.path());
        let text = message!(
            "Lines of {} have moved since the numbers of {} were shown. {} {} and {}.",
            &path,
            block.numbers(),
            CALL_VERB,
            verbatim(self.read_block_call(block)),
            SEND_THIS_AGAIN
        );
        let (first, last) = (*block.lines.start(), *block.lines.end());
        Refusal::from_message(RefusalKind::NotRead, text)
            .with_remedy(Remedy::read_lines(Some(first + 1), Some(last - first + 1)))
            .with_field("file_path", path)
    }

    /// Returns the sentence about lines that were found under other numbers.
    pub(super) fn moved_lines_sentence(&self, range: &LineRange, block: &LineBlock) -> Message {
        message!(
            "what was shown as {} is now {}, moved by earlier edits of this session",
            numbers(range.start, range.end),
            block.numbers()
        )
    }

    fn read_block_call(&self, block: &LineBlock) -> String {
        let lines = block.lines.end() - block.lines.start() + 1;
        let first = block.lines.start() + 1;
        let path = self.target.path();
        self.context.read_call(path, Some(first), Some(lines))
    }
}

impl LineBlock {
    /// Returns the numbers of the lines, for a message.
    pub(super) fn numbers(&self) -> Message {
        let (first, last) = (self.lines.start() + 1, self.lines.end() + 1);
        numbers(first as u64, last as u64)
    }

    fn numbers_as_json(&self) -> serde_json::Value {
        json!({ "startLine": self.lines.start() + 1, "endLine": self.lines.end() + 1 })
    }
}

fn numbers(first: u64, last: u64) -> Message {
    match first == last {
        true => message!("line {}", first),
        false => message!("lines {}-{}", first, last),
    }
}

/// Returns a line in quotes, with tabs and control characters made visible.
fn quote_line(text: &str) -> String {
    json!(truncate(text, MAX_QUOTED_LENGTH)).to_string()
}
