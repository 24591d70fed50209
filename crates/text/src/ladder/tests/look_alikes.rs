//! Cases of the rung `look-alike`: what folds, what stays, what must not be replaced, and added quotes.

use super::*;
use Rung::{Exact, Indent, LookAlike, Trailing};

#[test]
fn finds_and_preserves_look_alikes() {
    check_cases(&[
        (
            "double quotes",
            "say “First draft”\n",
            "say \"First draft\"",
            "say \"First full draft\"",
            outcome_done(LookAlike, "say “First full draft”\n"),
        ),
        (
            "the other way round",
            "warn('late')\n",
            "warn(‘late’)",
            "warn(‘late, again’)",
            outcome_done(LookAlike, "warn('late, again')\n"),
        ),
        (
            "a dash, inside a line",
            "see 10–20 ok\n",
            "10-20",
            "10-25",
            outcome_done(LookAlike, "see 10–25 ok\n"),
        ),
        (
            "minus",
            "x \u{2212} 1\n",
            "x - 1",
            "x - 2",
            outcome_done(LookAlike, "x \u{2212} 2\n"),
        ),
        (
            "spaces",
            "a\u{A0}b\u{3000}c\n",
            "a b c",
            "a b d",
            outcome_done(LookAlike, "a\u{A0}b\u{3000}d\n"),
        ),
        (
            "decomposed",
            "menu: cafe\u{301} noir\n",
            "caf\u{E9} noir",
            "caf\u{E9} blanc",
            outcome_done(LookAlike, "menu: cafe\u{301} blanc\n"),
        ),
        (
            "composed",
            "caf\u{E9} noir\n",
            "cafe\u{301} noir",
            "cafe\u{301} blanc",
            outcome_done(LookAlike, "caf\u{E9} blanc\n"),
        ),
        (
            "marks in another order",
            "e\u{327}\u{301} a\n",
            "e\u{301}\u{327} a",
            "e\u{301}\u{327} b",
            outcome_done(LookAlike, "e\u{327}\u{301} b\n"),
        ),
        (
            "conjoining Hangul",
            "\u{1100}\u{1161} a\n",
            "\u{AC00} a",
            "\u{AC00} b",
            outcome_done(LookAlike, "\u{1100}\u{1161} b\n"),
        ),
        (
            "lines around a change",
            "“a”\nb\n“c”\n",
            "\"a\"\nb\n\"c\"",
            "\"a\"\nB\n\"c\"",
            outcome_done(LookAlike, "“a”\nB\n“c”\n"),
        ),
        (
            "two changes",
            "the “red” car\n",
            "the \"red\" car",
            "a \"red\" bike",
            outcome_done(LookAlike, "a “red” bike\n"),
        ),
        (
            "the word after a quote",
            "note “First draft”\n",
            "note \"First draft\"",
            "note \"Second draft\"",
            outcome_done(LookAlike, "note “Second draft”\n"),
        ),
        (
            "at the edge of the text",
            "x “First” y\n",
            "\"First\"",
            "\"Second\"",
            outcome_done(LookAlike, "x “Second” y\n"),
        ),
        (
            "blanks put around it",
            "3–5\n",
            "3-5",
            "3 - 5",
            outcome_done(LookAlike, "3 – 5\n"),
        ),
    ]);
}

#[test]
fn does_not_fold_other_similar_characters() {
    check_cases(&[
        ("ligature", "10 \u{FB01}les\n", "10 files", "x", NotFound),
        ("superscript", "x\u{B2}\n", "x2", "x", NotFound),
        ("full width", "\u{FF41} = 1\n", "a = 1", "x", NotFound),
        ("guillemets", "«a»\n", "\"a\"", "x", NotFound),
        ("no width", "a\u{200B}b\n", "a b", "x", NotFound),
        ("two hyphens for a dash", "a—b\n", "a--b", "x", NotFound),
        ("quotes of the other kind", "‘a’\n", "\"a\"", "x", NotFound),
        (
            "a letter without its mark",
            "cafe\u{301} – x\n",
            "cafe",
            "x",
            outcome_done(Exact, "x\u{301} – x\n"),
        ),
        (
            "a place before a mark",
            "“cafe\u{301}”\n",
            "\"cafe",
            "x",
            NotFound,
        ),
        (
            "a part of a character",
            "“caf\u{E9}”\n",
            "\"cafe",
            "x",
            NotFound,
        ),
        (
            "a place that begins with a mark",
            "a\u{301}–b\n",
            "\u{301}-b",
            "x",
            NotFound,
        ),
    ]);
}

#[test]
fn refuses_to_replace_folded_characters() {
    check_cases(&[
        (
            "the dash itself",
            "span 3–5 days\n",
            "span 3-5 days",
            "span 3 to 5 days",
            outcome_done(LookAlike, "span 3 to 5 days\n"),
        ),
        (
            "the dash itself, and another comes",
            "span 3–5 days\n",
            "span 3-5 days",
            "span 3 to 5 work-days",
            Forbidden(LookAlike),
        ),
        (
            "alone between replaced ones",
            "span 3–5 kg\n",
            "span 3-5 kg",
            "span 4-6 kg",
            Forbidden(LookAlike),
        ),
        (
            "nothing of its kind comes",
            "“a”\n",
            "\"a\"",
            "'b'",
            outcome_done(LookAlike, "'b'\n"),
        ),
        (
            "part of a line",
            "one\nsay “hi” – now\nthree\n",
            "one\nsay \"hi\" - now\nthree",
            "one\nsay now\nthree",
            outcome_done(LookAlike, "one\nsay now\nthree\n"),
        ),
        (
            "a letter with its mark",
            "cafe\u{301} x\n",
            "caf\u{E9} x",
            "cafe x",
            outcome_done(LookAlike, "cafe x\n"),
        ),
        (
            "a letter with its mark, and another comes",
            "cafe\u{301} x\n",
            "caf\u{E9} x",
            "cafe \u{FC}",
            Forbidden(LookAlike),
        ),
        (
            "a line at the edge",
            "“one”\ntwo\n",
            "\"one\"\ntwo",
            "two",
            outcome_done(LookAlike, "two\n"),
        ),
        (
            "a line at the other edge",
            "two\n“one”\n",
            "two\n\"one\"",
            "two",
            outcome_done(LookAlike, "two\n"),
        ),
        (
            "a line that moves",
            "x\nc\n3–5\nz\n",
            "x\nc\n3-5\nz",
            "x\n3-5\nc\nz",
            Forbidden(LookAlike),
        ),
        (
            "one of its kind comes on another line",
            "one\n3–5\nthree\n",
            "one\n3-5\nthree",
            "one\nthree\nx-y",
            Forbidden(LookAlike),
        ),
        (
            "another kind comes on another line",
            "one\n3–5\nthree\n",
            "one\n3-5\nthree",
            "one\nthree\n\"xy\"",
            outcome_done(LookAlike, "one\nthree\n\"xy\"\n"),
        ),
        (
            "shared with a changed line of its own",
            "3–5\na - b\nz\n",
            "3-5\na - b\nz",
            "a - c\nz",
            outcome_done(LookAlike, "a - c\nz\n"),
        ),
        (
            "deleted as a whole",
            "x “a” y\n",
            "\"a\"",
            "",
            outcome_done(LookAlike, "x  y\n"),
        ),
        (
            "a whole line deleted",
            "x\n“a”\ny\n",
            "\"a\"",
            "",
            outcome_done(LookAlike, "x\ny\n"),
        ),
        (
            "a line between shared ones",
            "one\n“hi” – now\nthree\n",
            "one\n\"hi\" - now\nthree",
            "one\nthree",
            outcome_done(LookAlike, "one\nthree\n"),
        ),
        (
            "one that was not folded",
            "“a” -\n",
            "\"a\" -",
            "\"a\" +",
            outcome_done(LookAlike, "“a” +\n"),
        ),
    ]);
}

#[test]
fn reports_look_alike_places_as_ambiguous() {
    check_cases(&[
        (
            "two forms",
            "it’s 3–5\nit's 3–5\n",
            "it's 3-5",
            "x",
            Ambiguous(LookAlike, 2),
        ),
        (
            "before any guard",
            "3–5 3–5\n",
            "3-5",
            "3 to 5",
            Ambiguous(LookAlike, 2),
        ),
        (
            "unless one is literal",
            "it’s\nit's\n",
            "it's",
            "is",
            outcome_done(Exact, "it’s\nis\n"),
        ),
    ]);
    assert_eq!(
        edit_all("“x y” “x y”\n", "\"x y\"", "\"x or y\""),
        outcome_done(LookAlike, "“x or y” “x or y”\n")
    );
    assert_eq!(
        edit_all("“x y” “x y\"\n", "\"x y\"", "\"x or y\""),
        Ambiguous(LookAlike, 2)
    );
    assert_eq!(
        edit_all("3–5 3–5\n", "3-5", "3 to 5"),
        outcome_done(LookAlike, "3 to 5 3 to 5\n")
    );
    assert_eq!(edit_all("3–5 3–5\n", "3-5", "4-6"), Forbidden(LookAlike));
}

#[test]
fn added_quotes_match_quote_style_of_place() {
    check_cases(&[
        (
            "curly",
            "“Stop,” he said.\n",
            "\"Stop,\" he said.",
            "\"Stop,\" he said. \"Now.\" (\"Go\")",
            outcome_done(LookAlike, "“Stop,” he said. “Now.” (“Go”)\n"),
        ),
        (
            "apostrophes",
            "it’s over.\n",
            "it's over.",
            "it's over and can't go on.",
            outcome_done(LookAlike, "it’s over and can’t go on.\n"),
        ),
        (
            "an apostrophe brings apostrophes only",
            "it’s\n",
            "it's",
            "it's 'so', isn't it",
            outcome_done(LookAlike, "it’s 'so', isn’t it\n"),
        ),
        (
            "single quotes",
            "a ‘b’\n",
            "a 'b'",
            "a 'b' 'c'",
            outcome_done(LookAlike, "a ‘b’ ‘c’\n"),
        ),
        (
            "a line that is new",
            "“a”\n",
            "\"a\"",
            "\"a\"\n\"b\"",
            outcome_done(LookAlike, "“a”\n\"b\"\n"),
        ),
        (
            "a changed line that keeps none",
            "“a”\nplain line\n",
            "\"a\"\nplain line",
            "\"a\"\nplain \"line\"",
            outcome_done(LookAlike, "“a”\nplain \"line\"\n"),
        ),
        (
            "between back quotes",
            "say “a” here\n",
            "say \"a\" here",
            "say \"a\" `f(\"x\")` \"b\" here",
            outcome_done(LookAlike, "say “a” `f(\"x\")` “b” here\n"),
        ),
        (
            "back quotes before the place",
            "`x say “a”` here\n",
            "say \"a\"",
            "say \"a\" \"b\"",
            outcome_done(LookAlike, "`x say “a” \"b\"` here\n"),
        ),
        (
            "between fences",
            "```\nsay “a” here\n```\n",
            "say \"a\" here",
            "say \"a\" \"b\" here",
            outcome_done(LookAlike, "```\nsay “a” \"b\" here\n```\n"),
        ),
        (
            "behind fences",
            "```\nx\n```\nsay “a” here\n",
            "```\nsay \"a\" here",
            "```\nsay \"a\" \"b\" here",
            outcome_done(LookAlike, "```\nx\n```\nsay “a” “b” here\n"),
        ),
        (
            "before the place",
            "The cafe isn’t open\n",
            " isn't open",
            "'s door isn't open",
            outcome_done(LookAlike, "The cafe’s door isn’t open\n"),
        ),
        (
            "at the file's start",
            "it’s\n",
            "it's",
            "'so' it's",
            outcome_done(LookAlike, "'so' it’s\n"),
        ),
        (
            "both kinds of one",
            "“one” \"two\"\n",
            "\"one\" \"two\"",
            "\"one\" \"two\" \"three\"",
            outcome_done(LookAlike, "“one” \"two\" \"three\"\n"),
        ),
        (
            "exact",
            "say “a”\n",
            "say “a”",
            "say “a” or \"b\"",
            outcome_done(Exact, "say “a” or \"b\"\n"),
        ),
        (
            "none of that kind",
            "“a”\n",
            "\"a\"",
            "\"a\" it's",
            outcome_done(LookAlike, "“a” it's\n"),
        ),
        (
            "only a dash folded",
            "“a” –\n",
            "“a” -",
            "“a” - \"b\"",
            outcome_done(LookAlike, "“a” – \"b\"\n"),
        ),
        (
            "sent curly",
            "“a”\n",
            "\"a\"",
            "\"a\" „b‟",
            outcome_done(LookAlike, "“a” „b‟\n"),
        ),
        (
            "straight",
            "say(\"a\")\n",
            "say(“a”)",
            "say(“a”, “b”)",
            outcome_done(LookAlike, "say(\"a\", \"b\")\n"),
        ),
        (
            "straight, old text mixed",
            "f(\"a\", \"b\")\n",
            "f(“a”, \"b\")",
            "f(“a”, \"b\", “c”)",
            outcome_done(LookAlike, "f(\"a\", \"b\", “c”)\n"),
        ),
        (
            "ASCII spaces, in a line that is new as well",
            "a = 1;\nb = 2;\n",
            "a\u{A0}=\u{A0}1;\nb\u{A0}=\u{A0}2;",
            "a\u{A0}=\u{A0}1;\nb\u{A0}=\u{A0}2;\nc\u{A0}=\u{A0}3;\u{2003}x",
            outcome_done(LookAlike, "a = 1;\nb = 2;\nc = 3;\u{2003}x\n"),
        ),
        (
            "ASCII dashes",
            "a - b\n",
            "a – b",
            "a – b\nc – d — e",
            outcome_done(LookAlike, "a - b\nc - d — e\n"),
        ),
        (
            "on a rung below",
            "    “a”  \n    x\n",
            "\"a\"\nx",
            "\"a\"\nx \"b\"",
            outcome_done(Indent, "    “a”  \n    x \"b\"\n"),
        ),
        (
            "on a changed line below",
            "“a” 1  \nx\n",
            "\"a\" 1\nx",
            "\"a\" 2\nx",
            outcome_done(Trailing, "“a” 2\nx\n"),
        ),
    ]);
    assert_eq!(
        edit_all("’s’s", "'s", "'s'"),
        outcome_done(LookAlike, "’s’’s’")
    );
}

#[test]
fn keeps_sent_quotes_in_code() {
    let code = |view, old, new| {
        find_outcome(&Query {
            text_kind: TextKind::Code,
            ..new_query(view, old, new)
        })
    };
    assert_eq!(
        code("x “a” y\n", "x \"a\" y", "x \"a\" \"b\" y"),
        outcome_done(LookAlike, "x “a” \"b\" y\n")
    );
    assert_eq!(
        code("f(\"a\")\n", "f(“a”)", "f(“a”, “b”)"),
        outcome_done(LookAlike, "f(\"a\", \"b\")\n")
    );
    for (extension, text_kind) in [
        (None, TextKind::Prose),
        (Some("md"), TextKind::Prose),
        (Some("HTML"), TextKind::Prose),
        (Some("rs"), TextKind::Code),
        (Some(""), TextKind::Code),
    ] {
        assert_eq!(
            TextKind::for_extension(extension),
            text_kind,
            "{extension:?}"
        );
    }
}

#[test]
fn remarks_on_altered_characters() {
    let told = |view, old, new| match find(&new_query(view, old, new)) {
        Verdict::Found(found) => found.remarks,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        told("say “a” now\n", "say \"a\" now", "say \"a\" \"b\" now"),
        [Remark::Curled]
    );
    assert_eq!(
        told("a b\n", "a\u{A0}b", "a\u{A0}b\u{A0}c"),
        [Remark::MadeAscii(vec!['\u{A0}'])]
    );
    assert_eq!(told("say “a” now\n", "say \"a\" now", "say \"a\""), []);
}

#[test]
fn unchanged_look_alikes_are_in_no_change() {
    let Verdict::Found(found) = find(&new_query(
        "a “b” c “d”\n",
        "a \"b\" c \"d\"",
        "a \"b\" x \"d\"",
    )) else {
        panic!("looks alike")
    };
    let wanted = [Change {
        range: 10..11,
        text: "x".to_owned(),
    }];
    assert_eq!(changes(&found), wanted);
}

#[test]
fn normalizes_spaces_inside_added_lines() {
    check_cases(&[
        (
            "plain indentation",
            "if a:\n    x = 1\n",
            "    x\u{A0}=\u{A0}1",
            "    x\u{A0}=\u{A0}1\n    y\u{A0}=\u{A0}2",
            outcome_done(Rung::LookAlike, "if a:\n    x = 1\n    y = 2\n"),
        ),
        (
            "plain spaces inside of the line too",
            "if a:\n    x = 1\n",
            "    x\u{A0}= 1",
            "    x\u{A0}= 1\n    y\u{A0}= 2",
            outcome_done(Rung::LookAlike, "if a:\n    x = 1\n    y\u{A0}= 2\n"),
        ),
    ]);
}
