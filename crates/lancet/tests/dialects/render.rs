//! Writes a change in each of the formats, as a model would that makes no mistake.

use std::ops::Range;

use lancet::dialects::Dialect;

use crate::model::{Dice, Doc, LineEdit, Meant, Story};

/// Returns a reply that expresses a story.
pub(crate) fn render(story: &Story, dialect: Dialect, dice: &mut Dice) -> String {
    let mut reply = match dialect {
        Dialect::V4a => "*** Begin Patch\n".to_owned(),
        _ => String::new(),
    };
    for (name, meant) in &story.changes {
        let doc = story.files.get(name);
        reply.push_str(&match dialect {
            Dialect::SearchReplace => search_replace(name, doc, meant, dice),
            Dialect::V4a => v4a(name, doc, meant, dice),
            Dialect::Unified => unified(name, doc, meant),
            _ => whole(name, doc, meant),
        });
    }
    if dialect == Dialect::V4a {
        reply.push_str("*** End Patch\n");
    }
    reply
}

/// An edit with lines around it that make it unique in the text that it meets.
struct Block {
    before: Vec<String>,
    gone: Vec<String>,
    new: Vec<String>,
    after: Vec<String>,
    at_end: bool,
}

/// Returns the blocks of a file, each for the text as the ones before leave it. Edits that would cross become one
/// block.
fn blocks(doc: &Doc, edits: &[LineEdit], dice: &mut Dice) -> Vec<Block> {
    blocks_apart(doc, edits, dice).unwrap_or_else(|| {
        let joined = joined_edits(doc, edits);
        blocks_apart(doc, &joined, dice).expect("one block crosses no other")
    })
}

/// Returns a block for each edit; none where a block changes lines on both sides of the border of what an earlier one
/// changed. The lines that a block changes follow from its texts alone: of two equal adjacent lines, one of them new,
/// the second is the new one.
fn blocks_apart(doc: &Doc, edits: &[LineEdit], dice: &mut Dice) -> Option<Vec<Block>> {
    let mut lines = doc.lines.clone();
    let mut moved = 0_isize;
    let mut blocks = Vec::new();
    let mut borders: Vec<usize> = Vec::new();
    for edit in edits {
        let at = edit.at.strict_add_signed(moved);
        let (start, end) = (at, at + edit.gone);
        let around = dice.below(4);
        let mut range = start.saturating_sub(around)..(end + around).min(lines.len());
        while !is_unique(&lines, &range) {
            range = range.start.saturating_sub(1)..(range.end + 1).min(lines.len());
        }
        blocks.push(Block {
            before: lines[range.start..start].to_vec(),
            gone: lines[start..end].to_vec(),
            new: edit.new.clone(),
            after: lines[end..range.end].to_vec(),
            at_end: range.end == lines.len(),
        });
        let old = lines[range.clone()].to_vec();
        lines.splice(start..end, edit.new.iter().cloned());
        let growth = edit.new.len() as isize - edit.gone as isize;
        let new = &lines[range.start..range.end.strict_add_signed(growth)];
        let (head, tail) = shared(&old, new);
        let changed = range.start + head..range.end - tail;
        if borders
            .iter()
            .any(|border| changed.start < *border && *border < changed.end)
        {
            return None;
        }
        for border in borders.iter_mut().filter(|border| **border >= changed.end) {
            *border = border.strict_add_signed(growth);
        }
        borders.extend([changed.start, changed.end.strict_add_signed(growth)]);
        moved += growth;
    }
    Some(blocks)
}

/// Returns how many lines two texts share at the start, and then at the end.
fn shared(old: &[String], new: &[String]) -> (usize, usize) {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new);
    let head = head.count();
    let rest = old[head..].iter().rev().zip(new[head..].iter().rev());
    (head, rest.take_while(|(old, new)| old == new).count())
}

/// Returns one edit that does what several do.
fn joined_edits(doc: &Doc, edits: &[LineEdit]) -> Vec<LineEdit> {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else {
        return Vec::new();
    };
    let (start, end) = (first.at, last.at + last.gone);
    let mut new = Vec::new();
    let mut at = start;
    for edit in edits {
        new.extend_from_slice(&doc.lines[at..edit.at]);
        new.extend_from_slice(&edit.new);
        at = edit.at + edit.gone;
    }
    let gone = end - start;
    vec![LineEdit {
        at: start,
        gone,
        new,
    }]
}

fn is_unique(lines: &[String], range: &Range<usize>) -> bool {
    let wanted = &lines[range.clone()];
    if wanted.is_empty() {
        return lines.is_empty();
    }
    let places = lines.windows(wanted.len());
    places.filter(|place| *place == wanted).count() == 1
}

fn joined(parts: &[(&str, &[String])]) -> String {
    let lines = parts
        .iter()
        .flat_map(|(sign, lines)| lines.iter().map(move |line| format!("{sign}{line}\n")));
    lines.collect()
}

fn search_replace(name: &str, doc: Option<&Doc>, meant: &Meant, dice: &mut Dice) -> String {
    let block = |search: &str, replace: &str| {
        format!("{name}\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n\n")
    };
    match (meant, doc) {
        (Meant::Edited(edits), Some(doc)) => blocks(doc, edits, dice)
            .iter()
            .map(|part| {
                let old = [
                    ("", &part.before[..]),
                    ("", &part.gone[..]),
                    ("", &part.after[..]),
                ];
                let new = [
                    ("", &part.before[..]),
                    ("", &part.new[..]),
                    ("", &part.after[..]),
                ];
                block(&joined(&old), &joined(&new))
            })
            .collect(),
        (Meant::Created(doc), _) => block("", &joined(&[("", &doc.lines)])),
        _ => panic!("SEARCH/REPLACE cannot say {meant:?}"),
    }
}

fn v4a(name: &str, doc: Option<&Doc>, meant: &Meant, dice: &mut Dice) -> String {
    let mut hunks = |edits: &[LineEdit]| -> String {
        let doc = doc.expect("a file");
        let blocks = blocks(doc, edits, dice).into_iter();
        let hunks = blocks.map(|part| {
            let lines = joined(&[
                (" ", &part.before),
                ("-", &part.gone),
                ("+", &part.new),
                (" ", &part.after),
            ]);
            let is_placed = part.before.len() + part.gone.len() + part.after.len() > 0;
            let mark = match part.at_end && is_placed {
                true => "*** End of File\n",
                false => "",
            };
            format!("@@\n{lines}{mark}")
        });
        hunks.collect()
    };
    match meant {
        Meant::Edited(edits) => format!("*** Update File: {name}\n{}", hunks(edits)),
        Meant::Created(doc) => {
            format!("*** Add File: {name}\n{}", joined(&[("+", &doc.lines)]))
        }
        Meant::Deleted => format!("*** Delete File: {name}\n"),
        Meant::Moved(to, edits) => {
            format!(
                "*** Update File: {name}\n*** Move to: {to}\n{}",
                hunks(edits)
            )
        }
    }
}

fn whole(name: &str, doc: Option<&Doc>, meant: &Meant) -> String {
    let lines = match (meant, doc) {
        (Meant::Edited(edits), Some(doc)) => doc.edited(edits).lines,
        (Meant::Created(doc), _) => doc.lines.clone(),
        _ => panic!("a whole file cannot say {meant:?}"),
    };
    format!("{name}\n```\n{}```\n\n", joined(&[("", &lines)]))
}

const NO_NEWLINE: &str = "\\ No newline at end of file\n";

fn unified(name: &str, doc: Option<&Doc>, meant: &Meant) -> String {
    let empty = Doc {
        lines: Vec::new(),
        crlf: false,
        ended: true,
    };
    let everything = |count: usize, new: Vec<String>| LineEdit {
        at: 0,
        gone: count,
        new,
    };
    match (meant, doc) {
        (Meant::Edited(edits), Some(doc)) => format!(
            "diff --git a/{name} b/{name}\n--- a/{name}\t\n+++ b/{name}\t\n{}",
            hunks(doc, edits)
        ),
        (Meant::Created(new), _) => format!(
            "diff --git a/{name} b/{name}\nnew file mode 100644\n--- /dev/null\n+++ b/{name}\t\n{}",
            hunks(&empty, &[everything(0, new.lines.clone())])
        ),
        (Meant::Deleted, Some(doc)) => {
            let head = format!("diff --git a/{name} b/{name}\ndeleted file mode 100644\n");
            match doc.lines.len() {
                0 => head,
                count => format!(
                    "{head}--- a/{name}\t\n+++ /dev/null\n{}",
                    hunks(doc, &[everything(count, Vec::new())])
                ),
            }
        }
        (Meant::Moved(to, edits), Some(doc)) => {
            let head = format!(
                "diff --git a/{name} b/{to}\nsimilarity index 90%\nrename from {name}\nrename to {to}\n"
            );
            match edits.is_empty() {
                true => head,
                false => format!("{head}--- a/{name}\t\n+++ b/{to}\t\n{}", hunks(doc, edits)),
            }
        }
        _ => panic!("no file {name}"),
    }
}

/// Returns the hunks of a diff with three lines of context.
fn hunks(doc: &Doc, edits: &[LineEdit]) -> String {
    const CONTEXT: usize = 3;
    let after = doc.edited(edits);
    let edits = with_last_line(doc, edits);
    let mut text = String::new();
    let mut moved = 0_isize;
    let mut rest = &edits[..];
    while let Some(first) = rest.first() {
        let mut count = 1;
        while rest.get(count).is_some_and(|next| {
            let last = &rest[count - 1];
            next.at - (last.at + last.gone) <= 2 * CONTEXT
        }) {
            count += 1;
        }
        let (group, behind) = rest.split_at(count);
        rest = behind;
        let start = first.at.saturating_sub(CONTEXT);
        let end = group.last().map_or(0, |last| last.at + last.gone);
        let end = (end + CONTEXT).min(doc.lines.len());
        let mut body = String::new();
        let mut at = start;
        let old_mark = |line: usize| line + 1 == doc.lines.len() && !doc.ended;
        let mut new_count = 0;
        let context = |body: &mut String, range: Range<usize>, new_count: &mut usize| {
            for line in range {
                body.push_str(&format!(" {}\n", doc.lines[line]));
                *new_count += 1;
                if old_mark(line) {
                    body.push_str(NO_NEWLINE);
                }
            }
        };
        for edit in group {
            context(&mut body, at..edit.at, &mut new_count);
            for line in edit.at..edit.at + edit.gone {
                body.push_str(&format!("-{}\n", doc.lines[line]));
                if old_mark(line) {
                    body.push_str(NO_NEWLINE);
                }
            }
            for (index, line) in edit.new.iter().enumerate() {
                body.push_str(&format!("+{line}\n"));
                let reaches_end = edit.at + edit.gone == doc.lines.len();
                if reaches_end && index + 1 == edit.new.len() && !after.ended {
                    body.push_str(NO_NEWLINE);
                }
            }
            new_count += edit.new.len();
            at = edit.at + edit.gone;
        }
        context(&mut body, at..end, &mut new_count);
        let old_count = end - start;
        let new_start = start.strict_add_signed(moved);
        let number = |start: usize, count: usize| if count == 0 { start } else { start + 1 };
        text.push_str(&format!(
            "@@ -{},{old_count} +{},{new_count} @@\n{body}",
            number(start, old_count),
            number(new_start, new_count)
        ));
        moved += new_count as isize - old_count as isize;
    }
    text
}

/// Returns the edits; the last one includes the last line of the file where that line gets a newline because of lines
/// after it.
fn with_last_line(doc: &Doc, edits: &[LineEdit]) -> Vec<LineEdit> {
    let mut edits = edits.to_vec();
    let count = doc.lines.len();
    let Some(last) = edits.last_mut() else {
        return edits;
    };
    // A last line without newline that stays, and after which lines are inserted.
    if !doc.ended && last.at == count && count > 0 {
        last.at -= 1;
        last.gone += 1;
        last.new.insert(0, doc.lines[count - 1].clone());
    }
    edits
}
