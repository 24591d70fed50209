//! Operations in the store: what is stored can be read again, undone changes are marked, old operations are removed,
//! and a process that ends in between leaves either nothing or something that can be settled.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lancet_history::{
    ActivityStore, AnnounceConflict, ChangeKind, CommentDraft, CommentKind, ConfirmOutcome,
    ContentDraft, ContentStore, DraftState, EventStore, FileDraft, HistoryError, HistoryLimits,
    IdMatch, LogQuery, MarkQuery, MarkStore, OperationAuthor, OperationDraft, OperationKind,
    OperationState, RecordStore, ReversalDirection, ReversedChange, ReviewStore, StatisticsQuery,
    Store, StoreUpkeep, WorkspaceRef,
};
use lancet_local_state::LocalState;
use lancet_testing::TestFolder;
use rusqlite::Connection;

const AGES: Duration = Duration::from_secs(60);

fn hash(bytes: &[u8]) -> [u8; 32] {
    *blake3::hash(bytes).as_bytes()
}

fn whole(bytes: &[u8]) -> Option<DraftState<'_>> {
    Some(DraftState {
        revision: hash(bytes),
        size: bytes.len() as u64,
        mode: 0o100_644,
        link: None,
        inode: None,
        content: ContentDraft::Whole(bytes),
    })
}

fn file<'a>(
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

fn draft<'a>(id: &'a str, files: Vec<FileDraft<'a>>) -> OperationDraft<'a> {
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

fn record(store: &Store, draft: &OperationDraft<'_>) {
    let begun = store.begin(draft).expect("begun");
    assert_eq!(begun.set_aside, None);
    let finished = store.finish(draft).expect("finished");
    assert_eq!(finished.set_aside, None);
}

fn id(number: usize) -> String {
    format!("op{number:010}")
}

fn ids(store: &Store, query: &LogQuery) -> Vec<String> {
    let found = store.query_log(query).expect("read");
    found.into_iter().map(|operation| operation.id).collect()
}

/// Runs a clean-up that finds this many operations too old and removes none, a day before the next.
fn note_age(store: &Store, folder: &TestFolder, waiting: u64) {
    let foreseen = store
        .forecast_prune(&HistoryLimits::default())
        .expect("worked out");
    assert_eq!((foreseen.operations, foreseen.waiting), (0, waiting));
    for _ in 0..2 {
        let removed = store
            .prune(&HistoryLimits::default(), AGES)
            .expect("pruned");
        assert_eq!((removed.operations, removed.waiting), (0, waiting));
    }
    database(folder)
        .execute("UPDATE operations SET overdue = overdue - 86400000", [])
        .expect("set");
}

/// Returns a folder with a database in the state that an older version of lancet left. The text is a dump from that
/// time, which stays valid when the schema gets another step.
fn older_database(dump: &str) -> TestFolder {
    let folder = TestFolder::new();
    database(&folder).execute_batch(dump).expect("dumped");
    folder
}

fn database(folder: &TestFolder) -> Connection {
    Connection::open(folder.path().join("lancet.db")).expect("opens")
}

#[test]
fn what_was_recorded_comes_back_after_a_restart() {
    let folder = TestFolder::new();
    let large = vec![7; 200_000];
    let mut change = draft(
        "abcd00000001",
        vec![
            file("/p/a.txt", whole(b"old\n"), whole(b"new\n")),
            file("/p/deep/b", None, whole(&large)),
        ],
    );
    change.author = OperationAuthor {
        session: "talk",
        client: Some("agent"),
        version: Some("1.2"),
        turn: Some("t1"),
        call: Some("c1"),
    };
    let store = Store::new(folder.path());
    assert_eq!(store.begin(&change).expect("begun").set_aside, None);
    assert_eq!(
        ids(&store, &LogQuery::default()),
        [] as [&str; 0],
        "only announced"
    );
    // These values are known only after the write.
    change.files[1].folders = vec![PathBuf::from("/p/deep")];
    change.files[1].after.as_mut().expect("there").mode = 0o100_600;
    assert_eq!(store.finish(&change).expect("finished").set_aside, None);

    let store = Store::new(folder.path());
    let found = store.query_log(&LogQuery::default()).expect("read");
    assert_eq!(found.len(), 1);
    let operation = &found[0];
    assert_eq!(operation.state, OperationState::Done);
    assert_eq!(
        (operation.tool.as_str(), operation.session.as_str()),
        ("Edit", "talk")
    );
    assert_eq!(operation.client.as_deref(), Some("agent"));
    assert_eq!(operation.turn.as_deref(), Some("t1"));
    assert_eq!(operation.approved.as_deref(), Some("mode accept-edits"));
    assert_eq!(operation.rungs, ["exact"]);
    assert_eq!(operation.files[1].folders, [PathBuf::from("/p/deep")]);
    assert_eq!(operation.files[1].before, None);
    let after = operation.files[1].after.clone().expect("there");
    assert_eq!((after.mode, after.size), (0o100_600, 200_000));
    assert_eq!(store.content(&after.revision).expect("read"), Some(large));
    assert_eq!(
        store.content(&hash(b"old\n")).expect("read"),
        Some(b"old\n".to_vec())
    );
    assert_eq!(store.content(&hash(b"never")).expect("read"), None);
    // The history contains secrets, so only its owner may read it.
    let blob = fs::read_dir(folder.path().join("contents"))
        .expect("there")
        .map(|entry| entry.expect("readable").path())
        .find(|path| path.file_name().is_some_and(|name| name.len() == 2));
    let blob = blob.expect("one");
    let inside = fs::read_dir(&blob)
        .expect("there")
        .next()
        .expect("one")
        .expect("readable");
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(&blob), mode(&inside.path())), (0o700, 0o600));
}

#[test]
fn edits_are_kept_as_their_spans_and_come_back_whole_sealed_or_not() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let mut versions = vec![b"line of text\n".repeat(1_000)];
    for number in 0..100_usize {
        let before = versions.last().expect("one").clone();
        let place = (number * 97 % before.len()) as u64;
        let new = format!("<{number}>").into_bytes();
        let mut after = before.clone();
        after.splice(place as usize..place as usize + 1, new.iter().copied());
        let state = DraftState {
            content: ContentDraft::Spans {
                base: hash(&before),
                changes: vec![(place..place + 1, &new)],
            },
            ..whole(&after).expect("some")
        };
        record(
            &store,
            &draft(&id(number), vec![file("/p/a", whole(&before), Some(state))]),
        );
        versions.push(after);
    }
    let size: i64 = database(&folder)
        .query_row("SELECT sum(stored) FROM contents", [], |row| row.get(0))
        .expect("summed");
    assert!(size < 8 * 13_000, "101 versions of 13 KB take {size} bytes");
    let all_come_back = |store: &Store| {
        for version in &versions {
            assert_eq!(
                store.content(&hash(version)).expect("read").as_ref(),
                Some(version)
            );
        }
    };
    all_come_back(&store);
    let sealed = store.compress(AGES).expect("sealed");
    assert!(
        sealed.contents > 0 && sealed.after < sealed.before / 10,
        "{sealed:?}"
    );
    all_come_back(&store);
    assert_eq!(
        store.compress(AGES).expect("sealed").contents,
        0,
        "once is enough"
    );
}

#[test]
fn a_content_that_is_not_what_its_name_says_is_not_given_out() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    record(
        &store,
        &draft("abcd00000001", vec![file("/p/a", None, whole(b"true"))]),
    );
    database(&folder)
        .execute("UPDATE contents SET data = CAST('false' AS BLOB)", [])
        .expect("changed");
    assert_eq!(store.content(&hash(b"true")).expect("read"), None);
}

#[test]
fn the_log_is_filtered_and_an_id_is_found_by_its_beginning() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    for (id, path) in [
        ("aaaa00000001", "/p/a"),
        ("aaaa10000002", "/p/b"),
        ("bbbb00000003", "/q/a"),
    ] {
        record(
            &store,
            &draft(id, vec![file(path, None, whole(path.as_bytes()))]),
        );
    }
    let below = |folder: &str| LogQuery {
        below: vec![PathBuf::from(folder)],
        ..LogQuery::default()
    };
    assert_eq!(ids(&store, &below("/p")), ["aaaa10000002", "aaaa00000001"]);
    assert_eq!(ids(&store, &below("/p/")), ["aaaa10000002", "aaaa00000001"]);
    assert_eq!(
        ids(&store, &below("/")),
        ["bbbb00000003", "aaaa10000002", "aaaa00000001"]
    );
    assert_eq!(ids(&store, &below("/pp")), [] as [&str; 0]);
    let of = |path: &str| LogQuery {
        path: Some(PathBuf::from(path)),
        ..LogQuery::default()
    };
    assert_eq!(ids(&store, &of("/q/a")), ["bbbb00000003"]);
    assert_eq!(
        ids(&store, &of("/p")).len(),
        2,
        "a folder stands for its files"
    );
    let limited = LogQuery {
        limit: Some(1),
        since: Some(1_000),
        ..LogQuery::default()
    };
    assert_eq!(ids(&store, &limited), ["bbbb00000003"]);
    let other = LogQuery {
        session: Some("other".into()),
        ..LogQuery::default()
    };
    assert_eq!(ids(&store, &other), [] as [&str; 0]);
    assert!(
        matches!(store.find("bbbb", &[]), Ok(IdMatch::One(found)) if found.id == "bbbb00000003")
    );
    assert!(matches!(store.find("aaaa", &[]), Ok(IdMatch::Several(ids)) if ids.len() == 2));
    assert!(matches!(store.find("aaaa1", &[]), Ok(IdMatch::One(_))));
    assert_eq!(store.find("zzzz", &[]).expect("read"), IdMatch::None);
    let shortest = store.shortest_unique_endings(&["aaaa00000001", "bbbb00000003"]);
    assert_eq!(shortest.expect("read"), [1, 1]);
    assert!(
        matches!(store.find("03", &[]), Ok(IdMatch::One(found)) if found.id == "bbbb00000003"),
        "an ending names an operation, too"
    );
}

#[test]
fn an_id_that_is_taken_is_told_and_overwrites_nothing() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    record(
        &store,
        &draft("abcd00000001", vec![file("/p/a", None, whole(b"1"))]),
    );
    let again = draft("abcd00000001", vec![file("/p/b", None, whole(b"2"))]);
    assert!(matches!(
        store.begin(&again),
        Err(HistoryError::Conflict(AnnounceConflict::Taken(_)))
    ));
    let found = store.query_log(&LogQuery::default()).expect("read");
    assert_eq!(found[0].files[0].path, Path::new("/p/a"));
}

#[test]
fn undo_redo_and_undo_again_flip_the_marks() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let undoable = LogQuery {
        reversible: Some(ReversalDirection::Undoable),
        ..LogQuery::default()
    };
    let redoable = LogQuery {
        reversible: Some(ReversalDirection::Redoable),
        ..LogQuery::default()
    };
    record(
        &store,
        &draft(&id(1), vec![file("/p/a", whole(b"0"), whole(b"1"))]),
    );
    let step = |number: usize, kind, earlier: usize, from: &'static [u8], to: &'static [u8]| {
        let name = id(number);
        let mut step = draft(&name, vec![file("/p/a", whole(from), whole(to))]);
        step.kind = kind;
        step.takes_back = vec![ReversedChange {
            by: Some(0),
            operation: id(earlier),
            at: 0,
        }];
        record(&store, &step);
    };
    assert_eq!(ids(&store, &undoable), [id(1)]);
    step(2, OperationKind::Undo, 1, b"1", b"0");
    assert_eq!(ids(&store, &undoable), [] as [&str; 0]);
    assert_eq!(ids(&store, &redoable), [id(2)]);
    step(3, OperationKind::Redo, 2, b"0", b"1");
    assert_eq!(ids(&store, &undoable), [id(1)], "it stands again");
    assert_eq!(ids(&store, &redoable), [] as [&str; 0]);
    step(4, OperationKind::Undo, 3, b"1", b"0");
    assert_eq!(ids(&store, &undoable), [] as [&str; 0]);
    assert_eq!(ids(&store, &redoable), [id(4), id(2)]);
    // A new change of the file ends the possibility of a redo.
    record(
        &store,
        &draft(&id(5), vec![file("/p/a", whole(b"0"), whole(b"2"))]),
    );
    assert_eq!(ids(&store, &redoable), [] as [&str; 0]);
}

#[test]
fn what_was_left_unfinished_is_found_once_its_process_is_gone() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let change = draft(
        "abcd00000001",
        vec![
            file("/p/a", whole(b"0"), whole(b"1")),
            file("/p/b", whole(b"0"), whole(b"1")),
        ],
    );
    assert_eq!(store.begin(&change).expect("begun").set_aside, None);
    assert_eq!(
        store.unfinished_operations().expect("read"),
        [],
        "this process is at work on it"
    );
    database(&folder)
        .execute("UPDATE begun SET process = '4000000:1'", [])
        .expect("changed");
    let left = store.unfinished_operations().expect("read");
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].state, OperationState::Begun);
    // One of its two files had been written.
    store
        .settle_unfinished(&left[0], OperationState::Done, &[1])
        .expect("settled");
    let found = store.query_log(&LogQuery::default()).expect("read");
    assert_eq!(found[0].files.len(), 1);
    assert_eq!(found[0].files[0].path, Path::new("/p/b"));
    assert_eq!(store.unfinished_operations().expect("read"), []);
    // The process was still running after all: what it reports is recorded.
    assert_eq!(store.finish(&change).expect("finished").set_aside, None);
    // If nothing was written, there is no operation.
    let other = draft("abcd00000002", vec![file("/p/a", whole(b"1"), whole(b"2"))]);
    assert_eq!(store.begin(&other).expect("begun").set_aside, None);
    database(&folder)
        .execute("UPDATE begun SET process = '4000000:1'", [])
        .expect("changed");
    let left = store.unfinished_operations().expect("read");
    store
        .settle_unfinished(&left[0], OperationState::Done, &[])
        .expect("settled");
    assert_eq!(ids(&store, &LogQuery::default()), ["abcd00000001"]);
    // The operation was settled as never carried out, and finished nevertheless.
    assert_eq!(store.finish(&other).expect("finished").set_aside, None);
    assert_eq!(ids(&store, &LogQuery::default()).len(), 2);
}

#[test]
fn the_oldest_go_and_the_newest_of_each_file_stays_whole() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let mut last = b"start ".repeat(300);
    for number in 0..500_usize {
        let new = format!("{number} ").into_bytes();
        let mut next = last.clone();
        next.splice(0..6, new.iter().copied());
        let state = DraftState {
            content: ContentDraft::Spans {
                base: hash(&last),
                changes: vec![(0..6, &new)],
            },
            ..whole(&next).expect("some")
        };
        record(
            &store,
            &draft(&id(number), vec![file("/p/a", whole(&last), Some(state))]),
        );
        last = next;
    }
    record(
        &store,
        &draft(&id(900), vec![file("/p/b", None, whole(b"other"))]),
    );
    let keeps_all = HistoryLimits {
        age: Duration::from_secs(1 << 40),
        ..HistoryLimits::default()
    };
    let removed = store.prune(&keeps_all, AGES).expect("pruned");
    assert_eq!((removed.operations, removed.contents), (0, 0));
    // All operations are from 1970; the first clean-up only notes that they are too old.
    note_age(&store, &folder, 499);
    let foreseen = store
        .forecast_prune(&HistoryLimits::default())
        .expect("worked out");
    assert_eq!(ids(&store, &LogQuery::default()).len(), 501, "only told");
    let removed = store
        .prune(&HistoryLimits::default(), AGES)
        .expect("pruned");
    assert_eq!(removed.operations, 499);
    assert_eq!(
        (foreseen.operations, foreseen.contents),
        (removed.operations, removed.contents)
    );
    assert!(
        removed.contents >= 498 && !removed.unfinished,
        "{removed:?}"
    );
    assert_eq!(ids(&store, &LogQuery::default()), [id(900), id(499)]);
    let found = store
        .query_log(&LogQuery {
            path: Some("/p/a".into()),
            ..LogQuery::default()
        })
        .expect("read");
    let kept = &found[0].files[0];
    for state in [&kept.before, &kept.after] {
        let revision = state.as_ref().expect("there").revision;
        assert!(
            store.content(&revision).expect("read").is_some(),
            "its spans were put together"
        );
    }
    assert_eq!(store.content(&hash(&last)).expect("read"), Some(last));
}

#[test]
fn sums_are_by_file_tool_session_client_and_refusal() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    record(
        &store,
        &draft(
            &id(1),
            vec![
                file("/p/a", None, whole(b"1")),
                file("/p/b", None, whole(b"2")),
            ],
        ),
    );
    record(
        &store,
        &draft(&id(2), vec![file("/p/a", whole(b"1"), whole(b"3"))]),
    );
    store
        .count_refusal("talk", "Edit", "stale", Path::new("/p"))
        .expect("counted");
    store
        .count_refusal("talk", "Edit", "stale", Path::new("/p/sub"))
        .expect("counted");
    store
        .count_refusal("talk", "Edit", "stale", Path::new("/p-other"))
        .expect("counted");
    let sums = store
        .statistics(&StatisticsQuery::default())
        .expect("summed");
    assert_eq!(
        (sums.total.operations, sums.total.added, sums.total.removed),
        (2, 6, 3)
    );
    assert_eq!(sums.files[0].0, Path::new("/p/a"));
    assert_eq!(sums.files[0].1.operations, 2);
    assert_eq!(sums.tools, [("Edit".to_owned(), sums.total)]);
    assert_eq!(sums.sessions, [("talk".to_owned(), sums.total)]);
    assert_eq!(sums.rungs, [("exact".to_owned(), 2)]);
    assert_eq!(sums.refusals, [("stale".to_owned(), 3)]);
    let below = |folder: &str| StatisticsQuery {
        below: vec![folder.into()],
        ..StatisticsQuery::default()
    };
    for (folder, refusals) in [("/p", 2), ("/p/sub", 1), ("/p-other", 1)] {
        let sums = store.statistics(&below(folder)).expect("summed");
        assert_eq!(sums.refusals, [("stale".to_owned(), refusals)], "{folder}");
    }
    let elsewhere = store.statistics(&below("/q")).expect("summed");
    assert_eq!(elsewhere.refusals, []);
    let other = StatisticsQuery {
        session: Some("other".into()),
        ..StatisticsQuery::default()
    };
    assert_eq!(
        store.statistics(&other).expect("summed"),
        Default::default()
    );
}

#[test]
fn a_database_of_the_first_version_takes_the_step_and_keeps_its_ledgers() {
    let folder = older_database(include_str!("databases/version-1.sql"));
    let store = Store::new(folder.path());
    record(
        &store,
        &draft(&id(2), vec![file("/p/a", None, whole(b"1"))]),
    );
    assert_eq!(ids(&store, &LogQuery::default()), [id(2)]);
    let kept: i64 = database(&folder)
        .query_row(
            "SELECT count(*) FROM sessions WHERE name = 'kept'",
            [],
            |row| row.get(0),
        )
        .expect("counted");
    assert_eq!(kept, 1);
}

#[test]
fn a_database_that_is_damaged_between_the_steps_does_not_lose_the_operation() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let name = id(1);
    let change = draft(&name, vec![file("/p/a", whole(b"0"), whole(b"1"))]);
    assert_eq!(store.begin(&change).expect("begun").set_aside, None);
    for name in ["lancet.db-wal", "lancet.db-shm"] {
        let _ = fs::remove_file(folder.path().join(name));
    }
    let file = folder.path().join("lancet.db");
    fs::remove_file(&file).expect("removed");
    fs::write(&file, "no database ".repeat(1_000)).expect("written");
    let finished = store.finish(&change).expect("finished");
    assert!(finished.set_aside.is_some());
    let found = store.query_log(&LogQuery::default()).expect("read");
    assert_eq!(found[0].id, id(1));
    assert_eq!(
        store.content(&hash(b"0")).expect("read"),
        Some(b"0".to_vec())
    );
}

#[test]
fn a_session_at_work_keeps_the_way_back_to_how_it_found_its_files() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let texts: Vec<String> = (0..30).map(|number| format!("text {number}\n")).collect();
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .expect("after 1970")
        .as_millis() as i64;
    for (number, pair) in texts.windows(2).enumerate() {
        let [before, after] = pair else { continue };
        let mut change = draft(
            Box::leak(id(number).into_boxed_str()),
            vec![file(
                "/p/a",
                whole(before.as_bytes()),
                whole(after.as_bytes()),
            )],
        );
        // An older session, then an active one.
        change.author.session = if number < 10 { "old" } else { "talk" };
        change.time = now;
        if number < 10 {
            change.time = 1_000;
        }
        record(&store, &change);
    }
    let nothing = HistoryLimits {
        size: 0,
        ..HistoryLimits::default()
    };
    let foreseen = store.forecast_prune(&nothing).expect("worked out");
    let removed = store.prune(&nothing, AGES).expect("pruned");
    assert_eq!(foreseen.operations, removed.operations);
    assert_eq!((foreseen.spared, removed.spared), (1, 1));
    assert_eq!(
        ids(&store, &LogQuery::default()),
        [id(28), id(10)],
        "the newest of the file, and the first of the session"
    );
    let found = hash(texts[10].as_bytes());
    assert_eq!(
        store.content(&found).expect("read"),
        Some(texts[10].clone().into_bytes())
    );
    let left: i64 = database(&folder)
        .query_row("SELECT count(*) FROM contents", [], |row| row.get(0))
        .expect("counted");
    assert_eq!(left, 4, "two before, two after");
}

#[test]
fn an_operation_that_was_not_carried_out_leaves_no_content() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let large = vec![b'x'; 200_000];
    let change = draft(
        "abcd00000001",
        vec![file("/p/a", whole(b"old\n"), whole(&large))],
    );
    let _ = store.begin(&change).expect("begun");
    store
        .remove_not_carried_out("abcd00000001")
        .expect("abandoned");
    let left: i64 = database(&folder)
        .query_row("SELECT count(*) FROM contents", [], |row| row.get(0))
        .expect("counted");
    assert_eq!(left, 0);
    assert_eq!(store.content(&hash(&large)).expect("read"), None);
}

#[test]
fn what_a_dead_process_left_is_taken_in_or_removed() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let large = vec![b'x'; 200_000];
    let mut before = whole(&large);
    if let Some(before) = &mut before {
        before.content = ContentDraft::Displaced;
    }
    record(
        &store,
        &draft("abcd00000001", vec![file("/p/a", before, whole(b"new\n"))]),
    );
    assert_eq!(store.content(&hash(&large)).expect("read"), None);
    let displaced = folder.path().join("displaced");
    fs::create_dir(&displaced).expect("made");
    for (name, bytes) in [
        ("100-aa-a.txt", &large[..]),
        ("101-ab-new.txt", b"new\n"),
        ("102-ac-unknown.txt", b"nobody knows"),
        ("open-103-ad-a.txt", &large[..]),
    ] {
        fs::write(displaced.join(name), bytes).expect("written");
    }
    let temporaries = folder.path().join("contents/tmp");
    fs::create_dir_all(&temporaries).expect("made");
    fs::write(temporaries.join("4000000:1-0"), "half").expect("written");
    let is_sealed = |name: &std::ffi::OsStr| !name.as_encoded_bytes().starts_with(b"open-");
    lancet_local_state::displaced::adopt_displaced_files(
        &displaced,
        &is_sealed,
        AGES,
        &mut |revision, file| {
            store.adopt_file(revision, file).expect("adopted");
        },
    )
    .expect("read");
    assert!(store.unfinished_operations().expect("read").is_empty());
    assert_eq!(store.content(&hash(&large)).expect("read"), Some(large));
    let mut names: Vec<_> = fs::read_dir(&displaced)
        .expect("there")
        .map(|entry| entry.expect("readable").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["102-ac-unknown.txt", "open-103-ad-a.txt"]);
    assert_eq!(fs::read_dir(&temporaries).expect("there").count(), 0);
}

#[test]
fn a_large_content_is_packed_where_it_stands_and_comes_back() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let text = "some line of a program\n".repeat(20_000).into_bytes();
    let noise: Vec<u8> = (0..100_000_u32)
        .flat_map(|number| blake3::hash(&number.to_le_bytes()).as_bytes()[..2].to_vec())
        .collect();
    record(
        &store,
        &draft(
            "abcd00000001",
            vec![file("/p/a", whole(&text), whole(&noise))],
        ),
    );
    let sealed = store.compress(AGES).expect("sealed");
    assert_eq!(
        (sealed.contents, sealed.left),
        (1, 0),
        "noise stays as it is"
    );
    assert!(sealed.after * 10 < sealed.before, "{sealed:?}");
    for bytes in [text, noise] {
        assert_eq!(store.content(&hash(&bytes)).expect("read"), Some(bytes));
    }
    let again = store.compress(AGES).expect("sealed");
    assert_eq!((again.contents, again.left), (0, 0));
}

#[test]
fn room_that_sealing_frees_is_given_back() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    for number in 0..300 {
        let text = format!("line of {number}\n").repeat(800).into_bytes();
        let name = id(number);
        record(
            &store,
            &draft(&name, vec![file("/p/a", None, whole(&text))]),
        );
    }
    let pages = || -> i64 {
        database(&folder)
            .pragma_query_value(None, "page_count", |row| row.get(0))
            .expect("counted")
    };
    let before = pages();
    let sealed = store.compress(AGES).expect("sealed");
    assert_eq!((sealed.contents, sealed.left), (300, 0));
    let after = pages();
    assert!(after * 2 < before, "{before} pages, then {after}");
}

#[test]
fn whatever_page_is_damaged_the_write_goes_on_and_no_wrong_bytes_come_back() {
    let folder = TestFolder::new();
    let texts: Vec<Vec<u8>> = (0..41)
        .map(|number| format!("text {number}\n").repeat(300).into_bytes())
        .collect();
    {
        let store = Store::new(folder.path());
        for (number, pair) in texts.windows(2).enumerate() {
            let path = format!("/p/{}", number % 7);
            let change = file(&path, whole(&pair[0]), whole(&pair[1]));
            record(&store, &draft(&id(number), vec![change]));
            store.record_broken_link(&id(number), 0).expect("noted");
        }
    }
    // All data is in the one file.
    database(&folder)
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .expect("brought over");
    let sound = fs::read(folder.path().join("lancet.db")).expect("there");
    let size = usize::from(u16::from_be_bytes([sound[16], sound[17]]));
    let pages = sound.len() / size;
    assert!(pages > 30, "{pages}");
    let (mut set_aside, mut brought_over) = (0, 0);
    for page in 0..pages {
        let folder = TestFolder::new();
        let mut bytes = sound.clone();
        for (at, byte) in bytes[page * size..][..size].iter_mut().enumerate() {
            *byte = (at * 31 + page) as u8;
        }
        fs::write(folder.path().join("lancet.db"), &bytes).expect("written");
        let store = Store::new(folder.path());
        let change = draft("zzzz00000001", vec![file("/p/new", None, whole(b"new\n"))]);
        let aside = store.begin(&change).expect("goes on").set_aside;
        let aside = store.finish(&change).expect("goes on").set_aside.or(aside);
        // If the write did not notice the damage, the log does; in both cases the new operation is there.
        let log = store.query_log(&LogQuery::default()).expect("read");
        if let Some(aside) = aside {
            set_aside += 1;
            brought_over += aside.brought_over;
            assert!(aside.moved_to.as_ref().is_some_and(|file| file.exists()));
        }
        for operation in log {
            for kept in operation
                .files
                .iter()
                .flat_map(|file| [&file.before, &file.after])
            {
                let Some(kept) = kept else { continue };
                if let Some(bytes) = store.content(&kept.revision).expect("read") {
                    assert_eq!(hash(&bytes), kept.revision);
                }
            }
        }
        let verdict: String = database(&folder)
            .pragma_query_value(None, "integrity_check(1)", |row| row.get(0))
            .unwrap_or_else(|error| error.to_string());
        // Pages that nothing has read yet may still be damaged; a newly created database is sound.
        assert!(verdict == "ok" || set_aside < pages as u64, "{verdict}");
    }
    assert!(
        set_aside > 0 && brought_over > 0,
        "{set_aside} {brought_over}"
    );
}

#[test]
fn looking_writes_nothing() {
    let folder = TestFolder::new();
    record(
        &Store::new(folder.path()),
        &draft("abcd00000001", vec![file("/p/a", None, whole(b"new\n"))]),
    );
    let files = || -> Vec<_> {
        ["lancet.db", "lancet.db-wal"]
            .map(|name| folder.path().join(name))
            .map(|path| {
                (
                    fs::read(&path).ok(),
                    fs::metadata(&path).and_then(|found| found.modified()).ok(),
                )
            })
            .into()
    };
    let before = files();
    for _ in 0..3 {
        let store = Store::new(folder.path());
        assert_eq!(ids(&store, &LogQuery::default()), ["abcd00000001"]);
        assert!(store.unfinished_operations().expect("read").is_empty());
    }
    assert!(
        files() == before,
        "the database and its log are as they were"
    );
    // After maintenance everything is in the database.
    let store = Store::new(folder.path());
    let _ = store.compress(AGES).expect("sealed");
    fs::remove_file(folder.path().join("lancet.db-wal")).expect("it is there, and needless");
    drop(store);
    assert_eq!(
        ids(&Store::new(folder.path()), &LogQuery::default()),
        ["abcd00000001"]
    );
}

#[test]
fn what_came_late_does_not_push_out_the_newest_change() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let change = |number: usize, old: &[u8], new: &[u8]| {
        let name = id(number);
        record(
            &store,
            &draft(&name, vec![file("/p/a", whole(old), whole(new))]),
        );
    };
    change(1, b"zero", b"one");
    change(2, b"one", b"two");
    let (name, files) = (id(3), vec![file("/p/a", whole(b"one"), whole(b"one late"))]);
    let late = OperationDraft {
        kind: OperationKind::Late,
        ..draft(&name, files)
    };
    record(&store, &late);
    // All of them are from 1970.
    note_age(&store, &folder, 1);
    let foreseen = store
        .forecast_prune(&HistoryLimits::default())
        .expect("worked out");
    let removed = store
        .prune(&HistoryLimits::default(), AGES)
        .expect("pruned");
    assert_eq!((foreseen.operations, removed.operations), (1, 1));
    assert_eq!(ids(&store, &LogQuery::default()), [id(3), id(2)]);
    // The next change ends both.
    change(4, b"two", b"three");
    note_age(&store, &folder, 2);
    let foreseen = store
        .forecast_prune(&HistoryLimits::default())
        .expect("worked out");
    let removed = store
        .prune(&HistoryLimits::default(), AGES)
        .expect("pruned");
    assert_eq!((foreseen.operations, removed.operations), (2, 2));
    assert_eq!(ids(&store, &LogQuery::default()), [id(4)]);
}

#[test]
fn an_ending_is_as_short_as_it_can_be() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    record(
        &store,
        &draft("000000000000", vec![file("/p/a", None, whole(b"new"))]),
    );
    let names: Vec<String> = (0..1_500_u32)
        .map(|number| {
            hash(&number.to_le_bytes())[..6]
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect()
        })
        .collect();
    let mut database = database(&folder);
    let transaction = database.transaction().expect("begun");
    for name in &names {
        transaction
            .execute(
                "INSERT INTO operations (id, time, kind, state, session, tool, rungs) VALUES (?1, 0, 0, 1, '', '', '')",
                [name],
            )
            .expect("inserted");
    }
    transaction.commit().expect("kept");
    let ids: Vec<&str> = names.iter().map(String::as_str).collect();
    let lengths = store.shortest_unique_endings(&ids).expect("read");
    let shared_by = |ending: &str| ids.iter().filter(|id| id.ends_with(ending)).count();
    for (id, length) in ids.iter().zip(&lengths).step_by(10) {
        let from = id.len() - length;
        assert_eq!(shared_by(&id[from..]), 1, "{id}");
        assert!(*length == 1 || shared_by(&id[from + 1..]) > 1, "{id}");
    }
    assert!(lengths.iter().any(|length| *length > 2));
}

#[test]
fn what_was_parted_goes_with_its_operation() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    for (name, old, new) in [("abcd00000001", "a", "b"), ("abcd00000002", "b", "c")] {
        let change = file("/p/a", whole(old.as_bytes()), whole(new.as_bytes()));
        record(&store, &draft(name, vec![change]));
    }
    store.record_broken_link("abcd00000001", 0).expect("noted");
    store
        .record_broken_link("abcd00000001", 0)
        .expect("noted once");
    assert_eq!(store.broken_links("abcd00000001").expect("read"), [0]);
    assert!(store.broken_links("abcd00000002").expect("read").is_empty());
    // All of them are from 1970.
    note_age(&store, &folder, 1);
    let _ = store
        .prune(&HistoryLimits::default(), AGES)
        .expect("pruned");
    assert!(store.broken_links("abcd00000001").expect("read").is_empty());
}

#[test]
fn the_order_is_that_of_recording_whatever_the_clock_said() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    // The clock was set back between the second and the third.
    for (name, time) in [
        ("bbbb00000001", 2_000),
        ("bbbb00000002", 3_000),
        ("aaaa00000003", 1_000),
    ] {
        let mut change = draft(
            name,
            vec![file("/p/a", whole(b"old"), whole(name.as_bytes()))],
        );
        change.time = time;
        record(&store, &change);
    }
    let newest_first = ["aaaa00000003", "bbbb00000002", "bbbb00000001"];
    assert_eq!(ids(&store, &LogQuery::default()), newest_first);
    let before = LogQuery {
        before: Some("aaaa00000003".to_owned()),
        ..LogQuery::default()
    };
    assert_eq!(ids(&store, &before), newest_first[1..]);
    // Operations are removed in the order of recording, and the newest of the file stays.
    let nothing = HistoryLimits {
        size: 0,
        ..HistoryLimits::default()
    };
    let _ = store.prune(&nothing, AGES).expect("pruned");
    assert_eq!(ids(&store, &LogQuery::default()), newest_first[..1]);
}

#[test]
fn a_clean_up_while_the_clock_is_wrong_removes_nothing() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .expect("after 1970")
        .as_millis() as i64;
    for number in 0..6 {
        let name = id(number);
        let mut change = draft(
            &name,
            vec![file("/p/a", whole(b"old"), whole(name.as_bytes()))],
        );
        change.time = now;
        record(&store, &change);
    }
    let overdue = |value: i64| {
        database(&folder)
            .execute("UPDATE operations SET overdue = ?1", [value])
            .expect("set");
    };
    // With a clock two years ahead, a clean-up found them too old. By the right clock they are not, and the note is
    // removed.
    let two_years = 2 * 365 * 24 * 60 * 60 * 1000;
    overdue(now + two_years);
    let removed = store
        .prune(&HistoryLimits::default(), AGES)
        .expect("pruned");
    assert_eq!((removed.operations, removed.waiting), (0, 0));
    let noted: i64 = database(&folder)
        .query_row("SELECT count(overdue) FROM operations", [], |row| {
            row.get(0)
        })
        .expect("counted");
    assert_eq!(noted, 0);
    // A note from the future proves nothing even if they are too old.
    overdue(now + two_years);
    let old = HistoryLimits {
        age: Duration::ZERO,
        ..HistoryLimits::default()
    };
    database(&folder)
        .execute("UPDATE operations SET time = time - 5000", [])
        .expect("set");
    let removed = store.prune(&old, AGES).expect("pruned");
    assert_eq!((removed.operations, removed.waiting), (0, 5));
}

#[test]
fn a_database_without_the_order_of_recording_gets_it_from_the_ids() {
    let folder = older_database(include_str!("databases/version-6.sql"));
    let store = Store::new(folder.path());
    assert_eq!(ids(&store, &LogQuery::default()), [id(3), id(2), id(1)]);
    record(
        &store,
        &draft(
            "0000aaaa0000",
            vec![file("/p/a", whole(b"old"), whole(b"new"))],
        ),
    );
    assert_eq!(
        ids(&store, &LogQuery::default()),
        ["0000aaaa0000".to_owned(), id(3), id(2), id(1)]
    );
}

#[test]
fn a_change_after_a_mark_is_after_it_also_where_an_abandoned_one_was_before() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let given_up = draft("aaaaaaaaaaaa", vec![file("/p/a.txt", None, whole(b"a"))]);
    let _ = store.begin(&given_up).expect("begun");
    store.record_prompt("talk", "first").expect("kept");
    store
        .remove_not_carried_out("aaaaaaaaaaaa")
        .expect("abandoned");
    store.record_prompt("talk", "second").expect("kept");
    let change = draft("bbbbbbbbbbbb", vec![file("/p/a.txt", None, whole(b"b"))]);
    let _ = store.begin(&change).expect("begun");
    let _ = store.finish(&change).expect("finished");
    for mark in store.prompt_marks(&MarkQuery::default()).expect("read") {
        let query = LogQuery {
            after: Some(mark.sequence),
            ..LogQuery::default()
        };
        assert_eq!(ids(&store, &query), ["bbbbbbbbbbbb"], "{}", mark.prompt);
    }
}

#[test]
fn a_mark_has_the_place_in_the_changes_at_which_it_was_set() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let change = |id: &str| {
        let files = vec![file("/p/a.txt", None, whole(b"a"))];
        let draft = draft(id, files);
        let _ = store.begin(&draft).expect("begun");
        let _ = store.finish(&draft).expect("finished");
    };
    store
        .record_prompt("talk", "first\nand more")
        .expect("kept");
    change("aaaaaaaaaaaa");
    store.record_prompt("talk", &"x".repeat(200)).expect("kept");
    store.record_prompt("elsewhere", "other").expect("kept");
    change("bbbbbbbbbbbb");
    let query = MarkQuery {
        below: vec!["/p".into()],
        ..MarkQuery::default()
    };
    let marks = store.prompt_marks(&query).expect("read");
    let found: Vec<_> = marks.iter().map(|mark| mark.prompt.as_str()).collect();
    assert_eq!(found, ["x".repeat(80).as_str(), "first"], "newest first");
    let since = |sequence: i64| {
        let query = LogQuery {
            session: Some("talk".to_owned()),
            after: Some(sequence),
            ..LogQuery::default()
        };
        let log = store.query_log(&query).expect("read");
        log.into_iter().map(|found| found.id).collect::<Vec<_>>()
    };
    assert_eq!(since(marks[0].sequence), ["bbbbbbbbbbbb"]);
    assert_eq!(since(marks[1].sequence), ["bbbbbbbbbbbb", "aaaaaaaaaaaa"]);
    let other = MarkQuery {
        session: Some("elsewhere".to_owned()),
        ..MarkQuery::default()
    };
    assert_eq!(store.prompt_marks(&other).expect("read").len(), 1);
}

#[test]
fn the_session_of_a_process_is_the_one_reported_last() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    assert_eq!(store.reported_session("7:1").expect("read"), None);
    store.report_session("7:1", "one").expect("kept");
    store.report_session("7:1", "two").expect("kept");
    store.report_session("7:2", "three").expect("kept");
    let found = store.reported_session("7:1").expect("read");
    assert_eq!(found.as_deref(), Some("two"));
}

#[test]
fn the_event_of_a_change_goes_with_it_and_leaves_a_mark() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let contents: [&[u8]; 4] = [b"zero", b"one", b"two", b"three"];
    for number in 1..4 {
        let (old, new) = (contents[number - 1], contents[number]);
        let files = vec![file("/p/a", whole(old), whole(new))];
        record(&store, &draft(&id(number), files));
    }
    let numbers = |since| -> Vec<i64> {
        let page = store.events(since, 10).expect("read");
        page.events.iter().map(|event| event.seq).collect()
    };
    assert_eq!(numbers(0), [1, 2, 3]);
    assert_eq!(store.events(0, 10).expect("read").removed_to, 0);
    assert_eq!(
        store.last_event_of_operation(&id(2)).expect("read"),
        Some(2)
    );
    let limits = HistoryLimits {
        size: 0,
        ..HistoryLimits::default()
    };
    let removed = store.prune(&limits, AGES).expect("pruned");
    assert_eq!(removed.operations, 2);
    assert_eq!(numbers(0), [3]);
    let page = store.events(0, 10).expect("read");
    assert_eq!((page.removed_to, page.newest), (2, 3));
}

#[test]
fn the_newest_change_of_a_file_stays_for_each_folder_that_had_its_path() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let root = Path::new("/workspace");
    let change = |number: usize, workspace: u8, old: &'static [u8], new: &'static [u8]| {
        let mut changed = file("/workspace/a", whole(old), whole(new));
        changed.workspace = Some(WorkspaceRef {
            id: [workspace; 32],
            root,
        });
        record(&store, &draft(&id(number), vec![changed]));
    };
    change(1, 1, b"a", b"b");
    change(2, 1, b"b", b"c");
    change(3, 2, b"x", b"y");
    let limits = HistoryLimits {
        size: 0,
        ..HistoryLimits::default()
    };
    assert_eq!(
        store
            .forecast_prune(&limits)
            .expect("worked out")
            .operations,
        1
    );
    assert_eq!(store.prune(&limits, AGES).expect("pruned").operations, 1);
    assert_eq!(ids(&store, &LogQuery::default()), [id(3), id(2)]);
    let own = LogQuery {
        without: vec![[2; 32]],
        ..LogQuery::default()
    };
    assert_eq!(ids(&store, &own), [id(2)]);
    let known = store.recorded_workspaces(&[root.to_owned()]).expect("read");
    assert_eq!(known.len(), 2);
    let after = |without: &[[u8; 32]]| {
        let paths = [PathBuf::from("/workspace/a")];
        store
            .has_later_changes(&paths, &id(2), &[], without)
            .expect("read")
    };
    assert!(after(&[]));
    assert!(
        !after(&[[2; 32]]),
        "a change of another folder does not count"
    );
}

/// Records an operation in the two steps of a change that turned out as announced.
fn begin_and_confirm(store: &Store, id: &str, files: Vec<FileDraft<'_>>) {
    let inodes: Vec<Option<u64>> = (0..files.len() as u64).map(Some).collect();
    let _ = store.begin(&draft(id, files)).expect("begun");
    let confirmed = store.confirm(id, OperationKind::Change, &inodes);
    assert_eq!(confirmed.expect("confirmed"), ConfirmOutcome::Done);
}

#[test]
fn what_another_process_commits_counts_at_the_next_change() {
    let folder = TestFolder::new();
    let (store, other) = (Store::new(folder.path()), Store::new(folder.path()));
    let change = |store: &Store, number: usize| {
        begin_and_confirm(
            store,
            &id(number),
            vec![file("/p/a", whole(b"0"), whole(b"1"))],
        );
    };
    for number in 0..3 {
        change(&store, number);
    }
    assert_eq!(store.waiting_comments("talk").expect("read"), []);
    assert_eq!(store.undecided_intents().expect("read"), []);

    let comment = CommentDraft {
        kind: CommentKind::Words,
        session: "talk",
        path: Path::new("/p/a"),
        first: 1,
        last: 1,
        revision: None,
        words: "why?",
        operation: None,
        event: "{}",
    };
    other.add_comment(&comment).expect("written");
    assert_eq!(store.waiting_comments("talk").expect("read").len(), 1);
    change(&store, 3);
    assert_eq!(store.waiting_comments("talk").expect("read").len(), 1);

    let intent = other.open_intent(b"intent").expect("opened");
    assert_eq!(store.undecided_intents().expect("read").len(), 1);
    other.close_intent(intent).expect("closed");

    assert!(
        other
            .stop_session("talk", "a person", None)
            .expect("stopped")
    );
    let refused = store.begin(&draft(&id(4), Vec::new()));
    assert!(matches!(
        refused,
        Err(HistoryError::Conflict(AnnounceConflict::Stopped(_)))
    ));
    assert!(other.resume_session("talk", "a person").expect("resumed"));
    change(&store, 5);
    change(&other, 6);
    change(&store, 7);

    let log = store.query_log(&LogQuery::default()).expect("read");
    let sequences: Vec<i64> = log.iter().map(|operation| operation.sequence).collect();
    assert_eq!(sequences, [7, 6, 5, 4, 3, 2, 1]);
    let events = store.events(0, 100).expect("read").events;
    let numbers: Vec<i64> = events.iter().map(|event| event.seq).collect();
    assert_eq!(
        numbers,
        (1..=10).collect::<Vec<i64>>(),
        "seven changes, a comment, a stop and its end"
    );
}

#[test]
fn a_content_that_another_process_removed_is_stored_again() {
    let folder = TestFolder::new();
    let (store, other) = (Store::new(folder.path()), Store::new(folder.path()));
    let texts: [&[u8]; 4] = [b"zero", b"one", b"two", b"three"];
    let change = |number: usize, old: usize, new: usize| {
        let files = vec![file("/p/a", whole(texts[old]), whole(texts[new]))];
        begin_and_confirm(&store, &id(number), files);
    };
    for number in 0..3 {
        change(number, number, number + 1);
    }
    let limits = HistoryLimits {
        size: 0,
        ..HistoryLimits::default()
    };
    assert_eq!(other.prune(&limits, AGES).expect("pruned").operations, 2);
    change(3, 3, 0);
    for text in [b"three".as_slice(), b"zero"] {
        let content = store.content(&hash(text)).expect("read");
        assert_eq!(content.as_deref(), Some(text));
    }
}

#[test]
fn events_follow_all_numbers_when_the_newest_was_removed() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let change = |number: usize, path: &str| {
        begin_and_confirm(
            &store,
            &id(number),
            vec![file(path, whole(b"0"), whole(b"1"))],
        );
    };
    change(1, "/p/a");
    change(2, "/p/b");
    database(&folder)
        .execute("DELETE FROM operations WHERE id = ?1", [id(2)])
        .expect("removed");
    let page = store.events(0, 10).expect("read");
    assert_eq!((page.events.len(), page.removed_to, page.newest), (1, 2, 2));
    change(3, "/p/c");
    assert_eq!(
        store.last_event_of_operation(&id(3)).expect("read"),
        Some(3)
    );
}
