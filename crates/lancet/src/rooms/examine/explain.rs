//! The longer refusals of an edit: why the old text was not found and what stands there instead, which places an
//! ambiguous one has, which character an encoding lacks. Every text here has a limit, declared beside it.

use std::ffi::OsStr;
use std::ops::Range;
use std::path::Path;

use lancet_text::{
    Guard, LineTable, Markup, Rung, Unencodable, already_there, explain_gaps, nearest,
    unique_extension,
};
use serde_json::json;

use crate::refusal::{Kind, Refusal};
use crate::rooms::Desk;
use crate::rooms::locate::Target;
use crate::wording::{count, cut, quote_path};

/// Places of an ambiguous text that are told with a longer text.
const PLACES_WITH_TEXT: usize = 20;
/// Further places that are told by their line.
const PLACES_WITH_LINE: usize = 200;
/// The longest text that is suggested for one place, in characters.
const LONGEST_SUGGESTION: usize = 1_200;
/// What is said of a place that no `old_string` reaches.
const NOT_TEXT: &str = "it holds bytes that are no text in the file's encoding (shown as \u{fffd}), and those never match: send an old_string before or after them";
/// The longest corrected `old_string` that is quoted, in characters.
const LONGEST_REGION: usize = 4_000;

/// A text with its lines.
#[derive(Clone, Copy)]
pub(crate) struct Lines<'t> {
    pub(crate) view: &'t str,
    pub(crate) lines: &'t dyn LineTable,
}

/// What an edit meets: the file, or what the edits of the same call before it make of it.
#[derive(Clone, Copy)]
pub(crate) struct Met<'t> {
    pub(crate) text: Lines<'t>,
    /// Where that text stands for bytes that are no text.
    pub(crate) damaged: &'t [Range<usize>],
    /// The file itself, where edits were laid upon it already.
    pub(crate) file: Option<Lines<'t>>,
}

/// The sentence that the new text is there already: in the file, or only by an earlier edit of the call.
fn told_there(met: Met<'_>, new: &str) -> Option<String> {
    let file = met.file.unwrap_or(met.text);
    if let Some(places) = already_there(file.view, file.lines, new) {
        return Some(format!(
            "The new text is already there, at {places}: the change may have been made before."
        ));
    }
    met.file?;
    let places = already_there(met.text.view, met.text.lines, new)?;
    Some(format!(
        "The new text is what an edit before this one would put there, at {places}: leave this edit out if that is enough."
    ))
}

/// The refusal for old text that is not in the file.
pub(crate) fn not_found(
    desk: &Desk<'_>,
    target: &Target,
    met: Met<'_>,
    (old, new): (&str, &str),
    guard: Option<&Guard>,
) -> Refusal {
    let path = quote_path(target.path());
    let Lines { view, lines } = met.text;
    let by_then = match met.file {
        Some(_) => " as the edits before this one would leave it",
        None => "",
    };
    if let Some(guard) = guard {
        let line = lines.line_of(guard.place.start) + 1;
        let text = format!(
            "old_string was not found in {path}{by_then} as sent. It fits line {line} on the rung `{}`, but what the edit should do there is not certain. {}\nSend old_string exactly as the file has it:\n{}",
            guard.rung.name(),
            guard.reason,
            cut(&view[guard.place.clone()], LONGEST_REGION)
        );
        return Refusal::new(Kind::NotFound, text)
            .with("file_path", path)
            .with(
                "guard",
                json!({ "rung": guard.rung.name(), "line": line, "reason": guard.reason }),
            );
    }
    let mut text = format!("old_string was not found in {path}{by_then}.");
    let mut data = Vec::new();
    let gaps = explain_gaps(view, lines, old);
    let placed = gaps.as_ref().is_some_and(|gaps| gaps.placed);
    for words in told_there(met, new)
        .into_iter()
        .chain(gaps.map(|gaps| gaps.words))
    {
        text.push(' ');
        text.push_str(&words);
    }
    let regions = if desk.cancel.stopped().is_some() {
        Vec::new()
    } else {
        nearest(view, lines, old)
    };
    for (at, region) in regions.iter().enumerate() {
        let numbers = if region.lines.len() == 1 {
            format!("line {}", region.lines.start + 1)
        } else {
            format!("lines {}-{}", region.lines.start + 1, region.lines.end)
        };
        let lead = if at == 0 {
            "The nearest text is"
        } else {
            "Also near:"
        };
        let overlaps =
            |place: &Range<usize>| place.start < region.range.end && region.range.start < place.end;
        // Sent as it is shown, it would not be found either.
        let is_damaged = met.damaged.iter().any(overlaps);
        let differences = region.differences.join("; ");
        let words = match (is_damaged, differences.is_empty()) {
            (false, _) => differences,
            (true, true) => NOT_TEXT.to_owned(),
            (true, false) => format!("{differences}; {NOT_TEXT}"),
        };
        text.push_str(&format!("\n{lead} {numbers}: {words}."));
        let mut told = json!({ "startLine": region.lines.start + 1, "endLine": region.lines.end });
        if let Some(suggestion) = &region.text
            && !is_damaged
        {
            let lead = match (at, region.unique) {
                (0, true) => " If that is what was meant, send this old_string:",
                (0, false) => " Its text stands more than once, so it needs more lines around it:",
                _ => "",
            };
            text.push_str(&format!("{lead}\n{}", cut(suggestion, LONGEST_REGION)));
            told["old_string"] = json!(suggestion);
        }
        data.push(told);
    }
    if regions.is_empty() && !placed {
        text.push_str(" Nothing in the file is close to it. Read the part that is to change and copy its text.");
    }
    Refusal::new(Kind::NotFound, text)
        .with("file_path", path)
        .with("nearest", data)
}

/// The refusal for old text that stands at several places.
pub(crate) fn ambiguous(
    target: &Target,
    view: &str,
    lines: &dyn LineTable,
    rung: Rung,
    places: &[Range<usize>],
) -> Refusal {
    let path = quote_path(target.path());
    let how = if rung == Rung::Exact {
        String::new()
    } else {
        format!(" (on the rung `{}`)", rung.name())
    };
    let mut text = format!(
        "old_string stands at {} in {path}{how}, and which one is meant is unknown. Nothing was changed.",
        count(places.len(), "place")
    );
    let mut data = Vec::new();
    for (which, place) in places.iter().enumerate().take(PLACES_WITH_TEXT) {
        let line = lines.line_of(place.start) + 1;
        match unique_extension(view, lines, places, which)
            .filter(|longer| longer.chars().count() <= LONGEST_SUGGESTION)
        {
            Some(longer) => {
                text.push_str(&format!("\nLine {line}; unique is:\n{longer}"));
                data.push(json!({ "line": line, "old_string": longer }));
            }
            None => {
                text.push_str(&format!("\nLine {line}."));
                data.push(json!({ "line": line }));
            }
        }
    }
    let rest: Vec<usize> = places
        .iter()
        .skip(PLACES_WITH_TEXT)
        .take(PLACES_WITH_LINE)
        .map(|place| lines.line_of(place.start) + 1)
        .collect();
    if !rest.is_empty() {
        text.push_str(&format!(
            "\nFurther places at lines {}.",
            rest.iter()
                .map(usize::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        ));
    }
    let left = places
        .len()
        .saturating_sub(PLACES_WITH_TEXT + PLACES_WITH_LINE);
    if left > 0 {
        text.push_str(&format!(" {left} more are not listed."));
    }
    text.push_str("\nSend one of these longer texts, or replace_all: true to change them all.");
    Refusal::new(Kind::Ambiguous, text)
        .with("file_path", path)
        .with("count", places.len())
        .with("places", data)
}

/// What a code fence means in a file of this name.
pub(crate) fn markup(path: &Path) -> Markup {
    let extension = path.extension().and_then(OsStr::to_str);
    Markup::of_extension(extension.unwrap_or_default())
}

/// The refusal for a character that the file's encoding lacks.
pub(crate) fn unencodable(target: &Target, error: &Unencodable) -> Refusal {
    let character = error.character;
    let code = format!("U+{:04X}", character as u32);
    let text = format!(
        "{} is encoded as {}, which has no {character} ({code}). Use characters that this encoding has; the file is as it was.",
        quote_path(target.path()),
        error.encoding.name()
    );
    Refusal::new(Kind::Unencodable, text)
        .with("file_path", quote_path(target.path()))
        .with("character", code)
        .with("encoding", error.encoding.name())
}

/// The refusal for display text or a placeholder in the new text, with that text as it was probably meant, where that
/// can be told.
pub(crate) fn leak(reason: &str, mended: Option<&str>) -> Refusal {
    let text = format!(
        "{reason} Send the text as the file should have it, or the same call with insist: true if exactly this is meant."
    );
    let Some(mended) = mended else {
        return Refusal::new(Kind::Leaked, text);
    };
    let text = match shown("new_string", mended, LONGEST_REGION) {
        Some(whole) => format!("{text} Without it new_string is:\n{whole}"),
        None => text,
    };
    Refusal::new(Kind::Leaked, text).with("new_string", mended)
}

/// A text that is to be sent, whole, and a line that shows where it ends: clients trim the end of an answer. `None` where
/// it has more characters than `most`.
fn shown(name: &str, text: &str, most: usize) -> Option<String> {
    if text.chars().nth(most).is_some() {
        return None;
    }
    let newlines = text.len() - text.trim_end_matches('\n').len();
    let (gap, ends) = match newlines {
        0 => ("\n", String::new()),
        1 => ("", ", which ends in a newline".to_owned()),
        _ => ("", format!(", which ends in {newlines} newlines")),
    };
    Some(format!("{text}{gap}(end of {name}{ends})"))
}
