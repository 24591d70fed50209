//! Cases of the rungs `exact` and `final-newline`: the deletion of whole lines, and what an exact edit leaves
//! unchanged.

use super::*;
use Rung::{Exact, FinalNewline};

#[test]
fn replaces_exact_text_as_sent() {
    check_cases(&[
        (
            "no pattern, no reference",
            "a.c(b)*\nabc\n",
            "a.c(b)*",
            "$& \\1 ${n}",
            outcome_done(Exact, "$& \\1 ${n}\nabc\n"),
        ),
        (
            "inside a line",
            "x = foo()  # foo\n",
            "foo()",
            "bar(\n  1)",
            outcome_done(Exact, "x = bar(\n  1)  # foo\n"),
        ),
        (
            "a newline more",
            "a\nb\n",
            "a",
            "a\n",
            outcome_done(Exact, "a\n\nb\n"),
        ),
        (
            "a newline less",
            "a\nb\n",
            "a\n",
            "c",
            outcome_done(Exact, "cb\n"),
        ),
        (
            "blank text that is there",
            "a\n\n\nb\n",
            "\n\n\n",
            "\n\n",
            outcome_done(Exact, "a\n\nb\n"),
        ),
        (
            "case decides",
            "Foo()\nfoo()\n",
            "Foo()",
            "Bar()",
            outcome_done(Exact, "Bar()\nfoo()\n"),
        ),
        ("two places", "ab ab", "ab", "c", Ambiguous(Exact, 2)),
        (
            "overlapping places",
            "x0000x",
            "000",
            "1",
            Ambiguous(Exact, 2),
        ),
        (
            "part of a line and a whole one",
            "sub_a = 5\na = 5\n",
            "a = 5",
            "a = 6",
            Ambiguous(Exact, 2),
        ),
        ("empty old text", "a\n", "", "x", NotFound),
        ("empty file", "", "a", "x", NotFound),
        ("a gap of blanks", "a  b\n", "a b", "c", NotFound),
        ("another case", "maxSize\n", "MAXSIZE", "x", NotFound),
        (
            "a blank line less",
            "a()\n\n\nb()\n",
            "a()\n\nb()",
            "c()",
            NotFound,
        ),
        (
            "a line break for a blank",
            "a\n- b\n",
            "a - b",
            "c",
            NotFound,
        ),
        (
            "blank text that is not there",
            "a\n\n  \n\nb\n",
            "\n\n\n\n",
            "\n",
            NotFound,
        ),
        (
            "blank text that looks alike",
            "a\u{A0}b\n",
            " ",
            "_",
            NotFound,
        ),
    ]);
}

#[test]
fn takes_all_places_from_left() {
    assert_eq!(
        edit_all("x0000x\n", "00", "1"),
        outcome_done(Exact, "x11x\n")
    );
    assert_eq!(
        edit_all("x000x\n", "00", "1"),
        outcome_done(Exact, "x10x\n")
    );
    assert_eq!(edit_all("a b\n", "c", "d"), NotFound);
}

#[test]
fn deleting_lines_deletes_their_newline() {
    check_cases(&[
        (
            "one line",
            "keep\ndrop\nend\n",
            "drop",
            "",
            outcome_done(Exact, "keep\nend\n"),
        ),
        (
            "with its indentation",
            "if x:\n    a()\n    b()\n",
            "    a()",
            "",
            outcome_done(Exact, "if x:\n    b()\n"),
        ),
        (
            "two lines",
            "a\nb\nc\nd\n",
            "b\nc",
            "",
            outcome_done(Exact, "a\nd\n"),
        ),
        (
            "the newline that was sent",
            "a\nb\nc\n",
            "b\n",
            "",
            outcome_done(Exact, "a\nc\n"),
        ),
        (
            "inside a line",
            "x; // later\ny\n",
            " // later",
            "",
            outcome_done(Exact, "x;\ny\n"),
        ),
        (
            "at a line's start",
            "DEBUG run()\n",
            "DEBUG ",
            "",
            outcome_done(Exact, "run()\n"),
        ),
        (
            "all but the indentation",
            "{\n    drop\n}\n",
            "drop",
            "",
            outcome_done(Exact, "{\n}\n"),
        ),
        (
            "blanks on both sides",
            "a\n\tdrop\t \nb\n",
            "drop",
            "",
            outcome_done(Exact, "a\nb\n"),
        ),
        (
            "lines from the first word to the last",
            "{\n    x = 1;\n    y = 2;  \n}\n",
            "x = 1;\n    y = 2;",
            "",
            outcome_done(Exact, "{\n}\n"),
        ),
        (
            "with something else on the line",
            "    one // two\n",
            "one",
            "",
            outcome_done(Exact, "     // two\n"),
        ),
        (
            "blanks are a plain splice",
            "a\n  \nb\n",
            "  ",
            "",
            outcome_done(Exact, "a\n\nb\n"),
        ),
        (
            "the open last line behind blanks",
            "a\n    x",
            "x",
            "",
            outcome_done(Exact, "a\n    "),
        ),
        (
            "old text that begins with a newline",
            "a\n\nb\nc\n",
            "\nb",
            "",
            outcome_done(Exact, "a\n\nc\n"),
        ),
        (
            "the only line",
            "only\n",
            "only",
            "",
            outcome_done(Exact, ""),
        ),
        (
            "the open last line",
            "a\nb",
            "b",
            "",
            outcome_done(Exact, "a\n"),
        ),
        (
            "an empty line and the next",
            "a\n\nb\nc\n",
            "\n\nb",
            "",
            outcome_done(Exact, "a\nc\n"),
        ),
        (
            "a newline at both ends",
            "a = 1\n\tfoo(x)\nb = 2\n",
            "\n\tfoo(x)\n",
            "",
            outcome_done(Exact, "a = 1\nb = 2\n"),
        ),
        (
            "the same behind an empty line",
            "a\n\nb\nc\n",
            "\nb\n",
            "",
            outcome_done(Exact, "a\nc\n"),
        ),
        (
            "a newline at the end, behind blanks",
            "if a:\n    b\n    c\n",
            "b\n",
            "",
            outcome_done(Exact, "if a:\n    c\n"),
        ),
    ]);
    assert_eq!(
        edit_all("use foo\nfoo\nend\n", "foo", ""),
        outcome_done(Exact, "use \nend\n")
    );
    assert_eq!(
        edit_all("a\n\nb\nb\nc", "\nb", ""),
        outcome_done(Exact, "a\n\nc")
    );
    assert_eq!(
        edit_all("foo\n  foo\na foo b\n\tfoo \nend\n", "foo", ""),
        outcome_done(Exact, "a  b\nend\n")
    );
    // The blanks of one place are the text of the next.
    assert_eq!(
        edit_all(" \nx \nx\n", " \nx", ""),
        outcome_done(Exact, "\n")
    );
    let Verdict::Found(found) = find(&new_query("a\nb\nc\n", "b", "")) else {
        panic!("stands there")
    };
    assert_eq!(found.places[0].range, 2..4);
}

#[test]
fn unchanged_lines_are_in_no_change() {
    type Edit<'a> = (&'a str, &'a str, &'a str, &'a [(Range<usize>, &'a str)]);
    let edits: [Edit<'_>; 9] = [
        (
            "a\nb\nc\nd\n",
            "a\nb\nc\nd",
            "a\nB\nc\nD",
            &[(2..4, "B\n"), (6..7, "D")],
        ),
        ("a\nb\n", "a\nb", "a\nx\nb", &[(2..2, "x\n")]),
        ("a\nb\n", "a\nb", "a\nb\nx", &[(3..3, "\nx")]),
        ("a\nb\n", "a\nb\n", "a\nb\nx\n", &[(4..4, "x\n")]),
        ("a\nb\nc\n", "a\nb\n", "a\n", &[(2..4, "")]),
        // The line that stays keeps its newline: the one after the place is deleted.
        ("a\nb\nc\n", "a\nb", "a", &[(2..4, "")]),
        ("a\nb", "a\nb", "a", &[(1..3, "")]),
        ("a\nb\n", "a\n", "a", &[(1..2, "")]),
        ("a\nb\n", "a", "a\n", &[(1..1, "\n")]),
    ];
    for (view, old, new, wanted) in edits {
        let Verdict::Found(found) = find(&new_query(view, old, new)) else {
            panic!("{old:?} stands in {view:?}")
        };
        let changes = changes(&found);
        let changes: Vec<_> = changes
            .iter()
            .map(|change| (change.range.clone(), change.text.as_str()))
            .collect();
        assert_eq!(changes, wanted, "{old:?} -> {new:?}");
    }
}

#[test]
fn remarks_that_removed_newline_joins_next_line() {
    let joins = |view, old, new| match find(&new_query(view, old, new)) {
        Verdict::Found(found) => found.remarks.contains(&Remark::JoinsNextLine),
        other => panic!("{other:?}"),
    };
    assert!(joins("a\nb\n", "a\n", "c"));
    assert!(!joins("a\nb\n", "a\n", "c\n"));
    assert!(!joins("a\nb\n", "a\n", ""));
    assert!(joins("a b\nc\n", "b\n", ""));
    assert!(!joins("a\nb\n", "a", "c"));
    assert!(!joins("a\nb\n", "b\n", "c"), "there is no next line");
    assert!(!joins("a\nb", "b\n", "c"), "there was no newline");
}

#[test]
fn tolerates_missing_final_newline() {
    check_cases(&[
        (
            "found, and none comes",
            "alpha\nbeta",
            "beta\n",
            "gamma\n",
            outcome_done(FinalNewline, "alpha\ngamma"),
        ),
        (
            "a line more",
            "alpha\nbeta",
            "alpha\nbeta\n",
            "alpha\nbeta\ngamma\n",
            outcome_done(FinalNewline, "alpha\nbeta\ngamma"),
        ),
        (
            "new text without one",
            "alpha\nbeta",
            "beta\n",
            "gamma",
            outcome_done(FinalNewline, "alpha\ngamma"),
        ),
        (
            "deleted",
            "alpha\nbeta",
            "beta\n",
            "",
            outcome_done(FinalNewline, "alpha\n"),
        ),
        (
            "emptied",
            "alpha\nbeta",
            "beta\n",
            "\n",
            outcome_done(FinalNewline, "alpha\n"),
        ),
        ("part of a line", "alphabet", "bet\n", "ba\n", NotFound),
        ("two newlines", "alpha\nbeta", "beta\n\n", "x\n", NotFound),
        (
            "literally elsewhere",
            "b\nb",
            "b\n",
            "c\n",
            outcome_done(Exact, "c\nb"),
        ),
        ("blank", "a\n ", " \n", "x\n", NotFound),
        ("not at the end", "beta x\nalpha", "beta\n", "x\n", NotFound),
    ]);
}

#[test]
fn exact_tolerance_accepts_only_exact_text() {
    let strict = |view, old| {
        find_outcome(&Query {
            tolerance: Tolerance::Exact,
            ..new_query(view, old, "x")
        })
    };
    assert_eq!(strict("a  \nb\n", "a\nb"), NotFound);
    assert_eq!(strict("a", "a\n"), NotFound);
    assert_eq!(strict("a\nb\n", "b"), outcome_done(Exact, "a\nx\n"));
}

#[test]
fn places_never_overlap_damaged_text() {
    let damage = |view, old, damaged: &[Range<usize>]| {
        find_outcome(&Query {
            damaged,
            ..new_query(view, old, "x")
        })
    };
    let broken = 2..5;
    assert_eq!(
        damage(
            "a \u{FFFD} b\n",
            "a \u{FFFD} b",
            std::slice::from_ref(&broken)
        ),
        NotFound
    );
    assert_eq!(
        damage("a \u{FFFD} b\n", "a \u{FFFD} b", &[]),
        outcome_done(Exact, "x\n")
    );
    assert_eq!(
        damage("a \u{FFFD}b\n", "b", std::slice::from_ref(&broken)),
        outcome_done(Exact, "a \u{FFFD}x\n"),
        "right after it"
    );
    assert_eq!(
        damage("a \u{FFFD}b\n", "a ", std::slice::from_ref(&broken)),
        outcome_done(Exact, "x\u{FFFD}b\n"),
        "right before it"
    );
    assert_eq!(
        damage("a \u{FFFD} b\n", "b", std::slice::from_ref(&broken)),
        outcome_done(Exact, "a \u{FFFD} x\n")
    );
    assert_eq!(
        damage(
            "a \u{FFFD} b \n",
            "a \u{FFFD} b",
            std::slice::from_ref(&broken)
        ),
        NotFound
    );
    assert_eq!(
        damage(
            "\u{201C}\u{FFFD}\u{201D}",
            "\"\u{FFFD}\"",
            std::slice::from_ref(&(3..6))
        ),
        NotFound
    );
    assert_eq!(
        damage(
            "a \u{FFFD}\na \u{FFFD}\n",
            "a \u{FFFD}",
            std::slice::from_ref(&broken)
        ),
        outcome_done(Exact, "a \u{FFFD}\nx\n")
    );
}

#[test]
fn does_not_repeat_indentation_before_place() {
    check_cases(&[
        (
            "once",
            "def f():\n    return 1\n",
            "return 1",
            "    return 2",
            outcome_done(Exact, "def f():\n    return 2\n"),
        ),
        (
            "with further lines",
            "func f() {\n\treturn 1\n}\n",
            "return 1",
            "\tx := 2\n\treturn x",
            outcome_done(Exact, "func f() {\n\tx := 2\n\treturn x\n}\n"),
        ),
        (
            "nothing but blanks differs",
            "if a:\n    x = 1\n",
            "x = 1",
            "    x = 1",
            outcome_done(Exact, "if a:\n        x = 1\n"),
        ),
        (
            "other blanks",
            "    y = 2\n",
            "y = 2",
            "  y = 3",
            outcome_done(Exact, "      y = 3\n"),
        ),
    ]);
    let view = "    a\n  a\n";
    assert_eq!(
        edit_all(view, "a", "    b"),
        outcome_done(Exact, "        b\n      b\n")
    );
    assert_eq!(
        edit_all("  a\n  a\n", "a", "  b"),
        outcome_done(Exact, "  b\n  b\n")
    );
    assert_eq!(
        find_outcome(&Query {
            tolerance: Tolerance::Exact,
            ..new_query("  a\n", "a", "  b")
        }),
        outcome_done(Exact, "    b\n")
    );
}

#[test]
fn completes_indentation_of_further_lines() {
    let view = "class A:\n    def f():\n        x = 1\n        return x\n";
    check_cases(&[
        (
            "part of it",
            view,
            "    x = 1\n",
            "    if ok:\n        x = 1\n",
            outcome_done(
                Exact,
                "class A:\n    def f():\n        if ok:\n            x = 1\n        return x\n",
            ),
        ),
        (
            "all of it",
            "def f():\n    x = 1\n",
            "x = 1",
            "x = 1\n\ny = 2",
            outcome_done(Exact, "def f():\n    x = 1\n\n    y = 2\n"),
        ),
        (
            "of the first line only",
            "def f():\n    x = 1\n",
            "x = 1",
            "if ok:\n        x = 1\n    y = 2",
            outcome_done(Exact, "def f():\n    if ok:\n        x = 1\n    y = 2\n"),
        ),
    ]);
    // Each place is edited separately.
    assert_eq!(
        edit_all("a\n  a\n\ta\nb a\n", "a", "a\nc"),
        outcome_done(Exact, "a\nc\n  a\n  c\n\ta\n\tc\nb a\nc\n")
    );
    let exact = Query {
        tolerance: Tolerance::Exact,
        ..new_query("  a\n", "a", "a\nc")
    };
    assert_eq!(find_outcome(&exact), outcome_done(Exact, "  a\nc\n"));
}

#[test]
fn remarks_on_possibly_unintended_results() {
    let told = |view, old, new| match find(&new_query(view, old, new)) {
        Verdict::Found(found) => found.remarks,
        other => panic!("{other:?}"),
    };
    let view = "def f(x):\n    return g(x)\n";
    let cases: [(&str, &str, &str, &[Remark]); 13] = [
        (
            view,
            "return g(x)",
            "y = g(x)\nreturn y",
            &[Remark::IndentationCompleted],
        ),
        (
            "def f(x):\n    x += 1\n    return g(x)\n",
            "x += 1\n    return g(x)",
            "y = g(x)\nreturn y",
            &[Remark::Indentation(2)],
        ),
        (view, "return g(x)", "y = g(x)\n    return y", &[]),
        ("a\n  b\nc\n", "b\n", "", &[]),
        ("a b\nc\n", " b\n", "", &[Remark::JoinsNextLine]),
        ("a b\n\tc\nd\n", "\n\tc\n", "", &[]),
        (view, "    return g(x)", "y\nreturn y", &[]),
        ("  a\nb\n", "a\nb", "c\nb", &[]),
        ("a\nb\nc\n", "b", "B\n", &[Remark::BlankLine]),
        ("a\nb", "b", "B\n", &[]),
        ("a\nb\nc\n", "a\nb", "a\\nB", &[Remark::LiteralEscapes]),
        ("a\n'\\n'\nc\n", "a\n'\\n'", "'\\n'", &[]),
        ("a\n", "a", "'\\n'", &[]),
    ];
    for (view, old, new, wanted) in cases {
        assert_eq!(told(view, old, new), wanted, "{old:?} -> {new:?}");
    }
}

#[test]
fn new_lines_take_old_line_ends_in_order_on_every_rung() {
    let edited = |raw: &str, old: &str, new: &str| {
        let document = crate::Document::decode(raw.as_bytes(), None).expect("text");
        let Verdict::Found(found) = find(&new_query(document.view(), old, new)) else {
            panic!("{old:?} is found")
        };
        let raw_changes = document.raw_changes(&changes(&found)).expect("encodable");
        let bytes = crate::apply_raw(raw.as_bytes(), &raw_changes);
        (found.rung, String::from_utf8(bytes).expect("text"))
    };
    let moved = "z\r\naaaa b\nc\r\n";
    let result = "z\r\nX\naaaa b!\r\n".to_owned();
    assert_eq!(
        edited(moved, "aaaa\u{A0}b\nc\n", "X\naaaa\u{A0}b!\n"),
        (Rung::LookAlike, result.clone())
    );
    assert_eq!(
        edited(moved, "aaaa b\nc\n", "X\naaaa b!\n"),
        (Rung::Exact, result)
    );
    assert_eq!(
        edited("a\n\r\nz\n", "a\n ", "a\n \nb"),
        (Rung::Trailing, "a\n\r\nb\r\nz\n".to_owned())
    );
    assert_eq!(
        edited("a\nb\r\nc\n", "a\nb", "a"),
        (Rung::Exact, "a\nc\n".to_owned())
    );
    // A newline after an empty line is inserted after the line end of that line.
    assert_eq!(
        edited("a\n\r\nz\n", "a\n", "b\n"),
        (Rung::Exact, "b\n\r\nz\n".to_owned())
    );
    assert_eq!(
        edited("a\n\r\nz\n", "a \n ", "a\nb\n \n"),
        (Rung::Trailing, "a\nb\n\r\n\r\nz\n".to_owned())
    );
    // Lines that are the same under the relation of the rung keep their line ends.
    assert_eq!(
        edited("a\r\nb\nc\r\n", "a \nb \nc ", "a\nX\nb\nc"),
        (Rung::Trailing, "a\r\nX\r\nb\nc\r\n".to_owned())
    );
    assert_eq!(
        edited("a\nb\r\nc\n", "a \nb ", "a"),
        (Rung::Trailing, "a\nc\n".to_owned())
    );
    assert_eq!(
        edited("z\n  a\r\n  b\nend\n", "a\nb", "if x:\n    a\n    b"),
        (
            Rung::Indent,
            "z\n  if x:\n      a\r\n      b\nend\n".to_owned()
        )
    );
    assert_eq!(
        edited("a\r\nb\nc\r\n", "a\nb\nc", "X\na \nb \nc"),
        (Rung::Exact, "X\r\na \nb \nc\r\n".to_owned())
    );
}

#[test]
fn edit_inside_just_written_text_crosses_no_border() {
    for (first, old, new, wanted) in [
        ("X\nA\nB", "A\nB", "A", "X\nA\nend\n"),
        ("A\nB", "A\nB", "B\nA", "B\nA\nend\n"),
        ("X\n\nB", "X\n\nB", "X", "X\nend\n"),
    ] {
        let mut draft = crate::Draft::new("q\nend\n");
        for (old, new) in [("q", first), (old, new)] {
            let text = draft.text().to_owned();
            let Verdict::Found(found) = find(&new_query(&text, old, new)) else {
                panic!("{old:?} is found")
            };
            let place = &found.places[0];
            assert!(
                !draft.crosses_earlier_edit(&place.range, None),
                "{old:?} -> {new:?}"
            );
            draft.apply_edit(place.range.clone(), &place.changes);
        }
        assert_eq!(draft.text(), wanted);
        assert_eq!(
            apply_changes("q\nend\n", &draft.changes()),
            wanted,
            "the changes of the whole"
        );
    }
}
