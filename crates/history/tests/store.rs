//! The store in one process: what is stored, what is repaired, and what is refused.
#![allow(clippy::single_range_in_vec_init, reason = "one range is meant")]

use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use lancet_history::{
    ChangeDetail, FileVersion, HistoryError, Ledger, LedgerEntry, LedgerStore, LineChange,
    LoadCursor, MoveOrigin, Observation, ReadRange, SeenRanges, SessionName, StampRecord, Store,
};
use lancet_testing::TestFolder;
use rusqlite::Connection;

fn version(revision: u8, size: u64) -> FileVersion {
    FileVersion {
        revision: [revision; 32],
        size,
        stamp: StampRecord([-1; StampRecord::NUMBER_COUNT]),
    }
}

fn session(name: &str) -> SessionName {
    SessionName::new(name).expect("a good name")
}

fn entry(revision: u8) -> LedgerEntry {
    LedgerEntry {
        seen: SeenRanges::all_seen(100),
        ..LedgerEntry::new(version(revision, 100))
    }
}

fn save(store: &Store, name: &str, path: &str, entry: &LedgerEntry) {
    let saved = store
        .save_entries(&session(name), &[(Path::new(path), entry)])
        .expect("saved");
    assert_eq!(saved.set_aside, None);
}

fn load(store: &Store, name: &str) -> Vec<(PathBuf, LedgerEntry)> {
    store
        .load_rows(&session(name), LoadCursor::default())
        .expect("loaded")
        .rows
}

fn database(folder: &TestFolder) -> Connection {
    Connection::open(folder.path().join("lancet.db")).expect("opens")
}

/// Moves all of the database into its one file, as after an idle period.
fn bring_over(folder: &TestFolder) {
    database(folder)
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .expect("brought over");
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("there").permissions().mode() & 0o7777
}

#[test]
fn a_named_ledger_survives_a_restart_without_its_contents() {
    let folder = TestFolder::new();
    let path = PathBuf::from(std::ffi::OsStr::from_bytes(b"/not \xff utf-8/a"));
    let mut ledger = Ledger::new();
    let asked = ReadRange {
        offset: 1,
        limit: 2,
        column: 1,
    };
    let content = Some(vec![b'x'; 300].into());
    ledger.record_shown(
        &path,
        Observation {
            version: version(1, 300),
            content,
            shown: &[0..10, 200..300],
            numbered: 0..0,
            asked: Some(asked),
        },
    );
    ledger.record_edit(&path, &[(5..6, b"yyy")], version(2, 302));
    let moved = LineChange {
        old: 3..3,
        new: 2,
        detail: ChangeDetail::Exact,
    };
    ledger.update(&path, |entry| {
        entry.numbers.record_changes(&[moved], MoveOrigin::Session)
    });
    let kept = ledger.get_without_use(&path).expect("known").clone();
    let saved = Store::new(folder.path())
        .save_entries(&session("evening"), &[(&path, &kept)])
        .expect("saved");
    assert_eq!(saved.set_aside, None);

    let loaded = Store::new(folder.path())
        .load_rows(&session("evening"), LoadCursor::default())
        .expect("loaded");
    let mut ledger = Ledger::new();
    ledger.merge_rows(loaded.rows, loaded.cursor);
    let found = ledger
        .get_without_use(&path)
        .expect("known after the restart");
    assert_eq!(
        found,
        &LedgerEntry {
            content: None,
            ..kept
        }
    );
    assert_eq!(ledger.recently_written().count(), 1);
    assert!(load(&Store::new(folder.path()), "morning").is_empty());
}

#[test]
fn nothing_is_made_before_it_is_needed_and_then_for_the_owner_alone() {
    let outer = TestFolder::new();
    let folder = outer.path().join("deep/state");
    let store = Store::new(&folder);
    assert!(!folder.exists());
    save(&store, "s", "/a", &entry(1));
    assert_eq!(mode(&folder), 0o700);
    for file in [
        "lancet.db",
        "lancet.db-wal",
        "lancet.db-shm",
        "lancet.db.lock",
    ] {
        assert_eq!(mode(&folder.join(file)), 0o600, "{file}");
    }
}

#[test]
fn an_empty_folder_is_tightened_and_a_shared_one_is_not() {
    let outer = TestFolder::new();
    for (name, filled, expected) in [("empty", false, 0o700), ("shared", true, 0o755)] {
        let folder = outer.path().join(name);
        fs::create_dir(&folder).expect("made");
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).expect("set");
        if filled {
            fs::write(folder.join("somebody's"), "").expect("written");
        }
        save(&Store::new(&folder), "s", "/a", &entry(1));
        assert_eq!(mode(&folder), expected, "{name}");
        assert_eq!(mode(&folder.join("lancet.db")), 0o600);
    }
}

#[test]
fn a_database_that_others_may_read_is_closed_to_them() {
    let folder = TestFolder::new();
    save(&Store::new(folder.path()), "s", "/a", &entry(1));
    let file = folder.path().join("lancet.db");
    fs::set_permissions(&file, Permissions::from_mode(0o644)).expect("set");
    assert_eq!(load(&Store::new(folder.path()), "s").len(), 1);
    assert_eq!(mode(&file), 0o600);
}

#[test]
fn two_stores_of_one_session_learn_from_each_other() {
    let folder = TestFolder::new();
    let (one, two) = (Store::new(folder.path()), Store::new(folder.path()));
    let name = session("s");
    save(&one, "s", "/a", &entry(1));
    let first = two.load_rows(&name, LoadCursor::default()).expect("loaded");
    assert_eq!(first.rows.len(), 1);
    save(&two, "s", "/mine", &entry(1));
    save(&one, "s", "/b", &entry(2));
    save(&one, "s", "/a", &entry(3));
    let news = two.load_rows(&name, first.cursor).expect("loaded");
    let paths: Vec<_> = news
        .rows
        .iter()
        .map(|(path, entry)| (path.to_str(), entry.revision[0]))
        .collect();
    assert_eq!(
        paths,
        [(Some("/b"), 2), (Some("/a"), 3)],
        "what the other saved since, in order, and nothing of one's own"
    );
    assert!(
        two.load_rows(&name, news.cursor)
            .expect("loaded")
            .rows
            .is_empty()
    );
    assert_eq!(load(&two, "s").len(), 3, "from the start it is everything");
}

#[test]
fn ranges_of_one_version_add_up_and_another_version_replaces() {
    let folder = TestFolder::new();
    let (one, two) = (Store::new(folder.path()), Store::new(folder.path()));
    let part = |revision, range| {
        let mut entry = LedgerEntry::new(version(revision, 100));
        entry.seen.add(range);
        entry
    };
    save(&one, "s", "/a", &part(1, 0..10));
    save(&two, "s", "/a", &part(1, 50..60));
    assert_eq!(load(&one, "s")[0].1.seen.ranges(), [0..10, 50..60]);
    save(&one, "s", "/a", &part(2, 3..4));
    assert_eq!(load(&two, "s")[0].1.seen.ranges(), [3..4]);
}

#[test]
fn a_file_is_forgotten_in_its_session_alone() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    for name in ["s", "t"] {
        save(&store, name, "/a", &entry(1));
        save(&store, name, "/b", &entry(1));
    }
    let _ = store
        .forget_file(&session("s"), Path::new("/a"))
        .expect("forgotten");
    assert_eq!(load(&store, "s").len(), 1);
    assert_eq!(load(&store, "t").len(), 2);
}

#[test]
fn a_session_unused_for_thirty_days_goes_with_its_rows() {
    let folder = TestFolder::new();
    save(&Store::new(folder.path()), "old", "/a", &entry(1));
    save(&Store::new(folder.path()), "young", "/a", &entry(1));
    let aged = |days: i64, name: &str| {
        let changed = database(&folder)
            .execute(
                "UPDATE sessions SET used = used - ?1 WHERE name = ?2",
                (days * 24 * 60 * 60, name),
            )
            .expect("aged");
        assert_eq!(changed, 1);
    };
    aged(31, "old");
    aged(29, "young");
    let store = Store::new(folder.path());
    assert!(load(&store, "old").is_empty());
    assert_eq!(load(&store, "young").len(), 1);
    let rows: i64 = database(&folder)
        .query_row("SELECT count(*) FROM ledger", [], |row| row.get(0))
        .expect("counted");
    assert_eq!(rows, 1);
    drop(store);
    aged(29, "young");
    assert_eq!(
        load(&Store::new(folder.path()), "young").len(),
        1,
        "the load before was a use"
    );
}

#[test]
fn rows_beyond_ten_thousand_go_by_age() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let paths: Vec<PathBuf> = (0..10_300)
        .map(|number| format!("/{number}").into())
        .collect();
    let entry = entry(1);
    for part in paths.chunks(1000) {
        let rows: Vec<_> = part.iter().map(|path| (path.as_path(), &entry)).collect();
        let _ = store.save_entries(&session("s"), &rows).expect("saved");
    }
    let rows = load(&store, "s");
    assert_eq!(rows.len(), 10_000);
    assert_eq!(rows[0].0, Path::new("/300"));
}

#[test]
fn a_row_that_cannot_be_understood_is_a_file_that_was_not_read() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    save(&store, "s", "/good", &entry(1));
    for column in ["revision", "stamp", "seen"] {
        save(&store, "s", "/bad", &entry(1));
        database(&folder)
            .execute(
                &format!("UPDATE ledger SET {column} = x'ff' WHERE path = ?1"),
                [b"/bad"],
            )
            .expect("spoilt");
        assert_eq!(load(&store, "s").len(), 1, "{column}");
    }
}

fn damaged_files(folder: &TestFolder) -> Vec<String> {
    let names = fs::read_dir(folder.path())
        .expect("listed")
        .map(|entry| entry.expect("entry").file_name());
    let mut names: Vec<_> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.retain(|name| name.contains("damaged"));
    names.sort();
    names
}

#[test]
fn a_damaged_database_is_set_aside_told_once_and_rebuilt() {
    let folder = TestFolder::new();
    let file = folder.path().join("lancet.db");
    fs::write(
        &file,
        "this is no database, and long enough to be sure of it".repeat(100),
    )
    .expect("written");
    let store = Store::new(folder.path());
    let saved = store
        .save_entries(&session("s"), &[(Path::new("/a"), &entry(1))])
        .expect("the save goes on");
    let set_aside = saved.set_aside.expect("told");
    assert!(
        fs::read_to_string(set_aside.moved_to.as_ref().expect("moved"))
            .expect("kept")
            .starts_with("this is no database")
    );
    assert!(
        set_aside
            .moved_to
            .as_ref()
            .expect("moved")
            .to_string_lossy()
            .contains("lancet.db.damaged-")
    );
    assert!(set_aside.to_string().contains("set aside"));
    save(&store, "s", "/b", &entry(1));
    assert_eq!(load(&Store::new(folder.path()), "s").len(), 2);
}

#[test]
fn damage_that_shows_only_in_use_is_healed_too() {
    let folder = TestFolder::new();
    let file = folder.path().join("lancet.db");
    {
        let store = Store::new(folder.path());
        let paths: Vec<PathBuf> = (0..2000)
            .map(|number| format!("/some/path/{number}").into())
            .collect();
        let entry = entry(1);
        let rows: Vec<_> = paths.iter().map(|path| (path.as_path(), &entry)).collect();
        let _ = store.save_entries(&session("s"), &rows).expect("saved");
    }
    bring_over(&folder);
    // The pages behind the first are overwritten: the header and the schema still read well.
    let mut bytes = fs::read(&file).expect("read");
    bytes[3 * 4096..].fill(0xa5);
    fs::write(&file, bytes).expect("written");
    let store = Store::new(folder.path());
    let loaded = store
        .load_rows(&session("s"), LoadCursor::default())
        .expect("the load goes on");
    assert!(loaded.set_aside.is_some());
    assert!(loaded.rows.is_empty());
    save(&store, "s", "/b", &entry(1));
    assert_eq!(load(&store, "s").len(), 1);
    assert_eq!(
        damaged_files(&folder)
            .iter()
            .filter(|name| !name.ends_with("-wal") && !name.ends_with("-shm"))
            .count(),
        1
    );
}

#[test]
fn a_cut_database_and_one_without_its_tables_are_rebuilt() {
    for spoil in ["cut", "no tables"] {
        let folder = TestFolder::new();
        save(&Store::new(folder.path()), "s", "/a", &entry(1));
        bring_over(&folder);
        if spoil == "cut" {
            let file = fs::OpenOptions::new()
                .write(true)
                .open(folder.path().join("lancet.db"))
                .expect("opens");
            file.set_len(5000).expect("cut");
        } else {
            database(&folder)
                .execute_batch("DROP TABLE ledger")
                .expect("dropped");
        }
        let store = Store::new(folder.path());
        let saved = store
            .save_entries(&session("s"), &[(Path::new("/b"), &entry(1))])
            .expect("the save goes on");
        assert!(saved.set_aside.is_some(), "{spoil}");
        assert_eq!(load(&store, "s").len(), 1, "{spoil}");
    }
}

#[test]
fn a_state_folder_that_was_removed_is_made_anew() {
    let outer = TestFolder::new();
    let folder = outer.path().join("state");
    let store = Store::new(&folder);
    save(&store, "s", "/a", &entry(1));
    fs::remove_dir_all(&folder).expect("removed");
    let path = Path::new("/b");
    let saved = store.save_entries(&session("s"), &[(path, &entry(1))]);
    let told = saved.expect("saved").set_aside.expect("told");
    assert_eq!(told.moved_to, None);
    assert!(told.to_string().contains("removed"), "{told}");
    save(&store, "s", "/c", &entry(1));
    assert_eq!(mode(&folder), 0o700);
    // The content that the process still had open is in the new one.
    assert_eq!(load(&Store::new(&folder), "s").len(), 3);
}

#[test]
fn a_turn_of_a_database_that_is_gone_loads_everything() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    for _ in 0..5 {
        save(&store, "s", "/a", &entry(1));
    }
    let turn = store
        .load_rows(&session("s"), LoadCursor::default())
        .expect("loaded")
        .cursor;
    fs::remove_file(folder.path().join("lancet.db")).expect("removed");
    let saved =
        Store::new(folder.path()).save_entries(&session("s"), &[(Path::new("/b"), &entry(1))]);
    assert!(saved.expect("saved").set_aside.is_some());
    let loaded = store.load_rows(&session("s"), turn).expect("loaded");
    assert_eq!(loaded.rows.len(), 1);
}

#[test]
fn a_database_of_an_older_version_is_brought_up_and_a_newer_one_left_alone() {
    let folder = TestFolder::new();
    // Version 0: the file was created, and the process ended before it created the tables.
    fs::write(folder.path().join("lancet.db"), "").expect("written");
    save(&Store::new(folder.path()), "s", "/a", &entry(1));
    let version: i64 = database(&folder)
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .expect("read");
    assert!(version > 0);

    database(&folder)
        .pragma_update(None, "user_version", 999)
        .expect("set");
    let error = Store::new(folder.path())
        .load_rows(&session("s"), LoadCursor::default())
        .expect_err("too new");
    assert!(
        matches!(
            error,
            HistoryError::Newer { found: 999, known, .. } if known == version
        ),
        "{error}"
    );
    assert!(damaged_files(&folder).is_empty());
    database(&folder)
        .pragma_update(None, "user_version", version)
        .expect("set back");
    assert_eq!(load(&Store::new(folder.path()), "s").len(), 1);
}

#[test]
fn a_state_folder_that_is_a_file_is_refused() {
    let outer = TestFolder::new();
    let folder = outer.path().join("state");
    fs::write(&folder, "a file").expect("written");
    let error = Store::new(&folder)
        .load_rows(&session("s"), LoadCursor::default())
        .expect_err("no folder");
    assert!(
        matches!(&error, HistoryError::Unavailable { .. } if error.affected_path() == Some(&*folder)),
        "{error}"
    );
}

/// A newer lancet migrates the database while this process has it open, as an upgrade does while an agent runs.
#[test]
fn a_database_that_is_migrated_while_it_is_open_is_read_on_and_not_written() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    save(&store, "s", "/a", &entry(1));
    let other = Connection::open(folder.path().join("lancet.db")).expect("opens");
    let known: i64 = other
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .expect("read");
    other
        .pragma_update(None, "user_version", 9999)
        .expect("migrated");
    let refused = store.save_entries(&session("s"), &[(Path::new("/b"), &entry(1))]);
    let words = refused.expect_err("refused").to_string();
    assert!(
        words.contains("9999") && words.contains(&known.to_string()),
        "{words}"
    );
    assert_eq!(load(&store, "s").len(), 1, "reading goes on");
    other
        .pragma_update(None, "user_version", known)
        .expect("back");
    save(&store, "s", "/b", &entry(1));
    assert_eq!(load(&store, "s").len(), 2);
}

/// SQLite maps the shared memory, and reading a mapped page that was cut off kills the process.
#[test]
fn shared_memory_that_is_cut_ends_no_process_and_loses_nothing() {
    let folder = TestFolder::new();
    let (store, other) = (Store::new(folder.path()), Store::new(folder.path()));
    save(&store, "s", "/a", &entry(1));
    save(&other, "s", "/b", &entry(1));
    let shared = folder.path().join("lancet.db-shm");
    for (length, file) in [(0, "/c"), (100, "/d"), (0, "/e")] {
        let cut = fs::OpenOptions::new().write(true).open(&shared);
        cut.expect("opened").set_len(length).expect("cut");
        save(&store, "s", file, &entry(1));
    }
    assert_eq!(load(&store, "s").len(), 5);
    assert_eq!(damaged_files(&folder), Vec::<String>::new());
}
