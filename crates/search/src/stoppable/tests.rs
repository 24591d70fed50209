//! Checks that steps of any size find what ripgrep's matcher finds at once, and that a search that is stopped ends.

use std::sync::atomic::{AtomicU64, Ordering};

use grep_matcher::Matcher;
use grep_searcher::SearcherBuilder;
use grep_searcher::sinks::Bytes;
use proptest::prelude::*;

use super::lazy_dfa::{EngineKind, SearchEngine, SearchGoal};
use super::*;
use crate::{CaseMatching, MatchSpan};

struct NeverStop;

impl Stop for NeverStop {
    fn should_stop(&self) -> bool {
        false
    }
}

/// Stops at the n-th check, and counts the checks.
struct StopAtCheck {
    asked: AtomicU64,
    over: u64,
}

impl Stop for StopAtCheck {
    fn should_stop(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.over
    }
}

fn expression() -> impl Strategy<Value = String> {
    let letter = prop::sample::select(vec![
        "a",
        "b",
        "ab",
        "é",
        ".",
        r"\w",
        r"\s",
        r"\W",
        "[ab]",
        "[^a]",
        r"\b",
        r"\B",
        "^",
        "$",
        r"(?-u:\xFF)",
        "_",
        r"\r",
        r"\n",
        r"(?s:.)",
        r"\b{start}",
        r"\b{end}",
        "B",
    ]);
    letter
        .prop_map(str::to_owned)
        .prop_recursive(4, 24, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
                prop::collection::vec(inner.clone(), 1..4)
                    .prop_map(|parts| format!("(?:{})", parts.join("|"))),
                (
                    inner,
                    prop::sample::select(vec!["*", "+", "?", "*?", "+?", "??", "{0,2}", "{2}"])
                )
                    .prop_map(|(part, times)| format!("(?:{part}){times}")),
            ]
        })
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        &b"a"[..],
        b"b",
        b"ab",
        b"\n",
        b"\r\n",
        b" ",
        b"_",
        "é".as_bytes(),
        b"\xFF",
        b"B",
        b"aaaa",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn all_matches(matcher: &impl Matcher, text: &[u8]) -> Vec<Match> {
    let mut found = Vec::new();
    let _ = matcher.find_iter(text, |one| {
        found.push(one);
        true
    });
    found
}

fn matching_lines(matcher: impl Matcher, span: MatchSpan, text: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let mut found = Vec::new();
    let mut searcher = SearcherBuilder::new()
        .multi_line(span == MatchSpan::MultiLine)
        .build();
    searcher
        .search_slice(
            matcher,
            text,
            Bytes(|number, line| {
                found.push((number, line.to_vec()));
                Ok(true)
            }),
        )
        .expect("searched");
    found
}

proptest! {
    #![proptest_config(crate::laws::costly())]

    #[test]
    fn any_step_size_finds_same_matches(
        expression in expression(),
        text in text(),
        most in 0_usize..40,
        insensitive in any::<bool>(),
    ) {
        let case = if insensitive { CaseMatching::Insensitive } else { CaseMatching::Sensitive };
        for span in [MatchSpan::SingleLine, MatchSpan::MultiLine] {
            let Ok(pattern) = Pattern::new(&expression, case, span) else {
                continue;
            };
            let pattern = pattern.with_max_piece(most);
            let stepwise = StoppableMatcher::new(&pattern, &NeverStop);
            prop_assert_eq!(
                matching_lines(&stepwise, span, &text),
                matching_lines(pattern.matcher().expect("compiled"), span, &text),
                "lines of {}", &expression
            );
            if span == MatchSpan::MultiLine {
                prop_assert_eq!(all_matches(&stepwise, &text), all_matches(pattern.matcher().expect("compiled"), &text), "{}", &expression);
                prop_assert_eq!(
                    stepwise.is_match(&text).unwrap_or(false),
                    pattern.matcher().expect("compiled").is_match(&text).unwrap_or(false),
                    "whether {} matches", &expression
                );
            }
        }
    }

    #[test]
    fn pike_vm_agrees_with_lazy_dfa(expression in expression(), text in text()) {
        let Ok(pattern) = Pattern::new(&expression, CaseMatching::Sensitive, MatchSpan::MultiLine) else {
            return Ok(());
        };
        let automata = pattern.automata().expect("compiled");
        let mut engine = SearchEngine::new(automata, EngineKind::PikeVm);
        let stop_check = StopCheck::new(&NeverStop);
        for at in 0..=text.len() {
            let found = engine.find(&text, at, SearchGoal::Match, &stop_check);
            let wanted = pattern.matcher().expect("compiled").find_at(&text, at).unwrap_or(None);
            prop_assert_eq!(found, Ok(wanted), "{} at {}", &expression, at);
        }
    }
}

/// Returns whether a search was stopped and how often it checked. On a fast machine a step is as large as these
/// texts; a fixed step size keeps the result independent of the machine.
fn count_stop_checks(expression: &str, span: MatchSpan, text: &[u8], over: u64) -> (bool, u64) {
    let pattern = Pattern::new(expression, CaseMatching::Sensitive, span)
        .expect("compiles")
        .with_max_piece(1 << 15);
    let stop = StopAtCheck {
        asked: AtomicU64::new(0),
        over,
    };
    let stepwise = StoppableMatcher::new(&pattern, &stop);
    let mut searcher = SearcherBuilder::new()
        .multi_line(span == MatchSpan::MultiLine)
        .build();
    let done = searcher.search_slice(&stepwise, text, Bytes(|_, _| Ok(true)));
    assert_eq!(done.is_err(), stepwise.take_stopped());
    (done.is_err(), stop.asked.into_inner())
}

#[test]
fn stops_promptly_at_any_point() {
    let one_line = "some words é ".repeat(200_000);
    let many_lines = "some words é here\n".repeat(150_000);
    for (expression, span, text) in [
        // No match anywhere, with the lazy DFA; and with word boundaries, with the Pike VM.
        (r"(?s)wor.*zqx", MatchSpan::MultiLine, &many_lines),
        (r"\bw\w+\s+\w+z\b", MatchSpan::MultiLine, &many_lines),
        // One line of 2.6 MB.
        ("some.*zqx", MatchSpan::SingleLine, &one_line),
        (r"\b\w+z\b", MatchSpan::SingleLine, &one_line),
        // Many lines, many matches.
        ("here$", MatchSpan::SingleLine, &many_lines),
        (r"\s", MatchSpan::MultiLine, &many_lines),
    ] {
        let (halted, asked) = count_stop_checks(expression, span, text.as_bytes(), 5);
        assert!(halted, "{expression} was not stopped");
        assert_eq!(asked, 6, "{expression} went on after it was told to stop");
        let (halted, asked) =
            count_stop_checks(expression, span, &text.as_bytes()[..300_000], u64::MAX);
        assert!(
            !halted && asked >= 3,
            "{expression} was asked {asked} times"
        );
    }
}

/// The slower the pattern, the more often the stop is checked: each of these bytes takes as long as thousands of bytes
/// of an easy pattern.
#[test]
fn checks_stop_more_often_for_slow_patterns() {
    let one_line = vec![b'a'; 4_000];
    let many_lines =
        b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n".repeat(500);
    let ways = "[a-z]{1,5000}b";
    for (expression, span, text) in [
        (ways, MatchSpan::SingleLine, &one_line),
        (ways, MatchSpan::MultiLine, &one_line),
        (ways, MatchSpan::SingleLine, &many_lines),
        (ways, MatchSpan::MultiLine, &many_lines),
    ] {
        let pattern = Pattern::new(expression, CaseMatching::Sensitive, span).expect("compiles");
        let stop = StopAtCheck {
            asked: AtomicU64::new(0),
            over: 2,
        };
        let stepwise = StoppableMatcher::new(&pattern, &stop);
        let mut searcher = SearcherBuilder::new()
            .multi_line(span == MatchSpan::MultiLine)
            .build();
        let done = searcher.search_slice(&stepwise, text, Bytes(|_, _| Ok(true)));
        assert!(done.is_err(), "{span:?}, {} bytes", text.len());
    }
}
