//! The rung `abbreviation`: tags and role markers that some model hosts shorten in what a model reads and sends. Each
//! short form is expanded everywhere in the old text or nowhere, and in the new text wherever it was expanded in the
//! old text.

use std::ops::Range;

use memchr::memmem;

use super::exact::exact_places;
use super::text_lines::TextLines;
use super::verdict::{ambiguous_verdict, choose_and_edit};
use super::{Rung, SearchTask, Verdict};

/// The built-in abbreviations as pairs of short form and long form.
const BUILT_IN_ABBREVIATIONS: [(&str, &str); 19] = [
    ("<fnr>", "<function_results>"),
    ("</fnr>", "</function_results>"),
    ("<n>", "<name>"),
    ("</n>", "</name>"),
    ("<o>", "<output>"),
    ("</o>", "</output>"),
    ("<e>", "<error>"),
    ("</e>", "</error>"),
    ("<s>", "<system>"),
    ("</s>", "</system>"),
    ("<r>", "<result>"),
    ("</r>", "</result>"),
    ("< META_START >", "<META_START>"),
    ("< META_END >", "<META_END>"),
    ("< EOT >", "<EOT>"),
    ("< META >", "<META>"),
    ("< SOS >", "<SOS>"),
    ("\n\nH:", "\n\nHuman:"),
    ("\n\nA:", "\n\nAssistant:"),
];

/// The limit of abbreviations of one old text that occur in the file in both forms. Each of them doubles the number of
/// texts to search for; old text with more is not found.
const MAX_UNDECIDED: u32 = 5;

type Pair<'a> = (&'a str, &'a str);

/// The old text with some of its abbreviations expanded, and where it is in the file.
pub(super) struct Expansion<'a> {
    pub(super) places: Vec<Range<usize>>,
    text: String,
    pairs: Vec<Pair<'a>>,
}

pub(super) fn find(task: &SearchTask<'_>) -> Option<Verdict> {
    let mut readings = expansions(task);
    if readings.len() > 1 {
        let places = readings.into_iter().flat_map(|reading| reading.places);
        let mut places: Vec<_> = places.collect();
        places.sort_by_key(|place| (place.start, place.end));
        return Some(ambiguous_verdict(Rung::Abbreviation, places, Vec::new()));
    }
    let Expansion {
        places,
        text: old,
        pairs,
    } = readings.pop()?;
    let new = expand_abbreviations(task.new, &pairs);
    let (old, new) = (TextLines::new(&old), TextLines::new(&new));
    Some(choose_and_edit(
        task,
        Rung::Abbreviation,
        places,
        &old,
        &new,
    ))
}

/// Returns every expansion of the old text that occurs in the file.
pub(super) fn expansions<'a>(task: &SearchTask<'a>) -> Vec<Expansion<'a>> {
    let Some((needed, undecided)) = candidate_abbreviations(task) else {
        return Vec::new();
    };
    let mut found: Vec<Expansion<'a>> = Vec::new();
    for choice in 0..1_u32 << undecided.len() {
        let mut pairs = needed.clone();
        pairs.extend(
            undecided
                .iter()
                .enumerate()
                .filter(|(number, _)| choice >> number & 1 == 1)
                .map(|(_, pair)| *pair),
        );
        let text = expand_abbreviations(task.old, &pairs);
        if text == task.old || found.iter().any(|other| other.text == text) {
            continue;
        }
        let places = exact_places(task.source, &text);
        if !places.is_empty() {
            found.push(Expansion {
                places,
                text,
                pairs,
            });
        }
    }
    found
}

/// Returns the abbreviations of the old text that must be expanded, because the file lacks the short form, and those
/// that may be, because it has both. `None` where there is nothing to expand.
fn candidate_abbreviations<'a>(task: &SearchTask<'a>) -> Option<(Vec<Pair<'a>>, Vec<Pair<'a>>)> {
    let own = task
        .abbreviations
        .iter()
        .map(|(short, long)| (short.as_str(), long.as_str()));
    let view = task.source.view.as_bytes();
    let stands = |text: &str| memmem::find(view, text.as_bytes()).is_some();
    let (mut needed, mut undecided): (Vec<Pair<'a>>, Vec<Pair<'a>>) = (Vec::new(), Vec::new());
    for (short, long) in BUILT_IN_ABBREVIATIONS.into_iter().chain(own) {
        let known = needed
            .iter()
            .chain(&undecided)
            .any(|&pair| pair == (short, long));
        if known || short.is_empty() || !task.old.contains(short) || !stands(long) {
            continue;
        }
        if stands(short) {
            undecided.push((short, long));
        } else {
            needed.push((short, long));
        }
    }
    let some = !needed.is_empty() || !undecided.is_empty();
    (some && undecided.len() <= MAX_UNDECIDED as usize).then_some((needed, undecided))
}

/// Returns the text with every short form expanded, from left to right; where several short forms begin at one offset,
/// the longest.
fn expand_abbreviations(text: &str, pairs: &[Pair<'_>]) -> String {
    let firsts: Vec<char> = pairs
        .iter()
        .filter_map(|(short, _)| short.chars().next())
        .collect();
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let plain = rest.find(firsts.as_slice()).unwrap_or(rest.len());
        expanded.push_str(&rest[..plain]);
        rest = &rest[plain..];
        let Some(first) = rest.chars().next() else {
            return expanded;
        };
        let pair = pairs
            .iter()
            .filter(|(short, _)| rest.starts_with(short))
            .max_by_key(|(short, _)| short.len());
        match pair {
            Some((short, long)) => {
                expanded.push_str(long);
                rest = &rest[short.len()..];
            }
            None => {
                expanded.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
}
