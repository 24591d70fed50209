//! A file's diff as a whole table with plain heads, for views without buttons at the hunks.

use askama::Template;

use super::{Diff, DiffLayout};

/// The table of a diff.
#[derive(Template)]
#[template(path = "diff/file.html")]
pub(in crate::page) struct FileDiff {
    /// The table's caption for screen readers: "Changes of src/main.rs".
    pub(in crate::page) caption: String,
    pub(in crate::page) layout: DiffLayout,
    pub(in crate::page) diff: Diff,
    /// The path of the page that shows a part of this diff, to which the number of its first line is appended. It
    /// ends in `=`.
    pub(in crate::page) more: String,
}

impl askama::filters::HtmlSafe for FileDiff {}
