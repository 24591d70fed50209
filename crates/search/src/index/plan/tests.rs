//! Checks that no text with a match is ever left out, and that the literals of usual expressions are found.

use proptest::prelude::*;

use crate::index::columns::BlockRun;
use crate::index::grams::BLOCK_OVERLAP;
use crate::index::literal_query::LiteralQuery;
use crate::index::signatures::SignatureMatrix;
use crate::pattern::generated::{GeneratedCase, generated_case, has_match};
use crate::pattern::{CaseMatching, MatchSpan, Pattern, PatternOptions};

/// Returns whether a text passes a query, without the collisions of the matrix.
fn passes_query(query: &LiteralQuery, folded: &[u8]) -> bool {
    match query {
        LiteralQuery::Any => true,
        LiteralQuery::Literal(literal) => memchr::memmem::find(folded, literal).is_some(),
        LiteralQuery::All(parts) => parts.iter().all(|part| passes_query(part, folded)),
        LiteralQuery::Either(parts) => parts.iter().any(|part| passes_query(part, folded)),
    }
}

fn proptest_config() -> ProptestConfig {
    let cases = crate::laws::limited(crate::laws::cases(), 1_000);
    let config = crate::laws::config_of(cases);
    // About every second text has a match.
    ProptestConfig {
        max_global_rejects: config.cases.saturating_mul(6),
        ..config
    }
}

proptest! {
    #![proptest_config(proptest_config())]

    #[test]
    fn query_passes_every_matching_text(question in generated_case()) {
        let GeneratedCase { pattern, text } = question;
        prop_assume!(has_match(&pattern, &text));
        let query = LiteralQuery::from_pattern(&pattern);
        prop_assert!(
            passes_query(&query, &text.to_ascii_lowercase()),
            "{} is left out by {}", pattern.expression(), render_query(&query)
        );
    }

    /// Tests blocks of any size: a file of several blocks is a candidate as a whole.
    #[test]
    fn every_matching_file_is_candidate(question in generated_case(), block in 1_usize..400) {
        let GeneratedCase { pattern, text } = question;
        prop_assume!(has_match(&pattern, &text));
        let mut signatures = SignatureMatrix::default();
        let other = signatures.push_column().expect("memory");
        signatures.add(other, b"of another file");
        for start in (0..text.len()).step_by(block) {
            let column = signatures.push_column().expect("memory");
            let end = text.len().min(start + block + BLOCK_OVERLAP);
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
    fn query_literals_have_valid_lengths(question in generated_case()) {
        let mut left = vec![LiteralQuery::from_pattern(&question.pattern)];
        while let Some(query) = left.pop() {
            match query {
                LiteralQuery::Any => {}
                LiteralQuery::Literal(literal) => {
                    prop_assert!((4..=BLOCK_OVERLAP).contains(&literal.len()));
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

fn planned_query(expression: &str, case: CaseMatching, span: MatchSpan) -> String {
    let pattern = Pattern::with_options(expression, PatternOptions::new(case, span));
    render_query(&LiteralQuery::from_pattern(&pattern.expect("a pattern")))
}

#[test]
fn extracts_literals_of_usual_expressions() {
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
        let found = planned_query(expression, CaseMatching::Sensitive, MatchSpan::SingleLine);
        assert_eq!(found, wanted, "{expression}");
    }
}

#[test]
fn case_variants_become_alternatives() {
    let planned =
        |expression| planned_query(expression, CaseMatching::Insensitive, MatchSpan::SingleLine);
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
fn splits_literals_at_line_ends() {
    let planned =
        |expression| planned_query(expression, CaseMatching::Sensitive, MatchSpan::MultiLine);
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
fn splits_sets_that_are_too_large() {
    let planned = |expression: &str| {
        planned_query(expression, CaseMatching::Sensitive, MatchSpan::SingleLine)
    };
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
