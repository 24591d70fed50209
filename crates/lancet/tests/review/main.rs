//! The review: what was written since the last look, one hunk undone, comments that reach their session once.

mod hunks;
mod laws;
mod looks;
mod project;
mod words;
