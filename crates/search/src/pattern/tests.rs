//! Checks that what is compiled later, or only for ASCII, equals what would have been compiled at once.

use grep_matcher::{Match, Matcher};
use grep_searcher::SearcherBuilder;
use grep_searcher::sinks::Bytes;
use proptest::prelude::*;
use regex_automata::nfa::thompson;

use super::generated::{Question, expression, options, question};
use super::source::{LineEnds, builder, explain};
use super::*;

fn all(matcher: &impl Matcher, text: &[u8]) -> Vec<Match> {
    let mut found = Vec::new();
    let _ = matcher.find_iter(text, |one| {
        found.push(one);
        true
    });
    found
}

/// Returns the line numbers and the bytes of what a search reports.
fn reported(pattern: &Pattern, matcher: &RegexMatcher, text: &[u8]) -> Vec<(u64, Vec<u8>)> {
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
fn as_ascii(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text)
        .replace('\u{212A}', "k")
        .replace('ſ', "s")
        .replace('é', "e");
    text.into_bytes().into_iter().filter(u8::is_ascii).collect()
}

fn law() -> ProptestConfig {
    let cases = crate::laws::limited(crate::laws::cases(), 1_000);
    let config = crate::laws::config_of(cases);
    ProptestConfig {
        max_global_rejects: config.cases.saturating_mul(6),
        ..config
    }
}

proptest! {
    #![proptest_config(law())]

    #[test]
    fn texts_of_ascii_have_the_same_matches(question in question(), crlf in any::<bool>()) {
        let Question { pattern, text } = question;
        let ends = if crlf { LineEnds::Crlf } else { LineEnds::Lf };
        let options = pattern.source.options();
        let pattern = Pattern::build(pattern.expression(), options, ends);
        prop_assume!(pattern.is_ok());
        let pattern = pattern.expect("compiles");
        let text = as_ascii(&text);
        // Where the two are the same there is nothing to compare.
        prop_assume!(pattern.differs_for_ascii() && pattern.source.ascii().is_some());
        let any = pattern.matcher().expect("compiled");
        let ascii = pattern.matcher_for(Alphabet::Ascii).expect("compiled");
        let name = pattern.expression();
        prop_assert_eq!(ascii.line_terminator(), any.line_terminator(), "{}", name);
        prop_assert_eq!(
            reported(&pattern, ascii, &text),
            reported(&pattern, any, &text),
            "{}", name
        );
        prop_assert_eq!(all(ascii, &text), all(any, &text), "{}", name);
        for line in text.split(|byte| *byte == b'\n') {
            prop_assert_eq!(all(ascii, line), all(any, line), "{}", name);
        }
    }

    #[test]
    fn what_is_compiled_is_within_its_bound(expression in expression(), options in options()) {
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
    fn errors_and_spans_are_those_of_what_is_compiled_at_once(
        before in expression(),
        refused in prop::sample::select(REFUSED.to_vec()),
        after in expression(),
        options in options(),
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
fn each_that_may_be_refused_is_refused_as_before() {
    for expression in REFUSED {
        for span in [MatchSpan::SingleLine, MatchSpan::MultiLine] {
            for ends in [LineEnds::Lf, LineEnds::Crlf] {
                let options = PatternOptions::new(Case::Sensitive, span);
                compare_with_eager(expression, options, ends);
            }
        }
    }
}

fn compare_with_eager(expression: &str, options: PatternOptions, ends: LineEnds) {
    let pattern = Pattern::build(expression, options, ends);
    match builder(options, ends).build_many(&[expression]) {
        Err(error) => {
            let wanted = explain(expression, options, &error);
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
fn usual_expressions_have_a_matcher_for_ascii() {
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
        let pattern = Pattern::new(expression, Case::Sensitive, MatchSpan::SingleLine);
        let pattern = pattern.expect("a pattern");
        assert!(pattern.differs_for_ascii(), "{expression}");
        assert!(pattern.source.ascii().is_some(), "{expression}");
        assert!(
            pattern.matchers.any.get().is_none(),
            "{expression} is compiled for all texts"
        );
    }
    let plain = Pattern::new("plain[a-z]+", Case::Sensitive, MatchSpan::SingleLine);
    assert!(!plain.expect("a pattern").differs_for_ascii());
}

#[test]
fn a_letter_beyond_ascii_matches_the_one_it_is_a_form_of() {
    for (expression, text, found) in [("ſ", "s", true), ("\u{212A}", "K", true), ("é", "e", false)]
    {
        let pattern = Pattern::new(expression, Case::Insensitive, MatchSpan::SingleLine);
        let pattern = pattern.expect("a pattern");
        let ascii = pattern.matcher_for(Alphabet::Ascii).expect("compiled");
        assert_eq!(ascii.is_match(text.as_bytes()), Ok(found), "{expression}");
    }
}

/// Without the é no match could contain a line end, and a search would count lines, not matches.
#[test]
fn a_pattern_that_a_search_would_treat_differently_has_no_matcher_for_ascii() {
    let pattern = Pattern::new("é\\n|e", Case::Sensitive, MatchSpan::MultiLine).expect("a pattern");
    assert!(pattern.spans_lines());
    assert!(pattern.source.ascii().is_none());
    let matcher = pattern.matcher_for(Alphabet::Ascii).expect("the other one");
    assert_eq!(matcher.is_match(b"e"), Ok(true));
}

mod cache {
    use super::*;

    fn options() -> PatternOptions {
        PatternOptions::new(Case::Sensitive, MatchSpan::SingleLine)
    }

    fn is_kept(cache: &PatternCache, pattern: &Pattern) -> bool {
        let again = cache.get(pattern.expression(), pattern.source.options());
        Arc::ptr_eq(&again.expect("a pattern").source, &pattern.source)
    }

    #[test]
    fn a_pattern_is_compiled_once_and_each_search_has_its_own_state() {
        let cache = PatternCache::default();
        let first = cache.get(r"\w+x", options()).expect("a pattern");
        assert!(first.matcher().is_some());
        let second = cache.get(r"\w+x", options()).expect("a pattern");
        assert!(Arc::ptr_eq(&first.source, &second.source));
        assert!(!Arc::ptr_eq(&first.matchers, &second.matchers));
        cache.clear();
        assert!(!is_kept(&cache, &first));
    }

    #[test]
    fn options_and_line_ends_make_another_pattern() {
        let cache = PatternCache::default();
        let other = PatternOptions::new(Case::Insensitive, MatchSpan::SingleLine);
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
        assert!(is_kept(&cache, &one) && is_kept(&cache, &two));
    }

    #[test]
    fn the_one_that_was_not_used_for_longest_goes_first() {
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
        assert!(is_kept(&cache, &first));
        of(65);
        assert!(is_kept(&cache, &first));
        assert!(!is_kept(&cache, &second));
    }

    #[test]
    fn large_patterns_make_room_for_each_other_and_errors_are_not_kept() {
        let cache = PatternCache::default();
        let small = cache.get("small", options()).expect("a pattern");
        let large = cache.get("x{40000}", options()).expect("a pattern");
        assert!(large.source.size() > 8 << 20 && large.source.size() < 16 << 20);
        assert!(is_kept(&cache, &small) && is_kept(&cache, &large));
        let other = cache.get("y{40000}", options()).expect("a pattern");
        assert!(is_kept(&cache, &other) && !is_kept(&cache, &large));
        let error = cache.get("(", options()).expect_err("an error");
        assert_eq!(Err(error), Pattern::with_options("(", options()));
    }
}
