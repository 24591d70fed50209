//! Properties of any file, old text and new text: places are in order and disjoint, changes are inside them, an exact
//! match is the text itself, and the bytes around the changes stay. The first byte encodes the options; file, old text
//! and new text follow, separated by a byte 0x00.

use lancet_text::{
    Document, LeakPolicy, Occurrences, Query, Rung, TextKind, Tolerance, Verdict, apply_changes,
    apply_raw, find, normalize_newlines,
};

pub(crate) fn check(data: &[u8]) {
    let Some((options, rest)) = data.split_first() else {
        return;
    };
    let mut parts = rest.splitn(3, |byte| *byte == 0);
    let (Some(raw), Some(old), Some(new)) = (parts.next(), parts.next(), parts.next()) else {
        return;
    };
    let Ok(document) = Document::decode(raw, None) else {
        return;
    };
    let old = String::from_utf8_lossy(old);
    let new = String::from_utf8_lossy(new);
    let old = normalize_newlines(&old, document.endings());
    let new = normalize_newlines(&new, document.endings());
    let bit = |number: u8| options & (1 << number) != 0;
    let occurrences = if bit(0) {
        Occurrences::All
    } else {
        Occurrences::One
    };
    let view = document.view();
    let verdict = find(&Query {
        view,
        damaged: document.damaged_ranges(),
        old: &old,
        new: &new,
        occurrences,
        tolerance: if bit(1) {
            Tolerance::Exact
        } else {
            Tolerance::Tolerant
        },
        abbreviations: &[],
        leaks: if bit(2) {
            LeakPolicy::Insisted
        } else {
            LeakPolicy::Refuse
        },
        text_kind: if bit(3) {
            TextKind::Code
        } else {
            TextKind::Prose
        },
        bounds: None,
    });
    match verdict {
        Verdict::Found(found) => {
            assert!(!found.places.is_empty());
            if occurrences == Occurrences::One {
                assert_eq!(found.places.len(), 1);
            }
            let mut at = 0;
            let mut changes = Vec::new();
            for place in &found.places {
                assert!(place.range.start >= at, "places are in order and apart");
                assert!(
                    view.get(place.range.clone()).is_some(),
                    "places are on characters"
                );
                at = place.range.end;
                let mut inside = place.range.start;
                for change in &place.changes {
                    assert!(
                        change.range.start >= inside,
                        "changes are in order and apart"
                    );
                    assert!(view.get(change.range.clone()).is_some());
                    inside = change.range.end;
                }
                // The last change may include the newline after the place.
                let newline = usize::from(view[place.range.end..].starts_with('\n'));
                assert!(
                    inside <= place.range.end + newline,
                    "changes lie inside their place"
                );
                changes.extend(place.changes.iter().cloned());
                if found.rung == Rung::Exact {
                    let text = &view[place.range.clone()];
                    let line = text.strip_suffix('\n').unwrap_or(text);
                    let blanks =
                        |character: char| " \t".contains(lancet_text::fold_char(character));
                    // A deletion of whole lines also deletes the blanks around them.
                    let sent = old.strip_suffix('\n').unwrap_or(&old);
                    assert!(text == old || line.trim_matches(blanks) == sent.trim_matches(blanks));
                }
            }
            if let Ok(replacements) = document.raw_changes(&changes) {
                let result = apply_raw(raw, &replacements);
                let (first, last) = (replacements.first(), replacements.last());
                if let (Some(first), Some(last)) = (first, last) {
                    let start = usize::try_from(first.range.start).expect("a small file");
                    let behind = raw.len() - usize::try_from(last.range.end).expect("a small file");
                    assert_eq!(result[..start], raw[..start], "the bytes before stay");
                    assert_eq!(result[result.len() - behind..], raw[raw.len() - behind..]);
                } else {
                    assert_eq!(result, raw);
                    assert_eq!(apply_changes(view, &changes), view);
                }
            }
        }
        Verdict::Ambiguous { places, .. } => {
            assert!(places.len() > 1, "one place is not several");
            assert!(
                places
                    .windows(2)
                    .all(|pair| pair[0].start < pair[1].start || pair[0].end < pair[1].end)
            );
            assert!(places.iter().all(|place| view.get(place.clone()).is_some()));
        }
        Verdict::TooMany { first, count, .. } => assert!(first.len() < count, "all are listed"),
        Verdict::NotFound { .. } => {
            let exact = !old.is_empty() && view.contains(&*old);
            // Exact text is found, except at places that overlap undecodable bytes.
            assert!(
                !exact || !document.damaged_ranges().is_empty(),
                "the text stands there as it is"
            );
        }
        Verdict::Leaked { .. } => assert!(!bit(2), "the caller insisted"),
    }
}
