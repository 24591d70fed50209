//! Random expressions, and texts that are made by following them.

use grep_searcher::SearcherBuilder;
use grep_searcher::sinks::Bytes;
use proptest::prelude::*;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::{Boundary, Case, Dot, MatchSpan, Pattern, PatternOptions};

/// A pattern and a text that may have a match.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) pattern: Pattern,
    pub(crate) text: Vec<u8>,
}

/// Longer than half of what a literal may be, so that two of them are too long.
const LONG: &str = "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ_\
    abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ01234567890_and_more_of_it";

fn atom() -> impl Strategy<Value = String> {
    let texts = prop::sample::select(vec![
        "a",
        "B",
        "k",
        "s",
        "é",
        "ſ",
        "\u{212A}",
        "word",
        "Quick",
        "task",
        "alpha_beta",
        "größe",
        LONG,
        "_",
        " ",
        "ß",
    ]);
    let classes = prop::sample::select(vec![
        ".",
        r"\w",
        r"\s",
        r"\d",
        r"\W",
        "[ab]",
        "[^a]",
        "[a-cX-Z]",
        "[0-9]",
        "[é-ü]",
        "[ks]",
        r"(?s:.)",
        r"(?-u:\xFF)",
        r"(?-u:[\x80-\x82])",
        "(?i:kis)",
        "(?i:Word)",
        "(?-u:.)",
        r"\r",
        r"\n",
        r"[\n ]",
        r"\r?\n",
    ]);
    let looks = prop::sample::select(vec![
        "^",
        "$",
        r"\b",
        r"\B",
        r"\b{start}",
        r"\b{end}",
        r"\b{start-half}",
        r"\b{end-half}",
        "(?:)",
        r"\A",
        r"\z",
        r"(?-u:\b)",
    ]);
    prop_oneof![
        6 => texts.prop_map(str::to_owned),
        3 => classes.prop_map(str::to_owned),
        1 => looks.prop_map(str::to_owned),
        1 => (10..80_u32).prop_map(many_words),
    ]
}

/// More alternatives than a set holds, with a few beginnings and ends in common.
fn many_words(from: u32) -> String {
    let words: Vec<String> = (from..from + 70)
        .map(|number| format!("W{number}_kind"))
        .collect();
    format!("(?:{})", words.join("|"))
}

pub(crate) fn expression() -> impl Strategy<Value = String> {
    atom().prop_recursive(4, 24, 4, |inner| {
        let times = prop::sample::select(vec![
            "*", "+", "?", "*?", "+?", "??", "{0}", "{0,2}", "{1}", "{2}", "{2,}", "{3,5}", "{20}",
        ]);
        prop_oneof![
            4 => prop::collection::vec(inner.clone(), 1..5).prop_map(|parts| parts.concat()),
            2 => prop::collection::vec(inner.clone(), 1..4)
                .prop_map(|parts| format!("(?:{})", parts.join("|"))),
            1 => prop::collection::vec(inner.clone(), 1..3)
                .prop_map(|parts| format!("({}|)", parts.join("|"))),
            2 => (inner, times).prop_map(|(part, times)| format!("(?:{part}){times}")),
        ]
    })
}

pub(crate) fn options() -> impl Strategy<Value = PatternOptions> {
    let case = prop::sample::select(vec![Case::Sensitive, Case::Insensitive]);
    let span = prop::sample::select(vec![MatchSpan::SingleLine, MatchSpan::MultiLine]);
    let dot = prop::sample::select(vec![Dot::AnyCharacter, Dot::WithinLine]);
    let boundary = prop_oneof![
        4 => Just(Boundary::None),
        1 => Just(Boundary::Word),
        1 => Just(Boundary::Line),
    ];
    (case, span, dot, boundary).prop_map(|(case, span, dot, boundary)| PatternOptions {
        case,
        span,
        dot,
        boundary,
    })
}

fn noise() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        &b"a"[..],
        b"word",
        b"Quick",
        b"\n",
        b"\r\n",
        b" ",
        b"_",
        "é".as_bytes(),
        b"\xFF",
        b"some other text",
    ]);
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

/// A pattern and a text in which a string stands that was made by following the expression, without its looks.
pub(crate) fn question() -> impl Strategy<Value = Question> {
    let end = || prop::sample::select(vec![&b""[..], b"\n", b"\r\n", b" "]);
    let ends = (end(), end());
    let choices = prop::collection::vec(any::<u32>(), 1..40);
    (expression(), options(), choices, noise(), noise(), ends).prop_filter_map(
        "compiles",
        |(expression, options, choices, before, after, (left, right))| {
            let pattern = Pattern::with_options(&expression, options).ok()?;
            let mut made = Vec::new();
            follow(
                pattern.hir()?,
                &mut choices.iter().cycle().copied(),
                &mut made,
            );
            let text = [&before[..], left, &made, right, &after].concat();
            Some(Question { pattern, text })
        },
    )
}

/// Adds a string that the expression matches, without its looks.
fn follow(hir: &Hir, choices: &mut dyn Iterator<Item = u32>, into: &mut Vec<u8>) {
    let mut choose = |of: usize| choices.next().unwrap_or(0) as usize % of.max(1);
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => into.extend_from_slice(&literal.0),
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = class.ranges();
            if let Some(range) = ranges.get(choose(ranges.len())) {
                let within = choose(range.len().min(40));
                let one = (range.start()..=range.end()).nth(within);
                into.extend(one.into_iter().flat_map(|one| one.to_string().into_bytes()));
            }
        }
        HirKind::Class(Class::Bytes(class)) => {
            let ranges = class.ranges();
            if let Some(range) = ranges.get(choose(ranges.len())) {
                into.extend((range.start()..=range.end()).nth(choose(range.len())));
            }
        }
        HirKind::Capture(capture) => follow(&capture.sub, choices, into),
        HirKind::Concat(parts) => parts.iter().for_each(|part| follow(part, choices, into)),
        HirKind::Alternation(parts) => {
            let part = choose(parts.len());
            follow(&parts[part], choices, into);
        }
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX).min(repetition.min + 2);
            let times = repetition.min + choose((most - repetition.min + 1) as usize) as u32;
            for _ in 0..times {
                // Nested repetitions would otherwise make texts of megabytes.
                if into.len() < 4_000 {
                    follow(&repetition.sub, choices, into);
                }
            }
        }
    }
}

/// Whether a search finds the pattern in a text.
pub(crate) fn has_match(pattern: &Pattern, text: &[u8]) -> bool {
    let mut found = false;
    let mut searcher = SearcherBuilder::new()
        .multi_line(pattern.span == MatchSpan::MultiLine)
        .build();
    let sink = Bytes(|_, _| {
        found = true;
        Ok(false)
    });
    searcher
        .search_slice(pattern.matcher().expect("compiled"), text, sink)
        .expect("searched");
    found
}
