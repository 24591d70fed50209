//! The lines of a file for a person: whole, without limits in number and length.

mod large;

use std::ops::RangeInclusive;

use lancet_text::Endings;

use crate::ledger::raw_range;
use crate::refusal::Refusal;
use crate::session::Session;
use crate::stages::locate::{Intent, locate};
use crate::stages::open::{decode, require_file, snapshot};

/// Lines of a file. A file up to 32 MiB is loaded into memory, and so is a larger one that is not plain UTF-8.
#[derive(Debug)]
pub struct PlainLines {
    /// The number of the first line, from 1.
    pub first: usize,
    /// The lines without their line ends, decoded.
    pub lines: Vec<String>,
    /// The bytes of these lines as the file has them.
    pub bytes: Vec<u8>,
    /// How many lines the file has.
    pub total: usize,
    /// The encoding of the file.
    pub encoding: &'static str,
    /// The line endings of the file.
    pub line_endings: Endings,
    /// The short name of the content.
    pub revision: String,
}

impl PlainLines {
    /// Reads lines of a file under the rules that apply to Read. Numbers count from 1; those beyond the end return no
    /// lines.
    pub fn read(
        session: &Session,
        path: &str,
        wanted: RangeInclusive<usize>,
    ) -> Result<Self, Refusal> {
        let engine = &*session.lancet.engine();
        let target = locate(engine, path, Intent::Show)?;
        require_file(engine, &target)?;
        if let Some(lines) = large::read(engine, &target, &wanted)? {
            return Ok(lines);
        }
        let base = snapshot(session, &target)?;
        let document = decode(engine, &target, &base.bytes)?;
        let total = document.line_count();
        let first = (*wanted.start()).max(1);
        let number = (*wanted.end()).min(total).saturating_sub(first - 1);
        let ranges: Vec<_> = match number {
            0 => Vec::new(),
            number => document.lines_from(first - 1).take(number).collect(),
        };
        let bytes = match (ranges.first(), ranges.last()) {
            (Some(start), Some(end)) => {
                let end = document.view().len().min(end.end + 1);
                let range = raw_range(&document, start.start..end);
                base.bytes[range.start as usize..range.end as usize].to_vec()
            }
            _ => Vec::new(),
        };
        let lines = ranges
            .into_iter()
            .map(|range| document.view()[range].to_owned());
        Ok(Self {
            first,
            lines: lines.collect(),
            bytes,
            total,
            encoding: document.encoding().name(),
            line_endings: document.endings(),
            revision: base.revision.short_hex(),
        })
    }
}
