//! The longer refusals of an edit: why the old text was not found and what is there instead, the places of an ambiguous
//! text, and the character that an encoding lacks. Every text here has a limit, declared next to it.

mod ambiguous;
mod hunk;
mod marker;
mod offer;

use std::ffi::OsStr;
use std::ops::Range;
use std::path::Path;

use lancet_text::{
    BareDots, Correction, Guard, LineTable, Markup, Offer, Unencodable, already_there, correct,
};
use serde_json::json;

pub(crate) use self::ambiguous::{NAMED_PLACES, Searched, ambiguous};
pub(crate) use self::hunk::{MetHunk, hunk_ambiguous, hunk_not_found, unplaced};
pub(crate) use self::marker::{marker_ambiguous, marker_not_found};
use super::edit::source::SentEdit;
use crate::message::{Message, NEW, Say, TextBlock, message, term, verbatim};
use crate::next_call::{self, Remedy};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::open::HELD;
use crate::wording::quote_path;

/// The next step that is suggested where no corrected text can be offered.
const COPY: &str = " Read the part that is to change and copy its text.";
/// The longest corrected text that is shown, in characters.
const LONGEST_REGION: usize = 6_000;

/// A text with its lines.
#[derive(Clone, Copy)]
pub(crate) struct Lines<'t> {
    pub(crate) view: &'t str,
    pub(crate) lines: &'t dyn LineTable,
}

/// The text that an edit is applied to: the file, or the result of the earlier edits of the same call.
#[derive(Clone, Copy)]
pub(crate) struct Met<'t> {
    pub(crate) text: Lines<'t>,
    /// The ranges of the text that represent bytes which cannot be decoded.
    pub(crate) damaged: &'t [Range<usize>],
    /// The file itself, where earlier edits were already applied.
    pub(crate) file: Option<Lines<'t>>,
}

/// Returns the sentence that the new text is already there: in the file, or only because of an earlier edit of the
/// call.
fn told_there(met: Met<'_>, old: &str, new: &str) -> Option<Message> {
    let file = met.file.unwrap_or(met.text);
    if let Some(places) = already_there(file.view, file.lines, old, new) {
        return Some(message!(
            "The new text is already there, at {}: the change may have been made before.",
            verbatim(places)
        ));
    }
    met.file?;
    let places = already_there(met.text.view, met.text.lines, old, new)?;
    Some(message!(
        "The new text is what an edit before this one would put there, at {}: leave this edit out if that is enough.",
        verbatim(places)
    ))
}

/// Returns the refusal for old text that is not in the file. `met` is none where the text is streamed: then no similar
/// text can be searched for.
pub(crate) fn not_found(
    context: &CallContext<'_>,
    target: &Target,
    met: Option<Met<'_>>,
    SentEdit { old, new, .. }: SentEdit<'_>,
    guard: Option<&Guard>,
) -> Refusal {
    let path = quote_path(target.path());
    let terms = context.vocabulary;
    let old_name = terms.old_name();
    let Some(met) = met else {
        let text = message!(
            "{} was not found in {}. In a file over {} MiB only exact text is looked for.{}",
            old_name,
            &path,
            HELD >> 20,
            COPY
        );
        return Refusal::stating(RefusalKind::NotFound, text)
            .with("file_path", path)
            .with("nearest", json!([]));
    };
    let Lines { view, lines } = met.text;
    let by_then = match met.file {
        Some(_) => " as the edits before this one would leave it",
        None => "",
    };
    if let Some(guard) = guard {
        let line = lines.line_of(guard.place.start) + 1;
        let text = message!(
            "{} was not found in {}{} as sent. It fits line {} on the rung `{}`, but what the edit should do there is not certain. {}\n{}",
            old_name,
            &path,
            by_then,
            line,
            verbatim(guard.rung.name()),
            verbatim(&guard.reason),
            match whole_text_block(old_name, &view[guard.place.clone()], LONGEST_REGION) {
                Some(whole) => message!(
                    "{} {} exactly as the file has it:\n{}",
                    terms.send(),
                    old_name,
                    whole
                ),
                None => message!(
                    "Read these lines and send {} exactly as the file has it.",
                    old_name
                ),
            }
        );
        return Refusal::stating(RefusalKind::NotFound, text)
            .with("file_path", path)
            .with(
                "guard",
                json!({ "rung": guard.rung.name(), "line": line, "reason": guard.reason }),
            );
    }
    let mut text = message!("{} was not found in {}{}.", old_name, &path, by_then);
    if let Some(words) = told_there(met, old, new) {
        text.push(message!(" {}", words));
    }
    if context.cancel.stopped().is_some() {
        text.push(COPY);
        return Refusal::stating(RefusalKind::NotFound, text).with("file_path", path);
    }
    let mut remedy = None;
    let (words, nearest) = match correct(view, lines, old, new) {
        Correction::One(offer) => {
            let correction =
                offer::correction(met, &offer).filter(|_| !is_made_at(view, &offer, new));
            remedy = Remedy::corrections(correction.into_iter().collect());
            let (words, told) = offer::describe_offer(met, &offer, terms);
            (words, vec![told])
        }
        Correction::Several(offers) => offer::several(met, &offers, terms),
        Correction::Unsure { regions, gaps } => offer::unsure(met, &regions, gaps, terms),
    };
    text.push(words);
    Refusal::stating(RefusalKind::NotFound, text)
        .helped_by(remedy)
        .with("file_path", path)
        .with("nearest", nearest)
}

/// Returns whether the new text is already at the place where an edit would insert it: then the change may have been
/// made before, and would be made twice.
fn is_made_at(view: &str, offer: &Offer, new: &str) -> bool {
    let start = view.floor_char_boundary(offer.range.start.saturating_sub(new.len()));
    let end = view.floor_char_boundary(view.len().min(offer.range.end + new.len() + 1));
    let new = new.trim();
    !new.is_empty() && !view[offer.range.clone()].contains(new) && view[start..end].contains(new)
}

/// Returns what a code fence means in a file of this name.
pub(crate) fn markup(path: &Path) -> Markup {
    let extension = path.extension().and_then(OsStr::to_str);
    Markup::of_extension(extension.unwrap_or_default())
}

/// Returns what a line that consists only of `...` means in this file.
pub(crate) fn bare_dots(path: &Path, text: &str) -> BareDots {
    let extension = path.extension().and_then(OsStr::to_str);
    BareDots::of_file(extension.unwrap_or_default(), text)
}

/// Returns the refusal for a character that the file's encoding lacks.
pub(crate) fn unencodable(target: &Target, error: &Unencodable) -> Refusal {
    let character = error.character;
    let code = format!("U+{:04X}", character as u32);
    let text = message!(
        "{} is encoded as {}, which has no {} ({}). Use characters that this encoding has; the file is as it was.",
        quote_path(target.path()),
        verbatim(error.encoding.name()),
        verbatim(character),
        verbatim(&code)
    );
    Refusal::stating(RefusalKind::Unencodable, text)
        .with("file_path", quote_path(target.path()))
        .with("character", code)
        .with("encoding", error.encoding.name())
}

/// Returns the refusal for display text or a placeholder in the new text, with the text that was probably meant, where
/// that is known.
pub(crate) fn leak(reason: impl Say, mended: Option<&str>) -> Refusal {
    let text = message!(
        "{} Send the text as the file should have it, or the same call with {} if exactly this is meant.",
        reason,
        term("insist: true", "--insist")
    );
    let Some(mended) = mended else {
        return Refusal::stating(RefusalKind::Leaked, text);
    };
    let text = match whole_text_block(NEW, mended, LONGEST_REGION) {
        Some(whole) => message!("{} Without it {} is:\n{}", text, NEW, whole),
        None => text,
    };
    let correction = next_call::Correction {
        new: Some(mended.to_owned()),
        ..next_call::Correction::default()
    };
    Refusal::stating(RefusalKind::Leaked, text)
        .helped_by(Remedy::corrections(vec![correction]))
        .with("new_string", mended)
}

/// Shows the whole of a text that the caller is to send. `None` where it has more characters than `most`.
fn whole_text_block(name: impl Say, text: &str, most: usize) -> Option<TextBlock> {
    if text.chars().nth(most).is_some() {
        return None;
    }
    Some(TextBlock {
        name: message!("{}", name),
        text: text.to_owned(),
    })
}
