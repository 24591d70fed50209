//! Drafts of operations to record.

use std::path::Path;

use lancet_history::{
    ChangeKind, ContentDraft, DraftState, FileDraft, LogQuery, OperationAuthor, OperationDraft,
    OperationKind, ReversedChange,
};

use super::Records;

pub(crate) fn hash(bytes: &[u8]) -> [u8; 32] {
    *blake3::hash(bytes).as_bytes()
}

pub(crate) fn whole(bytes: &[u8]) -> Option<DraftState<'_>> {
    Some(DraftState {
        revision: hash(bytes),
        size: bytes.len() as u64,
        mode: 0o100_644,
        link: None,
        inode: None,
        content: ContentDraft::Whole(bytes),
    })
}

pub(crate) fn file<'a>(
    path: &'a str,
    before: Option<DraftState<'a>>,
    after: Option<DraftState<'a>>,
) -> FileDraft<'a> {
    FileDraft {
        path: Path::new(path),
        kind: match (&before, &after) {
            (None, _) => ChangeKind::Create,
            (_, None) => ChangeKind::Delete,
            _ => ChangeKind::Update,
        },
        moved_from: None,
        before,
        after,
        added: 2,
        removed: 1,
        folders: Vec::new(),
        workspace: None,
    }
}

pub(crate) fn draft<'a>(id: &'a str, files: Vec<FileDraft<'a>>) -> OperationDraft<'a> {
    OperationDraft {
        id,
        time: 1_000,
        kind: OperationKind::Change,
        author: OperationAuthor {
            session: "talk",
            ..OperationAuthor::default()
        },
        tool: "Edit",
        rungs: vec!["exact"],
        approved: Some("mode accept-edits"),
        files,
        question: None,
        parent: None,
        takes_back: Vec::new(),
        takes_part_of: Vec::new(),
    }
}

/// Returns an operation that reverses the first file of another one.
pub(crate) fn reversing<'a>(
    kind: OperationKind,
    id: &'a str,
    earlier: &str,
    files: Vec<FileDraft<'a>>,
) -> OperationDraft<'a> {
    OperationDraft {
        kind,
        takes_back: vec![ReversedChange {
            by: Some(0),
            operation: earlier.to_owned(),
            at: 0,
        }],
        ..draft(id, files)
    }
}

pub(crate) fn begin(store: &dyn Records, draft: &OperationDraft<'_>) {
    assert_eq!(store.begin(draft).expect("begun").set_aside, None);
}

/// Announces and finishes an operation; returns the folders in which no change has a file.
pub(crate) fn record(store: &dyn Records, draft: &OperationDraft<'_>) -> Vec<std::path::PathBuf> {
    begin(store, draft);
    store.finish(draft).expect("finished").unclaimed
}

/// Returns the ids in the log, newest first.
pub(crate) fn log(store: &dyn Records) -> Vec<String> {
    ids(store, &LogQuery::default())
}

pub(crate) fn ids(store: &dyn Records, query: &LogQuery) -> Vec<String> {
    let found = store.query_log(query).expect("read");
    found.into_iter().map(|operation| operation.id).collect()
}
