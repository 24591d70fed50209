//! A page of a large file: only its own bytes are read.

use std::ops::Range;

use lancet_text::{Endings, Facts};

use super::{LargeFile, starts_character, streamable, survey};
use crate::ledger::version;
use crate::refusal::Refusal;
use crate::rooms::CallContext;
use crate::rooms::examine::open::LARGEST;
use crate::rooms::examine::read::layout::{
    LaidLine, Layout, column_notice, lay_line, part_that_fits,
};
use crate::rooms::examine::read::{self, Page, Shape, Wanted};
use crate::rooms::locate::Target;

/// How much is read at a time while looking for the end of a long line.
const STEP: usize = 256 << 10;

/// The page that a call asks for.
pub(crate) fn read(
    context: &CallContext<'_>,
    target: Target,
    wanted: Wanted,
) -> Result<Page, Refusal> {
    let survey = survey(context, &target)?;
    let Some(encoding) = streamable(context, &target, &survey)? else {
        if survey.facts.length() > LARGEST {
            let error = lancet_workspace::ReadError::TooLarge {
                size: survey.facts.length(),
                most: LARGEST,
            };
            return Err(super::unreadable(&target, &error));
        }
        // Another encoding, or mixed line ends: such a file has to be looked at whole.
        return read::held(context, target, wanted);
    };
    let total = survey.facts.line_count();
    let file = LargeFile::new(context, &target, &survey);
    let mut layout = Layout::default();
    if (wanted.first as u64) < total {
        match wanted.column {
            Some(column) => lay_column(file, wanted.first, column, &mut layout)?,
            None => lay_lines(file, wanted, &mut layout)?,
        }
    }
    Ok(Page {
        target,
        notices: layout.hidden.notice().into_iter().collect(),
        text: layout.text,
        shape: Shape::Text,
        start: wanted.first.saturating_add(1),
        lines: layout.lines,
        total: usize::try_from(total).unwrap_or(usize::MAX),
        truncated: layout.truncated,
        encoding: encoding.name(),
        endings: survey.facts.endings(),
        revision: survey.revision.short(),
        version: version(&survey.revision, &survey.stamp),
        content: None,
        seen: layout.seen,
        asked: wanted.asked,
        known: None,
    })
}

fn lay_lines(file: LargeFile<'_>, wanted: Wanted, layout: &mut Layout) -> Result<(), Refusal> {
    let settings = &file.context.engine().settings.read;
    let budget = read::budget(file.context, file.target);
    let facts = file.facts();
    let total = facts.line_count();
    let mut line = wanted.first;
    let mut offset = file.line_offset(line as u64)?;
    while (line as u64) < total && layout.lines < wanted.most {
        file.context.check_time()?;
        let whole = file.rest_of_line(offset)?;
        // Of a line longer than this nothing more is shown; at most four bytes make a character.
        let wished = settings.max_line_chars.saturating_mul(4).saturating_add(4);
        let length = usize::try_from(whole.end - whole.start)
            .unwrap_or(usize::MAX)
            .min(wished);
        let stretch = file.read(whole.start, length)?;
        let text = stretch
            .document(facts.endings())
            .map(|document| document.view().to_owned())
            .unwrap_or_default();
        let text = text.strip_suffix('\n').unwrap_or(&text);
        let cut = (length as u64) < whole.end - whole.start;
        let lay = |most| lay_part(line, text, cut, most, settings.gutter);
        let Some(shown) = layout.add_line(file.context, budget, line, text, lay) else {
            return Ok(());
        };
        let seen_end = if !cut && shown == text.len() {
            whole.end
        } else {
            whole.start + mark_length(facts, whole.start) + shown as u64
        };
        layout.seen.add(whole.start..seen_end);
        offset = whole.end;
        line += 1;
    }
    layout.truncated = wanted.asked.limit == 0 && (line as u64) < total;
    Ok(())
}

/// The bytes of a BOM that stands before a line's text.
fn mark_length(facts: &Facts, offset: u64) -> u64 {
    if offset == 0
        && facts
            .encoding(None)
            .is_some_and(|encoding| encoding.has_mark())
    {
        3
    } else {
        0
    }
}

/// One line; of one that was not read to its end it is not known how many characters are left.
fn lay_part(
    line: usize,
    text: &str,
    cut: bool,
    most: usize,
    gutter: crate::settings::Gutter,
) -> LaidLine {
    if !cut {
        return lay_line(line, text, most, gutter);
    }
    let mut out = String::new();
    gutter.write(&mut out, line + 1);
    let shown = text
        .char_indices()
        .nth(most)
        .map_or(text.len(), |(at, _)| at);
    out.push_str(&text[..shown]);
    out.push_str(&format!(
        "\n[lancet: line {} goes on; offset {} with column {} shows more of it]\n",
        line + 1,
        line + 1,
        most + 1
    ));
    LaidLine { text: out, shown }
}

/// One line alone, from a character on.
fn lay_column(
    file: LargeFile<'_>,
    line: usize,
    column: usize,
    layout: &mut Layout,
) -> Result<(), Refusal> {
    let budget = read::budget(file.context, file.target);
    let start = file.line_offset(line as u64)?;
    let whole = file.rest_of_line(start)?;
    let (mut at, mut left) = (whole.start + mark_length(file.facts(), whole.start), column);
    let end = text_end(file, &whole)?;
    while left > 0 && at < end {
        file.context.check_time()?;
        let length = usize::try_from(end - at).unwrap_or(STEP).min(STEP);
        let stretch = file.read(at, length)?;
        // A character begins at every byte that does not continue one.
        match stretch
            .bytes
            .iter()
            .enumerate()
            .filter(|(_, byte)| starts_character(byte))
            .map(|(at, _)| at)
            .nth(left)
        {
            Some(found) => {
                at += found as u64;
                left = 0;
            }
            None => {
                left -= stretch
                    .bytes
                    .iter()
                    .filter(|byte| starts_character(byte))
                    .count();
                at += stretch.bytes.len() as u64;
            }
        }
    }
    let length = usize::try_from(end.saturating_sub(at))
        .unwrap_or(usize::MAX)
        .min(budget.saturating_mul(4));
    let stretch = file.read(at, length)?;
    let text = stretch
        .document(Endings::Lf)
        .map(|document| document.view().to_owned())
        .unwrap_or_default();
    let shown = part_that_fits(file.context, &text, budget);
    let gutter = file.context.engine().settings.read.gutter;
    layout.add_part(line, column, &text[..shown], gutter);
    let to_end = at + shown as u64 >= end;
    layout.truncated = !to_end;
    layout.text.push_str(&column_notice(
        line,
        column,
        text[..shown].chars().count(),
        to_end,
    ));
    layout
        .seen
        .add(at..if to_end { whole.end } else { at + shown as u64 });
    Ok(())
}

/// Where a line's text ends and its line end begins.
fn text_end(file: LargeFile<'_>, whole: &Range<u64>) -> Result<u64, Refusal> {
    let from = whole.end.saturating_sub(2).max(whole.start);
    let tail = file.read(from, usize::try_from(whole.end - from).unwrap_or(2))?;
    let ending = match (tail.bytes.as_slice(), file.facts().endings()) {
        ([.., b'\r', b'\n'], Endings::Crlf) => 2,
        ([.., b'\n'], _) => 1,
        _ => 0,
    };
    Ok(whole.end - ending)
}
