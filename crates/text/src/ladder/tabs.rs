//! The rung `tabs`: whole lines whose indentation is tabs in the file and spaces in the old text,
//! or the reverse, so many spaces a tab on every line. No shift besides.

use std::ops::Range;

use super::block::Block;
use super::settle::choose;
use super::shift::{Indents, Shift, convert};
use super::{Rung, Task, Verdict};

/// How many spaces a tab may stand for.
const WIDTHS: std::ops::RangeInclusive<usize> = 2..=8;

pub(super) fn find(task: &Task<'_>) -> Option<Verdict> {
    let block = Block::of(task);
    let file = file_indents(&block)?;
    let mut found: Vec<(Range<usize>, usize)> = Vec::new();
    for width in WIDTHS {
        let indents: Option<Vec<String>> = block
            .old_lines()
            .map(|line| convert(line.indent(), width, file))
            .collect();
        let Some(indents) = indents else { continue };
        let indents: Vec<&str> = indents.iter().map(String::as_str).collect();
        let places = block.places(&block.windows(&indents));
        found.extend(places.into_iter().map(|place| (place, width)));
    }
    found.sort_by_key(|(place, width)| (place.start, *width));
    let width = found.first()?.1;
    let places = found.into_iter().map(|(place, _)| place).collect();
    Some(match choose(task, Rung::Tabs, places) {
        Ok(places) => block.edit(task, Rung::Tabs, places, Shift::Tabs { width, file }),
        Err(verdict) => verdict,
    })
}

/// What the file must indent with: the other of what the old text does. Old text that indents
/// nothing, or with both, shows no width.
fn file_indents(block: &Block<'_>) -> Option<Indents> {
    let mut indents = block
        .old_lines()
        .map(|line| line.indent())
        .filter(|indent| !indent.is_empty());
    let first = indents.next()?.chars().next()?;
    let file = if first == '\t' {
        Indents::Spaces
    } else {
        Indents::Tabs
    };
    block
        .old_lines()
        .all(|line| line.indent().chars().all(|character| character == first))
        .then_some(file)
}
