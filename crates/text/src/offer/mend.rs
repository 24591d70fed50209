//! The new text without the flaw that the old text has, and the sentences about both.

use std::cell::Cell;

use super::flaws::{Taken, doubled};
use super::gaps::is_gap;
use super::merge::merge;
use super::tokens::merge_words;
use super::{NewText, Quote};
use crate::leak::{Separator, quoted as shown};

/// Bytes of the texts that are merged.
const MERGED_MOST: usize = 256 << 10;

/// A line that stands for all lines with a gap.
const GAP: &str = "...";

/// A text by its lines.
pub(super) struct Sent<'t> {
    pub(super) lines: Vec<&'t str>,
    pub(super) ended: bool,
}

impl<'t> Sent<'t> {
    pub(super) fn of(text: &'t str) -> Sent<'t> {
        let bare = text.strip_suffix('\n');
        Sent {
            lines: bare.unwrap_or(text).split('\n').collect(),
            ended: bare.is_some(),
        }
    }

    /// Other lines with the same end.
    pub(super) fn with(&self, lines: &[&str]) -> String {
        let mut text = lines.join("\n");
        if self.ended {
            text.push('\n');
        }
        text
    }
}

/// A new text, looked at for the flaws of the old one.
pub(super) struct Mended {
    pub(super) new: NewText,
    pub(super) flaws: Vec<String>,
    /// Whether lines that stand for more were filled in.
    pub(super) filled: bool,
}

impl Mended {
    /// The new text to send with the file's text `there` for the old one.
    pub(super) fn of(quote: &Quote<'_>, there: &str, new: &str) -> Mended {
        let mut flaws = Vec::new();
        let sent = Sent::of(new);
        let mut ours = quote.taken.off(&sent.lines);
        let too = |has: bool, words: &'static str| if has { words } else { "" };
        if quote.taken.fence {
            let both = ours.len() < sent.lines.len();
            flaws.push(format!(
                "The code fence around old_string is not in the file{}: leave it out.",
                too(both, ", and new_string has one too")
            ));
        }
        if let Some(separator) = quote.taken.numbers {
            let count = |lines: &[&str], bare: &[&str]| {
                lines
                    .iter()
                    .zip(bare)
                    .filter(|(line, bare)| line != bare)
                    .count()
            };
            let unfenced = Taken {
                numbers: None,
                ..quote.taken
            }
            .off(&sent.lines);
            let both = count(&unfenced, &ours) > 0;
            let form = match separator {
                Separator::Arrow => "`N→`",
                Separator::Tab => "a number and a tab",
                Separator::Colon => "`N:`",
                Separator::Bar => "`N | `",
            };
            flaws.push(format!(
                "The line numbers in old_string ({form}) are not the file's text, and do not stand before every line as those of its lines{}: leave them out.",
                too(both, ", and new_string has them too")
            ));
        }
        if let Some(&first) = quote.doubled.first() {
            let again = doubled(&ours);
            let both = !again.is_empty();
            flaws.push(format!(
                "old_string has the line {} twice, the file has it once{}.",
                shown(quote.quoted[first]),
                too(both, "; new_string repeats a line too")
            ));
            let mut at = 0;
            ours.retain(|_| {
                at += 1;
                again.binary_search(&(at - 1)).is_err()
            });
        }
        let gaps = |lines: &[&str]| lines.iter().filter(|line| is_gap(line)).count();
        let there_lines = Sent::of(there);
        let filled = gaps(quote.plain) > gaps(&there_lines.lines);
        let gaps_left = filled && gaps(&ours) > 0;
        if filled {
            flaws.push(format!(
                "A line that is only `...` stands for nothing: Edit takes no gaps{}.",
                too(gaps_left, ", and in new_string it would replace the text")
            ));
        }
        let known = !gaps_left || gaps(&ours) == gaps(quote.plain);
        if new.is_empty() {
            return Mended {
                new: NewText::AsSent,
                flaws,
                filled,
            };
        }
        let merged = if known {
            merged(quote, &ours, &there_lines.lines)
        } else {
            Merge::Unknown
        };
        let new_text = match merged {
            Merge::Lines(lines) => {
                let mut text = lines.join("\n");
                // A file that ends without a newline keeps its end.
                if sent.ended && (there_lines.ended || !quote.ended) {
                    text.push('\n');
                }
                if text == new {
                    NewText::AsSent
                } else {
                    NewText::Instead(text)
                }
            }
            Merge::Unknown => NewText::Unknown,
            Merge::TooLong if gaps_left => NewText::Unknown,
            Merge::TooLong => {
                let text = sent.with(&ours);
                if text == new {
                    NewText::AsSent
                } else {
                    NewText::Instead(text)
                }
            }
        };
        if new_text == NewText::Unknown && flaws.is_empty() {
            flaws.push("The file has a blank line more where new_string puts text.".to_owned());
        }
        if matches!(new_text, NewText::Instead(_)) && flaws.is_empty() {
            flaws.push(
                "new_string has the same difference where it should keep the file's text."
                    .to_owned(),
            );
        }
        Mended {
            new: new_text,
            flaws,
            filled,
        }
    }
}

/// The new lines with what the file has where the old text is wrong and the new one alike.
fn merged(quote: &Quote<'_>, ours: &[&str], there: &[&str]) -> Merge {
    let size = |lines: &[&str]| lines.iter().map(|line| line.len() + 1).sum::<usize>();
    if size(quote.plain) + size(ours) + size(there) > MERGED_MOST {
        return Merge::TooLong;
    }
    let is_there = |line: &str| there.iter().any(|other| *other == line);
    let even = |lines: &[&str]| -> Vec<String> {
        let gap = |line: &&str| is_gap(line) && !is_there(line);
        let even = lines.iter().map(|line| if gap(line) { GAP } else { *line });
        even.map(str::to_owned).collect()
    };
    let (base, ours) = (even(quote.plain), even(ours));
    let theirs: Vec<String> = there.iter().map(|line| (*line).to_owned()).collect();
    // Lines that the new text puts where the file has a blank line more: on which side of it cannot be told.
    let unknown = Cell::new(false);
    let by_words = |base: &[String], ours: &[String], theirs: &[String]| {
        let blank = theirs.iter().all(|line| line.trim().is_empty());
        if base.is_empty() && blank && !theirs.is_empty() {
            unknown.set(true);
        }
        merge_words(&strs(base), &strs(ours), &strs(theirs))
    };
    let lines = merge(&base, &ours, &theirs, &by_words);
    match (lines, unknown.get()) {
        (_, true) => Merge::Unknown,
        (Some(lines), false) => Merge::Lines(lines),
        (None, false) => Merge::TooLong,
    }
}

/// What came of a merge.
enum Merge {
    Lines(Vec<String>),
    /// What was meant cannot be told.
    Unknown,
    TooLong,
}

fn strs(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}
