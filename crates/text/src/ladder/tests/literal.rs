//! Cases of the rungs `exact` and `final-newline`: the deletion of whole lines, and what an exact edit leaves
//! unchanged.

use super::*;
use Rung::{Exact, FinalNewline};

#[test]
fn exact_text_is_replaced_as_sent() {
    check(&[
        (
            "no pattern, no reference",
            "a.c(b)*\nabc\n",
            "a.c(b)*",
            "$& \\1 ${n}",
            done(Exact, "$& \\1 ${n}\nabc\n"),
        ),
        (
            "inside a line",
            "x = foo()  # foo\n",
            "foo()",
            "bar(\n  1)",
            done(Exact, "x = bar(\n  1)  # foo\n"),
        ),
        (
            "a newline more",
            "a\nb\n",
            "a",
            "a\n",
            done(Exact, "a\n\nb\n"),
        ),
        ("a newline less", "a\nb\n", "a\n", "c", done(Exact, "cb\n")),
        (
            "blank text that is there",
            "a\n\n\nb\n",
            "\n\n\n",
            "\n\n",
            done(Exact, "a\n\nb\n"),
        ),
        (
            "case decides",
            "Foo()\nfoo()\n",
            "Foo()",
            "Bar()",
            done(Exact, "Bar()\nfoo()\n"),
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
fn all_places_are_taken_from_the_left() {
    assert_eq!(edit_all("x0000x\n", "00", "1"), done(Exact, "x11x\n"));
    assert_eq!(edit_all("x000x\n", "00", "1"), done(Exact, "x10x\n"));
    assert_eq!(edit_all("a b\n", "c", "d"), NotFound);
}

#[test]
fn deleted_lines_take_their_newline_along() {
    check(&[
        (
            "one line",
            "keep\ndrop\nend\n",
            "drop",
            "",
            done(Exact, "keep\nend\n"),
        ),
        (
            "with its indentation",
            "if x:\n    a()\n    b()\n",
            "    a()",
            "",
            done(Exact, "if x:\n    b()\n"),
        ),
        (
            "two lines",
            "a\nb\nc\nd\n",
            "b\nc",
            "",
            done(Exact, "a\nd\n"),
        ),
        (
            "the newline that was sent",
            "a\nb\nc\n",
            "b\n",
            "",
            done(Exact, "a\nc\n"),
        ),
        (
            "inside a line",
            "x; // later\ny\n",
            " // later",
            "",
            done(Exact, "x;\ny\n"),
        ),
        (
            "at a line's start",
            "DEBUG run()\n",
            "DEBUG ",
            "",
            done(Exact, "run()\n"),
        ),
        (
            "all but the indentation",
            "{\n    drop\n}\n",
            "drop",
            "",
            done(Exact, "{\n}\n"),
        ),
        (
            "blanks on both sides",
            "a\n\tdrop\t \nb\n",
            "drop",
            "",
            done(Exact, "a\nb\n"),
        ),
        (
            "lines from the first word to the last",
            "{\n    x = 1;\n    y = 2;  \n}\n",
            "x = 1;\n    y = 2;",
            "",
            done(Exact, "{\n}\n"),
        ),
        (
            "with something else on the line",
            "    one // two\n",
            "one",
            "",
            done(Exact, "     // two\n"),
        ),
        (
            "blanks are a plain splice",
            "a\n  \nb\n",
            "  ",
            "",
            done(Exact, "a\n\nb\n"),
        ),
        (
            "the open last line behind blanks",
            "a\n    x",
            "x",
            "",
            done(Exact, "a\n    "),
        ),
        (
            "old text that begins with a newline",
            "a\n\nb\nc\n",
            "\nb",
            "",
            done(Exact, "a\n\nc\n"),
        ),
        ("the only line", "only\n", "only", "", done(Exact, "")),
        ("the open last line", "a\nb", "b", "", done(Exact, "a\n")),
        (
            "an empty line and the next",
            "a\n\nb\nc\n",
            "\n\nb",
            "",
            done(Exact, "a\nc\n"),
        ),
        (
            "a newline at both ends",
            "a = 1\n\tfoo(x)\nb = 2\n",
            "\n\tfoo(x)\n",
            "",
            done(Exact, "a = 1\nb = 2\n"),
        ),
        (
            "the same behind an empty line",
            "a\n\nb\nc\n",
            "\nb\n",
            "",
            done(Exact, "a\nc\n"),
        ),
        (
            "a newline at the end, behind blanks",
            "if a:\n    b\n    c\n",
            "b\n",
            "",
            done(Exact, "if a:\n    c\n"),
        ),
    ]);
    assert_eq!(
        edit_all("use foo\nfoo\nend\n", "foo", ""),
        done(Exact, "use \nend\n")
    );
    assert_eq!(edit_all("a\n\nb\nb\nc", "\nb", ""), done(Exact, "a\n\nc"));
    assert_eq!(
        edit_all("foo\n  foo\na foo b\n\tfoo \nend\n", "foo", ""),
        done(Exact, "a  b\nend\n")
    );
    // The blanks of one place are the text of the next.
    assert_eq!(edit_all(" \nx \nx\n", " \nx", ""), done(Exact, "\n"));
    let Verdict::Found(found) = find(&query("a\nb\nc\n", "b", "")) else {
        panic!("stands there")
    };
    assert_eq!(found.places[0].range, 2..4);
}

#[test]
fn lines_that_stay_are_in_no_change() {
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
        let Verdict::Found(found) = find(&query(view, old, new)) else {
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
fn a_newline_that_goes_joins_the_next_line() {
    let joins = |view, old, new| match find(&query(view, old, new)) {
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
fn the_end_of_the_file_may_lack_the_last_newline() {
    check(&[
        (
            "found, and none comes",
            "alpha\nbeta",
            "beta\n",
            "gamma\n",
            done(FinalNewline, "alpha\ngamma"),
        ),
        (
            "a line more",
            "alpha\nbeta",
            "alpha\nbeta\n",
            "alpha\nbeta\ngamma\n",
            done(FinalNewline, "alpha\nbeta\ngamma"),
        ),
        (
            "new text without one",
            "alpha\nbeta",
            "beta\n",
            "gamma",
            done(FinalNewline, "alpha\ngamma"),
        ),
        (
            "deleted",
            "alpha\nbeta",
            "beta\n",
            "",
            done(FinalNewline, "alpha\n"),
        ),
        (
            "emptied",
            "alpha\nbeta",
            "beta\n",
            "\n",
            done(FinalNewline, "alpha\n"),
        ),
        ("part of a line", "alphabet", "bet\n", "ba\n", NotFound),
        ("two newlines", "alpha\nbeta", "beta\n\n", "x\n", NotFound),
        (
            "literally elsewhere",
            "b\nb",
            "b\n",
            "c\n",
            done(Exact, "c\nb"),
        ),
        ("blank", "a\n ", " \n", "x\n", NotFound),
        ("not at the end", "beta x\nalpha", "beta\n", "x\n", NotFound),
    ]);
}

#[test]
fn exact_alone_forgives_nothing() {
    let strict = |view, old| {
        outcome(&Query {
            tolerance: Tolerance::Exact,
            ..query(view, old, "x")
        })
    };
    assert_eq!(strict("a  \nb\n", "a\nb"), NotFound);
    assert_eq!(strict("a", "a\n"), NotFound);
    assert_eq!(strict("a\nb\n", "b"), done(Exact, "a\nx\n"));
}

#[test]
fn damaged_text_is_in_no_place() {
    let damage = |view, old, damaged: &[Range<usize>]| {
        outcome(&Query {
            damaged,
            ..query(view, old, "x")
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
        done(Exact, "x\n")
    );
    assert_eq!(
        damage("a \u{FFFD}b\n", "b", std::slice::from_ref(&broken)),
        done(Exact, "a \u{FFFD}x\n"),
        "right after it"
    );
    assert_eq!(
        damage("a \u{FFFD}b\n", "a ", std::slice::from_ref(&broken)),
        done(Exact, "x\u{FFFD}b\n"),
        "right before it"
    );
    assert_eq!(
        damage("a \u{FFFD} b\n", "b", std::slice::from_ref(&broken)),
        done(Exact, "a \u{FFFD} x\n")
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
        done(Exact, "a \u{FFFD}\nx\n")
    );
}

#[test]
fn indentation_before_the_place_is_counted_once() {
    check(&[
        (
            "once",
            "def f():\n    return 1\n",
            "return 1",
            "    return 2",
            done(Exact, "def f():\n    return 2\n"),
        ),
        (
            "with further lines",
            "func f() {\n\treturn 1\n}\n",
            "return 1",
            "\tx := 2\n\treturn x",
            done(Exact, "func f() {\n\tx := 2\n\treturn x\n}\n"),
        ),
        (
            "nothing but blanks differs",
            "if a:\n    x = 1\n",
            "x = 1",
            "    x = 1",
            done(Exact, "if a:\n        x = 1\n"),
        ),
        (
            "other blanks",
            "    y = 2\n",
            "y = 2",
            "  y = 3",
            done(Exact, "      y = 3\n"),
        ),
    ]);
    let view = "    a\n  a\n";
    assert_eq!(
        edit_all(view, "a", "    b"),
        done(Exact, "        b\n      b\n")
    );
    assert_eq!(
        edit_all("  a\n  a\n", "a", "  b"),
        done(Exact, "  b\n  b\n")
    );
    assert_eq!(
        outcome(&Query {
            tolerance: Tolerance::Exact,
            ..query("  a\n", "a", "  b")
        }),
        done(Exact, "    b\n")
    );
}

#[test]
fn further_lines_get_the_indentation_that_one_old_line_lacks() {
    let view = "class A:\n    def f():\n        x = 1\n        return x\n";
    check(&[
        (
            "part of it",
            view,
            "    x = 1\n",
            "    if ok:\n        x = 1\n",
            done(
                Exact,
                "class A:\n    def f():\n        if ok:\n            x = 1\n        return x\n",
            ),
        ),
        (
            "all of it",
            "def f():\n    x = 1\n",
            "x = 1",
            "x = 1\n\ny = 2",
            done(Exact, "def f():\n    x = 1\n\n    y = 2\n"),
        ),
        (
            "of the first line only",
            "def f():\n    x = 1\n",
            "x = 1",
            "if ok:\n        x = 1\n    y = 2",
            done(Exact, "def f():\n    if ok:\n        x = 1\n    y = 2\n"),
        ),
    ]);
    // Each place is edited separately.
    assert_eq!(
        edit_all("a\n  a\n\ta\nb a\n", "a", "a\nc"),
        done(Exact, "a\nc\n  a\n  c\n\ta\n\tc\nb a\nc\n")
    );
    let exact = Query {
        tolerance: Tolerance::Exact,
        ..query("  a\n", "a", "a\nc")
    };
    assert_eq!(outcome(&exact), done(Exact, "  a\nc\n"));
}

#[test]
fn what_may_not_be_meant_is_remarked() {
    let told = |view, old, new| match find(&query(view, old, new)) {
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
fn line_ends_are_taken_one_after_the_other_on_every_rung() {
    let edited = |raw: &str, old: &str, new: &str| {
        let document = crate::Document::decode(raw.as_bytes(), None).expect("text");
        let Verdict::Found(found) = find(&query(document.view(), old, new)) else {
            panic!("{old:?} is found")
        };
        let raw_changes = document.splice(&changes(&found)).expect("encodable");
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
fn an_edit_inside_of_text_just_written_crosses_no_border() {
    for (first, old, new, wanted) in [
        ("X\nA\nB", "A\nB", "A", "X\nA\nend\n"),
        ("A\nB", "A\nB", "B\nA", "B\nA\nend\n"),
        ("X\n\nB", "X\n\nB", "X", "X\nend\n"),
    ] {
        let mut draft = crate::Draft::new("q\nend\n");
        for (old, new) in [("q", first), (old, new)] {
            let text = draft.text().to_owned();
            let Verdict::Found(found) = find(&query(&text, old, new)) else {
                panic!("{old:?} is found")
            };
            let place = &found.places[0];
            assert!(!draft.crosses(&place.range, None), "{old:?} -> {new:?}");
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
