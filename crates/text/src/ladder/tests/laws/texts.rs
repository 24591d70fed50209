//! Texts for the laws: files of few different lines, old text cut from them and bent a little, new
//! text made from the old, so that most edits find something and many find too much.

use std::ops::Range;

use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A file's text, and an edit of it.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    pub(super) view: String,
    pub(super) old: String,
    pub(super) new: String,
}

fn indent() -> impl Strategy<Value = &'static str> {
    select(vec![
        "",
        "",
        "",
        "  ",
        "    ",
        "      ",
        "        ",
        "\t",
        "\t\t",
        " \t",
        "\u{A0}\u{A0}",
    ])
}

fn body() -> impl Strategy<Value = &'static str> {
    select(vec![
        "a",
        "a",
        "b",
        "a b",
        "it's",
        "it\u{2019}s",
        "\"a\"",
        "\u{201C}a\u{201D}",
        "1-2",
        "1\u{2013}2",
        "e\u{301}",
        "\u{E9}",
        "",
        "",
    ])
}

fn end() -> impl Strategy<Value = &'static str> {
    select(vec!["", "", "", "", " ", "\t", "  ", "\u{A0}"])
}

fn line() -> impl Strategy<Value = String> {
    (indent(), body(), end()).prop_map(|(indent, body, end)| [indent, body, end].concat())
}

fn plain_line() -> impl Strategy<Value = String> {
    let ascii = select(vec!["a", "a", "b", "c", ""]);
    let indent = select(vec!["", "  ", "    ", "\t", "\t\t", "        "]);
    (indent, ascii, select(vec!["", "", " "]))
        .prop_map(|(indent, body, end)| [indent, body, end].concat())
}

fn file(line: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    (prop::collection::vec(line, 1..7), any::<bool>()).prop_map(|(lines, ended)| {
        let mut text = lines.join("\n");
        if ended {
            text.push('\n');
        }
        text
    })
}

/// How old text differs from the file.
#[derive(Debug, Clone)]
enum Bend {
    Straight,
    Curly,
    Composed,
    TrimEnds,
    AddEnds,
    Deeper(&'static str),
    Dedent(usize),
    TabsToSpaces(usize),
    SpacesToTabs(usize),
    Number,
    BlankFirst,
    BlankLast,
    Escape,
}

fn bend() -> BoxedStrategy<Bend> {
    prop_oneof![
        1 => plain_bend(),
        1 => select(vec![
            Bend::Straight,
            Bend::Curly,
            Bend::Composed,
            Bend::Number,
            Bend::BlankFirst,
            Bend::BlankLast,
            Bend::Escape,
        ]),
    ]
    .boxed()
}

/// What only the rungs of whole lines forgive.
fn plain_bend() -> BoxedStrategy<Bend> {
    prop_oneof![
        Just(Bend::TrimEnds),
        Just(Bend::AddEnds),
        select(vec!["  ", "\t", "    "]).prop_map(Bend::Deeper),
        (1..5_usize).prop_map(Bend::Dedent),
        (2..9_usize).prop_map(Bend::TabsToSpaces),
        (2..9_usize).prop_map(Bend::SpacesToTabs),
    ]
    .boxed()
}

fn apply(bend: &Bend, lines: Vec<String>, first: usize) -> Vec<String> {
    let each = |change: &dyn Fn(&str) -> String| lines.iter().map(|line| change(line)).collect();
    match bend {
        Bend::Straight => each(&|line| {
            line.replace(['\u{201C}', '\u{201D}'], "\"")
                .replace('\u{2019}', "'")
                .replace('\u{2013}', "-")
                .replace('\u{A0}', " ")
        }),
        Bend::Curly => each(&|line| line.replace('"', "\u{201D}").replace('\'', "\u{2018}")),
        Bend::Composed => each(&|line| line.replace("e\u{301}", "\u{E9}")),
        Bend::TrimEnds => each(&|line| line.trim_end_matches([' ', '\t', '\u{A0}']).to_owned()),
        Bend::AddEnds => each(&|line| format!("{line} ")),
        Bend::Deeper(prefix) => each(&|line| format!("{prefix}{line}")),
        Bend::Dedent(most) => each(&|line| {
            let blanks = line
                .bytes()
                .take_while(|byte| b" \t".contains(byte))
                .count();
            line[blanks.min(*most)..].to_owned()
        }),
        Bend::TabsToSpaces(width) => each(&|line| line.replace('\t', &" ".repeat(*width))),
        Bend::SpacesToTabs(width) => each(&|line| line.replace(&" ".repeat(*width), "\t")),
        Bend::Number => {
            let numbered = lines.iter().enumerate();
            numbered
                .map(|(at, line)| format!("{}\u{2192}{line}", first + at + 1))
                .collect()
        }
        Bend::BlankFirst => std::iter::once(String::new()).chain(lines).collect(),
        Bend::BlankLast => lines.into_iter().chain([String::new()]).collect(),
        Bend::Escape => each(&|line| line.replace('"', "\\\"").replace('\t', "\\t")),
    }
}

/// What new text does to the old one's lines.
#[derive(Debug, Clone)]
enum Turn {
    Insert(Index, String),
    Replace(Index, String),
    Remove(Index),
    Append(Index, &'static str),
    Empty,
}

fn turn(line: BoxedStrategy<String>) -> BoxedStrategy<Turn> {
    let added = select(vec!["x", "\"", " 's", "\u{201C}"]);
    prop_oneof![
        3 => (any::<Index>(), line).prop_map(|(at, line)| Turn::Insert(at, line)),
        3 => (any::<Index>(), plain_line()).prop_map(|(at, line)| Turn::Replace(at, line)),
        2 => any::<Index>().prop_map(Turn::Remove),
        3 => (any::<Index>(), added).prop_map(|(at, text)| Turn::Append(at, text)),
        1 => Just(Turn::Empty),
    ]
    .boxed()
}

fn turned(mut lines: Vec<String>, turns: &[Turn]) -> Vec<String> {
    for turn in turns {
        if lines.is_empty() {
            break;
        }
        match turn {
            Turn::Insert(at, line) => lines.insert(at.index(lines.len() + 1), line.clone()),
            Turn::Replace(at, line) => {
                let at = at.index(lines.len());
                lines[at] = line.clone();
            }
            Turn::Remove(at) => drop(lines.remove(at.index(lines.len()))),
            Turn::Append(at, text) => {
                let at = at.index(lines.len());
                lines[at].push_str(text);
            }
            Turn::Empty => lines.clear(),
        }
    }
    lines
}

/// An edit that has a good chance to find its place.
pub(super) fn sample() -> impl Strategy<Value = Sample> {
    let file = prop_oneof![file(line()), file(plain_line())];
    sample_of(file.boxed(), bend(), turn(line().boxed()))
}

/// The same in ASCII, bent only as the rungs of whole lines forgive.
pub(super) fn plain_sample() -> impl Strategy<Value = Sample> {
    let turn = turn(plain_line().boxed()).prop_filter("ASCII", |turn| match turn {
        Turn::Append(_, text) => text.is_ascii(),
        _ => true,
    });
    sample_of(file(plain_line()).boxed(), plain_bend(), turn.boxed())
}

fn sample_of(
    file: BoxedStrategy<String>,
    bend: BoxedStrategy<Bend>,
    turn: BoxedStrategy<Turn>,
) -> impl Strategy<Value = Sample> {
    let cut = (any::<Index>(), any::<Index>(), any::<Index>());
    let bends = prop::collection::vec(bend, 0..3);
    let turns = prop::collection::vec(turn, 1..3);
    let ends = (any::<bool>(), any::<bool>());
    (file, cut, bends, turns, ends).prop_map(|(view, cut, bends, turns, (ended, new_ended))| {
        let all: Vec<String> = view.lines().map(str::to_owned).collect();
        let first = cut.0.index(all.len().max(1)).min(all.len());
        let count = 1 + cut.1.index(4).min(all.len().saturating_sub(first + 1));
        let mut lines: Vec<String> = all.into_iter().skip(first).take(count).collect();
        // Sometimes a part of a line.
        if bends.is_empty()
            && let Some(line) = lines.first_mut()
        {
            let starts: Vec<usize> = line.char_indices().map(|(at, _)| at).collect();
            if !starts.is_empty() {
                line.drain(..starts[cut.2.index(starts.len())]);
            }
        }
        for bend in &bends {
            lines = apply(bend, lines, first);
        }
        let new = join(&turned(lines.clone(), &turns), new_ended);
        Sample {
            view,
            old: join(&lines, ended),
            new,
        }
    })
}

fn join(lines: &[String], ended: bool) -> String {
    let mut text = lines.join("\n");
    if ended && !text.is_empty() {
        text.push('\n');
    }
    text
}

/// The same with some characters of the file damaged.
pub(super) fn damaged_sample() -> impl Strategy<Value = (Sample, Vec<Range<usize>>)> {
    (sample(), any::<Index>()).prop_map(|(sample, at)| {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let characters: Vec<(usize, char)> = sample.view.char_indices().collect();
        if !characters.is_empty() {
            let (start, character) = characters[at.index(characters.len())];
            if character != '\n' {
                ranges.push(start..start + character.len_utf8());
            }
        }
        (sample, ranges)
    })
}

/// Anything, of characters that mean something to some rung.
pub(super) fn wild() -> impl Strategy<Value = Sample> {
    let text = || "[ab\n\n \t\u{A0}\u{3000}'\"\u{2018}\u{201D}\u{2013}\u{301}\u{327}\u{E9}\u{1100}\u{1161}\u{AC00}\u{2192}12:\\\\n&lt;<>s/\r\u{FFFD}\u{2000}-]{0,14}";
    prop_oneof![
        (text(), text(), text(), text()).prop_map(|(before, old, after, new)| Sample {
            view: [before, old.clone(), after].concat(),
            old,
            new,
        }),
        (text(), text(), text()).prop_map(|(view, old, new)| Sample { view, old, new }),
        sample(),
    ]
}
