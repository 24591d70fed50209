//! Text that a tolerant rung accepts occurs at only one place under that rung's own relation, and outside of that place
//! not a byte changes. The relations are written down here a second time, as plainly as they can be.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::ground::{Ground, config, refused};

const LINES: [&str; 16] = [
    "x = 1",
    "    x = 1",
    "\tx = 1",
    "x = 1  ",
    "  x = 1",
    "\t\tx = 1",
    "say \"hi\"",
    "say “hi”",
    "say “hi\"",
    "    say \"hi\"",
    "it’s - a",
    "it's – a",
    "",
    "  ",
    "if a {",
    "}",
];

/// The difference between the sent text and the file's.
#[derive(Clone, Copy, Debug)]
enum Slip {
    Trailing,
    Deeper,
    Shallower,
    Spaces,
    Tabs,
    Straight,
    Curly,
    BlankStart,
    BlankEnd,
    Numbered,
    Escaped,
}

const SLIPS: [Slip; 11] = [
    Slip::Trailing,
    Slip::Deeper,
    Slip::Shallower,
    Slip::Spaces,
    Slip::Tabs,
    Slip::Straight,
    Slip::Curly,
    Slip::BlankStart,
    Slip::BlankEnd,
    Slip::Numbered,
    Slip::Escaped,
];

fn slip(lines: &[String], first: usize, how: Slip) -> Vec<String> {
    let each = |change: &dyn Fn(&str) -> String| lines.iter().map(|line| change(line)).collect();
    match how {
        Slip::Trailing => each(&|line| {
            let bare = line.trim_end();
            if bare.len() == line.len() {
                format!("{line} ")
            } else {
                bare.to_owned()
            }
        }),
        Slip::Deeper => each(&|line| {
            if line.trim().is_empty() {
                line.to_owned()
            } else {
                format!("  {line}")
            }
        }),
        Slip::Shallower => each(&|line| line.strip_prefix("  ").unwrap_or(line).to_owned()),
        Slip::Spaces => each(&|line| line.replace('\t', "    ")),
        Slip::Tabs => each(&|line| line.replace("    ", "\t")),
        Slip::Straight => each(&|line| {
            line.replace(['“', '”'], "\"")
                .replace('’', "'")
                .replace('–', "-")
        }),
        Slip::Curly => each(&|line| line.replace('"', "”").replace('\'', "’").replace('-', "–")),
        Slip::BlankStart => std::iter::once(String::new())
            .chain(lines.iter().cloned())
            .collect(),
        Slip::BlankEnd => lines
            .iter()
            .cloned()
            .chain([String::new(), String::new()])
            .collect(),
        Slip::Numbered => (first + 1..)
            .zip(lines)
            .map(|(number, line)| format!("{number}→{line}"))
            .collect(),
        Slip::Escaped => each(&|line| {
            line.replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('\t', "\\t")
        }),
    }
}

/// Returns whether lines of the file are the old text's, except for what a rung forgives.
type Relation = fn(&[String], &[String]) -> bool;

fn fold(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '‘'..='‛' => '\'',
            '“'..='‟' => '"',
            '‐'..='―' => '-',
            '\u{a0}' => ' ',
            other => other,
        })
        .collect()
}

fn is_blank(line: &str) -> bool {
    fold(line).trim_matches([' ', '\t']).is_empty()
}

fn bare_end(line: &str) -> String {
    fold(line).trim_end_matches([' ', '\t']).to_owned()
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn same_but_trailing(place: &[String], old: &[String]) -> bool {
    place
        .iter()
        .zip(old)
        .all(|(place, old)| bare_end(place) == bare_end(old))
}

/// One additional or missing prefix on every line that is not blank.
fn same_but_indent(place: &[String], old: &[String]) -> bool {
    let shifted = |deep: &[String], flat: &[String]| {
        let first = deep
            .iter()
            .zip(flat)
            .find(|(deep, flat)| !is_blank(deep) && !is_blank(flat));
        let Some((deep_line, flat_line)) = first else {
            return false;
        };
        let (deep_line, flat_line) = (bare_end(deep_line), bare_end(flat_line));
        let Some(prefix) = deep_line.strip_suffix(&flat_line) else {
            return false;
        };
        is_blank(prefix)
            && deep.iter().zip(flat).all(|(deep, flat)| {
                (is_blank(deep) && is_blank(flat))
                    || bare_end(deep) == format!("{prefix}{}", bare_end(flat))
            })
    };
    shifted(place, old) || shifted(old, place)
}

/// Tabs on one side, n spaces for each on the other, one n throughout; blanks after the tabs on both sides alike.
fn same_but_tabs(place: &[String], old: &[String]) -> bool {
    let parted = |line: &str| {
        let bare = bare_end(line);
        let indent = indentation(&bare).to_owned();
        (indent.clone(), bare[indent.len()..].to_owned())
    };
    let converts = |tabs: &[String], spaces: &[String], width: usize| {
        tabs.iter().zip(spaces).all(|(tabs, spaces)| {
            let ((deep, tabs), (wide, spaces)) = (parted(tabs), parted(spaces));
            let blanks = deep.trim_start_matches('\t');
            let steps = deep.len() - blanks.len();
            let spelled = " ".repeat(steps * width) + blanks;
            tabs == spaces && (tabs.is_empty() || wide == spelled && !wide.contains('\t'))
        })
    };
    (2..=8).any(|width| converts(place, old, width) || converts(old, place, width))
}

/// Returns how many windows of the file are the old text under a relation, and where the first is.
fn windows(file: &[String], old: &[String], relation: Relation) -> Vec<usize> {
    if old.len() > file.len() {
        return Vec::new();
    }
    (0..=file.len() - old.len())
        .filter(|at| relation(&file[*at..at + old.len()], old))
        .collect()
}

fn without_blanks(text: &str) -> String {
    fold(text)
        .chars()
        .filter(|character| !character.is_whitespace())
        .collect()
}

#[test]
fn what_a_tolerant_rung_accepts_is_unique_under_its_relation() {
    let ground = Ground::new();
    let slips = vec(0..SLIPS.len(), 1..3);
    proptest!(config(), |(file in vec(0..LINES.len(), 1..9), at in any::<u8>(), length in 1..4_usize, slips in slips, change in 0..3_u8, fresh in 0..LINES.len())| {
        let file: Vec<String> = file.iter().map(|line| LINES[*line].to_owned()).collect();
        let start = usize::from(at) % file.len();
        let end = (start + length).min(file.len());
        let mut old: Vec<String> = file[start..end].to_vec();
        for how in &slips {
            old = slip(&old, start, SLIPS[*how]);
        }
        let mut new = old.clone();
        let target = usize::from(at) % new.len();
        match change {
            0 => new[target].push_str(" + 2"),
            1 => new.insert(target, LINES[fresh].to_owned()),
            _ => {
                new.remove(target);
            }
        }
        let text = format!("{}\n", file.join("\n"));
        ground.clear();
        ground.put("a.txt", &text);
        let session = ground.session();
        ground.read(&session, "a.txt");
        let reply = ground.edit(&session, "a.txt", &old.join("\n"), &new.join("\n"));
        if reply.is_error() {
            assert!(matches!(refused(&reply), "not_found" | "ambiguous" | "leaked" | "no_change" | "exists"), "{}", reply.text());
            return Ok(());
        }
        // A newline at the end of the old text starts no further line.
        let sent = old.join("\n");
        let old: Vec<String> = sent.split_terminator('\n').map(str::to_owned).collect();
        // Old text that ends in a newline may be replaced by text that does not: the next line is joined to it.
        let joined = usize::from(sent.ends_with('\n'));
        let rung = reply.data()["matched"].as_str().unwrap();
        let hunks = reply.data()["patch"].as_array().unwrap();
        // The lines of the old file that changed, and those between which others were inserted.
        let mut changed = Vec::new();
        for hunk in hunks {
            let mut line = hunk["oldStart"].as_u64().unwrap() as usize - usize::from(hunk["oldLines"] != 0);
            for text in hunk["lines"].as_array().unwrap() {
                match text.as_str().unwrap().as_bytes()[0] {
                    b'-' => {
                        changed.push(line..line + 1);
                        line += 1;
                    }
                    b'+' => changed.push(line..line),
                    b' ' => line += 1,
                    _ => {}
                }
            }
        }
        let within = |window: std::ops::Range<usize>| changed.iter().all(|part| window.start <= part.start && part.end <= window.end);
        let relation: Option<Relation> = match rung {
            "trailing" => Some(same_but_trailing),
            "indent" => Some(same_but_indent),
            "tabs" => Some(same_but_tabs),
            _ => None,
        };
        if let Some(relation) = relation {
            let found = windows(&file, &old, relation);
            assert_eq!(found.len(), 1, "{rung}: {file:?} {old:?}");
            assert!(within(found[0]..found[0] + old.len() + joined), "{rung}: {changed:?}");
            for stricter in [same_but_trailing as Relation, same_but_indent] {
                if stricter as usize == relation as usize {
                    break;
                }
                assert!(windows(&file, &old, stricter).is_empty(), "{rung} though a rung before it fits");
            }
        } else if matches!(rung, "exact" | "look-alike") {
            let folded = fold(&text);
            let wanted = if rung == "exact" { sent.clone() } else { fold(&sent) };
            let folded = if rung == "exact" { &text } else { &folded };
            let count = (0..folded.len()).filter(|at| folded.is_char_boundary(*at) && folded[*at..].starts_with(&wanted)).count();
            assert_eq!(count, 1, "{rung}: {text:?} {old:?}");
        } else if rung == "escaped" {
            let wanted = sent.replace("\\\"", "\"").replace("\\t", "\t").replace("\\\\", "\\");
            assert_eq!(text.matches(&wanted).count(), 1, "{text:?} {wanted:?}");
        } else {
            // Whatever was rewritten, the letters of the place are those of the old text.
            let letters = without_blanks(&sent);
            let lines: Vec<usize> = changed.iter().flat_map(|part| [part.start, part.end]).collect();
            let (from, to) = (lines.iter().min().copied().unwrap(), lines.iter().max().copied().unwrap());
            // Line numbers are removed before anything else; the ladder's own laws cover them.
            let fits = |window: &[String]| {
                sent.contains('→') || without_blanks(&window.join("\n")) == letters
            };
            let any = (0..=from).any(|start| (to.saturating_sub(joined)..=file.len()).any(|end| start < end && fits(&file[start..end])));
            assert!(any, "{rung}: {file:?} {old:?} {changed:?}");
        }
    });
}
