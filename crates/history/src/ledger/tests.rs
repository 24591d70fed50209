//! Tests of the ledger: what it remembers, what it evicts, and that its lists agree with each other.
#![allow(clippy::single_range_in_vec_init, reason = "one range is meant")]

use proptest::prelude::*;

use super::*;
use crate::seen::SeenRanges;
use crate::stamp::StampRecord;

const WHOLE_FILE: ReadRange = ReadRange {
    offset: 1,
    limit: 2000,
    column: 1,
};

fn new_version(revision: u8, size: usize) -> FileVersion {
    FileVersion {
        revision: [revision; 32],
        size: size as u64,
        stamp: StampRecord([revision.into(); 16]),
    }
}

fn shared_bytes(text: &str) -> Option<Arc<Vec<u8>>> {
    Some(Arc::new(text.as_bytes().to_vec()))
}

fn record_read(ledger: &mut Ledger, path: &str, revision: u8, text: &str) {
    let observed = Observation {
        version: new_version(revision, text.len()),
        content: shared_bytes(text),
        shown: &[0..text.len() as u64],
        numbered: 0..0,
        asked: Some(WHOLE_FILE),
    };
    ledger.record_shown(Path::new(path), observed);
}

fn content_text(ledger: &Ledger, path: &str) -> Option<String> {
    let content = ledger.get_without_use(Path::new(path))?.content.as_ref()?;
    Some(String::from_utf8_lossy(content).into_owned())
}

fn written_paths(ledger: &Ledger) -> Vec<String> {
    ledger
        .recently_written()
        .map(|(path, _)| path.display().to_string())
        .collect()
}

#[test]
fn adds_up_pages_of_same_version_only() {
    let mut ledger = Ledger::new();
    let path = Path::new("/a");
    let page = |revision, shown| Observation {
        version: new_version(revision, 10),
        content: None,
        shown,
        numbered: 0..0,
        asked: None,
    };
    ledger.record_shown(path, page(1, &[0..4]));
    ledger.record_shown(path, page(1, &[4..10]));
    assert!(
        ledger
            .get_without_use(path)
            .is_some_and(LedgerEntry::is_whole)
    );
    ledger.record_shown(path, page(2, &[0..4]));
    assert_eq!(
        ledger
            .get_without_use(path)
            .map(|entry| entry.seen.ranges().to_vec()),
        Some(vec![0..4])
    );
}

#[test]
fn read_ends_partial_view_and_shows_only_its_lines() {
    let mut ledger = Ledger::new();
    let path = Path::new("/a");
    ledger.put(
        path,
        LedgerEntry {
            partial_view: true,
            ..LedgerEntry::new(new_version(1, 10))
        },
    );
    ledger.record_shown(
        path,
        Observation {
            version: new_version(1, 10),
            content: None,
            shown: &[2..5],
            numbered: 0..0,
            asked: None,
        },
    );
    let entry = ledger.get_without_use(path).expect("known");
    assert!(!entry.partial_view);
    assert_eq!(entry.seen.ranges(), [2..5]);
}

#[test]
fn edit_shifts_seen_ranges_and_content() {
    let mut ledger = Ledger::new();
    let path = Path::new("/a");
    record_read(&mut ledger, "/a", 1, "one two three");
    ledger.update(path, |entry| entry.seen.truncate(7));
    let place = ledger
        .get_without_use(path)
        .and_then(|entry| entry.content.as_ref())
        .map(|content| content.as_ptr());
    let entry = ledger
        .record_edit(path, &[(4..7, b"2")], new_version(2, 11))
        .expect("known");
    assert_eq!(entry.version(), new_version(2, 11));
    assert_eq!(entry.seen.ranges(), [0..5]);
    assert_eq!(entry.wrote, Some([2; 32]));
    assert!(!entry.may_answer_unchanged(WHOLE_FILE));
    assert_eq!(
        entry.content.as_ref().map(|content| content.as_ptr()),
        place,
        "changed in place"
    );
    assert_eq!(content_text(&ledger, "/a").as_deref(), Some("one 2 three"));
    assert_eq!(written_paths(&ledger), ["/a"]);
}

#[test]
fn drops_content_that_does_not_match_new_version() {
    let mut ledger = Ledger::new();
    record_read(&mut ledger, "/a", 1, "abc");
    ledger.record_edit(Path::new("/a"), &[(0..9, b"")], new_version(2, 0));
    assert_eq!(content_text(&ledger, "/a"), None);
    record_read(&mut ledger, "/a", 3, "abc");
    ledger.record_edit(Path::new("/a"), &[(0..1, b"")], new_version(4, 17));
    assert_eq!(
        content_text(&ledger, "/a"),
        None,
        "two bytes are not seventeen"
    );
    assert!(
        ledger
            .record_edit(Path::new("/unknown"), &[], new_version(1, 0))
            .is_none()
    );
}

#[test]
fn evicts_least_recently_used_content_by_count_and_bytes() {
    let mut ledger = Ledger::with_budget(LedgerBudget {
        contents: 3,
        content_bytes: 10,
        entries: 100,
        written: 100,
    });
    for path in ["/a", "/b", "/c"] {
        record_read(&mut ledger, path, 1, "123");
    }
    ledger.get(Path::new("/a"));
    record_read(&mut ledger, "/d", 1, "1");
    let kept = |ledger: &Ledger| {
        ["/a", "/b", "/c", "/d", "/e"].map(|path| content_text(ledger, path).is_some())
    };
    assert_eq!(
        kept(&ledger),
        [true, false, true, true, false],
        "a fourth file: /b was used least recently"
    );
    record_read(&mut ledger, "/e", 1, "1234567");
    assert_eq!(
        kept(&ledger),
        [false, false, false, true, true],
        "eight bytes of ten"
    );
    record_read(&mut ledger, "/a", 1, "12345678901");
    assert_eq!(
        kept(&ledger),
        [false, false, false, true, true],
        "too large to keep turns nobody out"
    );
    assert_eq!(ledger.len(), 5);
    assert!(
        ledger
            .get_without_use(Path::new("/a"))
            .is_some_and(LedgerEntry::is_whole),
        "what was seen stays known"
    );
}

#[test]
fn evicts_least_recently_used_entry() {
    let mut ledger = Ledger::with_budget(LedgerBudget {
        entries: 3,
        ..LedgerBudget::default()
    });
    for path in ["/a", "/b", "/c"] {
        record_read(&mut ledger, path, 1, "x");
    }
    ledger.get(Path::new("/a"));
    let _ = ledger.get_without_use(Path::new("/b"));
    record_read(&mut ledger, "/d", 1, "x");
    assert!(ledger.get_without_use(Path::new("/a")).is_some());
    assert!(ledger.get_without_use(Path::new("/b")).is_none());
}

#[test]
fn shortening_and_forking_keep_seen_ranges_but_show_text_again() {
    let mut ledger = Ledger::new();
    let path = Path::new("/a");
    record_read(&mut ledger, "/a", 1, "text");
    let mut child = ledger.fork_for_child();
    assert!(
        ledger
            .get_without_use(path)
            .is_some_and(|entry| entry.may_answer_unchanged(WHOLE_FILE))
    );
    ledger.forget_shown_texts();
    for ledger in [&ledger, &child] {
        let entry = ledger.get_without_use(path).expect("known");
        assert!(!entry.may_answer_unchanged(WHOLE_FILE));
        assert!(entry.is_whole());
    }
    child.record_edit(path, &[(0..4, b"child")], new_version(2, 5));
    assert_eq!(content_text(&child, "/a").as_deref(), Some("child"));
    assert_eq!(
        content_text(&ledger, "/a").as_deref(),
        Some("text"),
        "the parent's bytes are its own"
    );
}

#[test]
fn lists_written_files_newest_first_until_notified_or_read() {
    let mut ledger = Ledger::with_budget(LedgerBudget {
        written: 3,
        ..LedgerBudget::default()
    });
    for path in ["/a", "/b", "/c", "/d"] {
        ledger.put(
            Path::new(path),
            LedgerEntry::from_write(new_version(1, 1), shared_bytes("x")),
        );
    }
    assert_eq!(written_paths(&ledger), ["/d", "/c", "/b"]);
    record_read(&mut ledger, "/b", 1, "x");
    assert_eq!(
        written_paths(&ledger),
        ["/d", "/c", "/b"],
        "reading what one wrote is no writing"
    );
    ledger.record_edit(Path::new("/b"), &[(0..1, b"y")], new_version(2, 1));
    assert_eq!(written_paths(&ledger), ["/b", "/d", "/c"]);
    ledger.mark_notified(Path::new("/d"));
    assert_eq!(written_paths(&ledger), ["/b", "/c"]);
    record_read(&mut ledger, "/c", 9, "somebody else's");
    assert_eq!(written_paths(&ledger), ["/b"]);
}

#[test]
fn rename_moves_entry() {
    let mut ledger = Ledger::new();
    record_read(&mut ledger, "/a", 1, "mine");
    record_read(&mut ledger, "/b", 2, "replaced");
    ledger.rename(Path::new("/a"), Path::new("/b"));
    assert!(ledger.get_without_use(Path::new("/a")).is_none());
    assert_eq!(content_text(&ledger, "/b").as_deref(), Some("mine"));
    ledger.rename(Path::new("/b"), Path::new("/b"));
    ledger.rename(Path::new("/nothing"), Path::new("/elsewhere"));
    assert_eq!(content_text(&ledger, "/b").as_deref(), Some("mine"));
}

#[test]
fn merges_or_replaces_rows_of_other_process() {
    let mut ledger = Ledger::new();
    let path = Path::new("/a");
    ledger.record_shown(
        path,
        Observation {
            version: new_version(1, 9),
            content: shared_bytes("123456789"),
            shown: &[0..3],
            numbered: 0..0,
            asked: None,
        },
    );
    let mut row = LedgerEntry::new(new_version(1, 9));
    row.seen.add(6..9);
    ledger.merge_rows(vec![(path.to_owned(), row)], LoadCursor::default());
    assert_eq!(
        ledger
            .get_without_use(path)
            .map(|entry| entry.seen.ranges().to_vec()),
        Some(vec![0..3, 6..9])
    );
    assert!(content_text(&ledger, "/a").is_some());
    let row = LedgerEntry {
        seen: SeenRanges::all_seen(4),
        ..LedgerEntry::new(new_version(2, 4))
    };
    ledger.merge_rows(vec![(path.to_owned(), row.clone())], LoadCursor::default());
    assert_eq!(ledger.get_without_use(path), Some(&row));
}

/// The steps applied to a ledger of few files, to test that its lists agree.
#[derive(Clone, Debug)]
enum LedgerStep {
    Put {
        file: usize,
        size: usize,
        wrote: Option<u8>,
    },
    Get(usize),
    Revise {
        file: usize,
        size: usize,
    },
    Forget(usize),
    Rename(usize, usize),
    Told(usize),
}

fn generated_step() -> impl Strategy<Value = LedgerStep> {
    prop_oneof![
        (0..8_usize, 0..8_usize, prop::option::of(0..3_u8))
            .prop_map(|(file, size, wrote)| LedgerStep::Put { file, size, wrote }),
        (0..8_usize).prop_map(LedgerStep::Get),
        (0..8_usize, 0..8_usize).prop_map(|(file, size)| LedgerStep::Revise { file, size }),
        (0..8_usize).prop_map(LedgerStep::Forget),
        (0..8_usize, 0..8_usize).prop_map(|(from, to)| LedgerStep::Rename(from, to)),
        (0..8_usize).prop_map(LedgerStep::Told),
    ]
}

proptest! {
    #[test]
    fn budget_and_index_invariants_hold(steps in prop::collection::vec(generated_step(), 0..60)) {
        let budget = LedgerBudget { contents: 3, content_bytes: 12, entries: 5, written: 2 };
        let mut ledger = Ledger::with_budget(budget);
        let path = |file: usize| PathBuf::from(format!("/{file}"));
        for step in steps {
            match step {
                LedgerStep::Put { file, size, wrote } => {
                    let content = Some(Arc::new(vec![0; size]));
                    let wrote = wrote.map(|revision| [revision; 32]);
                    ledger.put(&path(file), LedgerEntry { content, wrote, ..LedgerEntry::new(new_version(1, size)) });
                }
                LedgerStep::Get(file) => drop(ledger.get(&path(file)).cloned()),
                LedgerStep::Revise { file, size } => {
                    let old = ledger.get_without_use(&path(file)).map_or(0, |entry| entry.size);
                    ledger.record_edit(&path(file), &[(0..old, &vec![1; size])], new_version(2, size));
                }
                LedgerStep::Forget(file) => drop(ledger.remove(&path(file))),
                LedgerStep::Rename(from, to) => ledger.rename(&path(from), &path(to)),
                LedgerStep::Told(file) => ledger.mark_notified(&path(file)),
            }
            let slots = &ledger.slots;
            prop_assert!(slots.len() <= budget.entries);
            prop_assert_eq!(ledger.by_use.len(), slots.len());
            prop_assert!(ledger.by_use.iter().all(|(used, path)| slots[path].used == *used));
            prop_assert!(ledger.contents.iter().all(|(used, path)| slots[path].used == *used));
            let with_content = slots.values().filter(|slot| slot.entry.content.is_some());
            prop_assert_eq!(with_content.clone().count(), ledger.contents.len());
            prop_assert_eq!(with_content.map(LedgerSlot::content_length).sum::<u64>(), ledger.content_bytes);
            prop_assert!(ledger.contents.len() <= budget.contents && ledger.content_bytes <= budget.content_bytes);
            prop_assert!(ledger.written.len() <= budget.written);
            prop_assert!(ledger.written.iter().all(|(at, path)| slots[path].written == Some(*at)));
            prop_assert_eq!(slots.values().filter(|slot| slot.written.is_some()).count(), ledger.written.len());
        }
    }
}
