//! Checkpoints in the store: each one returns the entries as they were at its time, contents stay as long as a
//! checkpoint refers to them, and if two processes look at the same time, one has to look again.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use lancet_history::{
    ChangeKind, CheckpointDraft, CheckpointEntry, CheckpointEntryKind, CheckpointKind,
    CheckpointOutcome, CheckpointQuery, CheckpointStore, ContentDraft, ContentIdentity,
    ContentStore, DraftState, EntryChange, FileDraft, GitHead, HeadMove, HistoryLimits,
    IdentifiedBlob, LogQuery, OperationAuthor, OperationDraft, OperationKind, RecordStore,
    RecordedCall, StampRecord, Store, StoreUpkeep, WorkspaceRef,
};
use lancet_testing::TestFolder;
use rusqlite::Connection;

fn hash(bytes: &[u8]) -> [u8; 32] {
    *blake3::hash(bytes).as_bytes()
}

fn workspace() -> WorkspaceRef<'static> {
    WorkspaceRef {
        id: [9; 32],
        root: Path::new("/p"),
    }
}

fn entry(name: &[u8], bytes: &[u8]) -> CheckpointEntry {
    CheckpointEntry {
        name: name.to_vec(),
        kind: CheckpointEntryKind::File,
        mode: 0o100_644,
        size: bytes.len() as u64,
        identity: ContentIdentity::Revision(hash(bytes)),
        link: None,
        stamp: StampRecord([1; StampRecord::NUMBER_COUNT]),
    }
}

fn draft<'a>(
    id: &'a str,
    previous: Option<i64>,
    changes: &'a [EntryChange],
) -> CheckpointDraft<'a> {
    CheckpointDraft {
        id,
        time: 1_000,
        kind: CheckpointKind::ByHand,
        name: None,
        session: "talk",
        workspace: workspace(),
        previous,
        changes,
        files: 1,
        head: None,
    }
}

fn head(branch: &str, commit: &str) -> GitHead {
    GitHead {
        branch: Some(branch.to_owned()),
        commit: Some(commit.to_owned()),
    }
}

/// Records a checkpoint and returns its number.
fn put(store: &Store, id: &str, previous: Option<i64>, changes: &[EntryChange]) -> i64 {
    let outcome = store.store_checkpoint(&draft(id, previous, changes), &[]);
    match outcome.expect("recorded") {
        CheckpointOutcome::Recorded(number) => number,
        CheckpointOutcome::Overtaken => panic!("nobody else looks"),
    }
}

#[test]
fn each_checkpoint_has_the_entries_of_its_moment() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let (one, two) = (entry(b"a", b"one"), entry(b"a", b"two"));
    let odd = entry(b"b\xff", b"b");
    let first = put(
        &store,
        "first",
        None,
        &[EntryChange::Now(one.clone()), EntryChange::Now(odd.clone())],
    );
    let second = put(
        &store,
        "second",
        Some(first),
        &[EntryChange::Now(two.clone())],
    );
    let third = put(
        &store,
        "third",
        Some(second),
        &[EntryChange::Gone(b"b\xff".to_vec())],
    );
    let at = |number| store.checkpoint_entries(&[9; 32], number).expect("read");
    assert_eq!(at(first), [one.clone(), odd.clone()]);
    assert_eq!(at(second), [two.clone(), odd]);
    assert_eq!(at(third), [two]);
    let one_file = store.checkpoint_entry(&[9; 32], first, b"a").expect("read");
    assert_eq!(one_file, Some(one));
    let query = CheckpointQuery {
        called: Some("second".to_owned()),
        ..CheckpointQuery::default()
    };
    let found = store.checkpoints(&query).expect("read");
    assert_eq!(
        found.iter().map(|found| found.number).collect::<Vec<_>>(),
        [second]
    );
}

#[test]
fn some_names_and_the_names_below_a_folder_are_read_alone() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let names: [&[u8]; 5] = [b"in", b"in-between", b"in/a", b"in/b/c", b"in0"];
    let entries = names.map(|name| entry(name, b"one"));
    let changes = entries.clone().map(EntryChange::Now);
    let first = put(&store, "first", None, &changes);
    let gone = [EntryChange::Gone(b"in/a".to_vec())];
    let second = put(&store, "second", Some(first), &gone);
    let wanted =
        |names: &[&[u8]]| -> BTreeSet<Vec<u8>> { names.iter().map(|name| name.to_vec()).collect() };
    let named = |number, names: &[&[u8]]| {
        let found = store.checkpoint_entries_named(&[9; 32], number, &wanted(names));
        found.expect("read")
    };
    assert_eq!(
        named(first, &[b"in/a", b"in0", b"none"]),
        [entries[2].clone(), entries[4].clone()]
    );
    assert_eq!(named(second, &[b"in/a", b"in0"]), [entries[4].clone()]);
    let below = |number, limit| {
        let found = store.checkpoint_names_below(&[9; 32], number, b"in", limit);
        found.expect("read")
    };
    assert_eq!(below(first, 9), [b"in/a".to_vec(), b"in/b/c".to_vec()]);
    assert_eq!(below(first, 1), [b"in/a".to_vec()]);
    assert_eq!(below(second, 9), [b"in/b/c".to_vec()]);
    let query = CheckpointQuery {
        number: Some(first),
        ..CheckpointQuery::default()
    };
    let found = store.checkpoints(&query).expect("read");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].id, "first");
}

#[test]
fn a_look_that_was_overtaken_records_nothing() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let first = put(&store, "first", None, &[]);
    let late = [EntryChange::Now(entry(b"a", b"one"))];
    let outcome = store.store_checkpoint(&draft("late", None, &late), &[]);
    assert_eq!(outcome.expect("asked"), CheckpointOutcome::Overtaken);
    assert_eq!(store.checkpoint_entries(&[9; 32], first).expect("read"), []);
}

#[test]
fn an_operation_comes_with_the_checkpoint_and_with_what_is_known_of_its_call() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    store
        .store_contents(&[(hash(b"one"), b"one"), (hash(b"two"), b"two")])
        .expect("stored");
    let state = |bytes: &[u8]| {
        Some(DraftState {
            revision: hash(bytes),
            size: 3,
            mode: 0o100_644,
            link: None,
            inode: None,
            content: ContentDraft::Displaced,
        })
    };
    let operation = OperationDraft {
        id: "aaaaaaaaaaaa",
        time: 1_000,
        kind: OperationKind::Change,
        author: OperationAuthor {
            session: "talk",
            ..OperationAuthor::default()
        },
        tool: "run",
        rungs: Vec::new(),
        approved: None,
        question: None,
        parent: None,
        files: vec![FileDraft {
            path: Path::new("/p/a"),
            kind: ChangeKind::Update,
            moved_from: None,
            before: state(b"one"),
            after: state(b"two"),
            added: 1,
            removed: 1,
            folders: Vec::new(),
            workspace: Some(workspace()),
        }],
        takes_back: Vec::new(),
        takes_part_of: Vec::new(),
    };
    let call = RecordedCall {
        command: Some("make".to_owned()),
        exit_code: Some(2),
        duration: 7,
        name: None,
        not_kept: vec!["/p/link".into(), "/p/other".into()],
        since: Some(1),
        shared: vec!["/p/a.txt".into()],
        shared_with: vec!["another session".to_owned()],
        as_in_git: 3,
        head: Some(HeadMove {
            from: head("main", "a1"),
            to: head("topic", "b2"),
        }),
        parent: None,
    };
    let changes = [EntryChange::Now(entry(b"a", b"two"))];
    let outcome = store.store_checkpoint(
        &draft("after", None, &changes),
        &[(operation, call.clone())],
    );
    assert!(matches!(outcome, Ok(CheckpointOutcome::Recorded(_))));
    let log = store.query_log(&LogQuery::default()).expect("read");
    assert_eq!(log.len(), 1);
    assert_eq!(log[0].recorded, Some(call));
    assert_eq!(
        store.content(&hash(b"one")).expect("read"),
        Some(b"one".to_vec())
    );
}

#[test]
fn a_call_that_only_moved_head_is_listed_where_it_was_made() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let operation = OperationDraft {
        id: "commit000000",
        time: 1_000,
        kind: OperationKind::Change,
        author: OperationAuthor::default(),
        tool: "run",
        rungs: Vec::new(),
        approved: None,
        question: None,
        parent: None,
        files: Vec::new(),
        takes_back: Vec::new(),
        takes_part_of: Vec::new(),
    };
    let call = RecordedCall {
        head: Some(HeadMove {
            from: head("main", "a1"),
            to: head("main", "b2"),
        }),
        ..RecordedCall::default()
    };
    let now = head("main", "b2");
    let draft = CheckpointDraft {
        head: Some(&now),
        ..draft("after", None, &[])
    };
    let outcome = store.store_checkpoint(&draft, &[(operation, call)]);
    assert!(matches!(outcome, Ok(CheckpointOutcome::Recorded(_))));
    let query = CheckpointQuery::default();
    assert_eq!(store.checkpoints(&query).expect("read")[0].head, Some(now));
    let listed = |below: &[&str], without: &[[u8; 32]]| {
        let query = LogQuery {
            below: below.iter().map(Into::into).collect(),
            without: without.to_vec(),
            ..LogQuery::default()
        };
        let found = store.query_log(&query).expect("read");
        assert!(found.iter().all(|operation| !operation.is_undone()));
        found.len()
    };
    assert_eq!(listed(&[], &[]), 1);
    assert_eq!(listed(&["/p"], &[]), 1);
    assert_eq!(listed(&["/other", "/"], &[]), 1);
    assert_eq!(listed(&["/other"], &[]), 0);
    assert_eq!(listed(&["/p"], &[[9; 32]]), 0);
}

#[test]
fn a_blob_that_was_copied_is_a_content_of_the_checkpoints_that_had_it() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let with_blob = |name: &[u8], id: u8| CheckpointEntry {
        identity: ContentIdentity::Blob([id; 20]),
        ..entry(name, b"one")
    };
    let changes = [with_blob(b"a", 1), with_blob(b"b", 1), with_blob(b"c", 2)];
    let first = put(&store, "first", None, &changes.map(EntryChange::Now));
    let gone = EntryChange::Gone(b"a".to_vec());
    let second = put(&store, "second", Some(first), &[gone]);
    let bytes: &[u8] = b"one";
    store
        .store_contents(&[(hash(bytes), bytes)])
        .expect("stored");
    let copied = |name: &[u8]| IdentifiedBlob {
        name: name.to_vec(),
        blob: [1; 20],
        revision: hash(bytes),
    };
    let id = workspace().id;
    store
        .identify_blobs(&id, &[copied(b"a"), copied(b"c")])
        .expect("recorded");
    let identity = |number: i64, name: &[u8]| {
        let found = store.checkpoint_entry(&id, number, name).expect("read");
        found.map(|entry| entry.identity)
    };
    assert_eq!(
        identity(first, b"a"),
        Some(ContentIdentity::Revision(hash(bytes)))
    );
    assert_eq!(identity(second, b"a"), None);
    assert_eq!(identity(second, b"b"), Some(ContentIdentity::Blob([1; 20])));
    assert_eq!(identity(second, b"c"), Some(ContentIdentity::Blob([2; 20])));
}

#[test]
fn contents_go_with_the_last_checkpoint_that_names_them() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    for bytes in [b"one", b"two"] {
        store
            .store_contents(&[(hash(bytes), bytes)])
            .expect("stored");
    }
    let first = put(
        &store,
        "first",
        None,
        &[EntryChange::Now(entry(b"a", b"one"))],
    );
    put(
        &store,
        "second",
        Some(first),
        &[EntryChange::Now(entry(b"a", b"two"))],
    );
    let kept = || [b"one", b"two"].map(|bytes| store.has_content(&hash(bytes)).expect("asked"));
    let limits = HistoryLimits {
        age: Duration::from_secs(u32::MAX.into()),
        ..HistoryLimits::default()
    };
    let _ = store
        .prune(&limits, Duration::from_secs(60))
        .expect("pruned");
    assert_eq!(kept(), [true, true]);
    // Both are of the year 1970, and the newest stays.
    let _ = store
        .prune(&HistoryLimits::default(), Duration::from_secs(60))
        .expect("pruned");
    assert_eq!(kept(), [false, true]);
}

#[test]
fn checkpoints_beyond_their_size_go_before_operations_but_the_newest_stays() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    // A mebibyte that cannot be compressed.
    let bytes = |seed: u8| {
        let mut bytes = vec![0; 1 << 20];
        let mut hasher = blake3::Hasher::new();
        hasher.update(&[seed]).finalize_xof().fill(&mut bytes);
        bytes
    };
    let mut previous = None;
    for (seed, id) in [(0, "first"), (1, "second"), (2, "third")] {
        let change = [EntryChange::Now(entry(b"a", &bytes(seed)))];
        store
            .store_contents(&[(hash(&bytes(seed)), &bytes(seed))])
            .expect("stored");
        previous = Some(put(&store, id, previous, &change));
    }
    let kept = || [0, 1, 2].map(|seed| store.has_content(&hash(&bytes(seed))).expect("read"));
    let limits = |checkpoints| HistoryLimits {
        age: Duration::from_secs(u32::MAX.into()),
        checkpoints,
        ..HistoryLimits::default()
    };
    let minute = Duration::from_secs(60);
    let _ = store.prune(&limits(4 << 20), minute).expect("pruned");
    assert_eq!(kept(), [true; 3]);
    let _ = store.prune(&limits(2 << 20), minute).expect("pruned");
    assert_eq!(kept(), [false, false, true]);
}

#[test]
fn a_database_of_before_checkpoints_keeps_its_changes_and_gets_some() {
    let folder = TestFolder::new();
    Connection::open(folder.path().join("lancet.db"))
        .expect("opens")
        .execute_batch(include_str!("databases/version-18.sql"))
        .expect("dumped");
    let store = Store::new(folder.path());
    let log = store.query_log(&LogQuery::default()).expect("read");
    assert_eq!(log.len(), 1);
    assert_eq!(log[0].recorded, None);
    put(
        &store,
        "first",
        None,
        &[EntryChange::Now(entry(b"a", b"one"))],
    );
    assert_eq!(
        store
            .checkpoints(&CheckpointQuery::default())
            .expect("read")
            .len(),
        1
    );
}
