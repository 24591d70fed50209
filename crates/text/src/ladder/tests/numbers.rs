//! Cases of the rungs `gutter` and `abbreviation`.

use super::*;
use Rung::{Abbreviation, Exact, Gutter};

const FILE: &str = "alpha\nbeta\ngamma\ndelta\n";

#[test]
fn line_numbers_go_from_old_and_new_lines() {
    check(&[
        (
            "arrow",
            FILE,
            "2→beta\n3→gamma",
            "2→BETA\n3→gamma",
            done(Gutter, "alpha\nBETA\ngamma\ndelta\n"),
        ),
        (
            "anchors",
            FILE,
            "2:abc→beta\n3:d7e→gamma",
            "2:abc→BETA\n3:d7e→gamma",
            done(Gutter, "alpha\nBETA\ngamma\ndelta\n"),
        ),
        (
            "what looks like an anchor is text that Grep showed",
            "alpha\nabc→beta\n",
            "2:abc→beta",
            "2:B",
            done(Gutter, "alpha\nB\n"),
        ),
        (
            "tab",
            FILE,
            "2\tbeta",
            "2\tB",
            done(Gutter, "alpha\nB\ngamma\ndelta\n"),
        ),
        (
            "a bar",
            FILE,
            "2 | beta\n",
            "",
            done(Gutter, "alpha\ngamma\ndelta\n"),
        ),
        (
            "a bar in both",
            "a\n\nb\n",
            "1 | a\n2 |\n3 | b",
            "7 | a\n8 | \n9 | c",
            done(Gutter, "a\n\nc\n"),
        ),
        (
            "aligned",
            FILE,
            "     3→gamma",
            "     3→g",
            done(Gutter, "alpha\nbeta\ng\ndelta\n"),
        ),
        (
            "as cat writes them",
            FILE,
            "     3\tgamma\n     4\tdelta",
            "     3\tgamma",
            done(Gutter, "alpha\nbeta\ngamma\n"),
        ),
        (
            "as Grep writes them",
            FILE,
            "1-alpha\n2:beta\n3-gamma",
            "1:A\n2-B",
            done(Gutter, "A\nB\ndelta\n"),
        ),
        (
            "newline at the end",
            FILE,
            "2→beta\n",
            "2→B\n",
            done(Gutter, "alpha\nB\ngamma\ndelta\n"),
        ),
        (
            "open end of the file",
            "a\nb",
            "2→b\n",
            "2→c\n",
            done(Gutter, "a\nc"),
        ),
        (
            "the line's own tab stays",
            "{\n\tx\n}\n",
            "2→\tx",
            "2→\ty",
            done(Gutter, "{\n\ty\n}\n"),
        ),
        (
            "numbers choose",
            "x\nm\nx\n",
            "3→x",
            "3→y",
            done(Gutter, "x\nm\ny\n"),
        ),
        (
            "new lines without numbers",
            FILE,
            "2→beta\n3→gamma",
            "B\n  G",
            done(Gutter, "alpha\nB\n  G\ndelta\n"),
        ),
        (
            "new numbers start anywhere",
            FILE,
            "2→beta",
            "10→B\n11→C",
            done(Gutter, "alpha\nB\nC\ngamma\ndelta\n"),
        ),
        (
            "deleted",
            FILE,
            "2→beta",
            "",
            done(Gutter, "alpha\ngamma\ndelta\n"),
        ),
        (
            "emptied",
            FILE,
            "2→beta",
            "2→",
            done(Gutter, "alpha\n\ngamma\ndelta\n"),
        ),
    ]);
}

#[test]
fn numbers_that_prove_nothing_are_not_forgiven() {
    check(&[
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
            FILE,
            "7→beta\n8→gamma",
            "7→B\n8→gamma",
            NotFound,
        ),
        ("out of sequence", FILE, "2→beta\n4→gamma", "x", NotFound),
        ("on one line only", FILE, "2→beta\ngamma", "x", NotFound),
        ("in two forms", FILE, "2→beta\n3\tgamma", "x", NotFound),
        ("on part of a line", FILE, "2→bet", "x", NotFound),
        ("past the end", FILE, "5→", "x", NotFound),
        ("on blank lines alone", "a\n\nb\n", "2→", "2→x", NotFound),
        (
            "in the file itself",
            "1\tone\n2\ttwo\n",
            "2\ttwo",
            "2\tTWO",
            done(Exact, "1\tone\n2\tTWO\n"),
        ),
    ]);
}

#[test]
fn numbers_left_in_new_text_are_leaked() {
    check(&[
        ("on some lines", FILE, "2→beta\n3→gamma", "2→B\nG", Leaked),
        ("with a gap", FILE, "2→beta\n3→gamma", "2→B\n4→G", Leaked),
        ("in another form", FILE, "2→beta", "2\tB", Leaked),
        ("aligned instead", FILE, "2→beta", "     2→B", Leaked),
        ("an arrow among others", FILE, "2\tbeta", "B\n3→C", Leaked),
        (
            "other forms on some lines are data",
            FILE,
            "2→beta",
            "at\n10:30",
            done(Gutter, "alpha\nat\n10:30\ngamma\ndelta\n"),
        ),
        (
            "a wrong place comes first",
            FILE,
            "7→beta",
            "7→B\nG",
            NotFound,
        ),
    ]);
    let insisted = Query {
        leaks: Leaks::Insisted,
        ..query(FILE, "2→beta\n3→gamma", "2→B\nG")
    };
    assert_eq!(outcome(&insisted), done(Gutter, "alpha\n2→B\nG\ndelta\n"));
}

#[test]
fn abbreviations_are_expanded_in_both_texts() {
    check(&[
        (
            "a tag",
            "x(\"<function_results>\")\n",
            "x(\"<fnr>\")",
            "x(\"<fnr>\", 1)",
            done(Abbreviation, "x(\"<function_results>\", 1)\n"),
        ),
        (
            "only what was needed",
            "<system>\n",
            "<s>",
            "<s><n>",
            done(Abbreviation, "<system><n>\n"),
        ),
        (
            "a turn mark",
            "a\n\nHuman: hi\n",
            "\n\nH: hi",
            "\n\nH: ho",
            done(Abbreviation, "a\n\nHuman: ho\n"),
        ),
        (
            "everywhere",
            "<name>a</name> <name>\n",
            "<n>a</n> <n>",
            "<n>b</n>",
            done(Abbreviation, "<name>b</name>\n"),
        ),
        (
            "one in both forms",
            "<s> <name> <system>\n",
            "<s> <n>",
            "<s> <n>!",
            done(Abbreviation, "<s> <name>! <system>\n"),
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
            done(Exact, "<e> <system>\n"),
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
        done(Abbreviation, "<system>! <system>!\n")
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
        ..query("<question>\n", "<q>", "<q>?")
    };
    assert_eq!(outcome(&asked), done(Abbreviation, "<question>?\n"));
    assert_eq!(edit("<question>\n", "<q>", "<q>?"), NotFound);
}
