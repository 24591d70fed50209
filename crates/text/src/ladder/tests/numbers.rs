//! Cases of the rungs `gutter` and `abbreviation`.

use super::*;
use Rung::{Abbreviation, Exact, Gutter};

const SAMPLE_FILE: &str = "alpha\nbeta\ngamma\ndelta\n";

#[test]
fn strips_line_numbers_from_old_and_new_text() {
    check_cases(&[
        (
            "arrow",
            SAMPLE_FILE,
            "2→beta\n3→gamma",
            "2→BETA\n3→gamma",
            outcome_done(Gutter, "alpha\nBETA\ngamma\ndelta\n"),
        ),
        (
            "anchors",
            SAMPLE_FILE,
            "2:abc→beta\n3:d7e→gamma",
            "2:abc→BETA\n3:d7e→gamma",
            outcome_done(Gutter, "alpha\nBETA\ngamma\ndelta\n"),
        ),
        (
            "what looks like an anchor is text that Grep showed",
            "alpha\nabc→beta\n",
            "2:abc→beta",
            "2:B",
            outcome_done(Gutter, "alpha\nB\n"),
        ),
        (
            "tab",
            SAMPLE_FILE,
            "2\tbeta",
            "2\tB",
            outcome_done(Gutter, "alpha\nB\ngamma\ndelta\n"),
        ),
        (
            "a bar",
            SAMPLE_FILE,
            "2 | beta\n",
            "",
            outcome_done(Gutter, "alpha\ngamma\ndelta\n"),
        ),
        (
            "a bar in both",
            "a\n\nb\n",
            "1 | a\n2 |\n3 | b",
            "7 | a\n8 | \n9 | c",
            outcome_done(Gutter, "a\n\nc\n"),
        ),
        (
            "aligned",
            SAMPLE_FILE,
            "     3→gamma",
            "     3→g",
            outcome_done(Gutter, "alpha\nbeta\ng\ndelta\n"),
        ),
        (
            "as cat writes them",
            SAMPLE_FILE,
            "     3\tgamma\n     4\tdelta",
            "     3\tgamma",
            outcome_done(Gutter, "alpha\nbeta\ngamma\n"),
        ),
        (
            "as Grep writes them",
            SAMPLE_FILE,
            "1-alpha\n2:beta\n3-gamma",
            "1:A\n2-B",
            outcome_done(Gutter, "A\nB\ndelta\n"),
        ),
        (
            "newline at the end",
            SAMPLE_FILE,
            "2→beta\n",
            "2→B\n",
            outcome_done(Gutter, "alpha\nB\ngamma\ndelta\n"),
        ),
        (
            "open end of the file",
            "a\nb",
            "2→b\n",
            "2→c\n",
            outcome_done(Gutter, "a\nc"),
        ),
        (
            "the line's own tab stays",
            "{\n\tx\n}\n",
            "2→\tx",
            "2→\ty",
            outcome_done(Gutter, "{\n\ty\n}\n"),
        ),
        (
            "numbers choose",
            "x\nm\nx\n",
            "3→x",
            "3→y",
            outcome_done(Gutter, "x\nm\ny\n"),
        ),
        (
            "new lines without numbers",
            SAMPLE_FILE,
            "2→beta\n3→gamma",
            "B\n  G",
            outcome_done(Gutter, "alpha\nB\n  G\ndelta\n"),
        ),
        (
            "new numbers start anywhere",
            SAMPLE_FILE,
            "2→beta",
            "10→B\n11→C",
            outcome_done(Gutter, "alpha\nB\nC\ngamma\ndelta\n"),
        ),
        (
            "deleted",
            SAMPLE_FILE,
            "2→beta",
            "",
            outcome_done(Gutter, "alpha\ngamma\ndelta\n"),
        ),
        (
            "emptied",
            SAMPLE_FILE,
            "2→beta",
            "2→",
            outcome_done(Gutter, "alpha\n\ngamma\ndelta\n"),
        ),
    ]);
}

#[test]
fn rejects_inconclusive_line_numbers() {
    check_cases(&[
        (
            "a number behind the last line",
            "a\n",
            "1→a\n2→",
            "1→b",
            NotFound,
        ),
        (
            "behind the last of two",
            "a\nb\n",
            "2→b\n3→",
            "2→c",
            NotFound,
        ),
        (
            "behind an empty line",
            "a\n\n",
            "1→a\n2→\n3→",
            "1→b",
            NotFound,
        ),
        (
            "behind it, and a blank line too many",
            "a b c d e f g h i j k l m n o p q r s t u v\n",
            "\n1→a b c d e f g h i j k l m n o p q r s t u v\n2→",
            "1→b",
            NotFound,
        ),
        (
            "a bar with the wrong number",
            "alpha\nbeta\n",
            "3 | beta",
            "3 | BETA",
            NotFound,
        ),
        (
            "of another line",
            SAMPLE_FILE,
            "7→beta\n8→gamma",
            "7→B\n8→gamma",
            NotFound,
        ),
        (
            "out of sequence",
            SAMPLE_FILE,
            "2→beta\n4→gamma",
            "x",
            NotFound,
        ),
        (
            "on one line only",
            SAMPLE_FILE,
            "2→beta\ngamma",
            "x",
            NotFound,
        ),
        (
            "in two forms",
            SAMPLE_FILE,
            "2→beta\n3\tgamma",
            "x",
            NotFound,
        ),
        ("on part of a line", SAMPLE_FILE, "2→bet", "x", NotFound),
        ("past the end", SAMPLE_FILE, "5→", "x", NotFound),
        ("on blank lines alone", "a\n\nb\n", "2→", "2→x", NotFound),
        (
            "in the file itself",
            "1\tone\n2\ttwo\n",
            "2\ttwo",
            "2\tTWO",
            outcome_done(Exact, "1\tone\n2\tTWO\n"),
        ),
    ]);
}

#[test]
fn reports_line_numbers_left_in_new_text() {
    check_cases(&[
        (
            "on some lines",
            SAMPLE_FILE,
            "2→beta\n3→gamma",
            "2→B\nG",
            Leaked,
        ),
        (
            "with a gap",
            SAMPLE_FILE,
            "2→beta\n3→gamma",
            "2→B\n4→G",
            Leaked,
        ),
        ("in another form", SAMPLE_FILE, "2→beta", "2\tB", Leaked),
        ("aligned instead", SAMPLE_FILE, "2→beta", "     2→B", Leaked),
        (
            "an arrow among others",
            SAMPLE_FILE,
            "2\tbeta",
            "B\n3→C",
            Leaked,
        ),
        (
            "other forms on some lines are data",
            SAMPLE_FILE,
            "2→beta",
            "at\n10:30",
            outcome_done(Gutter, "alpha\nat\n10:30\ngamma\ndelta\n"),
        ),
        (
            "a wrong place comes first",
            SAMPLE_FILE,
            "7→beta",
            "7→B\nG",
            NotFound,
        ),
    ]);
    let insisted = Query {
        leaks: LeakPolicy::Insisted,
        ..new_query(SAMPLE_FILE, "2→beta\n3→gamma", "2→B\nG")
    };
    assert_eq!(
        find_outcome(&insisted),
        outcome_done(Gutter, "alpha\n2→B\nG\ndelta\n")
    );
}

#[test]
fn expands_abbreviations_in_old_and_new_text() {
    check_cases(&[
        (
            "a tag",
            "x(\"<function_results>\")\n",
            "x(\"<fnr>\")",
            "x(\"<fnr>\", 1)",
            outcome_done(Abbreviation, "x(\"<function_results>\", 1)\n"),
        ),
        (
            "only what was needed",
            "<system>\n",
            "<s>",
            "<s><n>",
            outcome_done(Abbreviation, "<system><n>\n"),
        ),
        (
            "a turn mark",
            "a\n\nHuman: hi\n",
            "\n\nH: hi",
            "\n\nH: ho",
            outcome_done(Abbreviation, "a\n\nHuman: ho\n"),
        ),
        (
            "everywhere",
            "<name>a</name> <name>\n",
            "<n>a</n> <n>",
            "<n>b</n>",
            outcome_done(Abbreviation, "<name>b</name>\n"),
        ),
        (
            "one in both forms",
            "<s> <name> <system>\n",
            "<s> <n>",
            "<s> <n>!",
            outcome_done(Abbreviation, "<s> <name>! <system>\n"),
        ),
        (
            "not in one place only",
            "<name>a<n>\n",
            "<n>a<n>",
            "x",
            NotFound,
        ),
        (
            "twice",
            "<system> <system>\n",
            "<s>",
            "<s>!",
            Ambiguous(Abbreviation, 2),
        ),
        (
            "in both forms at two places",
            "<n><system> <name><s>\n",
            "<n><s>",
            "x",
            Ambiguous(Abbreviation, 2),
        ),
        (
            "not expanded but exact",
            "<s> <system>\n",
            "<s>",
            "<e>",
            outcome_done(Exact, "<e> <system>\n"),
        ),
        (
            "no other difference",
            "<system>  x\n",
            "<s> x",
            "y",
            NotFound,
        ),
    ]);
    assert_eq!(
        edit_all("<system> <system>\n", "<s>", "<s>!"),
        outcome_done(Abbreviation, "<system>! <system>!\n")
    );
    assert_eq!(
        edit_all("<n><system> <name><s>\n", "<n><s>", "x"),
        Ambiguous(Abbreviation, 2)
    );
}

#[test]
fn settings_add_abbreviations() {
    let own = [
        ("<q>".to_owned(), "<question>".to_owned()),
        (String::new(), "x".to_owned()),
    ];
    let asked = Query {
        abbreviations: &own,
        ..new_query("<question>\n", "<q>", "<q>?")
    };
    assert_eq!(
        find_outcome(&asked),
        outcome_done(Abbreviation, "<question>?\n")
    );
    assert_eq!(edit_outcome("<question>\n", "<q>", "<q>?"), NotFound);
}
