//! Files too large to be held: one streaming pass tells their revision and where their lines stand, pages and places
//! are then read by themselves. Memory is bounded by the page, whatever the file.

mod around;
pub(super) mod back;
mod edit;
mod page;
mod places;
mod view;

use std::ops::ControlFlow;
use std::sync::Arc;

use lancet_text::{Document, Encoding, Endings, NotText, Survey};
use lancet_workspace::{Hasher, ReadError, Stamp};

use super::open::{LARGEST, binary, configured, refuse_binary_head, unreadable};
use crate::engine::Surveyed;
use crate::refusal::Refusal;
use crate::rooms::CallContext;
use crate::rooms::locate::Target;

pub(crate) use edit::{Outcome, examine};
pub(crate) use page::read;

/// The survey of a file, made now unless the last one still holds.
fn survey(context: &CallContext<'_>, target: &Target) -> Result<Arc<Surveyed>, Refusal> {
    let surveys = &context.engine().base().surveys;
    let now = target.located.stat();
    if let Some(known) = now.and_then(|now| surveys.get(target.path(), &now)) {
        return Ok(known);
    }
    refuse_binary_head(context.engine(), target)?;
    let loadable = target
        .located
        .stat()
        .is_some_and(|stamp| stamp.size <= LARGEST);
    let mut survey = Survey::new();
    let mut hasher = Hasher::new();
    scan(context, target, &mut |bytes| {
        survey.feed(bytes);
        if survey.holds_nul() && !loadable {
            // The rest, which may be terabytes, would not make it text that is shown.
            return ControlFlow::Break(());
        }
        hasher.update(bytes);
        ControlFlow::Continue(())
    })
    .and_then(|stamp| {
        if survey.holds_nul() && !loadable {
            let NotText::Binary { kind } = survey.finish().not_text();
            return Err(binary(target, kind));
        }
        let made = Surveyed {
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

/// A streaming pass that ends early where the call is no longer wanted.
fn scan(
    context: &CallContext<'_>,
    target: &Target,
    take: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
) -> Result<Stamp, Refusal> {
    let scanned = target.located.scan(&mut |bytes| {
        if context.cancel.stopped().is_some() {
            return ControlFlow::Break(());
        }
        take(bytes)
    });
    context.check_time()?;
    scanned.map_err(|error| unreadable(target, &error))
}

/// Whether pages and places of the file can be read by themselves: plain UTF-8 whose line ends are all of one kind.
fn suited(
    context: &CallContext<'_>,
    target: &Target,
    survey: &Surveyed,
) -> Result<Option<Encoding>, Refusal> {
    if let Some(NotText::Binary { kind }) = survey.facts.is_no_text() {
        return Err(binary(target, kind));
    }
    let one_kind = matches!(
        survey.facts.endings(),
        Endings::Lf | Endings::Crlf | Endings::None
    );
    Ok(survey
        .facts
        .encoding(configured(context.engine(), target))
        .filter(|_| one_kind))
}

/// A stretch of a large file: its bytes, and where they begin.
struct Stretch {
    bytes: Vec<u8>,
    offset: u64,
}

impl Stretch {
    /// Reads bytes that must belong to the surveyed version.
    fn read(
        target: &Target,
        survey: &Surveyed,
        offset: u64,
        length: usize,
    ) -> Result<Stretch, Refusal> {
        let (bytes, stamp) = target
            .located
            .read_at(offset, length)
            .map_err(|error| unreadable(target, &error))?;
        if !stamp.same_file_state(&survey.stamp) {
            return Err(unreadable(target, &ReadError::Unstable));
        }
        Ok(Stretch { bytes, offset })
    }

    /// The text; a character cut off at the end is left out.
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
            Document::of_part(&self.bytes[..valid], endings)
        }
    }
}

/// The offset at which a line, counted from 0, begins.
fn line_offset(target: &Target, survey: &Surveyed, line: u64) -> Result<u64, Refusal> {
    const STEP: usize = 64 << 10;
    let block = survey.facts.block_of_line(line);
    let mut left = line.saturating_sub(block.lines_before);
    let mut offset = block.offset;
    while left > 0 {
        let stretch = Stretch::read(target, survey, offset, STEP)?;
        if stretch.bytes.is_empty() {
            break;
        }
        let mut ends = stretch
            .bytes
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .map(|(at, _)| at);
        match ends
            .by_ref()
            .nth(usize::try_from(left - 1).unwrap_or(usize::MAX))
        {
            Some(at) => return Ok(offset + at as u64 + 1),
            None => left -= stretch.bytes.iter().filter(|byte| **byte == b'\n').count() as u64,
        }
        offset += stretch.bytes.len() as u64;
    }
    Ok(offset)
}
