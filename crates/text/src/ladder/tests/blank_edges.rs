//! Cases of the rung `blank-edge`.

use super::*;
use Rung::{BlankEdge, Exact};

const FILE: &str = "alpha = 1\nbeta = 2\ngamma = 3\n";

#[test]
fn one_blank_line_too_many_is_forgiven() {
    check(&[
        (
            "at the start",
            FILE,
            "\nalpha = 1\nbeta = 2",
            "\nalpha = 1\nbeta = 22",
            done(BlankEdge, "alpha = 1\nbeta = 22\ngamma = 3\n"),
        ),
        (
            "at the end",
            FILE,
            "alpha = 1\nbeta = 2\n\n",
            "alpha = 1\nbeta = 22\n\n",
            done(BlankEdge, "alpha = 1\nbeta = 22\ngamma = 3\n"),
        ),
        (
            "at both",
            FILE,
            "\nalpha = 1\nbeta = 2\n\n",
            "\nalpha = 1\nbeta = 22\n\n",
            done(BlankEdge, "alpha = 1\nbeta = 22\ngamma = 3\n"),
        ),
        (
            "with blanks on it",
            FILE,
            "  \nalpha = 1\nbeta = 2",
            "  \nalpha = 1\nB",
            done(BlankEdge, "alpha = 1\nB\ngamma = 3\n"),
        ),
        (
            "open at the end",
            FILE,
            "alpha = 1\nbeta = 2\n  ",
            "alpha = 1\nB\n  ",
            done(BlankEdge, "alpha = 1\nB\ngamma = 3\n"),
        ),
        (
            "not in the new text",
            FILE,
            "\nalpha = 1\nbeta = 2",
            "alpha = 1\n\nbeta = 2",
            done(BlankEdge, "alpha = 1\n\nbeta = 2\ngamma = 3\n"),
        ),
        (
            "another one in the new text",
            FILE,
            "  \nalpha = 1\nbeta = 2",
            "\nalpha = 1\nB",
            done(BlankEdge, "\nalpha = 1\nB\ngamma = 3\n"),
        ),
        (
            "not at the new text's end",
            FILE,
            "beta = 2\ngamma = 3\n\n",
            "beta = 2\nG\n",
            done(BlankEdge, "alpha = 1\nbeta = 2\nG\n"),
        ),
        (
            "of three, all in the new text",
            "\n\nalpha = 1\nbeta = 2\n",
            "\n\n\nalpha = 1\nbeta = 2",
            "\n\n\nalpha = 1\nB",
            done(BlankEdge, "\n\nalpha = 1\nB\n"),
        ),
        (
            "of two, one in the new text, which may be the file's",
            "\nalpha = 1\nbeta = 2\n",
            "\n\nalpha = 1\nbeta = 2",
            "\nalpha = 1\nB",
            Forbidden(BlankEdge),
        ),
        (
            "of two at the end, one in the new text",
            "alpha = 1\nbeta = 2\n\nlast\n",
            "alpha = 1\nbeta = 2\n\n\n",
            "alpha = 1\nB\n\n",
            Forbidden(BlankEdge),
        ),
        (
            "all deleted",
            FILE,
            "\nalpha = 1\nbeta = 2",
            "",
            done(BlankEdge, "gamma = 3\n"),
        ),
        (
            "the rest on a rung below",
            "{\n    one()\n    two()\n}\n",
            "\n  one()\n  two()",
            "\n  one()\n  three()",
            done(BlankEdge, "{\n    one()\n    three()\n}\n"),
        ),
        (
            "the rest with numbers",
            FILE,
            "\n1→alpha = 1\n2→beta = 2",
            "\n1→A\n2→beta = 2",
            done(BlankEdge, "A\nbeta = 2\ngamma = 3\n"),
        ),
        (
            "one more than the file has",
            "a = 1\nb = 2\n\nc\n",
            "a = 1\nb = 2\n\n\n",
            "a = 1\nB\n\n\n",
            done(BlankEdge, "a = 1\nB\n\nc\n"),
        ),
        (
            "twenty characters",
            "abcdefghij klmnopqrst\nend\n",
            "abcdefghij klmnopqrst\n\n",
            "x\n\n",
            done(BlankEdge, "x\nend\n"),
        ),
        (
            "the end of an open file",
            "alpha = 1\nbeta = 2",
            "alpha = 1\nbeta = 2\n\n",
            "alpha = 1\nB\n\n",
            done(BlankEdge, "alpha = 1\nB"),
        ),
    ]);
}

#[test]
fn more_or_less_than_that_is_not_found() {
    check(&[
        (
            "two at the end",
            FILE,
            "alpha = 1\nbeta = 2\n\n\n",
            "x",
            NotFound,
        ),
        (
            "two at the start",
            FILE,
            "\n\nalpha = 1\nbeta = 2",
            "x",
            NotFound,
        ),
        (
            "too little text",
            "x = 1\ny\n",
            "\nx = 1",
            "\nx = 7",
            NotFound,
        ),
        (
            "nineteen characters",
            "abcdefghij klmnopqrs\nend\n",
            "abcdefghij klmnopqrs\n\n",
            "x\n\n",
            NotFound,
        ),
        (
            "a line break too many is another place",
            FILE,
            "\nbeta = 2\ngamma = 3",
            "\nB",
            done(Exact, "alpha = 1\nB\n"),
        ),
        (
            "part of a line",
            "x alpha = 1\nbeta = 2\nend\n",
            "\nalpha = 1\nbeta = 2",
            "x",
            NotFound,
        ),
        (
            "part of the last line",
            "alpha = 1\nbeta = 2\n",
            "\nalpha = 1\nbeta",
            "x",
            NotFound,
        ),
        (
            "the rest twice",
            "one()\ntwo()\nz\none()\ntwo()\n",
            "one()\ntwo()\n\n",
            "x\n\n",
            Ambiguous(BlankEdge, 2),
        ),
        (
            "a place without, a place with",
            "one()\ntwo()\n\nz\none()\ntwo()\n",
            "\none()\ntwo()\n\n",
            "x",
            Ambiguous(BlankEdge, 2),
        ),
        (
            "a whole place and a part of one",
            "one()\ntwo()\nx one()\ntwo()\n",
            "\none()\ntwo()",
            "x",
            Ambiguous(BlankEdge, 2),
        ),
        (
            "a guard of the rest's rung",
            "“one”\ntwo()\nend\n",
            "\n\"one\"\ntwo()",
            "\none or \"two\"\ntwo()",
            Forbidden(BlankEdge),
        ),
        (
            "numbers left in new text",
            FILE,
            "\n1→alpha = 1\n2→beta = 2",
            "\n1→A\nB",
            Leaked,
        ),
    ]);
}

#[test]
fn a_blank_line_that_stands_for_a_line_is_no_blank_line() {
    let view = "    b: 1,\n    }\n  }\n  return -1;\n}\n";
    let old = "    \n  }\n  return -1;\n}";
    check(&[
        (
            "for the line above",
            view,
            old,
            "    }\n  }\n  log();\n  return -1;\n}",
            Forbidden(BlankEdge),
        ),
        (
            "for none",
            view,
            old,
            "  }\n  log();\n  return -1;\n}",
            done(
                BlankEdge,
                "    b: 1,\n    }\n  }\n  log();\n  return -1;\n}\n",
            ),
        ),
        (
            "for the line below",
            FILE,
            "alpha = 1\nbeta = 2\n\n",
            "alpha = 0\nbeta = 2\ngamma = 3 \n",
            Forbidden(BlankEdge),
        ),
        (
            "for the line below, which is shifted along",
            "  alpha = 1\n  beta = 2\n  gamma = 3\n",
            "alpha = 1\nbeta = 2\n\n",
            "alpha = 0\nbeta = 2\ngamma = 3\n",
            Forbidden(BlankEdge),
        ),
    ]);
}

#[test]
fn the_place_of_the_refusal_has_the_line_that_the_blank_stands_for() {
    let place = |view: &str, old: &str, new: &str| match find(&query(view, old, new)) {
        Verdict::NotFound { guard: Some(guard) } => guard.place,
        other => panic!("{other:?}"),
    };
    let view = "    }\n  }\n  return -1;\n}\n";
    let old = "    \n  }\n  return -1;\n}";
    let found = place(view, old, "    }\n  }\n  log();\n}");
    assert_eq!(&view[found], "    }\n  }\n  return -1;\n}");
    for (end, newline) in [("\n\n", "\n"), ("\n ", "")] {
        let old = format!("alpha = 1\nbeta = 2{end}");
        let new = format!("alpha = 0\nbeta = 2\ngamma = 3{newline}");
        let found = place(FILE, &old, &new);
        assert_eq!(
            FILE[found],
            format!("alpha = 1\nbeta = 2\ngamma = 3{newline}")
        );
    }
}

#[test]
fn the_rest_must_be_the_only_one_on_later_rungs_too() {
    let view = "alpha = 1\nbeta = 2\n--\n  alpha = 1\n  beta = 2\n";
    let query = query(view, "\nalpha = 1\nbeta = 2", "alpha = 1\nB");
    let Verdict::Ambiguous {
        rung,
        places,
        looser,
    } = find(&query)
    else {
        panic!("ambiguous")
    };
    assert_eq!((rung, places.len()), (BlankEdge, 2));
    assert_eq!(looser.into_iter().collect::<Vec<_>>(), [(1, Rung::Indent)]);
}
