//! Write and pages: encoding, mark and line ends of the file are preserved, an append adds and touches nothing, and
//! only what was shown may be changed.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use crate::exact::{is_spelled, patched, places};
use crate::ground::{Ground, config, done, is_refused, refused, settings};
use crate::texts::{ENCODINGS, Sample, any_words, sample, spell, text_of};

fn engine() -> Ground {
    Ground::with(|builder| builder.settings(settings(ENCODINGS)))
}

/// Returns a text in the file's encoding, with this line end for each newline.
fn with_ends(sample: &Sample, text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            bytes.extend(sample.line_end());
        }
        bytes.extend(sample.charset.encode(line).unwrap());
    }
    bytes
}

#[test]
fn a_write_keeps_encoding_mark_and_line_ends() {
    let ground = engine();
    proptest!(config(), |(sample in sample(), words in vec(any_words(), 1..4), crlf in prop::bool::weighted(0.2))| {
        ground.clear();
        ground.put(sample.name(), sample.bytes());
        let session = ground.session();
        let content = spell(sample.charset, &words.concat());
        let view = sample.view();
        let sent = if crlf { content.replace('\n', "\r\n") } else { content.clone() };
        if content != view && !sample.bytes().is_empty() && sent.as_bytes() != sample.bytes() {
            is_refused(&ground.write(&session, sample.name(), &sent), "not_read");
        }
        done(&ground.read(&session, sample.name()));
        let reply = ground.write(&session, sample.name(), &sent);
        let mut wanted = sample.charset.mark().to_vec();
        if sample.has_one_line_end() {
            wanted.extend(with_ends(&sample, &content));
        } else {
            wanted.extend(sample.charset.encode(&sent).unwrap());
        }
        if wanted == sample.bytes() {
            is_refused(&reply, "no_change");
            return Ok(());
        }
        done(&reply);
        assert_eq!(ground.bytes(sample.name()), wanted);
        if sample.uniform && !view.contains('\r') && !crlf {
            assert_eq!(patched(&view, &reply.data()["patch"]), content, "the patch makes the result");
        }
        // The session that wrote it knows it.
        if let Some(line) = content.split('\n').find(|line| !line.is_empty() && places(&content, line).len() == 1 && *line != "x") {
            let reply = ground.edit(&session, sample.name(), line, "x");
            done(&reply);
        }
    });
}

#[test]
fn an_append_adds_and_touches_nothing() {
    let ground = engine();
    proptest!(config(), |(sample in sample(), words in any_words(), crlf in prop::bool::weighted(0.2), offset in 1..12_usize)| {
        ground.clear();
        ground.put(sample.name(), sample.bytes());
        let session = ground.session();
        let content = spell(sample.charset, &words);
        let sent = if crlf { content.replace('\n', "\r\n") } else { content.clone() };
        let lines = sample.view().split_terminator('\n').count();
        done(&ground.call(&session, "Read", json!({ "file_path": ground.path(sample.name()), "offset": offset, "limit": 2 })));
        let last_seen = lines == 0 || (offset <= lines && lines < offset + 2);
        let append = json!({ "file_path": ground.path(sample.name()), "content": sent, "mode": "append", "insist": true });
        let reply = ground.call(&session, "Write", append);
        if content.is_empty() {
            is_refused(&reply, "no_change");
            return Ok(());
        }
        if !last_seen {
            is_refused(&reply, "not_read");
            return Ok(());
        }
        done(&reply);
        let after = ground.bytes(sample.name());
        let before = sample.bytes();
        assert!(after.starts_with(&before), "what was there stays");
        assert!(is_spelled(sample.charset, &after[before.len()..], &content));
        if sample.uniform {
            assert_eq!(&after[before.len()..], with_ends(&sample, &content));
        }
    });
}

/// Returns the lines, from 1, that a range of characters touches.
fn lines_of(view: &str, start: usize, length: usize) -> std::ops::RangeInclusive<usize> {
    let line = |at: usize| view[..at].matches('\n').count() + 1;
    line(start)
        ..=line(
            start + length
                - view[start..start + length]
                    .chars()
                    .last()
                    .map_or(0, char::len_utf8),
        )
}

#[test]
fn only_lines_that_were_shown_may_be_changed() {
    let ground = engine();
    let page = (1..10_usize, 1..5_usize);
    proptest!(config(), |(sample in sample(), pages in vec(page, 0..3), at in any::<u16>(), length in 0..20_u8, new in any_words(), all in prop::bool::weighted(0.2))| {
        ground.clear();
        ground.put(sample.name(), sample.bytes());
        let session = ground.session();
        let view = sample.view();
        let total = view.split_terminator('\n').count();
        let mut seen = BTreeSet::new();
        for (offset, limit) in &pages {
            let reply = ground.call(&session, "Read", json!({ "file_path": ground.path(sample.name()), "offset": offset, "limit": limit }));
            done(&reply);
            seen.extend((*offset..offset + limit).filter(|line| *line <= total));
        }
        let picked = sample.pick(at, length);
        if picked.is_empty() || sample.units[picked.clone()].iter().any(|unit| unit.damaged) {
            return Ok(());
        }
        let old = text_of(&sample.units[picked]);
        let new = spell(sample.charset, &new);
        if old == new || old.contains("\r\n") {
            return Ok(());
        }
        let call = json!({ "file_path": ground.path(sample.name()), "old_string": old, "new_string": new, "replace_all": all, "insist": true });
        let reply = ground.call(&session, "Edit", call);
        let found = places(&view, &old);
        let touched: Vec<BTreeSet<usize>> = found.iter().map(|at| lines_of(&view, *at, old.len()).collect()).collect();
        if pages.is_empty() {
            is_refused(&reply, "not_read");
        } else if all {
            // Of overlapping places only some are replaced; those that are must have been seen.
            let every = touched.iter().all(|lines| lines.is_subset(&seen));
            let none = touched.iter().all(|lines| !lines.is_subset(&seen));
            match refused(&reply) {
                "" => assert!(!none, "unseen lines were changed"),
                "not_read" => assert!(!every, "{}", reply.text()),
                "no_change" => {}
                other => panic!("{other}: {}", reply.text()),
            }
        } else if found.len() > 1 {
            let none = touched.iter().all(|lines| !lines.is_subset(&seen));
            is_refused(&reply, if none { "not_read" } else { "ambiguous" });
        } else if touched[0].is_subset(&seen) {
            done(&reply);
        } else {
            is_refused(&reply, "not_read");
        }
        if reply.is_error() && !pages.is_empty() && total > 0 {
            let whole = (1..=total).all(|line| seen.contains(&line));
            let reply = ground.write(&session, sample.name(), "other text\n");
            assert_eq!(refused(&reply), if whole { "" } else { "not_read" }, "{}", reply.text());
        }
    });
}
