//! Corrects the new text by the flaws of the old text, and writes the sentences about both.

use std::cell::Cell;

use memchr::memmem;

use super::correction::NewText;
use super::flaws::{StrippedParts, repeated_line_indexes};
use super::merge::merge_lists;
use super::quote::QuotedText;
use super::tokens::{exchanged_words, merge_words, tokenize};
use crate::clause::ClausePart::{NewText as NewName, OldText as OldName};
use crate::clause::{Clause, clause};
use crate::leak::{Separator, quote_line_start as shown};

/// Texts of more bytes than this, together, are not merged.
const MAX_MERGED_BYTES: usize = 256 << 10;

/// In texts of more bytes than this, together, words are not compared.
const MAX_WORD_COMPARED_BYTES: usize = 16 << 10;

/// The number of occurrences of a word that are checked.
const MAX_CHECKED_OCCURRENCES: usize = 10_000;

/// The lines of a text that a model sent, and whether the last one ends in a newline. An empty text is one empty line.
pub(super) struct SentLines<'t> {
    pub(super) lines: Vec<&'t str>,
    pub(super) ended: bool,
}

impl<'t> SentLines<'t> {
    pub(super) fn from_text(text: &'t str) -> SentLines<'t> {
        let bare = text.strip_suffix('\n');
        SentLines {
            lines: bare.unwrap_or(text).split('\n').collect(),
            ended: bare.is_some(),
        }
    }

    /// Returns the lines of a text that goes with one that ends in a newline or not. If only this text ends in one, it
    /// has a further, empty line at its end.
    pub(super) fn from_text_paired_with(text: &'t str, other_ended: bool) -> SentLines<'t> {
        match other_ended {
            true => SentLines::from_text(text),
            false => SentLines {
                lines: text.split('\n').collect(),
                ended: false,
            },
        }
    }

    /// Returns other lines with the same ending.
    pub(super) fn join_with_same_ending(&self, lines: &[&str]) -> String {
        let mut text = lines.join("\n");
        if self.ended {
            text.push('\n');
        }
        text
    }
}

/// The corrected new text, and the flaws that were found.
pub(super) struct MendedText {
    pub(super) new: NewText,
    pub(super) flaws: Vec<Clause>,
}

impl MendedText {
    /// Corrects the new text; `there` is the text of the file for the old text.
    pub(super) fn from_quote(
        quote: &QuotedText<'_>,
        view: &str,
        there: &str,
        new: &str,
    ) -> MendedText {
        let mut flaws = Vec::new();
        let sent = SentLines::from_text_paired_with(new, quote.ended);
        let mut ours = quote.stripped.strip(&sent.lines);
        if quote.stripped.fence {
            flaws.push(fence_flaw(ours.len() < sent.lines.len()));
        }
        if let Some(separator) = quote.stripped.numbers {
            flaws.push(numbers_flaw(quote, separator, &sent.lines, &ours));
        }
        flaws.extend(drop_repeated_lines(quote, &mut ours));
        if new.is_empty() {
            return MendedText {
                new: NewText::AsSent,
                flaws,
            };
        }
        let new_text = corrected_new_text(quote, view, there, new, &sent, &ours);
        if new_text == NewText::Unknown && flaws.is_empty() {
            flaws.push(clause![
                "Where ",
                OldName,
                " differs from the file, it is unclear what ",
                NewName,
                " should have."
            ]);
        }
        if matches!(new_text, NewText::Instead(_)) && flaws.is_empty() {
            flaws.push(clause![
                NewName,
                " has the same difference where it should keep the file's text."
            ]);
        }
        MendedText {
            new: new_text,
            flaws,
        }
    }
}

/// Returns the flaw of a code fence around the old text, and perhaps around the new one.
fn fence_flaw(both: bool) -> Clause {
    match both {
        true => clause![
            "The code fence around ",
            OldName,
            " is not in the file, and ",
            NewName,
            " has one too: leave it out."
        ],
        false => clause![
            "The code fence around ",
            OldName,
            " is not in the file: leave it out."
        ],
    }
}

/// Returns the flaw of line numbers before the lines of the old text; `ours` are the lines of the new text without
/// theirs.
fn numbers_flaw(
    quote: &QuotedText<'_>,
    separator: Separator,
    sent: &[&str],
    ours: &[&str],
) -> Clause {
    let unfenced = StrippedParts {
        numbers: None,
        ..quote.stripped
    }
    .strip(sent);
    let both = unfenced.iter().zip(ours).any(|(line, bare)| line != bare);
    let form = match separator {
        Separator::Arrow => "`N→`",
        Separator::Anchor => "`N:abc→`",
        Separator::Tab => "a number and a tab",
        Separator::Colon => "`N:`",
        Separator::Bar => "`N | `",
    };
    let numbered = format!(
        " has line numbers ({form}) that are not those of its lines, or not before every line"
    );
    match both {
        true => clause![
            OldName,
            numbered,
            ", and so has ",
            NewName,
            ": leave them out."
        ],
        false => clause![OldName, numbered, ": leave them out."],
    }
}

/// Removes from the new text's lines those that it repeats as the old text does, and returns the flaw; `None` where the
/// old text repeats no line.
fn drop_repeated_lines(quote: &QuotedText<'_>, ours: &mut Vec<&str>) -> Option<Clause> {
    let &first = quote.doubled.first()?;
    // Other lines that the new text repeats may be intended: the file may have them twice as well.
    let is_same = |&at: &usize| {
        let mut lines = quote.doubled.iter();
        lines.any(|&index| quote.quoted[index].trim() == ours[at].trim())
    };
    let again: Vec<usize> = repeated_line_indexes(ours)
        .into_iter()
        .filter(is_same)
        .collect();
    let twice = format!(
        " has the line {} twice, the file has it once",
        shown(quote.quoted[first])
    );
    let mut at = 0;
    ours.retain(|_| {
        at += 1;
        again.binary_search(&(at - 1)).is_err()
    });
    Some(match again.is_empty() {
        false => clause![OldName, twice, "; ", NewName, " has it twice too."],
        true => clause![OldName, twice, "."],
    })
}

/// Returns the new text with the file's text where the old text should have had it; `ours` are its intended lines.
fn corrected_new_text(
    quote: &QuotedText<'_>,
    view: &str,
    there: &str,
    new: &str,
    sent: &SentLines<'_>,
    ours: &[&str],
) -> NewText {
    let there_lines = SentLines::from_text_paired_with(there, quote.ended);
    let text = match merge_with_file(quote, ours, &there_lines.lines) {
        MergeOutcome::Lines(lines) => {
            let wrong = wrong_words(view, quote, there, new);
            let mut text = replace_wrong_words(&lines.join("\n"), &wrong);
            // A file that ends without a newline still does so.
            if sent.ended && (there_lines.ended || !quote.ended) {
                text.push('\n');
            }
            text
        }
        MergeOutcome::Unknown => return NewText::Unknown,
        MergeOutcome::TooLong => sent.join_with_same_ending(ours),
    };
    if text == new {
        NewText::AsSent
    } else {
        NewText::Instead(text)
    }
}

/// Returns the words of the old text that the file does not have, each with the word that the file has instead. Words
/// that the new text has more often than the old text are left out.
fn wrong_words<'t>(
    view: &str,
    quote: &QuotedText<'_>,
    there: &'t str,
    new: &str,
) -> Vec<(String, &'t str)> {
    let old = quote.plain.join("\n");
    if old.len() + there.len() + new.len() > MAX_WORD_COMPARED_BYTES {
        return Vec::new();
    }
    let (base, theirs, ours) = (tokenize(&old), tokenize(there), tokenize(new));
    let count = |list: &[&str], word: &str| list.iter().filter(|token| **token == word).count();
    let mut found = Vec::new();
    for (wrong, right) in exchanged_words(&base, &theirs) {
        let is_word = wrong.starts_with(|first: char| first.is_alphanumeric() || first == '_');
        if is_word && !has_word(view, wrong) && count(&ours, wrong) <= count(&base, wrong) {
            found.push((wrong.to_owned(), right));
        }
    }
    found
}

/// Returns whether a text contains a word, not only as a part of another word.
fn has_word(text: &str, word: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    // In a megabyte this takes a tenth of the instructions of `str::match_indices`.
    memmem::find_iter(text.as_bytes(), word)
        .take(MAX_CHECKED_OCCURRENCES)
        .any(|at| !text[..at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word))
}

/// Returns the text with each wrong word replaced.
fn replace_wrong_words(text: &str, wrong: &[(String, &str)]) -> String {
    if wrong.is_empty() {
        return text.to_owned();
    }
    let right = |token| {
        let known = wrong.iter().find(|(word, _)| word == token);
        known.map_or(token, |(_, right)| *right)
    };
    tokenize(text).into_iter().map(right).collect()
}

/// Returns the three-way merge of old text (base), new text and file.
fn merge_with_file(quote: &QuotedText<'_>, ours: &[&str], there: &[&str]) -> MergeOutcome {
    let size = |lines: &[&str]| lines.iter().map(|line| line.len() + 1).sum::<usize>();
    if size(quote.plain) + size(ours) + size(there) > MAX_MERGED_BYTES {
        return MergeOutcome::TooLong;
    }
    let owned =
        |lines: &[&str]| -> Vec<String> { lines.iter().map(|line| (*line).to_owned()).collect() };
    let (base, ours, theirs) = (owned(quote.plain), owned(ours), owned(there));
    // Set where the new text adds lines at a place where the file has further lines: it is unknown on which side of
    // them they belong.
    let unknown = Cell::new(false);
    let by_words = |base: &[String], ours: &[String], theirs: &[String]| {
        if base.is_empty() && !theirs.is_empty() {
            unknown.set(true);
        }
        match Reindented::reindent(base, ours, theirs) {
            Reindented::Lines(lines) => lines,
            Reindented::Unknown => {
                unknown.set(true);
                ours.to_vec()
            }
            Reindented::No => merge_words(&as_strs(base), &as_strs(ours), &as_strs(theirs)),
        }
    };
    let lines = merge_lists(&base, &ours, &theirs, &by_words);
    // Where the edit itself changes the number of blank lines, it is unknown which of them are intended.
    let blanks = |lines: &[String]| lines.iter().filter(|line| line.trim().is_empty()).count();
    if let Some(lines) = &lines
        && blanks(lines) != blanks(&ours)
        && blanks(&ours) != blanks(&base)
    {
        return MergeOutcome::Unknown;
    }
    match (lines, unknown.get()) {
        (_, true) => MergeOutcome::Unknown,
        (Some(lines), false) => MergeOutcome::Lines(lines),
        (None, false) => MergeOutcome::TooLong,
    }
}

/// The result of a merge.
enum MergeOutcome {
    Lines(Vec<String>),
    /// It is unknown what was intended.
    Unknown,
    TooLong,
}

/// The lines of a new text with the indentation of the file, where the old text differs from the file only in white
/// space.
enum Reindented {
    /// The indentation is the same, or the texts differ otherwise.
    No,
    Lines(Vec<String>),
    /// The indentation of the new lines cannot be determined.
    Unknown,
}

impl Reindented {
    fn reindent(base: &[String], ours: &[String], theirs: &[String]) -> Reindented {
        let filled = |line: &&String| !line.trim().is_empty();
        let (base, theirs) = (base.iter().filter(filled), theirs.iter().filter(filled));
        let pairs: Vec<(&String, &String)> = base.clone().zip(theirs.clone()).collect();
        let solid = |line: &str| -> String { line.split_whitespace().collect() };
        if pairs.is_empty()
            || base.count() != theirs.count()
            || pairs
                .iter()
                .any(|(sent, stands)| solid(sent) != solid(stands))
        {
            return Reindented::No;
        }
        let indentation = |line: &str| line[..line.len() - line.trim_start().len()].to_owned();
        let (sent, stands) = (indentation(pairs[0].0), indentation(pairs[0].1));
        let is_by = |less: &str, more: &str, by: &str| more.strip_suffix(less) == Some(by);
        let all = |test: &dyn Fn(&str, &str) -> bool| {
            pairs
                .iter()
                .all(|(sent, stands)| test(&indentation(sent), &indentation(stands)))
        };
        if all(&|sent, stands| sent == stands) {
            return Reindented::No;
        }
        if let Some(by) = stands.strip_suffix(sent.as_str())
            && all(&|sent, stands| is_by(sent, stands, by))
        {
            let deeper = |line: &String| Some(format!("{by}{line}"));
            return Reindented::copy_or_shift_lines(ours, &pairs, &deeper);
        }
        if let Some(by) = sent.strip_suffix(stands.as_str())
            && all(&|sent, stands| is_by(stands, sent, by))
        {
            let lifted = |line: &String| line.strip_prefix(by).map(str::to_owned);
            return Reindented::copy_or_shift_lines(ours, &pairs, &lifted);
        }
        Reindented::Unknown
    }

    /// Returns the new lines. A line that is also in the old text is copied from the file; the indentation of the others
    /// is shifted.
    fn copy_or_shift_lines(
        ours: &[String],
        pairs: &[(&String, &String)],
        shifted: &dyn Fn(&String) -> Option<String>,
    ) -> Reindented {
        let mut rest = pairs;
        let lines = ours.iter().map(|line| {
            if line.trim().is_empty() {
                return Some(line.clone());
            }
            match rest.iter().position(|(sent, _)| *sent == line) {
                Some(at) => {
                    let (_, stands) = rest[at];
                    rest = &rest[at + 1..];
                    Some(stands.clone())
                }
                None => shifted(line),
            }
        });
        let lines: Option<Vec<String>> = lines.collect();
        lines.map_or(Reindented::Unknown, Reindented::Lines)
    }
}

fn as_strs(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}
