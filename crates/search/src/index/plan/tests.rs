//! Checks that no text with a match is ever left out, and that the literals of usual expressions are found.

use proptest::prelude::*;

use crate::index::columns::BlockRun;
use crate::index::grams::OVERLAP;
use crate::index::literal_query::LiteralQuery;
use crate::index::signatures::Signatures;
use crate::pattern::generated::{Question, has_match, question};
use crate::pattern::{Case, MatchSpan, Pattern, PatternOptions};

/// Returns whether a text passes a query, without the collisions of the matrix.
fn passes(query: &LiteralQuery, folded: &[u8]) -> bool {
    match query {
        LiteralQuery::Any => true,
        LiteralQuery::Literal(literal) => memchr::memmem::find(folded, literal).is_some(),
        LiteralQuery::All(parts) => parts.iter().all(|part| passes(part, folded)),
        LiteralQuery::Either(parts) => parts.iter().any(|part| passes(part, folded)),
    }
}

fn laws_of_questions() -> ProptestConfig {
    let cases = crate::laws::limited(crate::laws::cases(), 1_000);
    let config = crate::laws::config_of(cases);
    // About every second text has a match.
    ProptestConfig {
        max_global_rejects: config.cases.saturating_mul(6),
        ..config
    }
}

proptest! {
    #![proptest_config(laws_of_questions())]

    #[test]
    fn a_text_with_a_match_passes(question in question()) {
        let Question { pattern, text } = question;
        prop_assume!(has_match(&pattern, &text));
        let query = LiteralQuery::from_pattern(&pattern);
        prop_assert!(
            passes(&query, &text.to_ascii_lowercase()),
            "{} is left out by {}", pattern.expression(), render_query(&query)
        );
    }

    /// Tests blocks of any size: a file of several blocks is a candidate as a whole.
    #[test]
    fn a_file_with_a_match_is_a_candidate(question in question(), block in 1_usize..400) {
        let Question { pattern, text } = question;
        prop_assume!(has_match(&pattern, &text));
        let mut signatures = Signatures::default();
        let other = signatures.push_column().expect("memory");
        signatures.add(other, b"of another file");
        for start in (0..text.len()).step_by(block) {
            let column = signatures.push_column().expect("memory");
            let end = text.len().min(start + block + OVERLAP);
            signatures.add(column, &text[start..end]);
        }
        let run = BlockRun { first: 1, count: signatures.columns() - 1 };
        let query = LiteralQuery::from_pattern(&pattern);
        let found = signatures.candidates(&query, &[run]);
        for column in 1..signatures.columns() {
            prop_assert!(
                found.contains(column),
                "{} is left out by {}", pattern.expression(), render_query(&query)
            );
        }
    }

    #[test]
    fn literals_are_long_enough_and_short_enough(question in question()) {
        let mut left = vec![LiteralQuery::from_pattern(&question.pattern)];
        while let Some(query) = left.pop() {
            match query {
                LiteralQuery::Any => {}
                LiteralQuery::Literal(literal) => {
                    prop_assert!((4..=OVERLAP).contains(&literal.len()));
                    prop_assert!(!literal.contains(&b'\n'));
                    prop_assert_eq!(literal.to_ascii_lowercase(), literal);
                }
                LiteralQuery::All(parts) | LiteralQuery::Either(parts) => left.extend(parts),
            }
        }
    }
}

/// Returns a query as people write it.
fn render_query(query: &LiteralQuery) -> String {
    let join = |parts: &[LiteralQuery], between: &str| {
        let parts: Vec<String> = parts.iter().map(render_query).collect();
        format!("({})", parts.join(between))
    };
    match query {
        LiteralQuery::Any => "any".to_owned(),
        LiteralQuery::Literal(literal) => literal.escape_ascii().to_string(),
        LiteralQuery::All(parts) => join(parts, " & "),
        LiteralQuery::Either(parts) => join(parts, " | "),
    }
}

fn planned(expression: &str, case: Case, span: MatchSpan) -> String {
    let pattern = Pattern::with_options(expression, PatternOptions::new(case, span));
    render_query(&LiteralQuery::from_pattern(&pattern.expect("a pattern")))
}

#[test]
fn usual_expressions_have_their_literals() {
    for (expression, wanted) in [
        ("needle", "needle"),
        ("Needle In", "needle in"),
        ("fn", "any"),
        ("abc", "any"),
        ("alpha|beta|gamma", "(alpha | beta | gamma)"),
        ("alpha|b.*", "any"),
        ("alpha|", "any"),
        (
            "(struct|enum|trait) TyCtxt\\w*",
            "(enum tyctxt | struct tyctxt | trait tyctxt)",
        ),
        (r"fn \w+_test", "_test"),
        (r"alpha.*omega", "(alpha & omega)"),
        (r"alpha\s+omega", "(alpha & omega)"),
        (r"\balpha\b", "alpha"),
        (r"^alpha$", "alpha"),
        (r"(alpha)(omega)", "alphaomega"),
        ("colou?r_of", "(color_of | colour_of)"),
        ("words?", "word"),
        ("(abc)?", "any"),
        ("(alpha)*", "any"),
        ("(alpha)+", "alpha"),
        ("(ab){2}", "abab"),
        ("(ab){2,}", "abab"),
        ("x{20}", &"x".repeat(16)),
        ("a[0-2]_bc", "(a0_bc | a1_bc | a2_bc)"),
        (r"name = [a-z]+;", "name = "),
        (r"\d\d\d\d", "any"),
        (r"TODO\(\w+\)", "todo("),
        (r"(?-u:\xFF\xFEab)", r"\xff\xfeab"),
        ("größe", r"gr\xc3\xb6\xc3\x9fe"),
        (r"[A-Z]{6,}_[0-9]{3,}", "any"),
        (r"a{0}bcde", "bcde"),
        (r"[^\s\S]", "()"),
    ] {
        let found = planned(expression, Case::Sensitive, MatchSpan::SingleLine);
        assert_eq!(found, wanted, "{expression}");
    }
}

#[test]
fn letters_that_are_the_same_but_for_their_case_are_alternatives() {
    let planned = |expression| planned(expression, Case::Insensitive, MatchSpan::SingleLine);
    assert_eq!(planned("needle"), "needle");
    // The Kelvin sign and the long s.
    assert_eq!(planned("rank"), r"(rank | ran\xe2\x84\xaa)");
    assert_eq!(planned("nose"), r"(nose | no\xc5\xbfe)");
    assert_eq!(
        planned("né_é"),
        r"(n\xc3\x89_\xc3\x89 | n\xc3\x89_\xc3\xa9 | n\xc3\xa9_\xc3\x89 | n\xc3\xa9_\xc3\xa9)"
    );
}

#[test]
fn a_literal_is_cut_at_line_ends() {
    let planned = |expression| planned(expression, Case::Sensitive, MatchSpan::MultiLine);
    assert_eq!(planned(r"alpha\nomega"), "(alpha & omega)");
    assert_eq!(planned(r"alpha\r\nend\n"), r"alpha\r");
    assert_eq!(planned(r"abc\ndef"), "any");
    assert_eq!(planned(r"(?s)alpha.{2}omega"), "(alpha & omega)");
    assert_eq!(
        planned(r"alpha[ \n]omega"),
        r"((alpha & omega) | alpha omega)"
    );
}

#[test]
fn what_is_too_large_for_one_set_is_cut_and_still_known() {
    let planned = |expression: &str| planned(expression, Case::Sensitive, MatchSpan::SingleLine);
    let long: String = (100..300).map(|number| number.to_string()).collect();
    let query = planned(&long);
    assert!(
        query.starts_with("(100101") && query.contains(" & "),
        "{query}"
    );
    assert!(query.ends_with("298299)"), "{query}");
    // Three classes of ten are a thousand strings.
    let query = planned("alpha[0-9][0-9][0-9]omega");
    assert!(
        query.contains("alpha0") && query.contains("9omega"),
        "{query}"
    );
    let words: Vec<String> = (100..250).map(|number| format!("word_{number}")).collect();
    let query = planned(&words.join("|"));
    assert!(
        query.contains("word_100") && query.contains("word_249"),
        "{query}"
    );
    let words: Vec<String> = (1_000..3_000)
        .map(|number| format!("{number}_word"))
        .collect();
    assert_eq!(planned(&words.join("|")), "any");
}
