//! Files whose text may not be shown, in an undo or a restore: their lines are neither shown nor counted.

use crate::message::message;
use crate::stages::plan::{ChangeView, FilePlan};
use crate::wording::quote_path;

/// Replaces what the answer and the question would say of the lines of these files by a note.
pub(super) fn withhold_texts(files: &mut [FilePlan]) {
    for file in files.iter_mut().filter(|file| file.is_withheld()) {
        let mut notices = std::mem::take(&mut file.view.notices);
        notices.push(message!(
            "the text of {} is not shown",
            quote_path(file.target.path())
        ));
        file.view = ChangeView {
            notices,
            mode_only: file.view.mode_only,
            is_hidden: true,
            ..ChangeView::default()
        };
    }
}
