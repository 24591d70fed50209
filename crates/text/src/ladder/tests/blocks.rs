//! Cases of the rungs that match whole lines: `trailing`, `indent` and `tabs`.

use super::*;
use Rung::{Exact, Indent, LookAlike, Tabs, Trailing};

#[test]
fn tolerates_trailing_blanks() {
    check_cases(&[
        (
            "in the file",
            "begin();  \nmiddle();\n",
            "begin();\nmiddle();",
            "begin();\nmidway();",
            outcome_done(Trailing, "begin();  \nmidway();\n"),
        ),
        (
            "in the call",
            "a = 1\nb = 2\n",
            "a = 1 \nb = 2",
            "a = 1 \nb = 20",
            outcome_done(Trailing, "a = 1\nb = 20\n"),
        ),
        (
            "a changed line as sent",
            "x = 1   \ny = 2\t\n",
            "x = 1\ny = 2",
            "x = 9 \ny = 2",
            outcome_done(Trailing, "x = 9 \ny = 2\t\n"),
        ),
        (
            "on a blank line",
            "f:\n    \n    1\n",
            "f:\n\n    1",
            "f:\n\n    2",
            outcome_done(Trailing, "f:\n    \n    2\n"),
        ),
        (
            "re-indented on purpose",
            "for:  \n    a\n    b\n",
            "for:\n    a\n    b",
            "for:\n    a\nb",
            outcome_done(Trailing, "for:  \n    a\nb\n"),
        ),
        (
            "a line added after one that stays",
            "x  \ny  \n",
            "x\ny",
            "x\ny\nz",
            outcome_done(Trailing, "x  \ny  \nz\n"),
        ),
        (
            "with look-alikes",
            "say “a”  \nb\n",
            "say \"a\"\nb",
            "say \"a\"\nc",
            outcome_done(Trailing, "say “a”  \nc\n"),
        ),
        (
            "look-alikes at the end",
            "a\u{A0}\u{3000}\nb\n",
            "a\nb",
            "a\nc",
            outcome_done(Trailing, "a\u{A0}\u{3000}\nc\n"),
        ),
        (
            "the end of the file is a line end",
            "alpha\nbeta  ",
            "alpha\nbeta\n",
            "alpha\nBETA\n",
            outcome_done(Trailing, "alpha\nBETA"),
        ),
        (
            "the end, look-alike",
            "x\n“a”",
            "\"a\"\n",
            "\"a\" b\n",
            outcome_done(Trailing, "x\n“a” b"),
        ),
        (
            "deleted with its newline",
            "a \nb  \nc\n",
            "a\nb",
            "",
            outcome_done(Trailing, "c\n"),
        ),
        (
            "a blank last line",
            "a \n\t\nb\n",
            "a\n ",
            "a\n x",
            outcome_done(Trailing, "a \n x\nb\n"),
        ),
        (
            "part of a line",
            "total = sum(a)\n",
            "sum(a)  ",
            "x",
            NotFound,
        ),
        (
            "twice",
            "open \nshut\n--\nopen\t\nshut\n",
            "open\nshut",
            "x",
            Ambiguous(Trailing, 2),
        ),
        ("a line too many", "a \nb\nc\n", "a\nc", "x", NotFound),
        ("other white space", "a\u{B}\nb\n", "a\nb", "x", NotFound),
        (
            "a folded character replaced",
            "“ab”  \nb\n",
            "\"ab\"\nb",
            "ab or \"c\"\nb",
            Forbidden(Trailing),
        ),
        (
            "and nothing of its kind comes",
            "“a”  \nb\n",
            "\"a\"\nb",
            "a\nb",
            outcome_done(Trailing, "a\nb\n"),
        ),
    ]);
    assert_eq!(
        edit_all("a \nb\n-\na \nb\n", "a\nb", "a\nc"),
        outcome_done(Trailing, "a \nc\n-\na \nc\n")
    );
    assert_eq!(
        edit_all("a \nb\n-\na\t\nb\n", "a\nb", "a\nc"),
        Ambiguous(Trailing, 2)
    );
    assert_eq!(
        edit_all("x\nx \nx\n", "x\t\nx", "y"),
        Ambiguous(Trailing, 2),
        "overlapping, not alike"
    );
}

#[test]
fn tolerates_uniform_indentation_shift() {
    check_cases(&[
        (
            "more in the file",
            "c:\n    f:\n        1\n",
            "f:\n    1",
            "f:\n    if:\n        2\n    1",
            outcome_done(
                Indent,
                "c:\n    f:\n        if:\n            2\n        1\n",
            ),
        ),
        (
            "less in the file",
            "x = 1\ny = 2\nz\n",
            "    x = 1\n    y = 2",
            "    x = 1\n    if x:\n        y = 3",
            outcome_done(Indent, "x = 1\nif x:\n    y = 3\nz\n"),
        ),
        (
            "a tab",
            "{\n\tA\n\tB\n}\n",
            "A\nB",
            "A\n\nC",
            outcome_done(Indent, "{\n\tA\n\n\tC\n}\n"),
        ),
        (
            "some of it less",
            "{\n  a\n    b\n}\n",
            "    a\n      b",
            "    a\n      c",
            outcome_done(Indent, "{\n  a\n    c\n}\n"),
        ),
        (
            "blank lines are passed over",
            "{\n  a\n\n  b\n}\n",
            "a\n   \nb",
            "a\n   \nc",
            outcome_done(Indent, "{\n  a\n\n  c\n}\n"),
        ),
        (
            "blank lines first",
            "{\n\n  a\n  b\n}\n",
            "\t\na\nb",
            "\t\na\nc",
            outcome_done(Indent, "{\n\n  a\n  c\n}\n"),
        ),
        (
            "with look-alikes and blanks",
            "if:\n    n = “k”  \n    s = 2\n",
            "n = \"k\"\ns = 2",
            "n = \"k\"\ns = 3",
            outcome_done(Indent, "if:\n    n = “k”  \n    s = 3\n"),
        ),
        (
            "look-alikes as indentation",
            "x\n\u{3000}a\n\u{3000}b\n",
            "a\nb",
            "a\nc",
            outcome_done(Indent, "x\n\u{3000}a\n\u{3000}c\n"),
        ),
        (
            "deleted",
            "{\n  a\n  b\n}\n",
            "a\nb",
            "",
            outcome_done(Indent, "{\n}\n"),
        ),
        (
            "a changed line with a look-alike",
            "{\n  x – 1;\n  y\n}\n",
            "x - 1;\ny",
            "x - 2;\ny",
            outcome_done(Indent, "{\n  x – 2;\n  y\n}\n"),
        ),
        (
            "at the open end",
            "{\n  a\n  b",
            "a\nb\n",
            "a\nc\n",
            outcome_done(Indent, "{\n  a\n  c"),
        ),
        (
            "shifts that differ",
            "if:\n    x\n    y\n",
            "if:\n  x\n   y",
            "x",
            NotFound,
        ),
        (
            "a shift on some lines",
            "{\n  a\n b\n}\n",
            "a\nb\n}",
            "x",
            NotFound,
        ),
        (
            "part of a line",
            "minimal = 3\n",
            "  min",
            "  max",
            NotFound,
        ),
        (
            "tabs before spaces is another prefix",
            "\t  a\n\t  b\n",
            "\ta\n\tb",
            "x",
            NotFound,
        ),
        (
            "two depths",
            "if:\n    o\n    c\nfor:\n        o\n        c\n",
            "o\nc",
            "o\ns",
            Ambiguous(Indent, 2),
        ),
        (
            "one of them literal",
            "    o\n    c\n      o\n      c\n",
            "    o\n    c\n   ",
            "    o\n    s\n   ",
            outcome_done(Exact, "    o\n    s\n      o\n      c\n"),
        ),
    ]);
}

#[test]
fn refuses_shift_that_new_text_does_not_fit() {
    check_cases(&[
        (
            "too short",
            "a()\nb()\nc()\n",
            "    a()\n    b()",
            "    a()\n  c()",
            Forbidden(Indent),
        ),
        ("not indented", "c()\n", "    c()", "d()", Forbidden(Indent)),
        (
            "a line that stays already stands where the file has it",
            "if ok:\n    run()\n",
            "    if ok:\n        run()",
            "    run()",
            Forbidden(Indent),
        ),
        (
            "already at the file's indentation",
            "def:\n    return 3\n",
            "        return 3",
            "    return 4",
            Forbidden(Indent),
        ),
        (
            "the same with more",
            "def:\n    a\n    b\n",
            "a\nb",
            "    a\n    c",
            Forbidden(Indent),
        ),
        (
            "by its least indented line",
            "def:\n    a\n    b\n",
            "a\nb",
            "        a\n    c",
            Forbidden(Indent),
        ),
        (
            "deeper is fine",
            "def:\n    a\n    b\n",
            "a\nb",
            "  a\n  c",
            outcome_done(Indent, "def:\n      a\n      c\n"),
        ),
        (
            "look-alikes that differ",
            "x\n\u{A0}a\n b\n",
            "a\nb",
            "a\nc",
            Forbidden(Indent),
        ),
        (
            "ambiguous before the guard",
            "{\n  c()\n}\n{\n  c()\n}\n",
            "    c()",
            "d()",
            Ambiguous(Indent, 2),
        ),
    ]);
    assert_eq!(
        edit_all("{\n  c()\n}\n{\n  c()\n}\n", "    c()", "    d()"),
        outcome_done(Indent, "{\n  d()\n}\n{\n  d()\n}\n")
    );
    assert_eq!(
        edit_all("{\n  c()\n}\n{\n c()\n}\n", "    c()", "    d()"),
        Ambiguous(Indent, 2)
    );
}

#[test]
fn tolerates_tabs_in_place_of_spaces() {
    let tabbed = "func f() {\n\tif ok {\n\t\trun()\n\t}\n}\n";
    check_cases(&[
        (
            "tabs in the file",
            tabbed,
            "    if ok {\n        run()\n    }",
            "    if ok {\n        walk()\n        if far {\n            run()\n        }\n    }",
            outcome_done(
                Tabs,
                "func f() {\n\tif ok {\n\t\twalk()\n\t\tif far {\n\t\t\trun()\n\t\t}\n\t}\n}\n",
            ),
        ),
        (
            "spaces in the file",
            "a:\n  b:\n    c: 1\nz\n",
            "a:\n\tb:\n\t\tc: 1",
            "a:\n\tb:\n\t\tc: 2\n\t\td: 3",
            outcome_done(Tabs, "a:\n  b:\n    c: 2\n    d: 3\nz\n"),
        ),
        (
            "width eight",
            "if {\n\trun\n}\n",
            "if {\n        run\n}",
            "if {\n        go\n}",
            outcome_done(Tabs, "if {\n\tgo\n}\n"),
        ),
        (
            "width two",
            "if {\n\trun\n}\n",
            "if {\n  run\n}",
            "if {\n  run\n  end\n}",
            outcome_done(Tabs, "if {\n\trun\n\tend\n}\n"),
        ),
        (
            "with look-alikes and blanks",
            "if {\n\tsay “a”  \n}\n",
            "if {\n    say \"a\"\n}",
            "if {\n    say \"a\" b\n}",
            outcome_done(Tabs, "if {\n\tsay “a” b\n}\n"),
        ),
        (
            "a blank new line as sent",
            "if {\n\trun\n}\n",
            "if {\n  run\n}",
            "if {\n  run\n \n}",
            outcome_done(Tabs, "if {\n\trun\n \n}\n"),
        ),
        (
            "width one",
            "if {\n\trun\n}\n",
            "if {\n run\n}",
            "x",
            NotFound,
        ),
        (
            "width nine",
            "if {\n\trun\n}\n",
            "if {\n         run\n}",
            "x",
            NotFound,
        ),
        (
            "two widths",
            tabbed,
            "  if ok {\n        run()\n  }",
            "x",
            NotFound,
        ),
        (
            "a shift besides",
            "\t\ta\n\t\tb {\n\t\t\tc\n",
            "    a\n    b {\n        c",
            "x",
            NotFound,
        ),
        (
            "nothing indented",
            "{\n\ta\n\tb\n}\n",
            "a\nb",
            "a\nc",
            outcome_done(Indent, "{\n\ta\n\tc\n}\n"),
        ),
        (
            "both in the call",
            "\ta\n\t\tb\n",
            "\ta\n        b",
            "x",
            NotFound,
        ),
        (
            "a remainder in the old text",
            "\t a {\n\t\tb\n",
            "     a {\n        b",
            "     a {\n     c\n        b",
            outcome_done(Tabs, "\t a {\n\t c\n\t\tb\n"),
        ),
        (
            "a remainder on one side only",
            "\t a {\n\t\tb\n",
            "    a {\n        b",
            "x",
            NotFound,
        ),
        (
            "a comment's star",
            "/**\n * Doc.\n */\nfunction f() {\n\treturn 1;\n}\n",
            "/**\n * Doc.\n */\nfunction f() {\n    return 1;\n}",
            "/**\n * Doc.\n * More.\n */\nfunction f() {\n    return 2;\n}",
            outcome_done(
                Tabs,
                "/**\n * Doc.\n * More.\n */\nfunction f() {\n\treturn 2;\n}\n",
            ),
        ),
        (
            "alignment by more than a step",
            "\tcall (a,\n\t             b);\n",
            "        call (a,\n                     b);",
            "        call (a,\n                     c);",
            outcome_done(Tabs, "\tcall (a,\n\t             c);\n"),
        ),
        (
            "a comment's star in a file of spaces",
            "x = {\n    /*\n     * one\n     */\n    a: 1,\n};\n",
            "\t/*\n\t * one\n\t */\n\ta: 1,",
            "\t/*\n\t * one\n\t * two\n\t */\n\ta: 2,",
            outcome_done(
                Tabs,
                "x = {\n    /*\n     * one\n     * two\n     */\n    a: 2,\n};\n",
            ),
        ),
        (
            "a remainder that no old line has, in a file of spaces",
            "a:\n  b\n",
            "a:\n\tb",
            "a:\n\t c",
            Forbidden(Tabs),
        ),
        (
            "one indentation of the call, two of the file",
            "\ta\n  b\n",
            "  a\n  b",
            "  a\n  c\n  b",
            Forbidden(Tabs),
        ),
        (
            "look-alikes as indentation of a line that goes",
            "a:\n\u{A0}\u{A0}b\nc\n",
            "a:\n\tb\nc",
            "a:\nc",
            outcome_done(Tabs, "a:\nc\n"),
        ),
        (
            "twice",
            "f {\n\tx\n}\ng {\n\tx\n}\n",
            "    x",
            "    y",
            Ambiguous(Tabs, 2),
        ),
        (
            "two widths for one tab",
            "a:\n  r\nb:\n    r\n",
            "\tr",
            "\ts",
            Ambiguous(Tabs, 2),
        ),
        (
            "a remainder",
            tabbed,
            "    if ok {\n        run()\n    }",
            "    if ok {\n      walk()\n    }",
            Forbidden(Tabs),
        ),
        (
            "already in the file's way",
            tabbed,
            "    if ok {\n        run()\n    }",
            "    if ok {\n\twalk()\n    }",
            Forbidden(Tabs),
        ),
        (
            "already in spaces",
            "a:\n  b\n",
            "a:\n\tb",
            "a:\n  c",
            Forbidden(Tabs),
        ),
        (
            "look-alikes as indentation",
            "a:\n\u{A0}\u{A0}b\nc\n",
            "a:\n\tb\nc",
            "a:\n\td\nc",
            Forbidden(Tabs),
        ),
        (
            "which stay on a line that stays",
            "a:\n\u{A0}\u{A0}b\nc\n",
            "a:\n\tb\nc",
            "a:\n\tb\nd",
            outcome_done(Tabs, "a:\n\u{A0}\u{A0}b\nd\n"),
        ),
    ]);
    assert_eq!(
        edit_all("f {\n\tx\n}\ng {\n\tx\n}\n", "    x", "    y"),
        outcome_done(Tabs, "f {\n\ty\n}\ng {\n\ty\n}\n")
    );
    assert_eq!(
        edit_all("a:\n  r\nb:\n    r\n", "\tr", "\ts"),
        Ambiguous(Tabs, 2)
    );
}

#[test]
fn strictest_matching_rung_decides() {
    check_cases(&[
        (
            "a twin but for blanks",
            "a b\na     b\n",
            "a     b",
            "c",
            outcome_done(Exact, "a b\nc\n"),
        ),
        (
            "look-alike before trailing",
            "“a”\n",
            "\"a\"",
            "\"a\" b",
            outcome_done(LookAlike, "“a” b\n"),
        ),
        (
            "ambiguous is final",
            "“a” ‟a„\nx\n \"a\"\n",
            "\"a\"",
            "x",
            outcome_done(Exact, "“a” ‟a„\nx\n x\n"),
        ),
        (
            "no looser rung is tried",
            "  a \n\ta \n",
            "a\t",
            "x",
            Ambiguous(Indent, 2),
        ),
    ]);
}
