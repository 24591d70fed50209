//! Tests of the ledger: what it remembers, what it evicts, and that its lists agree with each other.
#![allow(clippy::single_range_in_vec_init, reason = "one range is meant")]

use proptest::prelude::*;

use super::*;
use crate::seen::Seen;
use crate::stamp::StampRecord;

const WHOLE: ReadRange = ReadRange {
    offset: 1,
    limit: 2000,
    column: 1,
};

fn version(revision: u8, size: usize) -> Version {
    Version {
        revision: [revision; 32],
        size: size as u64,
        stamp: StampRecord([revision.into(); 16]),
    }
}

fn bytes(text: &str) -> Option<Arc<Vec<u8>>> {
    Some(Arc::new(text.as_bytes().to_vec()))
}

fn read(ledger: &mut Ledger, path: &str, revision: u8, text: &str) {
    let observed = Observation {
        version: version(revision, text.len()),
        content: bytes(text),
        shown: &[0..text.len() as u64],
        numbered: 0..0,
        asked: Some(WHOLE),
    };
    ledger.saw(Path::new(path), observed);
}

fn content(ledger: &Ledger, path: &str) -> Option<String> {
    let content = ledger.peek(Path::new(path))?.content.as_ref()?;
    Some(String::from_utf8_lossy(content).into_owned())
}

fn written(ledger: &Ledger) -> Vec<String> {
    ledger
        .recently_written()
        .map(|(path, _)| path.display().to_string())
        .collect()
}

#[test]
fn pages_of_one_version_add_up_and_those_of_another_do_not() {
    let mut ledger = Ledger::new();
    let path = Path::new("/a");
    let page = |revision, shown| Observation {
        version: version(revision, 10),
        content: None,
        shown,
        numbered: 0..0,
        asked: None,
    };
    ledger.saw(path, page(1, &[0..4]));
    ledger.saw(path, page(1, &[4..10]));
    assert!(ledger.peek(path).is_some_and(Entry::is_whole));
    ledger.saw(path, page(2, &[0..4]));
    assert_eq!(
        ledger.peek(path).map(|entry| entry.seen.ranges().to_vec()),
        Some(vec![0..4])
    );
}

#[test]
fn a_read_ends_a_partial_view_but_shows_only_its_lines() {
    let mut ledger = Ledger::new();
    let path = Path::new("/a");
    ledger.put(
        path,
        Entry {
            partial_view: true,
            ..Entry::new(version(1, 10))
        },
    );
    ledger.saw(
        path,
        Observation {
            version: version(1, 10),
            content: None,
            shown: &[2..5],
            numbered: 0..0,
            asked: None,
        },
    );
    let entry = ledger.peek(path).expect("known");
    assert!(!entry.partial_view);
    assert_eq!(entry.seen.ranges(), [2..5]);
}

#[test]
fn an_edit_moves_everything_along() {
    let mut ledger = Ledger::new();
    let path = Path::new("/a");
    read(&mut ledger, "/a", 1, "one two three");
    ledger.update(path, |entry| entry.seen.clip(7));
    let place = ledger
        .peek(path)
        .and_then(|entry| entry.content.as_ref())
        .map(|content| content.as_ptr());
    let entry = ledger
        .revise(path, &[(4..7, b"2")], version(2, 11))
        .expect("known");
    assert_eq!(entry.version(), version(2, 11));
    assert_eq!(entry.seen.ranges(), [0..5]);
    assert_eq!(entry.wrote, Some([2; 32]));
    assert!(!entry.may_answer_unchanged(WHOLE));
    assert_eq!(
        entry.content.as_ref().map(|content| content.as_ptr()),
        place,
        "changed in place"
    );
    assert_eq!(content(&ledger, "/a").as_deref(), Some("one 2 three"));
    assert_eq!(written(&ledger), ["/a"]);
}

#[test]
fn content_that_does_not_become_the_new_version_is_let_go() {
    let mut ledger = Ledger::new();
    read(&mut ledger, "/a", 1, "abc");
    ledger.revise(Path::new("/a"), &[(0..9, b"")], version(2, 0));
    assert_eq!(content(&ledger, "/a"), None);
    read(&mut ledger, "/a", 3, "abc");
    ledger.revise(Path::new("/a"), &[(0..1, b"")], version(4, 17));
    assert_eq!(content(&ledger, "/a"), None, "two bytes are not seventeen");
    assert!(
        ledger
            .revise(Path::new("/unknown"), &[], version(1, 0))
            .is_none()
    );
}

#[test]
fn content_goes_by_use_within_files_and_bytes() {
    let mut ledger = Ledger::with_budget(Budget {
        contents: 3,
        content_bytes: 10,
        entries: 100,
        written: 100,
    });
    for path in ["/a", "/b", "/c"] {
        read(&mut ledger, path, 1, "123");
    }
    ledger.get(Path::new("/a"));
    read(&mut ledger, "/d", 1, "1");
    let kept = |ledger: &Ledger| {
        ["/a", "/b", "/c", "/d", "/e"].map(|path| content(ledger, path).is_some())
    };
    assert_eq!(
        kept(&ledger),
        [true, false, true, true, false],
        "a fourth file: /b was used least recently"
    );
    read(&mut ledger, "/e", 1, "1234567");
    assert_eq!(
        kept(&ledger),
        [false, false, false, true, true],
        "eight bytes of ten"
    );
    read(&mut ledger, "/a", 1, "12345678901");
    assert_eq!(
        kept(&ledger),
        [false, false, false, true, true],
        "too large to keep turns nobody out"
    );
    assert_eq!(ledger.len(), 5);
    assert!(
        ledger.peek(Path::new("/a")).is_some_and(Entry::is_whole),
        "what was seen stays known"
    );
}

#[test]
fn the_file_used_least_recently_is_forgotten_last_of_all() {
    let mut ledger = Ledger::with_budget(Budget {
        entries: 3,
        ..Budget::default()
    });
    for path in ["/a", "/b", "/c"] {
        read(&mut ledger, path, 1, "x");
    }
    ledger.get(Path::new("/a"));
    let _ = ledger.peek(Path::new("/b"));
    read(&mut ledger, "/d", 1, "x");
    assert!(ledger.peek(Path::new("/a")).is_some());
    assert!(ledger.peek(Path::new("/b")).is_none());
}

#[test]
fn shortening_and_forking_bring_the_text_back_and_keep_what_was_seen() {
    let mut ledger = Ledger::new();
    let path = Path::new("/a");
    read(&mut ledger, "/a", 1, "text");
    let mut child = ledger.fork();
    assert!(
        ledger
            .peek(path)
            .is_some_and(|entry| entry.may_answer_unchanged(WHOLE))
    );
    ledger.shortened();
    for ledger in [&ledger, &child] {
        let entry = ledger.peek(path).expect("known");
        assert!(!entry.may_answer_unchanged(WHOLE));
        assert!(entry.is_whole());
    }
    child.revise(path, &[(0..4, b"child")], version(2, 5));
    assert_eq!(content(&child, "/a").as_deref(), Some("child"));
    assert_eq!(
        content(&ledger, "/a").as_deref(),
        Some("text"),
        "the parent's bytes are its own"
    );
}

#[test]
fn written_files_are_listed_newest_first_until_told_or_read_anew() {
    let mut ledger = Ledger::with_budget(Budget {
        written: 3,
        ..Budget::default()
    });
    for path in ["/a", "/b", "/c", "/d"] {
        ledger.put(Path::new(path), Entry::written(version(1, 1), bytes("x")));
    }
    assert_eq!(written(&ledger), ["/d", "/c", "/b"]);
    read(&mut ledger, "/b", 1, "x");
    assert_eq!(
        written(&ledger),
        ["/d", "/c", "/b"],
        "reading what one wrote is no writing"
    );
    ledger.revise(Path::new("/b"), &[(0..1, b"y")], version(2, 1));
    assert_eq!(written(&ledger), ["/b", "/d", "/c"]);
    ledger.mark_notified(Path::new("/d"));
    assert_eq!(written(&ledger), ["/b", "/c"]);
    read(&mut ledger, "/c", 9, "somebody else's");
    assert_eq!(written(&ledger), ["/b"]);
}

#[test]
fn a_renamed_file_takes_its_knowledge_along() {
    let mut ledger = Ledger::new();
    read(&mut ledger, "/a", 1, "mine");
    read(&mut ledger, "/b", 2, "replaced");
    ledger.rename(Path::new("/a"), Path::new("/b"));
    assert!(ledger.peek(Path::new("/a")).is_none());
    assert_eq!(content(&ledger, "/b").as_deref(), Some("mine"));
    ledger.rename(Path::new("/b"), Path::new("/b"));
    ledger.rename(Path::new("/nothing"), Path::new("/elsewhere"));
    assert_eq!(content(&ledger, "/b").as_deref(), Some("mine"));
}

#[test]
fn rows_of_another_process_add_up_or_replace() {
    let mut ledger = Ledger::new();
    let path = Path::new("/a");
    ledger.saw(
        path,
        Observation {
            version: version(1, 9),
            content: bytes("123456789"),
            shown: &[0..3],
            numbered: 0..0,
            asked: None,
        },
    );
    let mut row = Entry::new(version(1, 9));
    row.seen.add(6..9);
    ledger.take_in(vec![(path.to_owned(), row)], LoadCursor::default());
    assert_eq!(
        ledger.peek(path).map(|entry| entry.seen.ranges().to_vec()),
        Some(vec![0..3, 6..9])
    );
    assert!(content(&ledger, "/a").is_some());
    let row = Entry {
        seen: Seen::whole(4),
        ..Entry::new(version(2, 4))
    };
    ledger.take_in(vec![(path.to_owned(), row.clone())], LoadCursor::default());
    assert_eq!(ledger.peek(path), Some(&row));
}

/// The steps applied to a ledger of few files, to test that its lists agree.
#[derive(Clone, Debug)]
enum Step {
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

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..8_usize, 0..8_usize, prop::option::of(0..3_u8))
            .prop_map(|(file, size, wrote)| Step::Put { file, size, wrote }),
        (0..8_usize).prop_map(Step::Get),
        (0..8_usize, 0..8_usize).prop_map(|(file, size)| Step::Revise { file, size }),
        (0..8_usize).prop_map(Step::Forget),
        (0..8_usize, 0..8_usize).prop_map(|(from, to)| Step::Rename(from, to)),
        (0..8_usize).prop_map(Step::Told),
    ]
}

proptest! {
    #[test]
    fn the_budget_holds_and_the_lists_agree(steps in prop::collection::vec(step(), 0..60)) {
        let budget = Budget { contents: 3, content_bytes: 12, entries: 5, written: 2 };
        let mut ledger = Ledger::with_budget(budget);
        let path = |file: usize| PathBuf::from(format!("/{file}"));
        for step in steps {
            match step {
                Step::Put { file, size, wrote } => {
                    let content = Some(Arc::new(vec![0; size]));
                    let wrote = wrote.map(|revision| [revision; 32]);
                    ledger.put(&path(file), Entry { content, wrote, ..Entry::new(version(1, size)) });
                }
                Step::Get(file) => drop(ledger.get(&path(file)).cloned()),
                Step::Revise { file, size } => {
                    let old = ledger.peek(&path(file)).map_or(0, |entry| entry.size);
                    ledger.revise(&path(file), &[(0..old, &vec![1; size])], version(2, size));
                }
                Step::Forget(file) => drop(ledger.forget(&path(file))),
                Step::Rename(from, to) => ledger.rename(&path(from), &path(to)),
                Step::Told(file) => ledger.mark_notified(&path(file)),
            }
            let slots = &ledger.slots;
            prop_assert!(slots.len() <= budget.entries);
            prop_assert_eq!(ledger.by_use.len(), slots.len());
            prop_assert!(ledger.by_use.iter().all(|(used, path)| slots[path].used == *used));
            prop_assert!(ledger.contents.iter().all(|(used, path)| slots[path].used == *used));
            let with_content = slots.values().filter(|slot| slot.entry.content.is_some());
            prop_assert_eq!(with_content.clone().count(), ledger.contents.len());
            prop_assert_eq!(with_content.map(Slot::content_length).sum::<u64>(), ledger.content_bytes);
            prop_assert!(ledger.contents.len() <= budget.contents && ledger.content_bytes <= budget.content_bytes);
            prop_assert!(ledger.written.len() <= budget.written);
            prop_assert!(ledger.written.iter().all(|(at, path)| slots[path].written == Some(*at)));
            prop_assert_eq!(slots.values().filter(|slot| slot.written.is_some()).count(), ledger.written.len());
        }
    }
}
