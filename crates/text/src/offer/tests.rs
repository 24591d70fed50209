//! The intended place, and the new text to send with it.

use super::*;
use crate::diff::LineStarts;
use crate::unique::occurs_once;

fn only_offer(view: &str, old: &str, new: &str) -> CorrectionOffer {
    match find_correction(view, &LineStarts::new(view), old, new) {
        Correction::One(offer) => offer,
        other => panic!("{old:?}: {other:?}"),
    }
}

/// Returns the view after the offer was sent literally.
fn apply_offer(view: &str, old: &str, new: &str) -> String {
    let offer = only_offer(view, old, new);
    let old = &view[offer.range.clone()];
    assert_eq!(view.matches(old).count(), 1);
    match offer.new {
        NewText::AsSent => view.replace(old, new),
        NewText::Instead(new) => view.replace(old, &new),
        NewText::Unknown => panic!("unknown"),
    }
}

const PYTHON_SAMPLE: &str = "x = 0\ndef f():\n    return 1\n\ny = 2\n";

#[test]
fn corrects_text_with_fence() {
    let wanted = PYTHON_SAMPLE.replace("return 1", "return 2");
    for (old, new) in [
        (
            "```python\ndef f():\n    return 1\n```",
            "def f():\n    return 2",
        ),
        (
            "```\ndef f():\n    return 1\n```",
            "```\ndef f():\n    return 2\n```",
        ),
        ("def f():\n    return 1\n```", "def f():\n    return 2"),
    ] {
        assert_eq!(apply_offer(PYTHON_SAMPLE, old, new), wanted);
    }
}

#[test]
fn corrects_repeated_line() {
    assert_eq!(
        apply_offer("alpha\nbeta\ngamma\n", "beta\nbeta\ngamma", "beta\nGAMMA"),
        "alpha\nbeta\nGAMMA\n"
    );
    assert_eq!(
        apply_offer(
            "alpha\nbeta\ngamma\n",
            "beta\nbeta\ngamma",
            "beta\nbeta\nGAMMA"
        ),
        "alpha\nbeta\nGAMMA\n"
    );
}

#[test]
fn corrects_text_with_line_numbers() {
    let view = "class A:\n    def f(self):\n        return 1\n";
    let wanted = view.replace('1', "2");
    for (old, new) in [
        (
            "2→    def f(self):\n        return 1",
            "    def f(self):\n        return 2",
        ),
        (
            "7→    def f(self):\n8→        return 1",
            "7→    def f(self):\n8→        return 2",
        ),
        (
            "7:    def f(self):\n8:        return 1",
            "    def f(self):\n        return 2",
        ),
        (
            "7 |     def f(self):\n8 |         return 1",
            "7 |     def f(self):\n8 |         return 2",
        ),
    ] {
        assert_eq!(apply_offer(view, old, new), wanted);
    }
}

#[test]
fn correct_line_numbers_select_place() {
    let view = "a\nsame\nlines\nb\nsame\nlines\nc\n";
    assert_eq!(
        apply_offer(view, "5→same\nlines", "same\nLINES"),
        "a\nsame\nlines\nb\nsame\nLINES\nc\n"
    );
    let several = find_correction(view, &LineStarts::new(view), "```\nsame\nlines\n```", "x");
    assert!(matches!(several, Correction::Several(offers) if offers.len() == 2));
}

#[test]
fn corrects_text_with_gaps() {
    let view = "def f(a):\n    b = a + 1\n    c = b * 2\n    return a\nx = 1\n";
    for (old, new) in [
        (
            "def f(a):\n    ...\n    return a",
            "def f(a):\n    b = a + 1\n    c = b * 2\n    return c",
        ),
        (
            "def f(a):\n    # ...\n    return a",
            "def f(a):\n    # ...\n    return c",
        ),
        (
            "def f(a):\n...\n    return a",
            "def f(a):\n    # ... existing code ...\n    return c",
        ),
    ] {
        assert_eq!(
            apply_offer(view, old, new),
            view.replace("return a", "return c")
        );
    }
}

#[test]
fn gap_does_not_match_dots_of_file() {
    let view = "a = [...]\nclose()\nreturn 1\nclose()\nmid = 2\nlast = 3\n";
    let found = find_correction(
        view,
        &LineStarts::new(view),
        "close()\n...\nlast = 3",
        "close()\n...\nlast = 4",
    );
    assert!(
        matches!(found, Correction::Unsure { gaps: true, .. }),
        "{found:?}"
    );
}

#[test]
fn corrects_line_breaks_and_blank_lines() {
    assert_eq!(
        apply_offer("f(a, b)\nx\n", "f(\n    a,\n    b\n)", "g()"),
        "g()\nx\n"
    );
    assert_eq!(
        apply_offer(PYTHON_SAMPLE, "    return 1\ny = 2", "    return 1\ny = 3"),
        PYTHON_SAMPLE.replace("y = 2", "y = 3")
    );
    assert_eq!(
        apply_offer(PYTHON_SAMPLE, "x = 0\n\ndef f():", "x = 5\n\ndef f():"),
        PYTHON_SAMPLE.replace("x = 0", "x = 5")
    );
}

#[test]
fn corrects_one_wrong_word() {
    let view = "def total(items):\n    result = 0\n    for item in items:\n        result += item.price\n    return result\n";
    let old = "    for item in things:\n        result += item.price";
    assert_eq!(
        apply_offer(
            view,
            old,
            "    for item in things:\n        result += 2 * item.price"
        ),
        view.replace("+= item", "+= 2 * item")
    );
    assert_eq!(
        apply_offer(
            view,
            "    for thing in items:\n",
            "    for item in sorted(items):\n"
        ),
        view.replace("in items", "in sorted(items)")
    );
}

#[test]
fn replaces_whole_lines_with_whole_lines() {
    let view =
        "from aider.utils import GitTemporaryDirectory, IgnorantTemporaryDirectory\nimport os\n";
    assert_eq!(
        apply_offer(
            view,
            "from aider.utils import IgnorantTemporaryDirectory\nimport os",
            "import os"
        ),
        "import os\n"
    );
}

#[test]
fn offers_nothing_for_equally_near_regions() {
    let view = "a = one(1)\nb = one(2)\n";
    let found = find_correction(view, &LineStarts::new(view), "c = one(3)", "c = two(3)");
    assert!(matches!(found, Correction::Unsure { .. }), "{found:?}");
}

#[test]
fn corrects_blank_lines_at_edges() {
    let view = "a = 1\n\nfoo(x)\nbar(y)\n\n\nend\n";
    for (old, new, offered, wanted) in [
        (
            "\nfoo( x)\nbar(y)",
            "\nfoo(z)\nbar(y)",
            "\nfoo(x)\nbar(y)",
            "a = 1\n\nfoo(z)\nbar(y)\n\n\nend\n",
        ),
        (
            "foo( x)\nbar(y)\n\n",
            "foo(z)\n",
            "foo(x)\nbar(y)\n\n",
            "a = 1\n\nfoo(z)\n\nend\n",
        ),
        (
            "```\n\nfoo(x)\nbar(y)\n\n```",
            "\nfoo(z)\n",
            "\nfoo(x)\nbar(y)\n",
            "a = 1\n\nfoo(z)\n\n\nend\n",
        ),
        (
            "2→\n3→foo(x)\nbar(y)",
            "\nfoo(z)\nbar(y)",
            "\nfoo(x)\nbar(y)",
            "a = 1\n\nfoo(z)\nbar(y)\n\n\nend\n",
        ),
        // The file has no blank line between the two.
        (
            "foo( x)\n\nbar(y)",
            "foo(z)\n\nbar(y)",
            "foo(x)\nbar(y)",
            "a = 1\n\nfoo(z)\nbar(y)\n\n\nend\n",
        ),
    ] {
        let offer = only_offer(view, old, new);
        assert_eq!(&view[offer.range], offered, "{old:?}");
        assert_eq!(apply_offer(view, old, new), wanted, "{old:?}");
    }
}

#[test]
fn adds_missing_indentation() {
    let view = "if x:\n    foo(a)\n    bar(b)\nend\n";
    assert_eq!(
        apply_offer(view, "foo( a)\nbar(b)", "foo( a)\nbar(c)"),
        view.replace("bar(b)", "bar(c)")
    );
    assert_eq!(
        apply_offer(view, "foo( a)\nbar(b)", "baz(a)\nqux(b)"),
        "if x:\n    baz(a)\n    qux(b)\nend\n"
    );
}

#[test]
fn does_not_replace_line_found_in_other_section() {
    let view = "[dependencies]\nmemchr.workspace = true\nsmallvec.workspace = true\n\n[dev-dependencies]\nminiz_oxide.workspace = true\nthiserror.workspace = true\n";
    let old = "[dependencies]\nminiz_oxide.workspace = true\nthiserror.workspace = true\n";
    let new = "[dependencies]\nminiz_oxide.workspace = true\n";
    let found = find_correction(view, &LineStarts::new(view), old, new);
    assert!(matches!(found, Correction::Unsure { .. }), "{found:?}");
}

#[test]
fn new_text_does_not_decide_between_equally_near_places() {
    let view = "set(one, 1)\nset(two, 2)\n--\nset(one, 3)\nset(two, 2)\n";
    let found = find_correction(
        view,
        &LineStarts::new(view),
        "set(one, 9)\nset(two, 2)",
        "set(one, 3)\nset(two, 2)",
    );
    let Correction::Unsure { regions, .. } = found else {
        panic!("{found:?}");
    };
    let nearest = regions.iter().filter(|region| region.is_nearest);
    assert_eq!(nearest.count(), 2);
}

proptest::proptest! {
    #![proptest_config(crate::laws::config())]

    #[test]
    fn accepts_any_text(view in "(ab|```|1→| |...|\n|\n|\t|é|x\n){0,40}", old in "(ab|```|1→| |...|\n|\t|é|x\n){0,12}", new in "(ab|```|1→|\n|é|...|x\n){0,8}") {
        if let Correction::One(offer) = find_correction(&view, &LineStarts::new(&view), &old, &new) {
            proptest::prop_assert!(occurs_once(&view, &view[offer.range]));
        }
    }
}
