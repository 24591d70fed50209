//! Files that are too large for memory. One streaming pass (the survey) gives the revision and an index of the lines;
//! pages and places are then read by offset. Memory is bounded by the page, whatever the size of the file.

mod around;
pub(super) mod back;
mod edit;
mod page;
mod places;
mod view;

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use lancet_text::{Document, Encoding, Endings, NotText, Survey, SurveyFacts};
use lancet_workspace::{ReadError, RevisionHasher, Stamp};

use crate::engine::FileSurvey;
use crate::refusal::Refusal;
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::open::{
    MAX_EDITED_SIZE, binary_refusal, configured_encoding, refuse_binary_head, unreadable_refusal,
};

pub(super) use edit::StreamedText;

/// How many bytes are read at a time in search of the end of a line.
const READ_SIZE: usize = 64 << 10;

/// Returns the survey of a file: the cached one if it is still valid, else a new one.
pub(super) fn survey(
    context: &CallContext<'_>,
    target: &Target,
) -> Result<Arc<FileSurvey>, Refusal> {
    let surveys = &context.engine().base().caches.surveys;
    let now = target.located.stat();
    if let Some(known) = now.and_then(|now| surveys.get(target.path(), &now)) {
        return Ok(known);
    }
    refuse_binary_head(context.engine(), target)?;
    let loadable = target
        .located
        .stat()
        .is_some_and(|stamp| stamp.size <= MAX_EDITED_SIZE);
    let mut survey = Survey::new();
    let mut hasher = RevisionHasher::new();
    scan(context, target, &mut |bytes| {
        survey.feed(bytes);
        if survey.contains_nul() && !loadable {
            // The file is not text whatever the rest contains, and that may be terabytes.
            return ControlFlow::Break(());
        }
        hasher.update(bytes);
        ControlFlow::Continue(())
    })
    .and_then(|stamp| {
        if survey.contains_nul() && !loadable {
            let NotText::Binary { kind } = survey.finish().not_text();
            return Err(binary_refusal(target, kind));
        }
        let made = FileSurvey {
            path: target.path().to_path_buf(),
            stamp,
            revision: hasher.finish(),
            facts: survey.finish(),
        };
        let made = Arc::new(made);
        surveys.put(Arc::clone(&made));
        Ok(made)
    })
}

/// Runs a streaming pass that ends early where the call was cancelled or timed out.
fn scan(
    context: &CallContext<'_>,
    target: &Target,
    take: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
) -> Result<Stamp, Refusal> {
    let scanned = target.located.scan_content(&mut |bytes| {
        if context.cancel.stopped().is_some() {
            return ControlFlow::Break(());
        }
        take(bytes)
    });
    context.check_time()?;
    scanned.map_err(|error| unreadable_refusal(target, &error))
}

/// Returns the file's encoding if parts can be read by offset: the file is UTF-8, or ASCII in a configured encoding,
/// and its line ends are uniform. Otherwise returns `None`, and the whole file must be decoded in memory.
pub(super) fn streamable_encoding(
    context: &CallContext<'_>,
    target: &Target,
    survey: &FileSurvey,
) -> Result<Option<Encoding>, Refusal> {
    if let Some(NotText::Binary { kind }) = survey.facts.not_text_reason() {
        return Err(binary_refusal(target, kind));
    }
    let one_kind = matches!(
        survey.facts.endings(),
        Endings::Lf | Endings::Crlf | Endings::None
    );
    Ok(survey
        .facts
        .encoding(configured_encoding(context.engine(), target))
        .filter(|_| one_kind))
}

/// A surveyed file whose parts are read by offset. Offsets are in bytes of the file, lines are counted from 0.
#[derive(Clone, Copy)]
pub(super) struct LargeFile<'f> {
    context: &'f CallContext<'f>,
    target: &'f Target,
    survey: &'f FileSurvey,
}

impl<'f> LargeFile<'f> {
    pub(super) fn new(
        context: &'f CallContext<'f>,
        target: &'f Target,
        survey: &'f FileSurvey,
    ) -> Self {
        Self {
            context,
            target,
            survey,
        }
    }

    fn facts(&self) -> &'f SurveyFacts {
        &self.survey.facts
    }

    fn scan(&self, take: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<(), Refusal> {
        scan(self.context, self.target, take).map(|_| ())
    }

    /// Reads bytes, and refuses where they no longer belong to the surveyed version.
    fn read(&self, offset: u64, length: usize) -> Result<FileSlice, Refusal> {
        let (bytes, stamp) = self
            .target
            .located
            .read_at(offset, length)
            .map_err(|error| unreadable_refusal(self.target, &error))?;
        if !stamp.has_same_state(&self.survey.stamp) {
            return Err(unreadable_refusal(self.target, &ReadError::Unstable));
        }
        Ok(FileSlice { bytes, offset })
    }

    /// Returns the line that contains an offset.
    fn line_of(&self, at: u64) -> Result<u64, Refusal> {
        let block = self.facts().block_at(at);
        self.line_counted_from((block.offset, block.lines_before), at)
    }

    /// Returns the line that contains an offset, counted from an earlier offset whose line is known.
    fn line_counted_from(&self, (known, line): (u64, u64), at: u64) -> Result<u64, Refusal> {
        let length = usize::try_from(at - known).unwrap_or_default();
        Ok(line + count_newlines(&self.read(known, length)?.bytes))
    }

    /// Returns the offset at which a line begins.
    fn line_offset(&self, line: u64) -> Result<u64, Refusal> {
        let block = self.facts().block_of_line(line);
        let mut left = line.saturating_sub(block.lines_before);
        let mut offset = block.offset;
        while left > 0 {
            let bytes = self.read(offset, READ_SIZE)?.bytes;
            if bytes.is_empty() {
                break;
            }
            let nth = usize::try_from(left - 1).unwrap_or(usize::MAX);
            let ends = bytes
                .iter()
                .enumerate()
                .filter(|(_, byte)| is_line_feed(byte));
            if let Some((at, _)) = ends.clone().nth(nth) {
                return Ok(offset + at as u64 + 1);
            }
            left -= ends.count() as u64;
            offset += bytes.len() as u64;
        }
        Ok(offset)
    }

    /// Counts the characters in a range of bytes.
    fn count_characters(&self, range: Range<u64>) -> Result<usize, Refusal> {
        let (mut at, mut count) = (range.start, 0);
        while at < range.end {
            self.context.check_time()?;
            let length = usize::try_from(range.end - at)
                .unwrap_or(READ_SIZE)
                .min(READ_SIZE);
            let bytes = self.read(at, length)?.bytes;
            if bytes.is_empty() {
                break;
            }
            count += bytes.iter().filter(|byte| starts_character(byte)).count();
            at += bytes.len() as u64;
        }
        Ok(count)
    }

    /// Returns the range from an offset to the end of its line, the line end included.
    fn rest_of_line(&self, offset: u64) -> Result<Range<u64>, Refusal> {
        let mut at = offset;
        loop {
            // Most lines are short, so the first read is small.
            let step = if at == offset { 4 << 10 } else { 4 * READ_SIZE };
            let bytes = self.read(at, step)?.bytes;
            if bytes.is_empty() {
                return Ok(offset..at);
            }
            if let Some(end) = bytes.iter().position(is_line_feed) {
                return Ok(offset..at + end as u64 + 1);
            }
            at += bytes.len() as u64;
        }
    }
}

/// Consecutive bytes of a large file, and their offset.
struct FileSlice {
    bytes: Vec<u8>,
    offset: u64,
}

impl FileSlice {
    /// Decodes the text; a character that is cut off at the end is left out.
    fn document(&self, endings: Endings) -> Option<Document<'_>> {
        let valid = match std::str::from_utf8(&self.bytes) {
            Ok(_) => self.bytes.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => return None,
        };
        let marked = self.offset == 0 && self.bytes.starts_with(Encoding::UTF8_BOM.mark_bytes());
        if marked {
            Document::decode(&self.bytes[..valid], None).ok()
        } else {
            Document::from_part(&self.bytes[..valid], endings)
        }
    }
}

fn is_line_feed(byte: &u8) -> bool {
    *byte == b'\n'
}

/// Returns whether a byte of UTF-8 is the first of a character.
fn starts_character(byte: &u8) -> bool {
    *byte & 0xC0 != 0x80
}

fn count_newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| is_line_feed(byte)).count() as u64
}
