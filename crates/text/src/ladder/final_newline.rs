//! The rung `final-newline`: old text that ends in a newline, where the file's last line, which
//! it ends with, has none. The new text loses its last newline, so the file gets none.

use crate::look_alike::is_blank;

use super::passage::{Passage, starts_line};
use super::settle::literal;
use super::{Rung, Task, Verdict};

pub(super) fn find(task: &Task<'_>) -> Option<Verdict> {
    let view = task.sight.view;
    let rest = task.old.strip_suffix('\n')?;
    if is_blank(rest) || !task.sight.is_open() || !view.ends_with(rest) {
        return None;
    }
    let place = view.len() - rest.len()..view.len();
    if !starts_line(view, place.start) || task.sight.is_damaged(&place) {
        return None;
    }
    let new = Passage::of(task.new).unended();
    let old = Passage::of(rest);
    Some(literal(task, Rung::FinalNewline, vec![place], &old, &new))
}
