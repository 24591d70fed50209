//! Large texts. Nothing here measures time: an algorithm that takes quadratic time would not finish.

use super::*;

#[test]
fn handles_many_places_and_long_needles() {
    let view = "word ".repeat(50_000);
    let Verdict::Ambiguous { places, .. } = find(&new_query(&view, "word", "x")) else {
        panic!("stands there")
    };
    assert_eq!(places.len(), 50_000);
    let long = "a".repeat(1 << 20);
    let view = "a".repeat((1 << 20) + 1000);
    assert_eq!(
        edit_outcome(&view, &long, "b"),
        Ambiguous(Rung::Exact, 1001)
    );
}

/// Ten million places are counted, not listed one by one with their changes.
#[test]
fn counts_places_beyond_list_limit() {
    let view = "x\n".repeat(MAX_PLACES + 7);
    for occurrences in [Occurrences::One, Occurrences::All] {
        let verdict = find(&Query {
            occurrences,
            ..new_query(&view, "x", "y")
        });
        let Verdict::TooMany { rung, first, count } = verdict else {
            panic!("{occurrences:?}: too many")
        };
        assert_eq!((rung, count), (Rung::Exact, MAX_PLACES + 7));
        assert_eq!((first.len(), first[1].clone()), (MAX_PLACES, 2..3));
    }
    assert_eq!(
        edit_all(&view.replace('x', "’"), "'", "y"),
        EditOutcome::TooMany(Rung::LookAlike, MAX_PLACES + 7)
    );
    // Overlapping places count where one is requested, and are not edited where all are.
    let view = "a".repeat(MAX_PLACES + 10);
    assert_eq!(
        edit_outcome(&view, "aaa", "b"),
        EditOutcome::TooMany(Rung::Exact, MAX_PLACES + 8)
    );
    let EditOutcome::Done(Rung::Exact, result) = edit_all(&view, "aaaaa", "b") else {
        panic!("few enough")
    };
    assert_eq!(result.len(), MAX_PLACES / 5 + 2);
}

#[test]
fn finds_large_block_on_every_whole_line_rung() {
    let line = |number: usize, indent: &str, end: &str| format!("{indent}call({number});{end}\n");
    let file: String = (0..40_000).map(|number| line(number, "    ", "")).collect();
    let block = |indent: &str, end: &str| -> String {
        (20_000..22_000)
            .map(|number| line(number, indent, end))
            .collect()
    };
    for (indent, end, rung) in [
        ("    ", "  ", Rung::Trailing),
        ("  ", "", Rung::Indent),
        ("\t", "", Rung::Tabs),
    ] {
        let old = block(indent, end);
        let new = old.replacen("call(21000)", "gone(21000)", 1);
        let Verdict::Found(found) = find(&new_query(&file, &old, &new)) else {
            panic!("{rung:?} finds it")
        };
        assert_eq!((found.rung, changes(&found).len()), (rung, 1));
    }
    assert_eq!(
        edit_outcome(&file, &block("   ", "").replace("call(21999)", "none"), "x"),
        NotFound
    );
}

#[test]
fn handles_file_of_one_repeated_line() {
    let file = "  x\n".repeat(50_000);
    let old = "x\n".repeat(2_000);
    assert_eq!(
        edit_outcome(&file, &old, "y\n"),
        Ambiguous(Rung::Indent, 48_001)
    );
    let old = "  x \n".repeat(2_000);
    assert_eq!(
        edit_outcome(&file, &old, "y\n"),
        Ambiguous(Rung::Trailing, 48_001)
    );
    assert_eq!(
        edit_all(&file, &old, "y\n"),
        Ambiguous(Rung::Trailing, 48_001)
    );
    let old = "\tx\n".repeat(2_000);
    assert_eq!(
        edit_outcome(&file, &old, "y\n"),
        Ambiguous(Rung::Tabs, 48_001)
    );
}

#[test]
fn handles_long_line_with_look_alikes() {
    let pieces: String = (0..12_000).map(|number| format!("“{number}” ")).collect();
    let old = pieces.replace(['“', '”'], "\"");
    let new = old.replacen("\"6000\"", "\"changed\"", 1);
    let Verdict::Found(found) = find(&new_query(&pieces, &old, &new)) else {
        panic!("looks alike")
    };
    let changed = changes(&found);
    assert_eq!(changed.len(), 1);
    assert_eq!(changed[0].text, "changed");
    // Two changes far apart exceed what is aligned: the edit is refused rather than guessed.
    let new = new.replacen("\"5\"", "\"five\"", 1);
    assert_eq!(
        edit_outcome(&pieces, &old, &new),
        Forbidden(Rung::LookAlike)
    );
}

#[test]
fn handles_many_changes_in_large_block() {
    let old: String = (0..1_500)
        .map(|number| format!("line {number}\n"))
        .collect();
    let new: String = (0..1_500)
        .map(|number| format!("line {number}{}\n", if number % 2 == 0 { "" } else { "!" }))
        .collect();
    let Verdict::Found(found) = find(&new_query(&old, &old, &new)) else {
        panic!("stands there")
    };
    assert_eq!(changes(&found).len(), 750);
    assert_eq!(
        edit_outcome(&old, &old, &new),
        outcome_done(Rung::Exact, &new)
    );
}
