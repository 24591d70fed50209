//! Exact edits of generated files: bytes outside of the span are unchanged, the span contains the sent text except for
//! its line ends and encoding, the answer is true, and the inverse edit restores the file.

use std::ops::Range;

use lancet::{Reply, Session};
use lancet_workspace::Revision;
use proptest::prelude::*;
use serde_json::json;

use crate::ground::{
    Ground, cases, config, config_of, done, is_refused, numbered, refused, settings,
};
use crate::texts::{
    Charset, ENCODINGS, Sample, any_words, bytes_of, sample, sound_sample, spell, text_of,
};

/// Returns the positions of a text in another, overlapping ones included.
pub(crate) fn places(view: &str, old: &str) -> Vec<usize> {
    view.char_indices()
        .map(|(at, _)| at)
        .filter(|at| view[*at..].starts_with(old))
        .collect()
}

/// Returns whether bytes are this text with one of the four line ends for each newline.
pub(crate) fn is_spelled(charset: Charset, bytes: &[u8], text: &str) -> bool {
    let Some((line, rest)) = text.split_once('\n') else {
        return charset.encode(text).is_some_and(|line| line == bytes);
    };
    let Some(bytes) = charset
        .encode(line)
        .and_then(|line| bytes.strip_prefix(&line[..]))
    else {
        return false;
    };
    ["\n", "\r\n", "\r", "\r\r\n"].iter().any(|end| {
        let end = charset.encode(end).unwrap_or_default();
        bytes
            .strip_prefix(&end[..])
            .is_some_and(|bytes| is_spelled(charset, bytes, rest))
    })
}

/// The form in which a model writes its newlines.
#[derive(Clone, Copy, Debug)]
enum Sending {
    Lf,
    Crlf,
}

fn sending() -> impl Strategy<Value = Sending> {
    prop_oneof![4 => Just(Sending::Lf), 1 => Just(Sending::Crlf)]
}

fn send(text: &str, how: Sending) -> String {
    match how {
        Sending::Lf => text.to_owned(),
        Sending::Crlf => text.replace('\n', "\r\n"),
    }
}

/// Returns whether text is spaces, their look-alikes and tabs.
fn is_blank(text: &str) -> bool {
    text.chars().all(|character| {
        matches!(
            character,
            ' ' | '\t' | '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}'
        )
    })
}

/// Returns the units before these on their line, as text.
fn lead(sample: &Sample, start: usize) -> String {
    let mut lines = sample.units[..start].rsplit(|unit| unit.text == "\n");
    text_of(lines.next().unwrap_or_default())
}

/// Returns the span that an edit of these units replaces: a deletion of whole lines includes the blanks around them and
/// their newline, and leaves the newline before them.
fn span(sample: &Sample, picked: &Range<usize>, new: &str) -> Range<usize> {
    let units = &sample.units;
    let old = text_of(&units[picked.clone()]);
    let behind = units[picked.end..].iter();
    let blanks = behind
        .take_while(|unit| !unit.damaged && is_blank(&unit.text))
        .count();
    let newline = picked.end + blanks;
    let lead = lead(sample, picked.start);
    if !new.is_empty() || is_blank(&old.replace('\n', "")) {
        return picked.clone();
    }
    let start = picked.start - lead.chars().count();
    match (old.starts_with('\n'), old.ends_with('\n')) {
        (true, true) if !lead.is_empty() => picked.start + 1..picked.end,
        (false, true) if is_blank(&lead) => start..picked.end,
        (false, false)
            if is_blank(&lead) && units.get(newline).is_some_and(|unit| unit.text == "\n") =>
        {
            start..newline + 1
        }
        _ => picked.clone(),
    }
}

/// Returns the text that an edit writes: indentation that is already before the place is not written again, and further
/// lines get the indentation that the one old line lacks.
fn written(sample: &Sample, picked: &Range<usize>, new: &str) -> String {
    let old = text_of(&sample.units[picked.clone()]);
    let lead = lead(sample, picked.start);
    let indent = |text: &str| -> String {
        text.chars()
            .take_while(|character| is_blank(&character.to_string()))
            .collect()
    };
    let visible = |text: &str| -> String { text.split_whitespace().collect() };
    let further = |text: &str| -> Vec<(String, String)> {
        let lines = text.split('\n').skip(1).filter(|line| !is_blank(line));
        lines
            .map(|line| (indent(line), line[indent(line).len()..].to_owned()))
            .collect()
    };
    let (old_lines, new_lines) = (further(&old), further(new));
    let moves = new_lines.iter().any(|(_, content)| {
        old_lines.iter().any(|(_, other)| other == content)
            && !new_lines
                .iter()
                .any(|line| line.1 == *content && old_lines.contains(line))
    });
    let once = !lead.is_empty()
        && is_blank(&lead)
        && indent(new) == lead
        && indent(&old).is_empty()
        && visible(&old) != visible(new)
        && !moves;
    if once {
        return new[lead.len()..].to_owned();
    }
    let width = |indent: &str| -> usize {
        let blanks = indent.chars();
        blanks.map(|blank| if blank == '\t' { 8 } else { 1 }).sum()
    };
    let behind = sample.units.get(picked.end);
    let at_line_end = old.ends_with('\n') || behind.is_none_or(|unit| unit.text == "\n");
    let is_one_line = !is_blank(old.split('\n').next().unwrap()) && old_lines.is_empty();
    let widths: Vec<usize> = new_lines.iter().map(|(indent, _)| width(indent)).collect();
    let own = indent(&old);
    let lacks = is_blank(&lead)
        && at_line_end
        && is_one_line
        && indent(new) == own
        && !widths.is_empty()
        && widths.iter().all(|further| *further >= width(&own))
        && (!own.is_empty() || widths.iter().any(|further| *further < width(&lead)));
    if !lacks {
        return new.to_owned();
    }
    let mut lines = new.split('\n');
    let mut text = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        text += "\n";
        text += if is_blank(line) { "" } else { &lead };
        text += line;
    }
    text
}

/// Returns the longest common head and tail of whole lines, in bytes of the texts.
fn shared_lines(old: &str, new: &str) -> (usize, usize) {
    let mut head = 0;
    for (old, new) in old.split_inclusive('\n').zip(new.split_inclusive('\n')) {
        if old != new || !old.ends_with('\n') {
            break;
        }
        head += old.len();
    }
    (head, old.len())
}

fn try_exact(
    ground: &Ground,
    sample: &Sample,
    at: (u16, u8),
    new: &str,
    how: Sending,
) -> Option<(Session, Reply)> {
    ground.clear();
    let name = sample.name();
    ground.put(name, sample.bytes());
    let session = ground.session();
    let reply = ground.read(&session, name);
    done(&reply);
    let view = sample.view();
    let shown: Vec<&str> = numbered(reply.text())
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    // `str::lines` would remove a CR as well.
    let lines: Vec<&str> = view.split_terminator('\n').collect();
    if !view.contains(['\r', '→']) {
        assert_eq!(shown, lines, "Read shows the text");
    }
    let picked = sample.pick(at.0, at.1);
    if picked.is_empty() {
        return None;
    }
    let old = text_of(&sample.units[picked.clone()]);
    let reply = ground.edit(&session, name, &send(&old, how), &send(new, how));
    if old == new {
        is_refused(&reply, "no_change");
        return None;
    }
    if sample.units[picked.clone()].iter().any(|unit| unit.damaged) {
        is_refused(&reply, "not_found");
        return None;
    }
    if old.contains("\r\n") {
        // Three CRs before an LF: the first is a character, but it cannot be sent without being read as CR LF.
        assert!(
            matches!(refused(&reply), "" | "not_found" | "ambiguous"),
            "{}",
            reply.text()
        );
        return None;
    }
    if places(&view, &old).len() > 1 {
        is_refused(&reply, "ambiguous");
        return None;
    }
    done(&reply);
    assert_eq!(reply.data()["matched"], json!("exact"));
    let written = written(sample, &picked, new);
    check_bytes(sample, &picked, &old, &written, &ground.bytes(name));
    check_answer(sample, &picked, &written, &reply, &ground.bytes(name));
    Some((session, reply))
}

/// Returns the end, in the file, of the line that old and new text share when the new text ends with it and the old
/// text continues to the end of a later line. A shared line keeps its own end, and the later lines go with theirs.
fn end_of_kept_line<'s>(sample: &'s Sample, picked: &Range<usize>, new: &str) -> Option<&'s [u8]> {
    let (old, last) = (&sample.units[picked.clone()], new.rsplit('\n').next()?);
    let goes_on = sample.units.get(picked.end)?.text == "\n" && old.last()?.text != "\n";
    let mut lines = old.split_inclusive(|unit| unit.text == "\n");
    let kept = lines.rfind(|line| text_of(line).strip_suffix('\n') == Some(last))?;
    (goes_on && !new.is_empty()).then(|| &kept.last().unwrap().bytes[..])
}

/// Asserts that everything outside of the span is unchanged, and that the span contains the sent text.
fn check_bytes(sample: &Sample, picked: &Range<usize>, old: &str, new: &str, after: &[u8]) {
    let span = span(sample, picked, new);
    let mut head = sample.charset.mark().to_vec();
    head.extend(bytes_of(&sample.units[..span.start]));
    if let Some(line_end) = end_of_kept_line(sample, picked, new) {
        // The lines after it were removed with their own ends, so its end is now where theirs were.
        let mut wanted = line_end.to_vec();
        wanted.extend(bytes_of(&sample.units[span.end + 1..]));
        let inner = after
            .strip_prefix(&head[..])
            .and_then(|rest| rest.strip_suffix(&wanted[..]));
        if inner.is_some_and(|inner| is_spelled(sample.charset, inner, new)) {
            return;
        }
    }
    let tail = bytes_of(&sample.units[span.end..]);
    let inner = after
        .strip_prefix(&head[..])
        .and_then(|rest| rest.strip_suffix(&tail[..]))
        .unwrap_or_else(|| panic!("bytes outside of the span changed: {after:?}"));
    assert!(
        is_spelled(sample.charset, inner, new),
        "{inner:?} is not {new:?}"
    );
    if sample.uniform && !new.contains('\r') {
        let mut wanted = Vec::new();
        for (number, line) in new.split('\n').enumerate() {
            if number > 0 {
                wanted.extend(sample.line_end());
            }
            wanted.extend(sample.charset.encode(line).unwrap());
        }
        assert_eq!(inner, wanted, "line ends follow the file");
    }
    let (shared, _) = shared_lines(old, new);
    let shared_units = old[..shared].chars().count();
    let kept = bytes_of(&sample.units[picked.start..picked.start + shared_units]);
    assert!(
        inner.starts_with(&kept),
        "shared lines keep their bytes, line ends too"
    );
}

/// Asserts that the answer is true: revision, lines, patch.
fn check_answer(sample: &Sample, picked: &Range<usize>, new: &str, reply: &Reply, after: &[u8]) {
    let data = reply.data();
    assert_eq!(
        data["revision"],
        json!(Revision::from_content(after).short_hex())
    );
    let view = sample.view();
    let span = span(sample, picked, new);
    let before = text_of(&sample.units[..span.start]);
    let behind = text_of(&sample.units[span.end..]);
    let result = format!("{before}{new}{behind}");
    if view.contains('\r') || result.contains('→') || !result.contains('\n') {
        // Whether a lone CR ends a line may change with the edit.
        return;
    }
    let lines: Vec<&str> = result.split_terminator('\n').collect();
    for (number, text) in numbered(reply.text()) {
        assert_eq!(
            lines.get(number - 1),
            Some(&text),
            "line {number} of the answer"
        );
    }
    assert_eq!(
        patched(&view, &data["patch"]),
        result,
        "the patch makes the result"
    );
    let count = |mark: char| {
        let hunks = data["patch"].as_array().unwrap();
        let lines = hunks
            .iter()
            .flat_map(|hunk| hunk["lines"].as_array().unwrap());
        lines
            .filter(|line| line.as_str().unwrap().starts_with(mark))
            .count()
    };
    assert_eq!(
        (data["added"].as_u64(), data["removed"].as_u64()),
        (Some(count('+') as u64), Some(count('-') as u64))
    );
}

/// Returns a text with a patch applied, by the plain reading of a unified diff.
pub(crate) fn patched(view: &str, patch: &serde_json::Value) -> String {
    let old: Vec<&str> = view.split_inclusive('\n').collect();
    let mut out = String::new();
    let mut at = 0;
    for hunk in patch.as_array().unwrap() {
        let number = |key: &str| hunk[key].as_u64().unwrap() as usize;
        let start = if number("oldLines") == 0 {
            number("oldStart")
        } else {
            number("oldStart") - 1
        };
        out.extend(old[at..start].iter().copied());
        at = start;
        let lines: Vec<&str> = hunk["lines"]
            .as_array()
            .unwrap()
            .iter()
            .map(|line| line.as_str().unwrap())
            .collect();
        for (index, line) in lines.iter().enumerate() {
            let unended = lines
                .get(index + 1)
                .is_some_and(|next| next.starts_with('\\'));
            let end = if unended { "" } else { "\n" };
            match line.split_at(1) {
                (" ", text) => {
                    assert_eq!(old[at], format!("{text}{end}"), "context of the patch");
                    out.push_str(old[at]);
                    at += 1;
                }
                ("-", text) => {
                    assert_eq!(old[at], format!("{text}{end}"), "removed line of the patch");
                    at += 1;
                }
                ("+", text) => out.push_str(&format!("{text}{end}")),
                _ => {}
            }
        }
    }
    out.extend(old[at..].iter().copied());
    out
}

fn engine() -> Ground {
    Ground::with(|builder| builder.settings(settings(ENCODINGS)))
}

#[test]
fn outside_the_span_nothing_changes_and_inside_stands_what_was_sent() {
    let ground = engine();
    proptest!(config(), |(sample in sample(), at in any::<(u16, u8)>(), short in 0..8_u8, new in any_words(), how in sending())| {
        // Half of the places are short, so that some are ambiguous.
        let length = if at.1 % 2 == 0 { short } else { at.1 / 8 };
        let new = spell(sample.charset, &new);
        try_exact(&ground, &sample, (at.0, length), &new, how);
    });
}

#[test]
fn the_same_holds_on_a_real_disk() {
    let ground = Ground::real(|builder| builder.settings(settings(ENCODINGS)));
    proptest!(config_of(cases() / 100), |(sample in sample(), at in any::<u16>(), length in 0..30_u8, new in any_words(), how in sending())| {
        let new = spell(sample.charset, &new);
        try_exact(&ground, &sample, (at, length), &new, how);
    });
}

#[test]
fn the_inverse_edit_gives_the_file_back() {
    let ground = engine();
    proptest!(config(), |(sample in sound_sample(), at in any::<u16>(), length in 0..30_u8, new in any_words())| {
        let new = spell(sample.charset, &new);
        let view = sample.view();
        let picked = sample.pick(at, length);
        if picked.is_empty() {
            return Ok(());
        }
        let old = text_of(&sample.units[picked.clone()]);
        let ends_left = sample.units[..picked.start].iter().chain(&sample.units[span(&sample, &picked, &new).end..]);
        let ends_left = ends_left.filter(|unit| unit.text == "\n").count();
        // If the edit removed the last line end, the inverse edit cannot restore its kind, unless it is LF.
        let kept_ends = sample.uniform && (ends_left > 0 || sample.line_end() == sample.charset.encode("\n").unwrap());
        let inside_a_line = !old.contains('\n') && !new.contains('\n') && !new.is_empty();
        if !(kept_ends || inside_a_line) || view.contains('\r') {
            return Ok(());
        }
        let Some((session, _)) = try_exact(&ground, &sample, (at, length), &new, Sending::Lf) else {
            return Ok(());
        };
        let span = span(&sample, &picked, &new);
        let before = text_of(&sample.units[..span.start]);
        let behind = text_of(&sample.units[span.end..]);
        let after = format!("{before}{}{behind}", written(&sample, &picked, &new));
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let tail = behind.len() - behind.find('\n').map_or(behind.len(), |at| at + 1);
        let mut inverse = (&after[start..after.len() - tail], &view[start..view.len() - tail]);
        if inverse.0.is_empty() || inverse.1.is_empty() || places(&after, inverse.0).len() > 1 {
            inverse = (&after, &view);
        }
        done(&ground.read(&session, sample.name()));
        let reply = ground.edit(&session, sample.name(), inverse.0, inverse.1);
        done(&reply);
        assert_eq!(ground.bytes(sample.name()), sample.bytes());
    });
}

#[test]
fn a_character_that_the_encoding_lacks_leaves_the_file() {
    let ground = engine();
    proptest!(config(), |(sample in sample(), at in any::<u16>(), length in 0..6_u8, head in any_words(), tail in any_words())| {
        let new = format!("{}\u{2603}{}", spell(sample.charset, &head), spell(sample.charset, &tail));
        if sample.charset.encode("\u{2603}").is_some() {
            try_exact(&ground, &sample, (at, length), &new, Sending::Lf);
            return Ok(());
        }
        ground.clear();
        ground.put(sample.name(), sample.bytes());
        let session = ground.session();
        done(&ground.read(&session, sample.name()));
        let picked = sample.pick(at, length);
        if picked.is_empty() {
            return Ok(());
        }
        let reply = ground.edit(&session, sample.name(), &text_of(&sample.units[picked]), &new);
        assert!(matches!(refused(&reply), "unencodable" | "ambiguous" | "not_found"), "{}", reply.text());
        let reply = ground.call(&session, "Write", json!({ "file_path": ground.path(sample.name()), "content": new, "insist": true }));
        is_refused(&reply, "unencodable");
    });
}

#[test]
fn replace_all_changes_every_place_and_nothing_else() {
    let ground = engine();
    proptest!(config(), |(sample in sound_sample(), at in any::<u16>(), length in 0..2_u8, new in any_words())| {
        let new = spell(sample.charset, &new);
        let picked = sample.pick(at, length);
        let old = text_of(&sample.units[picked]);
        if old.is_empty() || old.contains(['\n', '\r']) || new.contains('\n') || new.is_empty() || old == new {
            return Ok(());
        }
        // Indentation that is counted once is covered by another law.
        if new.starts_with(|character: char| is_blank(&character.to_string())) {
            return Ok(());
        }
        ground.clear();
        ground.put(sample.name(), sample.bytes());
        let session = ground.session();
        done(&ground.read(&session, sample.name()));
        let count = sample.view().matches(&old).count();
        let call = |count: usize| json!({ "file_path": ground.path(sample.name()), "old_string": old, "new_string": new, "replace_all": true, "expect_count": count, "insist": true });
        is_refused(&ground.call(&session, "Edit", call(count + 1)), "count");
        let reply = ground.call(&session, "Edit", call(count));
        done(&reply);
        assert_eq!(reply.data()["replacements"], json!(count));
        let width = old.chars().count();
        let mut wanted = sample.charset.mark().to_vec();
        let mut at = 0;
        while at < sample.units.len() {
            let end = (at + width).min(sample.units.len());
            if text_of(&sample.units[at..end]) == old {
                wanted.extend(sample.charset.encode(&new).unwrap());
                at = end;
            } else {
                wanted.extend(&sample.units[at].bytes);
                at += 1;
            }
        }
        assert_eq!(ground.bytes(sample.name()), wanted);
    });
}
