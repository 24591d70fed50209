//! Cases of the rung `blank-edge`.

use super::*;
use Rung::{BlankEdge, Exact};

const SAMPLE_FILE: &str = "alpha = 1\nbeta = 2\ngamma = 3\n";

#[test]
fn tolerates_one_extra_blank_line_at_edge() {
    check_cases(&[
        (
            "at the start",
            SAMPLE_FILE,
            "\nalpha = 1\nbeta = 2",
            "\nalpha = 1\nbeta = 22",
            outcome_done(BlankEdge, "alpha = 1\nbeta = 22\ngamma = 3\n"),
        ),
        (
            "at the end",
            SAMPLE_FILE,
            "alpha = 1\nbeta = 2\n\n",
            "alpha = 1\nbeta = 22\n\n",
            outcome_done(BlankEdge, "alpha = 1\nbeta = 22\ngamma = 3\n"),
        ),
        (
            "at both",
            SAMPLE_FILE,
            "\nalpha = 1\nbeta = 2\n\n",
            "\nalpha = 1\nbeta = 22\n\n",
            outcome_done(BlankEdge, "alpha = 1\nbeta = 22\ngamma = 3\n"),
        ),
        (
            "with blanks on it",
            SAMPLE_FILE,
            "  \nalpha = 1\nbeta = 2",
            "  \nalpha = 1\nB",
            outcome_done(BlankEdge, "alpha = 1\nB\ngamma = 3\n"),
        ),
        (
            "open at the end",
            SAMPLE_FILE,
            "alpha = 1\nbeta = 2\n  ",
            "alpha = 1\nB\n  ",
            outcome_done(BlankEdge, "alpha = 1\nB\ngamma = 3\n"),
        ),
        (
            "not in the new text",
            SAMPLE_FILE,
            "\nalpha = 1\nbeta = 2",
            "alpha = 1\n\nbeta = 2",
            outcome_done(BlankEdge, "alpha = 1\n\nbeta = 2\ngamma = 3\n"),
        ),
        (
            "another one in the new text",
            SAMPLE_FILE,
            "  \nalpha = 1\nbeta = 2",
            "\nalpha = 1\nB",
            outcome_done(BlankEdge, "\nalpha = 1\nB\ngamma = 3\n"),
        ),
        (
            "not at the new text's end",
            SAMPLE_FILE,
            "beta = 2\ngamma = 3\n\n",
            "beta = 2\nG\n",
            outcome_done(BlankEdge, "alpha = 1\nbeta = 2\nG\n"),
        ),
        (
            "of three, all in the new text",
            "\n\nalpha = 1\nbeta = 2\n",
            "\n\n\nalpha = 1\nbeta = 2",
            "\n\n\nalpha = 1\nB",
            outcome_done(BlankEdge, "\n\nalpha = 1\nB\n"),
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
            SAMPLE_FILE,
            "\nalpha = 1\nbeta = 2",
            "",
            outcome_done(BlankEdge, "gamma = 3\n"),
        ),
        (
            "the rest on a rung below",
            "{\n    one()\n    two()\n}\n",
            "\n  one()\n  two()",
            "\n  one()\n  three()",
            outcome_done(BlankEdge, "{\n    one()\n    three()\n}\n"),
        ),
        (
            "the rest with numbers",
            SAMPLE_FILE,
            "\n1→alpha = 1\n2→beta = 2",
            "\n1→A\n2→beta = 2",
            outcome_done(BlankEdge, "A\nbeta = 2\ngamma = 3\n"),
        ),
        (
            "one more than the file has",
            "a = 1\nb = 2\n\nc\n",
            "a = 1\nb = 2\n\n\n",
            "a = 1\nB\n\n\n",
            outcome_done(BlankEdge, "a = 1\nB\n\nc\n"),
        ),
        (
            "twenty characters",
            "abcdefghij klmnopqrst\nend\n",
            "abcdefghij klmnopqrst\n\n",
            "x\n\n",
            outcome_done(BlankEdge, "x\nend\n"),
        ),
        (
            "the end of an open file",
            "alpha = 1\nbeta = 2",
            "alpha = 1\nbeta = 2\n\n",
            "alpha = 1\nB\n\n",
            outcome_done(BlankEdge, "alpha = 1\nB"),
        ),
    ]);
}

#[test]
fn rejects_other_numbers_of_blank_lines() {
    check_cases(&[
        (
            "two at the end",
            SAMPLE_FILE,
            "alpha = 1\nbeta = 2\n\n\n",
            "x",
            NotFound,
        ),
        (
            "two at the start",
            SAMPLE_FILE,
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
            SAMPLE_FILE,
            "\nbeta = 2\ngamma = 3",
            "\nB",
            outcome_done(Exact, "alpha = 1\nB\n"),
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
            SAMPLE_FILE,
            "\n1→alpha = 1\n2→beta = 2",
            "\n1→A\nB",
            Leaked,
        ),
    ]);
}

#[test]
fn refuses_blank_line_in_place_of_file_line() {
    let view = "    b: 1,\n    }\n  }\n  return -1;\n}\n";
    let old = "    \n  }\n  return -1;\n}";
    check_cases(&[
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
            outcome_done(
                BlankEdge,
                "    b: 1,\n    }\n  }\n  log();\n  return -1;\n}\n",
            ),
        ),
        (
            "for the line below",
            SAMPLE_FILE,
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
fn refusal_place_includes_line_represented_by_blank() {
    let place = |view: &str, old: &str, new: &str| match find(&new_query(view, old, new)) {
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
        let found = place(SAMPLE_FILE, &old, &new);
        assert_eq!(
            SAMPLE_FILE[found],
            format!("alpha = 1\nbeta = 2\ngamma = 3{newline}")
        );
    }
}

#[test]
fn remaining_text_must_be_unique_on_later_rungs() {
    let view = "alpha = 1\nbeta = 2\n--\n  alpha = 1\n  beta = 2\n";
    let query = new_query(view, "\nalpha = 1\nbeta = 2", "alpha = 1\nB");
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
