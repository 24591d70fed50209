//! Texts for the properties: files of few different lines, old text that is cut from them and distorted, new text that
//! is derived from the old text. So most edits match something, and many match several places.

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

fn generated_indent() -> impl Strategy<Value = &'static str> {
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

fn line_body() -> impl Strategy<Value = &'static str> {
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

fn line_end() -> impl Strategy<Value = &'static str> {
    select(vec!["", "", "", "", " ", "\t", "  ", "\u{A0}"])
}

fn generated_line() -> impl Strategy<Value = String> {
    (generated_indent(), line_body(), line_end())
        .prop_map(|(indent, body, end)| [indent, body, end].concat())
}

fn plain_line() -> impl Strategy<Value = String> {
    let ascii = select(vec!["a", "a", "b", "c", ""]);
    let indent = select(vec!["", "  ", "    ", "\t", "\t\t", "        "]);
    (indent, ascii, select(vec!["", "", " "]))
        .prop_map(|(indent, body, end)| [indent, body, end].concat())
}

fn generated_file(line: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    (prop::collection::vec(line, 1..7), any::<bool>()).prop_map(|(lines, ended)| {
        let mut text = lines.join("\n");
        if ended {
            text.push('\n');
        }
        text
    })
}

/// A difference between the old text and the file.
#[derive(Debug, Clone)]
enum Distortion {
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

fn generated_distortion() -> BoxedStrategy<Distortion> {
    prop_oneof![
        1 => whole_line_distortion(),
        1 => select(vec![
            Distortion::Straight,
            Distortion::Curly,
            Distortion::Composed,
            Distortion::Number,
            Distortion::BlankFirst,
            Distortion::BlankLast,
            Distortion::Escape,
        ]),
    ]
    .boxed()
}

/// Generates distortions that only the rungs of whole lines accept.
fn whole_line_distortion() -> BoxedStrategy<Distortion> {
    prop_oneof![
        Just(Distortion::TrimEnds),
        Just(Distortion::AddEnds),
        select(vec!["  ", "\t", "    "]).prop_map(Distortion::Deeper),
        (1..5_usize).prop_map(Distortion::Dedent),
        (2..9_usize).prop_map(Distortion::TabsToSpaces),
        (2..9_usize).prop_map(Distortion::SpacesToTabs),
    ]
    .boxed()
}

fn apply_distortion(distortion: &Distortion, lines: Vec<String>, first: usize) -> Vec<String> {
    let each = |change: &dyn Fn(&str) -> String| lines.iter().map(|line| change(line)).collect();
    match distortion {
        Distortion::Straight => each(&|line| {
            line.replace(['\u{201C}', '\u{201D}'], "\"")
                .replace('\u{2019}', "'")
                .replace('\u{2013}', "-")
                .replace('\u{A0}', " ")
        }),
        Distortion::Curly => each(&|line| line.replace('"', "\u{201D}").replace('\'', "\u{2018}")),
        Distortion::Composed => each(&|line| line.replace("e\u{301}", "\u{E9}")),
        Distortion::TrimEnds => {
            each(&|line| line.trim_end_matches([' ', '\t', '\u{A0}']).to_owned())
        }
        Distortion::AddEnds => each(&|line| format!("{line} ")),
        Distortion::Deeper(prefix) => each(&|line| format!("{prefix}{line}")),
        Distortion::Dedent(most) => each(&|line| {
            let blanks = line
                .bytes()
                .take_while(|byte| b" \t".contains(byte))
                .count();
            line[blanks.min(*most)..].to_owned()
        }),
        Distortion::TabsToSpaces(width) => each(&|line| line.replace('\t', &" ".repeat(*width))),
        Distortion::SpacesToTabs(width) => each(&|line| line.replace(&" ".repeat(*width), "\t")),
        Distortion::Number => {
            let numbered = lines.iter().enumerate();
            numbered
                .map(|(at, line)| format!("{}\u{2192}{line}", first + at + 1))
                .collect()
        }
        Distortion::BlankFirst => std::iter::once(String::new()).chain(lines).collect(),
        Distortion::BlankLast => lines.into_iter().chain([String::new()]).collect(),
        Distortion::Escape => each(&|line| line.replace('"', "\\\"").replace('\t', "\\t")),
    }
}

/// A difference between the new text and the lines of the old text.
#[derive(Debug, Clone)]
enum LineEdit {
    Insert(Index, String),
    Replace(Index, String),
    Remove(Index),
    Append(Index, &'static str),
    Empty,
}

fn line_edit(line: BoxedStrategy<String>) -> BoxedStrategy<LineEdit> {
    let added = select(vec!["x", "\"", " 's", "\u{201C}"]);
    prop_oneof![
        3 => (any::<Index>(), line).prop_map(|(at, line)| LineEdit::Insert(at, line)),
        3 => (any::<Index>(), plain_line()).prop_map(|(at, line)| LineEdit::Replace(at, line)),
        2 => any::<Index>().prop_map(LineEdit::Remove),
        3 => (any::<Index>(), added).prop_map(|(at, text)| LineEdit::Append(at, text)),
        1 => Just(LineEdit::Empty),
    ]
    .boxed()
}

fn apply_line_edits(mut lines: Vec<String>, line_edits: &[LineEdit]) -> Vec<String> {
    for line_edit in line_edits {
        if lines.is_empty() {
            break;
        }
        match line_edit {
            LineEdit::Insert(at, line) => lines.insert(at.index(lines.len() + 1), line.clone()),
            LineEdit::Replace(at, line) => {
                let at = at.index(lines.len());
                lines[at] = line.clone();
            }
            LineEdit::Remove(at) => drop(lines.remove(at.index(lines.len()))),
            LineEdit::Append(at, text) => {
                let at = at.index(lines.len());
                lines[at].push_str(text);
            }
            LineEdit::Empty => lines.clear(),
        }
    }
    lines
}

/// Generates an edit that has a good chance to find its place.
pub(super) fn generated_sample() -> impl Strategy<Value = Sample> {
    let file = prop_oneof![
        generated_file(generated_line()),
        generated_file(plain_line())
    ];
    sample_from(
        file.boxed(),
        generated_distortion(),
        line_edit(generated_line().boxed()),
    )
}

/// Generates an edit in ASCII, distorted only as the rungs of whole lines accept.
pub(super) fn plain_sample() -> impl Strategy<Value = Sample> {
    let line_edit =
        line_edit(plain_line().boxed()).prop_filter("ASCII", |line_edit| match line_edit {
            LineEdit::Append(_, text) => text.is_ascii(),
            _ => true,
        });
    sample_from(
        generated_file(plain_line()).boxed(),
        whole_line_distortion(),
        line_edit.boxed(),
    )
}

fn sample_from(
    file: BoxedStrategy<String>,
    distortion: BoxedStrategy<Distortion>,
    line_edit: BoxedStrategy<LineEdit>,
) -> impl Strategy<Value = Sample> {
    let cut = (any::<Index>(), any::<Index>(), any::<Index>());
    let distortions = prop::collection::vec(distortion, 0..3);
    let line_edits = prop::collection::vec(line_edit, 1..3);
    let ends = (any::<bool>(), any::<bool>());
    (file, cut, distortions, line_edits, ends).prop_map(
        |(view, cut, distortions, line_edits, (ended, new_ended))| {
            let all: Vec<String> = view.lines().map(str::to_owned).collect();
            let first = cut.0.index(all.len().max(1)).min(all.len());
            let count = 1 + cut.1.index(4).min(all.len().saturating_sub(first + 1));
            let mut lines: Vec<String> = all.into_iter().skip(first).take(count).collect();
            // Without distortions the old text may begin inside a line.
            if distortions.is_empty()
                && let Some(line) = lines.first_mut()
            {
                let starts: Vec<usize> = line.char_indices().map(|(at, _)| at).collect();
                if !starts.is_empty() {
                    line.drain(..starts[cut.2.index(starts.len())]);
                }
            }
            for distortion in &distortions {
                lines = apply_distortion(distortion, lines, first);
            }
            let new = join(&apply_line_edits(lines.clone(), &line_edits), new_ended);
            Sample {
                view,
                old: join(&lines, ended),
                new,
            }
        },
    )
}

fn join(lines: &[String], ended: bool) -> String {
    let mut text = lines.join("\n");
    if ended && !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Generates an edit of a file in which some characters are damaged.
pub(super) fn damaged_sample() -> impl Strategy<Value = (Sample, Vec<Range<usize>>)> {
    (generated_sample(), any::<Index>()).prop_map(|(sample, at)| {
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

/// Generates any texts of characters that are significant to some rung.
pub(super) fn arbitrary_sample() -> impl Strategy<Value = Sample> {
    let text = || "[ab\n\n \t\u{A0}\u{3000}'\"\u{2018}\u{201D}\u{2013}\u{301}\u{327}\u{E9}\u{1100}\u{1161}\u{AC00}\u{2192}12:\\\\n&lt;<>s/\r\u{FFFD}\u{2000}-]{0,14}";
    prop_oneof![
        (text(), text(), text(), text()).prop_map(|(before, old, after, new)| Sample {
            view: [before, old.clone(), after].concat(),
            old,
            new,
        }),
        (text(), text(), text()).prop_map(|(view, old, new)| Sample { view, old, new }),
        generated_sample(),
    ]
}
