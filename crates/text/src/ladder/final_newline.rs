//! The rung `final-newline`: the old text ends in a newline, it matches the last lines of the file, and the file ends
//! without a newline. The new text loses its last newline, so that the file still ends without one.

use crate::look_alike::is_blank;

use super::text_lines::{TextLines, starts_line};
use super::verdict::choose_and_edit;
use super::{Rung, SearchTask, Verdict};

pub(super) fn find(task: &SearchTask<'_>) -> Option<Verdict> {
    let view = task.source.view;
    let rest = task.old.strip_suffix('\n')?;
    if is_blank(rest) || !task.source.is_open() || !view.ends_with(rest) {
        return None;
    }
    let place = view.len() - rest.len()..view.len();
    if !starts_line(view, place.start) || task.source.is_excluded(&place) {
        return None;
    }
    let new = TextLines::new(task.new).without_final_newline();
    let old = TextLines::new(rest);
    Some(choose_and_edit(
        task,
        Rung::FinalNewline,
        vec![place],
        &old,
        &new,
    ))
}
