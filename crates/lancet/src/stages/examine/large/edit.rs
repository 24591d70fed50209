//! A large file as the text of an edit: the old text is found exactly as sent in a streaming pass, and only the parts
//! around its places are read again.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;

use lancet_history::SeenRanges;
use lancet_text::{
    Change, EditedPlace, Endings, FoundPlaces, GuardRefusal, LeakPolicy, RawChange, Remark, Rung,
    Unencodable, Verdict, fold_char, may_contain_hidden,
};

use super::LargeFile;
use super::around::{
    completed_texts, expand_deletion_to_lines, remarks, repeats_indentation_everywhere,
};
use super::places::{Places, find_places, without_overlaps};
use super::view::view;
use crate::message::Message;
use crate::refusal::Refusal;
use crate::settings::Matching;
use crate::stages::examine::edit::refuse::no_longer_text_refusal;
use crate::stages::examine::edit::source::{
    CombinedChanges, LineSpan, MAX_RESULT_SIZE, SentEdit, SeveralPlaces, TextSource,
};
use crate::stages::examine::explain::{
    MAX_NAMED_PLACES, ambiguous, marker_ambiguous_refusal, marker_not_found_refusal, not_found,
};
use crate::stages::examine::formatted::{FormatterEffect, too_large_to_format};
use crate::stages::examine::hidden;
use crate::stages::examine::view::Notes;
use crate::stages::plan::ChangeView;

/// A large file of which only parts are read. Places are in bytes of the file; a file that is edited has at most 1 GiB.
pub(crate) struct StreamedText<'f> {
    file: LargeFile<'f>,
    /// The changes of the edit.
    changes: Vec<RawChange>,
    /// The offset whose line was looked up last, and that line: the next place is often near.
    last_line: Cell<(u64, u64)>,
}

impl<'f> StreamedText<'f> {
    pub(crate) fn new(file: LargeFile<'f>) -> Self {
        Self {
            file,
            changes: Vec::new(),
            last_line: Cell::default(),
        }
    }

    /// Converts a text to the file's line ends, which are all of one kind.
    fn with_line_ends<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.endings() {
            Endings::Crlf => Cow::Owned(text.replace('\n', "\r\n")),
            _ => Cow::Borrowed(text),
        }
    }
}

impl LargeFile<'_> {
    /// Returns the text of a range with LF line ends. A character that the end of the range cuts off is left out.
    pub(in crate::stages::examine) fn text_at(&self, range: Range<u64>) -> Result<String, Refusal> {
        let bytes = self
            .read(range.start, as_offset(range.end - range.start))?
            .bytes;
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
        };
        Ok(match self.facts().endings() {
            Endings::Crlf => text.replace("\r\n", "\n"),
            _ => text.to_owned(),
        })
    }
}

impl TextSource for StreamedText<'_> {
    const MAX_NUMBERED_PLACES: usize = 40;

    fn endings(&self) -> Endings {
        self.file.facts().endings()
    }

    fn length(&self) -> usize {
        as_offset(self.file.facts().length())
    }

    fn largest_result(&self) -> usize {
        // The result is not loaded into memory, but the new text is.
        self.length().saturating_add(MAX_RESULT_SIZE)
    }

    fn count(&self, old: &str) -> Result<usize, Refusal> {
        Ok(find_places(self.file, &self.with_line_ends(old))?.total)
    }

    fn current_and_file_text(&self) -> (&str, &str) {
        ("", "")
    }

    fn find(&self, sent: SentEdit<'_>, _: LeakPolicy) -> Result<Verdict, Refusal> {
        let Places { first, total } = find_places(self.file, &self.with_line_ends(sent.old))?;
        if first.is_empty() {
            return Ok(Verdict::NotFound { guard: None });
        }
        let is_cut = total > first.len();
        let rung = Rung::Exact;
        let ranges = |places: Vec<Range<u64>>| {
            let places = places.into_iter();
            places.map(|place| as_offset(place.start)..as_offset(place.end))
        };
        Ok(match sent.request.replace_all {
            _ if is_cut => Verdict::TooMany {
                rung,
                first: ranges(first).collect(),
                count: total,
            },
            false if total > 1 => Verdict::Ambiguous {
                rung,
                places: ranges(first).collect(),
                looser: BTreeMap::new(),
            },
            _ => Verdict::Found(FoundPlaces {
                rung,
                places: ranges(without_overlaps(first))
                    .map(|range| EditedPlace {
                        range,
                        changes: Vec::new(),
                    })
                    .collect(),
                remarks: Vec::new(),
            }),
        })
    }

    fn complete_changes(&self, sent: SentEdit<'_>, found: &mut FoundPlaces) -> Result<(), Refusal> {
        let SentEdit { old, new, .. } = sent;
        let is_tolerant = self.file.context.engine().settings.matching != Matching::Exact;
        let counts_once =
            is_tolerant && repeats_indentation_everywhere(self.file, &found.places, old, new)?;
        let new = if counts_once {
            found.remarks.push(Remark::IndentationOnce);
            new.trim_start_matches(|character| " \t".contains(fold_char(character)))
        } else {
            new
        };
        let completed = match is_tolerant && !counts_once {
            true => completed_texts(self.file, &found.places, old, new)?,
            false => Vec::new(),
        };
        if !completed.is_empty() {
            found.remarks.push(Remark::IndentationCompleted);
        }
        let text_at = |at: usize| completed.get(at).and_then(Option::as_deref).unwrap_or(new);
        found
            .remarks
            .extend(remarks(self.file, &found.places, old, text_at)?);
        let mut before = 0;
        for at in 0..found.places.len() {
            let mut range = found.places[at].range.clone();
            if new.is_empty() {
                let next = found.places.get(at + 1);
                let next = next.map_or(usize::MAX, |next| next.range.start);
                let whole = expand_deletion_to_lines(self.file, &range, old)?;
                range = whole
                    .filter(|whole| before <= whole.start && whole.end <= next)
                    .unwrap_or(range);
            }
            before = range.end;
            found.places[at].changes.push(Change {
                range,
                text: self.with_line_ends(text_at(at)).into_owned(),
            });
        }
        Ok(())
    }

    fn line_numbers<'p>(
        &self,
        places: impl Iterator<Item = &'p Range<usize>>,
    ) -> Result<Vec<usize>, Refusal> {
        places
            .map(|place| Ok(self.line_at(place.start)? + 1))
            .collect()
    }

    fn not_found(&self, sent: SentEdit<'_>, guard: Option<&GuardRefusal>) -> Refusal {
        let (context, target) = (self.file.context, self.file.target);
        match sent.request.is_marker() {
            true => marker_not_found_refusal(context, target, None, sent.old),
            false => not_found(context, target, None, sent, guard),
        }
    }

    fn ambiguous(
        &self,
        sent: SentEdit<'_>,
        several: &SeveralPlaces<'_>,
    ) -> Result<Refusal, Refusal> {
        let numbers = self.line_numbers(several.places.iter().take(MAX_NAMED_PLACES))?;
        if sent.request.is_marker() {
            let target = self.file.target;
            return Ok(marker_ambiguous_refusal(target, several, &numbers, None));
        }
        Ok(ambiguous(
            self.file.context,
            self.file.target,
            several,
            &numbers,
            None,
        ))
    }

    fn line_count(&self) -> usize {
        usize::try_from(self.file.facts().line_count()).unwrap_or(usize::MAX)
    }

    fn line_span(&self, line: usize) -> Result<LineSpan, Refusal> {
        let start = self.file.line_offset(line as u64)?;
        let whole = self.file.rest_of_line(start)?;
        Ok(LineSpan {
            start: as_offset(start.max(self.file.facts().text_start())),
            text_end: as_offset(self.file.text_end(&whole)?),
            end: as_offset(whole.end),
        })
    }

    fn text_of(&self, range: Range<usize>) -> Result<Cow<'_, str>, Refusal> {
        let range = range.start as u64..range.end as u64;
        self.file.text_at(range).map(Cow::Owned)
    }

    fn replaced_lines(&self, range: Range<usize>, new: &str) -> EditedPlace {
        EditedPlace {
            changes: vec![Change {
                range: range.clone(),
                text: self.with_line_ends(new).into_owned(),
            }],
            range,
        }
    }

    fn to_source_line_ends(&self, text: String) -> String {
        self.with_line_ends(&text).into_owned()
    }

    fn is_seen_whole(&self, seen: &SeenRanges) -> bool {
        seen.is_whole(self.file.facts().length())
    }

    fn unseen_ranges(&self, seen: &SeenRanges, place: &Range<usize>) -> Vec<Range<usize>> {
        let gaps = seen.missing_from(place.start as u64..place.end as u64);
        gaps.into_iter()
            .map(|gap| as_offset(gap.start)..as_offset(gap.end))
            .collect()
    }

    fn line_at(&self, at: usize) -> Result<usize, Refusal> {
        let at = at as u64;
        let known = self.last_line.get();
        let block = self.file.facts().block_at(at);
        let line = if (block.offset..=at).contains(&known.0) {
            self.file.line_counted_from(known, at)?
        } else {
            self.file.line_of(at)?
        };
        self.last_line.set((at, line));
        Ok(as_offset(line))
    }

    fn line_end(&self, at: usize) -> Result<usize, Refusal> {
        self.file
            .rest_of_line(at as u64)
            .map(|rest| as_offset(rest.end))
    }

    fn column(&self, at: usize) -> Result<usize, Refusal> {
        let start = self.file.line_offset(self.line_at(at)? as u64)?;
        let text_start = start.max(self.file.facts().text_start());
        self.file.count_characters(text_start..at as u64)
    }

    fn add_places(&mut self, places: Vec<EditedPlace>) {
        let changes = places.into_iter().flat_map(|place| place.changes);
        self.changes = changes
            .map(|change| RawChange {
                range: change.range.start as u64..change.range.end as u64,
                bytes: change.text.into_bytes(),
            })
            .collect();
    }

    fn combined_changes(&mut self) -> Result<CombinedChanges, Unencodable> {
        Ok(CombinedChanges {
            changes: Vec::new(),
            raw: std::mem::take(&mut self.changes),
        })
    }

    fn format(&self, _: &mut CombinedChanges) -> FormatterEffect {
        too_large_to_format(self.file.context, self.file.target)
    }

    fn is_unchanged_by(&self, changes: &[RawChange]) -> Result<bool, Refusal> {
        // Every place contains the same text, so the first one is enough.
        let Some(RawChange { range, bytes }) = changes.first() else {
            return Ok(true);
        };
        let is_as_long = range.end - range.start == bytes.len() as u64;
        Ok(is_as_long && self.file.read(range.start, bytes.len())?.bytes == *bytes)
    }

    fn hidden_text_warning(&self, laid: &CombinedChanges) -> Result<Option<Message>, Refusal> {
        let first = laid.raw.first().map(|change| change.bytes.as_slice());
        let new = String::from_utf8_lossy(first.unwrap_or_default()).replace("\r\n", "\n");
        if !may_contain_hidden(&new) {
            return Ok(None);
        }
        let mut pieces = hidden::PieceScanner::default();
        self.file.scan(&mut |bytes| pieces.feed(bytes))?;
        Ok(hidden::hidden_in_insertion(&new, &pieces.kinds))
    }

    fn change_view(
        &self,
        laid: &CombinedChanges,
        notes: Notes,
        seen: &mut SeenRanges,
    ) -> Result<ChangeView, Refusal> {
        view(self.file, &laid.raw, notes, seen)
    }

    fn check_encoding_after(&self, changes: &[RawChange]) -> Result<Option<Message>, Refusal> {
        match changes
            .first()
            .is_some_and(|change| change.bytes.contains(&0))
        {
            true => Err(no_longer_text_refusal(self.file.target)),
            false => Ok(None),
        }
    }
}

/// Converts an offset; a file that is edited has at most 1 GiB.
fn as_offset(at: u64) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}
