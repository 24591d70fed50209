//! Checks that what is compiled later, or only for ASCII, equals what would have been compiled at once.

use grep_matcher::{Match, Matcher};
use grep_searcher::SearcherBuilder;
use grep_searcher::sinks::Bytes;
use proptest::prelude::*;
use regex_automata::nfa::thompson;

use super::generated::{GeneratedCase, generated_case, generated_expression, generated_options};
use super::source::{LineEnds, explain_error, matcher_builder};
use super::*;

fn all_matches(matcher: &impl Matcher, text: &[u8]) -> Vec<Match> {
    let mut found = Vec::new();
    let _ = matcher.find_iter(text, |one| {
        found.push(one);
        true
    });
    found
}

/// Returns the line numbers and the bytes of what a search reports.
fn reported_lines(pattern: &Pattern, matcher: &RegexMatcher, text: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let mut found = Vec::new();
    let mut searcher = SearcherBuilder::new()
        .multi_line(pattern.span == MatchSpan::MultiLine)
        .line_terminator(pattern.line_end())
        .build();
    let sink = Bytes(|number, line| {
        found.push((number, line.to_vec()));
        Ok(true)
    });
    searcher
        .search_slice(matcher, text, sink)
        .expect("searched");
    found
}

/// Makes a text ASCII: replaces the letters that are a form of an ASCII letter by it, and drops the rest.
fn to_ascii(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text)
        .replace('\u{212A}', "k")
        .replace('ſ', "s")
        .replace('é', "e");
    text.into_bytes().into_iter().filter(u8::is_ascii).collect()
}

fn proptest_config() -> ProptestConfig {
    let cases = crate::laws::limited(crate::laws::cases(), 1_000);
    let config = crate::laws::config_of(cases);
    ProptestConfig {
        max_global_rejects: config.cases.saturating_mul(6),
        ..config
    }
}

proptest! {
    #![proptest_config(proptest_config())]

    #[test]
    fn ascii_matcher_finds_same_matches(question in generated_case(), crlf in any::<bool>()) {
        let GeneratedCase { pattern, text } = question;
        let ends = if crlf { LineEnds::Crlf } else { LineEnds::Lf };
        let options = pattern.source.options();
        let pattern = Pattern::build_pattern(pattern.expression(), options, ends);
        prop_assume!(pattern.is_ok());
        let pattern = pattern.expect("compiles");
        let text = to_ascii(&text);
        // Where the two are the same there is nothing to compare.
        prop_assume!(pattern.differs_for_ascii() && pattern.source.ascii_matcher().is_some());
        let any = pattern.matcher().expect("compiled");
        let ascii = pattern.matcher_for(TextAlphabet::Ascii).expect("compiled");
        let name = pattern.expression();
        prop_assert_eq!(ascii.line_terminator(), any.line_terminator(), "{}", name);
        prop_assert_eq!(
            reported_lines(&pattern, ascii, &text),
            reported_lines(&pattern, any, &text),
            "{}", name
        );
        prop_assert_eq!(all_matches(ascii, &text), all_matches(any, &text), "{}", name);
        for line in text.split(|byte| *byte == b'\n') {
            prop_assert_eq!(all_matches(ascii, line), all_matches(any, line), "{}", name);
        }
    }

    #[test]
    fn compiled_size_is_within_bound(expression in generated_expression(), options in generated_options()) {
        let Ok(pattern) = Pattern::with_options(&expression, options) else {
            return Ok(());
        };
        let hir = pattern.hir().expect("parsed");
        for reverse in [false, true] {
            let captures = match reverse {
                true => thompson::WhichCaptures::None,
                false => thompson::WhichCaptures::All,
            };
            let config = thompson::Config::new()
                .utf8(false)
                .reverse(reverse)
                .shrink(false)
                .which_captures(captures)
                .nfa_size_limit(Some(size::compiled_bound(hir)));
            let compiled = thompson::Compiler::new().configure(config).build_from_hir(hir);
            prop_assert!(compiled.is_ok(), "{}", expression);
        }
    }
}

proptest! {
    // Some of these expressions take long to compile.
    #![proptest_config(crate::laws::config_of(crate::laws::limited(crate::laws::cases(), 300)))]

    #[test]
    fn lazy_compilation_gives_same_errors_and_spans(
        before in generated_expression(),
        refused in prop::sample::select(REFUSED.to_vec()),
        after in generated_expression(),
        options in generated_options(),
        crlf in any::<bool>(),
    ) {
        let ends = if crlf { LineEnds::Crlf } else { LineEnds::Lf };
        compare_with_eager(&format!("{before}{refused}{after}"), options, ends);
    }
}

/// Parts of expressions most of which cannot be compiled, or not with all options.
const REFUSED: &[&str] = &[
    "",
    "(",
    "a)",
    "[",
    r"\n",
    r"\x00",
    r"[\x00]",
    r"[\n]",
    r"[\n\r]",
    r"[\x00\n]",
    r"(?-u:[\n\x00])",
    r"(?-u:[\r\n])",
    r"(?-u:\x00)",
    r"\w{60}",
    r"(?:\w{30}){30}",
    r"[^\n]{9999}",
    r"[^\s\S]",
    r"\p{Nothing}",
    "(?x: a )",
    "a**",
    r"\r\n",
    r"(?s-u:.)",
    "é\\n",
    "^",
    "$",
    r"\A",
    r"\z",
    "a",
];

#[test]
fn refused_expressions_agree_with_eager_compilation() {
    for expression in REFUSED {
        for span in [MatchSpan::SingleLine, MatchSpan::MultiLine] {
            for ends in [LineEnds::Lf, LineEnds::Crlf] {
                let options = PatternOptions::new(CaseMatching::Sensitive, span);
                compare_with_eager(expression, options, ends);
            }
        }
    }
}

fn compare_with_eager(expression: &str, options: PatternOptions, ends: LineEnds) {
    let pattern = Pattern::build_pattern(expression, options, ends);
    match matcher_builder(options, ends).build_many(&[expression]) {
        Err(error) => {
            let wanted = explain_error(expression, options, &error);
            assert_eq!(pattern.err(), Some(wanted), "{expression}");
        }
        Ok(matcher) => {
            let pattern = pattern.expect("compiles");
            let bytes = matcher.non_matching_bytes();
            let line_end = bytes.is_none_or(|bytes| !bytes.contains(b'\n'));
            let spans = options.span == MatchSpan::MultiLine && line_end;
            assert_eq!(pattern.spans_lines(), spans, "{expression}");
        }
    }
}

#[test]
fn usual_expressions_have_ascii_matcher() {
    for expression in [
        r"fn \w+_test",
        r"\bfoo\b",
        "(?i)task",
        r"a\s+b",
        "é|e",
        "x.y",
        r"(?:\w+)?b",
        "ſ",
    ] {
        let pattern = Pattern::new(expression, CaseMatching::Sensitive, MatchSpan::SingleLine);
        let pattern = pattern.expect("a pattern");
        assert!(pattern.differs_for_ascii(), "{expression}");
        assert!(pattern.source.ascii_matcher().is_some(), "{expression}");
        assert!(
            pattern.matchers.any.get().is_none(),
            "{expression} is compiled for all texts"
        );
    }
    let plain = Pattern::new(
        "plain[a-z]+",
        CaseMatching::Sensitive,
        MatchSpan::SingleLine,
    );
    assert!(!plain.expect("a pattern").differs_for_ascii());
}

#[test]
fn non_ascii_letter_matches_its_ascii_case_variant() {
    for (expression, text, found) in [("ſ", "s", true), ("\u{212A}", "K", true), ("é", "e", false)]
    {
        let pattern = Pattern::new(expression, CaseMatching::Insensitive, MatchSpan::SingleLine);
        let pattern = pattern.expect("a pattern");
        let ascii = pattern.matcher_for(TextAlphabet::Ascii).expect("compiled");
        assert_eq!(ascii.is_match(text.as_bytes()), Ok(found), "{expression}");
    }
}

/// Without the é no match could contain a line end, and a search would count lines, not matches.
#[test]
fn pattern_with_different_line_handling_has_no_ascii_matcher() {
    let pattern =
        Pattern::new("é\\n|e", CaseMatching::Sensitive, MatchSpan::MultiLine).expect("a pattern");
    assert!(pattern.spans_lines());
    assert!(pattern.source.ascii_matcher().is_none());
    let matcher = pattern
        .matcher_for(TextAlphabet::Ascii)
        .expect("the other one");
    assert_eq!(matcher.is_match(b"e"), Ok(true));
}

mod cache {
    use super::*;

    fn options() -> PatternOptions {
        PatternOptions::new(CaseMatching::Sensitive, MatchSpan::SingleLine)
    }

    fn is_cached(cache: &PatternCache, pattern: &Pattern) -> bool {
        let again = cache.get(pattern.expression(), pattern.source.options());
        Arc::ptr_eq(&again.expect("a pattern").source, &pattern.source)
    }

    #[test]
    fn cache_shares_compiled_pattern_but_not_search_state() {
        let cache = PatternCache::default();
        let first = cache.get(r"\w+x", options()).expect("a pattern");
        assert!(first.matcher().is_some());
        let second = cache.get(r"\w+x", options()).expect("a pattern");
        assert!(Arc::ptr_eq(&first.source, &second.source));
        assert!(!Arc::ptr_eq(&first.matchers, &second.matchers));
        cache.clear();
        assert!(!is_cached(&cache, &first));
    }

    #[test]
    fn cache_distinguishes_options_and_line_ends() {
        let cache = PatternCache::default();
        let other = PatternOptions::new(CaseMatching::Insensitive, MatchSpan::SingleLine);
        let (one, two, three) = (
            cache.get("x$", options()).expect("a pattern"),
            cache.get("x$", other).expect("a pattern"),
            cache.get_with_crlf("x$", options()).expect("a pattern"),
        );
        assert!(one != two && one != three && two != three);
        assert_eq!(
            three.matcher().expect("compiled").is_match(b"x\r\n"),
            Ok(true)
        );
        assert_eq!(
            one.matcher().expect("compiled").is_match(b"x\r\n"),
            Ok(false)
        );
        assert!(is_cached(&cache, &one) && is_cached(&cache, &two));
    }

    #[test]
    fn cache_evicts_least_recently_used_pattern() {
        let cache = PatternCache::default();
        let of = |number: usize| {
            cache
                .get(&format!("x{number}"), options())
                .expect("a pattern")
        };
        let (first, second) = (of(1), of(2));
        for number in 3..=64 {
            of(number);
        }
        assert!(is_cached(&cache, &first));
        of(65);
        assert!(is_cached(&cache, &first));
        assert!(!is_cached(&cache, &second));
    }

    #[test]
    fn cache_evicts_for_large_patterns_and_skips_errors() {
        let cache = PatternCache::default();
        let small = cache.get("small", options()).expect("a pattern");
        let large = cache.get("x{40000}", options()).expect("a pattern");
        assert!(large.source.size() > 8 << 20 && large.source.size() < 16 << 20);
        assert!(is_cached(&cache, &small) && is_cached(&cache, &large));
        let other = cache.get("y{40000}", options()).expect("a pattern");
        assert!(is_cached(&cache, &other) && !is_cached(&cache, &large));
        let error = cache.get("(", options()).expect_err("an error");
        assert_eq!(Err(error), Pattern::with_options("(", options()));
    }
}
