//! Calls that are damaged as models damage them, compared with the intended result: the generator knows the file, the
//! edit and the damage. The outcome is the intended result, a refusal, or what the rules say is written as sent: exact
//! text as it is, blanks at the ends of changed lines, and quotes and dashes that the old text did not have.

use std::ops::Range;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::json;

use crate::ground::{Ground, config};

/// The lines of files, by how they are written.
const SPACED: [&str; 22] = [
    "def total(items):",
    "    result = 0",
    "    for item in items:",
    "        result += item['price']",
    "        if item[\"free\"]:",
    "            continue",
    "    return result",
    "",
    "class Basket(object):",
    "    \"\"\"It's a basket - not a bag.\"\"\"",
    "    def add(self, item, count=1):",
    "        self.items.append((item, count))",
    "        log('added %s' % item)",
    "    def drop(self):",
    "        self.items = []",
    "# x - y",
    "print(\"a\");",
    "x = 1",
    "    x = 1",
    "}",
    "    }",
    "    return f(a,",
];
const TABBED: [&str; 22] = [
    "/**",
    " * Doc of it.",
    " */",
    "function total(items) {",
    "\tlet result = 0;",
    "\tfor (const item of items) {",
    "\t\tresult += item.price;",
    "\t}",
    "\treturn result;",
    "}",
    "",
    "class Basket {",
    "\t/**",
    "\t * Another doc.",
    "\t */",
    "\tadd(item) {",
    "\t\tthis.items.push(item, 'one');",
    "\t\tcall(a,",
    "\t\t     b);",
    "\t\treturn \"done\";",
    "\t}",
    "const x = 1;",
];
const PROSE: [&str; 12] = [
    "# It’s a title",
    "",
    "He said “yes” – and left.",
    "Plain words, nothing else.",
    "Don’t stop now",
    "```py",
    "d = {'key': \"v\"}",
    "```",
    "- a list – of things",
    "The ‘inner’ quote",
    "5\u{A0}km to go",
    "`code = 'x'` and “text”",
];

/// The damage of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Damage {
    Fence,
    DoubledLine,
    HalfAGutter,
    WrongNumbers,
    Elision,
    MissingBlankLine,
    BlankFirst,
    BlankLast,
    ChangedWord,
    CutEnd,
    Curled,
    Straightened,
    NoBreakSpaces,
    TabsToSpaces(usize),
    SpacesToTabs,
    TrailingBlanks,
    TrimmedEnds,
    Deeper,
    Dedented,
    FirstLineBare,
    Escaped,
    Arrows,
    Bars,
    Colons,
    Crlf,
}

const DAMAGES: [Damage; 26] = [
    Damage::Fence,
    Damage::DoubledLine,
    Damage::HalfAGutter,
    Damage::WrongNumbers,
    Damage::Elision,
    Damage::MissingBlankLine,
    Damage::BlankFirst,
    Damage::BlankLast,
    Damage::ChangedWord,
    Damage::CutEnd,
    Damage::Curled,
    Damage::Straightened,
    Damage::NoBreakSpaces,
    Damage::TabsToSpaces(4),
    Damage::TabsToSpaces(8),
    Damage::SpacesToTabs,
    Damage::TrailingBlanks,
    Damage::TrimmedEnds,
    Damage::Deeper,
    Damage::Dedented,
    Damage::FirstLineBare,
    Damage::Escaped,
    Damage::Arrows,
    Damage::Bars,
    Damage::Colons,
    Damage::Crlf,
];

/// Where the damage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    Old,
    New,
    Both,
}

const WHERE: [Where; 3] = [Where::Old, Where::New, Where::Both];

fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn curl(line: &str) -> String {
    let mut before = ' ';
    let curled = line.chars().map(|character| {
        let opens = before.is_whitespace() || "([{".contains(before);
        before = character;
        match (character, opens) {
            ('\'', true) => '‘',
            ('\'', false) => '’',
            ('"', true) => '“',
            ('"', false) => '”',
            (other, _) => other,
        }
    });
    curled.collect()
}

fn damage(lines: &[String], first: usize, at: Index, how: Damage) -> Vec<String> {
    let each = |change: &dyn Fn(&str) -> String| lines.iter().map(|line| change(line)).collect();
    let numbered = |from: usize, separator: &str| -> Vec<String> {
        let numbers = (from..).zip(lines);
        numbers
            .map(|(number, line)| format!("{number}{separator}{line}"))
            .collect()
    };
    let mut damaged = lines.to_vec();
    let line = if lines.is_empty() {
        0
    } else {
        at.index(lines.len())
    };
    match how {
        _ if lines.is_empty() => {}
        Damage::Fence => {
            damaged.insert(0, "```python".to_owned());
            damaged.push("```".to_owned());
        }
        Damage::DoubledLine => damaged.insert(line, lines[line].clone()),
        Damage::HalfAGutter => damaged[line] = format!("{}→{}", first + line, lines[line]),
        Damage::WrongNumbers => damaged = numbered(first + 1 + line, "→"),
        Damage::Elision => {
            damaged[line] = format!("{}# ... existing code ...", indent(&lines[line]));
        }
        Damage::MissingBlankLine => {
            if let Some(blank) = lines.iter().position(|line| line.is_empty()) {
                damaged.remove(blank);
            }
        }
        Damage::BlankFirst => damaged.insert(0, String::new()),
        Damage::BlankLast => damaged.push(String::new()),
        Damage::ChangedWord => damaged[line] = lines[line].replacen('e', "oo", 1),
        Damage::CutEnd => {
            if let Some(last) = damaged.last_mut() {
                // A line that is cut away altogether would be another damage: an additional blank line.
                let characters = last.chars().count();
                if last.trim().chars().count() > 3 {
                    *last = last.chars().take(characters - 3).collect();
                }
            }
        }
        Damage::Curled => damaged = each(&curl),
        Damage::Straightened => {
            damaged = each(&|line| {
                line.replace(['‘', '’'], "'")
                    .replace(['“', '”'], "\"")
                    .replace('–', "-")
                    .replace('\u{A0}', " ")
            });
        }
        Damage::NoBreakSpaces => damaged = each(&|line| line.replace(' ', "\u{A0}")),
        Damage::TabsToSpaces(width) => {
            damaged = each(&|line| line.replace('\t', &" ".repeat(width)));
        }
        Damage::SpacesToTabs => {
            damaged = each(&|line| {
                let steps = indent(line).len() / 4;
                if line.starts_with(' ') {
                    format!("{}{}", "\t".repeat(steps), &line[4 * steps..])
                } else {
                    line.to_owned()
                }
            });
        }
        Damage::TrailingBlanks => damaged = each(&|line| format!("{line}  ")),
        Damage::TrimmedEnds => damaged = each(&|line| line.trim_end().to_owned()),
        Damage::Deeper => {
            damaged = each(&|line| match line {
                "" => String::new(),
                line => format!("    {line}"),
            });
        }
        Damage::Dedented => {
            let bare = lines.iter().filter(|line| !line.is_empty());
            let least = bare
                .map(|line| indent(line).len())
                .min()
                .unwrap_or_default();
            damaged = each(&|line| line.get(least..).unwrap_or_default().to_owned());
        }
        Damage::FirstLineBare => damaged[0] = lines[0][indent(&lines[0]).len()..].to_owned(),
        Damage::Escaped => {
            damaged = each(&|line| {
                line.replace('\\', "\\\\")
                    .replace('"', "\\\"")
                    .replace('\t', "\\t")
            });
            damaged = vec![damaged.join("\\n")];
        }
        Damage::Arrows => damaged = numbered(first, "→"),
        Damage::Bars => damaged = numbered(first, " | "),
        Damage::Colons => damaged = numbered(first, ":"),
        Damage::Crlf => {}
    }
    damaged
}

/// The intended change of an edit's lines.
#[derive(Clone, Debug)]
enum Change {
    Word(Index),
    Line(Index, usize),
    Appended(Index, usize),
    Gone(Index),
    AllGone,
}

const NEW_LINES: [&str; 6] = [
    "log('skip', \"it\")",
    "y = 2",
    "",
    "see “this” – now",
    "return 3;",
    "a b",
];
const NEW_ENDS: [&str; 4] = [" 'more'", " \"more\"", " - more", "_x"];

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        3 => any::<Index>().prop_map(Change::Word),
        3 => (any::<Index>(), 0..NEW_LINES.len()).prop_map(|(at, line)| Change::Line(at, line)),
        2 => (any::<Index>(), 0..NEW_ENDS.len()).prop_map(|(at, end)| Change::Appended(at, end)),
        2 => any::<Index>().prop_map(Change::Gone),
        1 => Just(Change::AllGone),
    ]
}

fn changed(lines: &[String], change: &Change) -> Vec<String> {
    let mut new = lines.to_vec();
    match change {
        Change::Word(at) => {
            let at = at.index(new.len());
            new[at] = new[at].replacen(['a', 'x', 'e'], "qq", 1);
        }
        Change::Line(at, line) => {
            let at = at.index(new.len());
            let blanks = if NEW_LINES[*line].is_empty() {
                ""
            } else {
                indent(&lines[at])
            };
            new.insert(at + 1, format!("{blanks}{}", NEW_LINES[*line]));
        }
        Change::Appended(at, end) => {
            let at = at.index(new.len());
            new[at].push_str(NEW_ENDS[*end]);
        }
        Change::Gone(at) => drop(new.remove(at.index(new.len()))),
        Change::AllGone => new.clear(),
    }
    new
}

fn places(text: &str, old: &str) -> Vec<Range<usize>> {
    let starts = text.char_indices().map(|(at, _)| at);
    starts
        .filter(|at| text[*at..].starts_with(old))
        .map(|at| at..at + old.len())
        .collect()
}

/// Returns the possible results of exact old text: the new text in its place; without the indentation that is already
/// there; a deletion of whole lines with what it includes.
fn exact_results(file: &str, place: &Range<usize>, new: &str) -> Vec<String> {
    let put = |from: usize, new: &str, to: usize| [&file[..from], new, &file[to..]].concat();
    let start = file[..place.start].rfind('\n').map_or(0, |at| at + 1);
    let lead = &file[start..place.start];
    let mut results = vec![put(place.start, new, place.end)];
    if !lead.is_empty() && lead.trim().is_empty() && indent(new) == lead {
        results.push(put(place.start, &new[lead.len()..], place.end));
    }
    results.extend(
        lancet_text::with_short_indentation(file, place, &file[place.clone()], new)
            .map(|new| put(place.start, &new, place.end)),
    );
    if new.is_empty() {
        results.extend(
            lancet_text::deleted_lines(file, place, &file[place.clone()])
                .map(|gone| put(gone.start, "", gone.end)),
        );
    }
    let rest = file[place.end..].find('\n').map(|at| place.end + at);
    if let Some(end) = rest.filter(|end| new.is_empty() && file[place.end..*end].trim().is_empty())
        && lead.trim().is_empty()
    {
        results.push(put(start, "", end + 1));
    }
    results
}

fn fold(character: char) -> char {
    match character {
        '‘' | '’' => '\'',
        '“' | '”' => '"',
        '–' => '-',
        '\u{A0}' => ' ',
        other => other,
    }
}

/// Returns whether a result differs from the intended one only where the rules write changed lines as they were sent:
/// blanks at their ends; added quotes and dashes, curly ones that the old text does not have, and straight ones.
fn is_as_sent(
    result: &str,
    meant: &str,
    (place, new): (&[String], &[String]),
    old: &str,
    how: Damage,
) -> bool {
    // If the place already has look-alikes, added ones are not made ASCII.
    let has_own = |wanted: char| {
        let mut own = place.iter().flat_map(|line| line.chars());
        own.any(|character| !character.is_ascii() && fold(character) == fold(wanted))
    };
    let (result, meant): (Vec<&str>, Vec<&str>) =
        (result.split('\n').collect(), meant.split('\n').collect());
    result.len() == meant.len()
        && result.iter().zip(&meant).all(|(result, meant)| {
            // A line that the new text has more often than the place is an added one.
            let count = |lines: &[String]| lines.iter().filter(|line| line == meant).count();
            let may_differ = count(new) > count(place);
            let (bare, bare_meant) = match how {
                Damage::TrailingBlanks | Damage::TrimmedEnds => {
                    (result.trim_end(), meant.trim_end())
                }
                _ => (*result, *meant),
            };
            let same = |(result, meant): (char, char)| {
                result == meant
                    || (fold(result) == fold(meant)
                        && match how {
                            Damage::Curled | Damage::NoBreakSpaces => {
                                !old.contains(result) || has_own(result)
                            }
                            // As sent, or like the marks of the line that is preserved.
                            Damage::Straightened => true,
                            _ => false,
                        })
            };
            result == meant
                || (may_differ
                    && bare.chars().count() == bare_meant.chars().count()
                    && bare.chars().zip(bare_meant.chars()).all(same))
        })
}

#[test]
fn a_damaged_call_does_what_was_meant_or_nothing() {
    let ground = Ground::new();
    let call = (
        0..DAMAGES.len(),
        0..WHERE.len(),
        any::<Index>(),
        any::<bool>(),
    );
    proptest!(config(), |(kind in 0..3_usize, picked in vec(any::<Index>(), 3..12), at in any::<(Index, Index)>(), change in change(), (how, side, spot, ended) in call)| {
        let (pool, name): (&[&str], &str) = [(&SPACED[..], "a.py"), (&TABBED, "a.ts"), (&PROSE, "a.md")][kind];
        let (how, side) = (DAMAGES[how], WHERE[side]);
        let file: Vec<String> = picked.iter().map(|at| pool[at.index(pool.len())].to_owned()).collect();
        let start = at.0.index(file.len());
        let end = start + 1 + at.1.index((file.len() - start).min(5));
        let (old_lines, new_lines) = (file[start..end].to_vec(), changed(&file[start..end], &change));
        // If old and new text were each dedented by their own least indentation, by different amounts, they look like
        // an edit that takes a block out of its `if`. The two cannot be distinguished, and the shift of the old text is
        // used.
        let least = |lines: &[String]| lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line).len()).min();
        let unwraps = how == Damage::Dedented && side == Where::Both && least(&old_lines) != least(&new_lines);
        prop_assume!(!unwraps || new_lines.is_empty());
        // An additional blank line at an edge of the old text alone, where the new text has one more there than the
        // file: by the rule of `blank-edge` it is the same one, and is dropped. The same holds where the line of the
        // new text that is doubled is another one than the blank line of the old text.
        let blanks = |lines: &[String]| {
            let is_blank = |line: &&String| line.trim().is_empty();
            [lines.iter().take_while(is_blank).count(), lines.iter().rev().take_while(is_blank).count()]
        };
        let (old_blanks, new_blanks) = (blanks(&old_lines), blanks(&new_lines));
        let has_more = |edge: usize| new_blanks[edge] > old_blanks[edge];
        let drops_real = match (how, side) {
            (Damage::BlankFirst, Where::Old) => has_more(0),
            (Damage::BlankLast, Where::Old) => has_more(1),
            (Damage::DoubledLine, Where::Old) => has_more(0) || has_more(1),
            (Damage::DoubledLine, Where::Both) => old_blanks != [0, 0] || new_blanks != [0, 0],
            _ => false,
        };
        prop_assume!(!drops_real);
        let text = format!("{}\n", file.join("\n"));
        let mut meant_lines = file[..start].to_vec();
        meant_lines.extend_from_slice(&new_lines);
        meant_lines.extend_from_slice(&file[end..]);
        let meant = meant_lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        // An empty last line counts as a line only with its newline.
        let is_empty = |lines: &[String]| lines.last().is_some_and(String::is_empty);
        let ended = ended || is_empty(&old_lines) || is_empty(&new_lines);
        // By the rule of deletions, text that begins with a newline and does not end with one is removed as it is, and
        // the newline after it stays.
        let begins_blank = old_lines.first().is_some_and(|line| line.trim().is_empty());
        prop_assume!(side == Where::New || ended || !new_lines.is_empty() || !begins_blank);
        let send = |lines: &[String], damaged: bool| {
            let lines = if damaged { damage(lines, start + 1, spot, how) } else { lines.to_vec() };
            let mut sent = lines.join("\n");
            if ended && !lines.is_empty() {
                sent.push('\n');
            }
            match how {
                Damage::Crlf if damaged => sent.replace('\n', "\r\n"),
                _ => sent,
            }
        };
        let (old, new) = (send(&old_lines, side != Where::New), send(&new_lines, side != Where::Old));
        // If two places have the same text, the call means neither, and wrong line numbers may name the other one.
        if old.is_empty() || places(&text, &old_lines.join("\n")).len() != 1 {
            return Ok(());
        }
        ground.clear();
        let path = ground.put(name, &text);
        let session = ground.session();
        ground.read(&session, name);
        let reply = ground.call(&session, "Edit", json!({ "file_path": path, "old_string": old, "new_string": new }));
        if reply.is_error() {
            return Ok(());
        }
        let result = String::from_utf8(ground.bytes(name)).unwrap();
        let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
        let exact = places(&text, &old);
        let as_sent = match exact.as_slice() {
            [place] => exact_results(&text, place, &new).contains(&result),
            // New text that is emptied in transit leaves an empty line.
            _ => is_as_sent(&result, &meant, (&old_lines, &new_lines), &old, how),
        };
        prop_assert!(result == meant || as_sent, "{how:?} in {side:?}: {old:?} -> {new:?} in\n{text}\nmade\n{result}\nfor\n{meant}\n{}", reply.text());
    });
}
