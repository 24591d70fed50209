//! Corrects an old text that is not in the file: finds the one intended place, reports what the old text has that the
//! file has not, and applies the same correction to the new text. The result is for refusals only; nothing is written
//! by it.

mod alike;
mod correction;
mod flaws;
mod gaps;
mod ignoring_space;
mod mend;
mod merge;
mod quote;
mod tokens;

#[cfg(test)]
mod tests;

use crate::clause::{ClausePart, clause};
use std::ops::Range;

use crate::diff::LineTable;
use alike::correction_by_likeness;
use correction::LineMatch;
pub use correction::{Correction, CorrectionOffer, NewText};
use flaws::{StrippedParts, without_repeated_lines};
use gaps::GapFit;
use mend::SentLines;
use quote::QuotedText;
pub(crate) use tokens::have_similar_words;

/// Corrects an old text that is not in the view. The attempts go from certain to likely:
///
/// - For each combination of flaws that the old text may have (code fence, line numbers, repeated lines), the text
///   without them is searched for, ignoring white space.
/// - Where it has gaps such as `...`, the text around them is searched for in order.
/// - Otherwise the region that is most alike is offered, if no other region is as near.
pub fn find_correction(view: &str, lines: &dyn LineTable, old: &str, new: &str) -> Correction {
    let sent = SentLines::from_text(old);
    let mut several = None;
    let mut has_gaps = false;
    for stripped in StrippedParts::candidates(&sent.lines) {
        let quoted = stripped.strip(&sent.lines);
        if quoted.iter().all(|line| line.trim().is_empty()) {
            continue;
        }
        let variants =
            std::iter::once((quoted.clone(), Vec::new())).chain(without_repeated_lines(&quoted));
        let variants: Vec<(Vec<&str>, Vec<usize>)> = variants.collect();
        // A variant whose lines are in the file as they were sent comes before one that differs in white space.
        let ways = [LineMatch::AsSent, LineMatch::ButForSpace];
        for (way, (plain, doubled)) in ways
            .iter()
            .flat_map(|way| variants.iter().map(move |variant| (way, variant)))
        {
            let found =
                ignoring_space::places_ignoring_space(view, &plain.join("\n")).unwrap_or_default();
            if found.is_empty() {
                continue;
            }
            let quote = QuotedText {
                stripped,
                quoted: &quoted,
                plain,
                doubled,
                ended: sent.ended,
            };
            let places: Vec<Range<usize>> = found
                .into_iter()
                .filter(|place| quote.is_on_lines(view, place))
                .map(|place| quote.extend_to_edges(view, place))
                .collect();
            let (places, lines_are) = quote.likeliest_places(view, places);
            if places.is_empty() || lines_are != *way {
                continue;
            }
            let which = match places.len() {
                1 => Some(0),
                _ => quote.place_chosen_by_numbers(lines, &sent.lines, &places),
            };
            if let Some(which) = which
                && let Some(offer) = quote.build_offer(view, lines, &places, which, new)
            {
                return Correction::One(offer);
            }
            several = several.or_else(|| {
                let offers: Vec<CorrectionOffer> = (0..places.len())
                    .filter_map(|which| quote.build_offer(view, lines, &places, which, new))
                    .collect();
                (offers.len() == places.len()).then_some(offers)
            });
        }
        if quoted.iter().any(|line| gaps::is_gap(line)) {
            has_gaps = true;
            let quote = QuotedText {
                stripped,
                quoted: &quoted,
                plain: &quoted,
                doubled: &[],
                ended: sent.ended,
            };
            if let Some(offer) = offer_for_gaps(view, lines, &quote, new) {
                return Correction::One(offer);
            }
        }
    }
    if let Some(offers) = several {
        return Correction::Several(offers);
    }
    correction_by_likeness(view, lines, &sent, new, has_gaps)
}

/// Returns the offer for the place that the text around the gaps matches: the only one, or the one that the whole new
/// text is nearest to.
fn offer_for_gaps(
    view: &str,
    lines: &dyn LineTable,
    quote: &QuotedText<'_>,
    new: &str,
) -> Option<CorrectionOffer> {
    let fits = gaps::find_gap_fits(view, quote.plain);
    let chosen = match fits.as_slice() {
        [] => None,
        [only] => Some(only),
        _ if new.split('\n').any(gaps::is_gap) => None,
        several => {
            let far = |fit: &GapFit| tokens::token_distance(new, &view[fit.place.clone()]);
            let best = several.iter().min_by_key(|fit| far(fit))?;
            let alone = several.iter().filter(|fit| far(fit) == far(best)).count() == 1;
            alone.then_some(best)
        }
    }?;
    let place = quote.extend_to_edges(view, chosen.place.clone());
    if continues_beyond_place(view, &place, new) {
        return None;
    }
    let new_filled = fill_gaps_in_new_text(view, quote, chosen, new);
    let mut offer = quote.build_offer(
        view,
        lines,
        &[place],
        0,
        new_filled.as_deref().unwrap_or(new),
    )?;
    const GAPS_REASON: &str = "A line that is only `...` matches nothing: Edit takes no gaps";
    offer.flaws.push(match new.split('\n').any(gaps::is_gap) {
        true => clause![
            GAPS_REASON,
            ", and in ",
            ClausePart::NewText,
            " it would replace the text."
        ],
        false => clause![GAPS_REASON, "."],
    });
    offer.differences.clear();
    offer.new = match (new_filled, offer.new) {
        (None, _) => NewText::Unknown,
        (Some(text), NewText::AsSent) if text != new => NewText::Instead(text),
        (_, known) => known,
    };
    Some(offer)
}

/// Returns whether a new text has the line that follows a place in the file, and the place has not. In this case the
/// gap represents more lines.
fn continues_beyond_place(view: &str, place: &Range<usize>, new: &str) -> bool {
    let mut behind = view[place.end..].split('\n').skip(1).map(str::trim);
    let next = behind.find(|line| !line.is_empty());
    let has = |text: &str, wanted: &str| text.split('\n').any(|line| line.trim() == wanted);
    next.is_some_and(|next| has(new, next) && !has(&view[place.clone()], next))
}

/// Returns the new text with lines of the file for its gaps, if it has as many gaps as the old text, or none.
fn fill_gaps_in_new_text(
    view: &str,
    quote: &QuotedText<'_>,
    fit: &GapFit,
    new: &str,
) -> Option<String> {
    let sent = SentLines::from_text(new);
    let ours = quote.stripped.strip(&sent.lines);
    let count = ours.iter().filter(|line| gaps::is_gap(line)).count();
    if count == 0 {
        return Some(new.to_owned());
    }
    if count != fit.gaps.len() {
        return None;
    }
    let blanks = gaps::blank_lines_around_gaps(quote.plain);
    let mut stands_for = fit.gaps.iter().zip(blanks);
    let mut lines: Vec<&str> = Vec::new();
    for line in ours {
        if !gaps::is_gap(line) {
            lines.push(line);
        } else if let Some((Some(range), (before, behind))) = stands_for.next() {
            let mut whole: Vec<&str> = view[range.clone()].split('\n').collect();
            let blank = |line: &&&str| line.trim().is_empty();
            // Blank lines that were quoted next to the gap are already in the text.
            let before = whole.iter().take_while(blank).count().min(before);
            whole.drain(..before);
            let behind = whole.iter().rev().take_while(blank).count().min(behind);
            whole.truncate(whole.len() - behind);
            lines.extend(whole);
        }
    }
    Some(sent.join_with_same_ending(&lines))
}
