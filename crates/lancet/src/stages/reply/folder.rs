//! The answer to a view of a folder: its entries, one per line.

use crate::outcome::{FolderOutcome, Outcome};
use crate::reply::Reply;
use crate::stages::examine::folder::FolderView;
use crate::wording::quote_path;
use lancet_model::non_exhaustive::NonExhaustive;

/// Answers a view of a folder.
pub(crate) fn folder_reply(folder: FolderView) -> Reply {
    let text = format!("{}[lancet: {}]", folder.text, folder.notice);
    let person = format!(
        "listed {}: {} entries",
        quote_path(&folder.path),
        folder.entries.len()
    );
    let outcome = FolderOutcome {
        path: folder.path,
        entries: folder.entries,
        truncated: folder.truncated,
        non_exhaustive: NonExhaustive,
    };
    Reply::new(text, Outcome::Listed(outcome), person)
}
