//! The rung `trailing`: whole lines that are the same but for look-alikes and for the blanks at
//! their ends.

use super::block::Block;
use super::settle::choose;
use super::shift::Shift;
use super::{Rung, Task, Verdict};

pub(super) fn find(task: &Task<'_>) -> Option<Verdict> {
    let block = Block::of(task);
    let windows = block.windows(
        |number| Some(block.old_line(number).indent()),
        |number| Some(block.file_line(number).indent()),
    );
    let places = block.places(&windows);
    if places.is_empty() {
        return None;
    }
    Some(match choose(task, Rung::Trailing, places) {
        Ok(places) => block.edit(task, Rung::Trailing, places, Shift::Trailing),
        Err(verdict) => verdict,
    })
}
