//! Typed arguments of the built-in tools, as what they ask for: a look, a search or a change.

use super::request::{Asked, Change, EditRequest, Search, Whose};
use crate::arguments::{Arguments, EditItem};

/// What typed arguments ask for.
pub(super) fn asked(arguments: Arguments) -> Asked {
    match arguments {
        Arguments::Read(arguments) => Asked::Read(arguments),
        Arguments::Glob(arguments) => Asked::Search(Search::Glob(arguments)),
        Arguments::Grep(arguments) => Asked::Search(Search::Grep(arguments)),
        Arguments::Write(arguments) => Asked::Change(Change::Write(arguments)),
        Arguments::Undo(arguments) => Asked::Change(Change::TakeBack(arguments.into(), Whose::Own)),
        Arguments::Edit(edit) => Asked::Change(Change::Edits {
            insist: edit.insist.into(),
            dry_run: edit.dry_run.into(),
            edits: vec![EditRequest {
                file_path: edit.file_path,
                old: edit.old_string,
                new: edit.new_string,
                replace_all: edit.replace_all,
                expect_count: edit.expect_count,
                revision: edit.revision,
            }],
        }),
        Arguments::MultiEdit(call) => {
            let shared = call.file_path;
            Asked::Change(Change::Edits {
                insist: call.insist.into(),
                dry_run: call.dry_run.into(),
                edits: requests(call.edits, shared.as_deref()),
            })
        }
    }
}

/// Edits in the terms of the rooms; those that name no file are of the shared one.
pub(super) fn requests(edits: Vec<EditItem>, shared: Option<&str>) -> Vec<EditRequest> {
    let request = |edit: EditItem| EditRequest {
        file_path: edit
            .file_path
            .or_else(|| shared.map(str::to_owned))
            .unwrap_or_default(),
        old: edit.old_string,
        new: edit.new_string,
        replace_all: edit.replace_all,
        expect_count: None,
        revision: edit.revision,
    };
    edits.into_iter().map(request).collect()
}
