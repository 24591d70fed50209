//! Near text is found, described and offered; nothing is found where nothing is near; odd input causes no error.

use proptest::prelude::*;

use super::*;
use crate::diff::LineStarts;

fn find_regions(view: &str, old: &str) -> Vec<Region> {
    let found = nearest_regions(view, &LineStarts::new(view), old);
    for region in &found {
        assert_eq!(
            region
                .text
                .as_deref()
                .unwrap_or(&view[region.range.clone()]),
            &view[region.range.clone()]
        );
        assert!(region.differences.len() <= 5);
        for clause in &region.differences {
            assert!(clause.to_string().chars().count() <= 500, "{clause}");
        }
    }
    found
}

fn best_region(view: &str, old: &str) -> Region {
    find_regions(view, old)
        .into_iter()
        .next()
        .unwrap_or_else(|| panic!("nothing near {old:?}"))
}

fn join_differences(region: &Region) -> String {
    let clauses: Vec<String> = region.differences.iter().map(ToString::to_string).collect();
    clauses.join("; ")
}

fn best_region_text(view: &str, old: &str) -> String {
    best_region(view, old).text.expect("a text")
}

const PYTHON_SAMPLE: &str = "def total(items):\n    result = 0\n    for item in items:\n        result += item.price\n    return result\nspeed = 20\n";

#[test]
fn finds_line_with_wrong_word() {
    let region = best_region(PYTHON_SAMPLE, "        result += item.cost");
    assert_eq!(region.lines, 3..4);
    assert_eq!(region.text.as_deref(), Some("        result += item.price"));
    assert!(region.unique);
    let told = join_differences(&region);
    assert!(
        told.contains("line 4, column 24: the file has `p` (U+0070), old_string has `c` (U+0063)"),
        "{told}"
    );
    assert!(told.contains("`········result += item.price`"), "{told}");
    assert_eq!(best_region_text(PYTHON_SAMPLE, "speed = 10"), "speed = 20");
}

#[test]
fn partial_line_gives_partial_line_region() {
    assert_eq!(
        best_region_text(PYTHON_SAMPLE, "result += item.cost"),
        "result += item.price"
    );
    assert_eq!(
        best_region_text(
            "let x = compute(alpha, beta); // note\n",
            "compute(alpga, beta)"
        ),
        "compute(alpha, beta)"
    );
}

#[test]
fn names_look_alike_characters() {
    let view = "total = a， b\nrate = 1\u{200b}0\n";
    let told = join_differences(&best_region(view, "total = a, b"));
    assert!(told.contains("U+FF0C") && told.contains("U+002C"), "{told}");
    let region = best_region(view, "rate = 10");
    assert_eq!(region.lines, 1..2);
    let told = join_differences(&region);
    assert!(
        told.contains("a zero width space (U+200B)") && told.contains("⟨U+200B⟩"),
        "{told}"
    );
}

#[test]
fn shows_white_space_differences() {
    let region = best_region("if x:\n\treturn  y\n", "if x:\n    return y");
    assert_eq!(region.text.as_deref(), Some("if x:\n\treturn  y"));
    assert_eq!(
        region.differences[0].to_string(),
        "the same but for white space"
    );
    assert!(
        region.differences[2].to_string().contains("`⇥return··y`"),
        "{:?}",
        region.differences
    );
    assert!(
        region.differences[2].to_string().contains("`····return·y`"),
        "{:?}",
        region.differences
    );
}

#[test]
fn reports_difference_in_letter_case() {
    let region = best_region("Total = sum(Items)\n", "total = sum(items)");
    assert_eq!(
        region.differences[0].to_string(),
        "the same but for letter case"
    );
}

#[test]
fn finds_block_with_one_changed_line() {
    let old = "    for item in items:\n        result += item.cost\n    return result\n";
    let region = best_region(PYTHON_SAMPLE, old);
    assert_eq!(region.lines, 2..5);
    assert_eq!(
        region.text.as_deref(),
        Some("    for item in items:\n        result += item.price\n    return result\n")
    );
}

#[test]
fn finds_block_with_inserted_lines() {
    let view = "start\nfn parse(input: &str) {\n    let a = 1;\n    // a new line\n    // another\n    let b = 2;\n    finish(a, b);\n}\nend\n";
    let region = best_region(
        view,
        "fn parse(input: &str) {\n    let a = 1;\n    let b = 2;\n    finish(a, b);\n}",
    );
    assert_eq!(region.lines, 1..8);
    assert!(
        region
            .differences
            .contains(&"the file has 2 lines more here".into()),
        "{:?}",
        region.differences
    );
}

#[test]
fn returns_at_most_six_regions_best_first() {
    let view: String = (0..50)
        .map(|line| format!("value_{line} = compute({line}, default)\nother {line}\n"))
        .collect();
    let found = find_regions(&view, "value_7x = compute(7, default)");
    assert_eq!(found.len(), MAX_REGIONS);
    assert_eq!(
        found[0].text.as_deref(),
        Some("value_7 = compute(7, default)")
    );
    assert!(found.windows(2).all(|pair| pair[0].alike >= pair[1].alike));
}

#[test]
fn repeated_region_is_not_unique() {
    let found = best_region("alpha = beta(1)\nx\nalpha = beta(1)\n", "alpha = bata(1)");
    assert!(!found.unique);
}

#[test]
fn returns_nothing_without_similar_text() {
    for (view, old) in [
        ("one\ntwo\n", "three"),
        ("", "three"),
        ("one\n", ""),
        ("one\n", " \n\t\n"),
        ("one\n", "x"),
        ("the quick brown fox\n", "0123456789 9876543210"),
    ] {
        assert_eq!(find_regions(view, old), [], "{view:?} {old:?}");
    }
}

#[test]
fn finds_region_inside_very_long_line() {
    let keys: String = (0..30_000)
        .map(|key| format!("\"key{key}\":{key},"))
        .collect();
    let view = format!("{{{keys}\"end\":0}}\n");
    let start = view.find("\"key1000\"").expect("a key");
    let end = view.find("\"key1300\"").expect("a key");
    let right = &view[start..end];
    let region = best_region(
        &view,
        &right.replace("\"key1100\":1100", "\"key1100\":1l00"),
    );
    assert_eq!(region.lines, 0..1);
    assert_eq!(region.text.as_deref(), Some(right));
    let told = join_differences(&region);
    assert!(
        told.contains("the file has `1` (U+0031), old_string has `l` (U+006C)"),
        "{told}"
    );
    let cjk = format!("{}終わり", "漢字の長い行、".repeat(40_000));
    let region = best_region(&cjk, "漢字の長い行、漢字の長い行、漢字の長い行、終り");
    assert!(region.text.expect("a text").ends_with("終わり"));
}

#[test]
fn handles_large_inputs_quickly() {
    let view: String = (0..40_000)
        .map(|line| format!("line {line} of a long file: {}\n", line * 7919 % 10_007))
        .collect();
    let from = view.find("line 30000 ").expect("a line");
    let to = view.find("line 30003 ").expect("a line");
    let region = best_region(
        &view,
        &view[from..to].replace("line 30001 of", "line 30001 off"),
    );
    assert_eq!(region.lines, 30_000..30_003);

    let needle = view[..500_000].replace("line 500 of", "line 500 off");
    let region = best_region(&view, &needle);
    assert_eq!(region.lines.start, 0);
    assert_eq!(region.text, None, "too long to quote");
    assert!(
        region.differences[0]
            .to_string()
            .contains("line 501, column 12"),
        "{:?}",
        region.differences
    );
}

proptest! {
    #![proptest_config(crate::laws::config())]

    #[test]
    fn accepts_any_text(view in "(ab|abc|fn x|\n| |\t|é|漢|\r|\"){0,60}", old in "(ab|abc|fn x|\n| |\t|é|漢|z|\"){0,20}") {
        find_regions(&view, &old);
    }

    #[test]
    fn finds_line_with_one_changed_character(line in 0usize..40, at in 0usize..20, with in "[#@~]") {
        let view: String = (0..40).map(|line| format!("  entry_{line:02} = compose(\"{}\");\n", line * 37)).collect();
        let right = view.lines().nth(line).expect("a line");
        let at = at.min(right.len() - 1);
        let old = format!("{}{with}{}", &right[..at], &right[at + 1..]);
        prop_assume!(!view.contains(&old));
        let region = best_region(&view, &old);
        prop_assert_eq!(region.lines, line..line + 1);
        // The first character may be mistaken for one that was inserted before the line.
        if at > 2 && at < right.len() - 1 {
            prop_assert_eq!(region.text.as_deref(), Some(right));
        }
    }
}
