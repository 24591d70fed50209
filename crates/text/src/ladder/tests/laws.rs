//! Properties that hold for any texts. They are checked against `oracle`, a second implementation of the rules that
//! tries every place in turn and has no code in common with the ladder.

mod oracle;
mod texts;

use proptest::prelude::*;

use super::*;
use crate::laws::config;
use crate::{Document, apply_raw};
use oracle::Relation;
use texts::{Sample, arbitrary_sample, damaged_sample, generated_sample, plain_sample};

/// Returns the rung and the places of a verdict, whether it edits them, forbids the edit or finds too many.
fn rung_and_places(verdict: &Verdict) -> Option<(Rung, Vec<Range<usize>>)> {
    match verdict {
        Verdict::Found(found) => {
            let ranges = found.places.iter().map(|place| place.range.clone());
            Some((found.rung, ranges.collect()))
        }
        Verdict::Ambiguous { rung, places, .. } => Some((*rung, places.clone())),
        Verdict::NotFound { guard: Some(guard) } => Some((guard.rung, vec![guard.place.clone()])),
        Verdict::TooMany { rung, first, .. } => Some((*rung, first.clone())),
        Verdict::NotFound { guard: None } | Verdict::Leaked { .. } => None,
    }
}

fn result_of_edit(view: &str, verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Found(found) => Some(apply_changes(view, &changes(found))),
        _ => None,
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn find_never_panics(Sample { view, old, new } in arbitrary_sample(), all in any::<bool>(), insisted in any::<bool>()) {
        let occurrences = if all { Occurrences::All } else { Occurrences::One };
        let leaks = if insisted { LeakPolicy::Insisted } else { LeakPolicy::Refuse };
        let verdict = find(&Query { occurrences, leaks, ..new_query(&view, &old, &new) });
        if let Verdict::Found(found) = &verdict {
            let mut from = 0;
            for place in &found.places {
                prop_assert!(from <= place.range.start && place.range.end <= view.len());
                from = place.range.start;
                for change in &place.changes {
                    prop_assert!(from <= change.range.start && change.range.start <= change.range.end);
                    prop_assert!(view.is_char_boundary(change.range.start) && view.is_char_boundary(change.range.end));
                    prop_assert!(view[change.range.clone()] != *change.text || old == new || new.is_empty());
                    from = change.range.end;
                }
                // The last change may extend over the newline after the place.
                let newline = usize::from(view[place.range.end..].starts_with('\n'));
                prop_assert!(from <= place.range.end + newline);
                from = from.max(place.range.end);
            }
        }
    }

    #[test]
    fn places_never_overlap_damaged_text(sample in damaged_sample()) {
        let (Sample { view, old, new }, damaged) = sample;
        let verdict = find(&Query { damaged: &damaged, ..new_query(&view, &old, &new) });
        for place in rung_and_places(&verdict).map(|(_, places)| places).unwrap_or_default() {
            // A newline that is deleted with the place is beyond the matched text.
            prop_assert!(damaged.iter().all(|damage| damage.end <= place.start || place.end <= damage.start));
        }
    }

    #[test]
    fn an_exact_match_inserts_exactly_what_was_sent(Sample { view, old, new } in generated_sample()) {
        let places = oracle::exact_places(&view, &old);
        let verdict = find(&new_query(&view, &old, &new));
        match places.as_slice() {
            [] => prop_assert!(rung_and_places(&verdict).is_none_or(|(rung, _)| rung != Rung::Exact)),
            [place] => {
                let (place, new) = oracle::exact_edit(&view, place, &old, &new);
                let wanted = [&view[..place.start], &new, &view[place.end..]].concat();
                prop_assert_eq!(result_of_edit(&view, &verdict), Some(wanted));
            }
            _ => prop_assert_eq!(verdict, Verdict::Ambiguous { rung: Rung::Exact, places, looser: Default::default() }),
        }
    }

    #[test]
    fn replaces_all_exact_places_from_left(view in "[ab\n]{0,30}", old in "[ab\n]{1,3}", new in "[abc\n]{1,4}") {
        let verdict = find(&Query { occurrences: Occurrences::All, ..new_query(&view, &old, &new) });
        if view.contains(&old) {
            // There are no blanks here, so no indentation of the new text is left out.
            prop_assert_eq!(result_of_edit(&view, &verdict), Some(view.replace(&old, &new)));
        }
    }

    #[test]
    fn inverse_edit_restores_exact_edit(Sample { view, old, new } in generated_sample()) {
        let Verdict::Found(found) = find(&new_query(&view, &old, &new)) else { return Ok(()) };
        // A deletion leaves no text that could be found again.
        if found.rung != Rung::Exact || new.is_empty() {
            return Ok(());
        }
        let edited = apply_changes(&view, &changes(&found));
        // This is the text that was written. It differs from the sent text where indentation was left out or completed.
        let place = found.places[0].range.clone();
        let written = &edited[place.start..edited.len() - (view.len() - place.end)];
        let back = find(&Query { tolerance: Tolerance::Exact, ..new_query(&edited, written, &old) });
        if let Verdict::Found(found) = &back {
            prop_assert_eq!(found.rung, Rung::Exact);
            prop_assert_eq!(result_of_edit(&edited, &back), Some(view));
        } else {
            let ambiguous = matches!(back, Verdict::Ambiguous { rung: Rung::Exact, .. });
            prop_assert!(ambiguous);
        }
    }

    /// The rung is the first under whose relation anything is equivalent. The reported places are all its places and,
    /// from `look-alike` on, those of later rungs on other lines: so what is accepted is unique.
    #[test]
    fn each_rung_finds_exactly_its_equivalent_places(Sample { view, old, new } in generated_sample()) {
        let verdict = find(&new_query(&view, &old, &new));
        let wanted = oracle::first_rung(&view, &old);
        match (rung_and_places(&verdict), wanted) {
            (Some((rung @ (Rung::Gutter | Rung::Abbreviation | Rung::BlankEdge | Rung::Escaped), _)), wanted) => {
                // These rewrite the old text first; the relations before them found nothing.
                prop_assert!(wanted.is_none_or(|(other, _)| other > rung));
            }
            (Some((rung, mut places)), Some((wanted_rung, told))) => {
                let wanted_places: Vec<Range<usize>> = told.iter().map(|(_, place)| place.clone()).collect();
                if new.is_empty() {
                    // The deletion of whole lines includes the blanks around them and their newline.
                    for (place, wanted) in places.iter_mut().zip(&wanted_places) {
                        prop_assert!(place.start <= wanted.start && wanted.end <= place.end);
                        let taken = [&view[place.start..wanted.start], &view[wanted.end..place.end]].concat();
                        prop_assert_eq!(oracle::fold_without_white_space(&taken), "");
                        *place = wanted.clone();
                    }
                }
                let cut = |places: &[Range<usize>]| places.iter().map(|place| place.start).collect::<Vec<_>>();
                prop_assert_eq!((rung, cut(&places)), (wanted_rung, cut(&wanted_places)));
                if let Verdict::Ambiguous { looser, .. } = &verdict {
                    let rung_of = |at: usize| looser.get(&at).copied().unwrap_or(rung);
                    let named: Vec<_> = places.into_iter().enumerate().map(|(at, place)| (rung_of(at), place)).collect();
                    prop_assert_eq!(named, told);
                }
            }
            (None, None) => {}
            (found, wanted) => prop_assert!(matches!(verdict, Verdict::Leaked { .. }), "{found:?} {wanted:?}"),
        }
    }

    /// With white space removed and look-alikes folded, old text and place are the same.
    #[test]
    fn tolerates_only_white_space_and_look_alikes(Sample { view, old, new } in generated_sample()) {
        let rewrites = [Rung::Gutter, Rung::Abbreviation, Rung::Escaped, Rung::BlankEdge];
        let found = rung_and_places(&find(&new_query(&view, &old, &new)));
        for place in found.filter(|(rung, _)| !rewrites.contains(rung)).map(|(_, places)| places).unwrap_or_default() {
            prop_assert_eq!(oracle::fold_without_white_space(&view[place]), oracle::fold_without_white_space(&old));
        }
    }

    /// The result of an edit is the file with the new text in its places, except for white space and look-alikes; on
    /// `exact` without exceptions.
    #[test]
    fn result_equals_sent_text_up_to_tolerance(Sample { view, old, new } in generated_sample(), all in any::<bool>()) {
        let occurrences = if all { Occurrences::All } else { Occurrences::One };
        let verdict = find(&Query { occurrences, ..new_query(&view, &old, &new) });
        let Verdict::Found(found) = &verdict else { return Ok(()) };
        let rewritten = matches!(found.rung, Rung::Gutter | Rung::Abbreviation | Rung::Escaped);
        if rewritten || (found.rung == Rung::BlankEdge && old.contains('\u{2192}')) {
            return Ok(());
        }
        let mut sent = String::new();
        let mut from = 0;
        for place in &found.places {
            sent.push_str(&view[from..place.range.start]);
            sent.push_str(&new);
            from = place.range.end;
        }
        sent.push_str(&view[from..]);
        let edited = apply_changes(&view, &changes(found));
        prop_assert_eq!(oracle::fold_without_white_space(&edited), oracle::fold_without_white_space(&sent));
        // Indentation that is left out or completed changes the length.
        let as_sent = ![Remark::IndentationOnce, Remark::IndentationCompleted].iter().any(|remark| found.remarks.contains(remark));
        if found.rung == Rung::Exact && !new.is_empty() && as_sent {
            prop_assert_eq!(edited.len(), view.len() + found.places.len() * new.len() - found.places.len() * old.len());
        }
    }

    /// On the rungs of whole lines, a shared line is the file's, and any other is as sent, except for the changes that
    /// the rung makes to its indentation.
    #[test]
    fn unchanged_lines_keep_file_text(Sample { view, old, new } in plain_sample()) {
        if new.is_empty() {
            return Ok(());
        }
        let verdict = find(&new_query(&view, &old, &new));
        let Verdict::Found(found) = &verdict else { return Ok(()) };
        let relation = match found.rung {
            Rung::Trailing => Relation::Trailing,
            Rung::Indent => Relation::Indent,
            Rung::Tabs => Relation::Tabs,
            _ => return Ok(()),
        };
        let wanted = oracle::edit_lines(&view, &old, &new, relation);
        prop_assert_eq!(result_of_edit(&view, &verdict), wanted);
    }

    /// Every line that stays keeps the bytes of its line end, and every other line of the file too.
    #[test]
    fn unchanged_lines_keep_their_line_ends(Sample { view, old, new } in generated_sample(), ends in prop::collection::vec(0..3_usize, 12)) {
        let mut raw = String::new();
        let mut line = 0;
        for character in view.chars() {
            if character == '\n' {
                raw.push_str(["\n", "\r\n", "\r\r\n"][ends[line % ends.len()]]);
                line += 1;
            } else {
                raw.push(character);
            }
        }
        let Ok(document) = Document::decode(raw.as_bytes(), None) else { return Ok(()) };
        prop_assume!(document.view() == view);
        let Verdict::Found(found) = find(&new_query(&view, &old, &new)) else { return Ok(()) };
        let changes = changes(&found);
        let Ok(raw_changes) = document.raw_changes(&changes) else { return Ok(()) };
        let bytes = apply_raw(raw.as_bytes(), &raw_changes);
        let text = String::from_utf8_lossy(&bytes);
        let edited = apply_changes(&view, &changes);
        prop_assert_eq!(text.replace("\r\r\n", "\n").replace("\r\n", "\n"), edited);
        // The other rungs rewrite both texts before their lines are compared, and a deletion has no lines to share.
        let compares = matches!(found.rung, Rung::Exact | Rung::FinalNewline | Rung::LookAlike | Rung::Trailing | Rung::Indent | Rung::Tabs);
        if !compares || new.is_empty() {
            return Ok(());
        }
        let before: Vec<&str> = raw.split_inclusive('\n').collect();
        let after: Vec<&str> = text.split_inclusive('\n').collect();
        let end_of = |line: &str| line[line.trim_end_matches(['\r', '\n']).len()..].to_owned();
        let place = &found.places[0].range;
        let first = view[..place.start].matches('\n').count();
        // Indentation that is left out or completed belongs to the text whose lines are compared.
        let new = match found.rung {
            Rung::Exact => oracle::exact_edit(&view, place, &old, &new).1,
            _ => new,
        };
        let (old_lines, new_lines) = (oracle::old_lines(&old), oracle::old_lines(&new));
        for (old_line, new_line) in oracle::shared_for_line_ends(&old_lines, &new_lines, found.rung) {
            let own = end_of(before[first + old_line]);
            // The last line of a file may have no line end, before the edit or after it (an empty one is then no line
            // of the file), and one that the new text joins to the next has no line end.
            let open = first + new_line == after.len()
                || first + new_line + 1 == after.len() && !text.ends_with('\n');
            // The rest of the place's last line follows the last new line, with the line end of that last line.
            let rest = !old.ends_with('\n') && !matches!(view.as_bytes().get(place.end), None | Some(b'\n'));
            let joined = new_line + 1 == new_lines.len() && !new.ends_with('\n') && (old.ends_with('\n') || rest);
            if !own.is_empty() && !joined && !open {
                prop_assert_eq!(&end_of(after[first + new_line]), &own, "line {} of {:?}, {:?}", old_line, text, found.rung);
            }
        }
    }

    #[test]
    fn common_runs_agree_with_simple_rule(old in "[abc]{0,12}", new in "[abc]{0,12}") {
        let split = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        let (old, new) = (split(&old), split(&new));
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        let new: Vec<&str> = new.iter().map(String::as_str).collect();
        let pairs: Vec<(usize, usize)> = crate::ladder::common_runs::common_runs(&old, &new)
            .into_iter()
            .flat_map(|run| (0..run.len).map(move |step| (run.old + step, run.new + step)))
            .collect();
        prop_assert_eq!(pairs, oracle::common_pairs(&old, &new));
    }
}
