//! The rung `trailing`: whole lines that are the same but for look-alikes and for the blanks at
//! their ends.

use super::block::Block;
use super::settle::choose;
use super::shift::Shift;
use super::{Rung, Task, Verdict};

pub(super) fn find(task: &Task<'_>) -> Option<Verdict> {
    let block = Block::of(task);
    let indents: Vec<&str> = block.old_lines().map(|line| line.indent()).collect();
    let places = block.places(&block.windows(&indents));
    if places.is_empty() {
        return None;
    }
    Some(match choose(task, Rung::Trailing, places) {
        Ok(places) => block.edit(task, Rung::Trailing, places, Shift::Trailing),
        Err(verdict) => verdict,
    })
}
