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
    BareDotsMeaning, Correction, CorrectionOffer, FenceSupport, GuardRefusal, LineTable,
    Unencodable, describe_existing_new_text, find_correction,
};
use serde_json::json;

pub(crate) use self::ambiguous::{MAX_NAMED_PLACES, SearchedText, ambiguous};
pub(crate) use self::hunk::{
    HunkInText, hunk_ambiguous_refusal, hunk_not_found_refusal, unplaced_refusal,
};
pub(crate) use self::marker::{marker_ambiguous_refusal, marker_not_found_refusal};
use super::edit::source::SentEdit;
use crate::message::{Message, NEW_TEXT, Say, TextBlock, message, tool_and_shell_term, verbatim};
use crate::next_call::{self, Remedy};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::open::MAX_IN_MEMORY_SIZE;
use crate::wording::quote_path;

/// The next step that is suggested where no corrected text can be offered.
const COPY_ADVICE: &str = " Read the part that is to change and copy its text.";
/// The longest corrected text that is shown, in characters.
const MAX_REGION_LENGTH: usize = 6_000;

/// A text with its lines.
#[derive(Clone, Copy)]
pub(crate) struct LinedText<'t> {
    pub(crate) view: &'t str,
    pub(crate) lines: &'t dyn LineTable,
}

/// The text that an edit is applied to: the file, or the result of the earlier edits of the same call.
#[derive(Clone, Copy)]
pub(crate) struct TargetText<'t> {
    pub(crate) text: LinedText<'t>,
    /// The ranges of the text that represent bytes which cannot be decoded.
    pub(crate) damaged: &'t [Range<usize>],
    /// The file itself, where earlier edits were already applied.
    pub(crate) file: Option<LinedText<'t>>,
}

/// Returns the sentence that the new text is already there: in the file, or only because of an earlier edit of the
/// call.
fn already_there_sentence(met: TargetText<'_>, old: &str, new: &str) -> Option<Message> {
    let file = met.file.unwrap_or(met.text);
    if let Some(places) = describe_existing_new_text(file.view, file.lines, old, new) {
        return Some(message!(
            "The new text is already there, at {}: the change may have been made before.",
            verbatim(places)
        ));
    }
    met.file?;
    let places = describe_existing_new_text(met.text.view, met.text.lines, old, new)?;
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
    met: Option<TargetText<'_>>,
    SentEdit { old, new, .. }: SentEdit<'_>,
    guard: Option<&GuardRefusal>,
) -> Refusal {
    let path = quote_path(target.path());
    let terms = context.vocabulary;
    let old_name = terms.old_name();
    let Some(met) = met else {
        let text = message!(
            "{} was not found in {}. In a file over {} MiB only exact text is looked for.{}",
            old_name,
            &path,
            MAX_IN_MEMORY_SIZE >> 20,
            COPY_ADVICE
        );
        return Refusal::from_message(RefusalKind::NotFound, text)
            .with_field("file_path", path)
            .with_field("nearest", json!([]));
    };
    let LinedText { view, lines } = met.text;
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
            match whole_text_block(old_name, &view[guard.place.clone()], MAX_REGION_LENGTH) {
                Some(whole) => message!(
                    "{} {} exactly as the file has it:\n{}",
                    terms.send_verb(),
                    old_name,
                    whole
                ),
                None => message!(
                    "Read these lines and send {} exactly as the file has it.",
                    old_name
                ),
            }
        );
        return Refusal::from_message(RefusalKind::NotFound, text)
            .with_field("file_path", path)
            .with_field(
                "guard",
                json!({ "rung": guard.rung.name(), "line": line, "reason": guard.reason }),
            );
    }
    let mut text = message!("{} was not found in {}{}.", old_name, &path, by_then);
    if let Some(words) = already_there_sentence(met, old, new) {
        text.push(message!(" {}", words));
    }
    if context.cancel.stopped().is_some() {
        text.push(COPY_ADVICE);
        return Refusal::from_message(RefusalKind::NotFound, text).with_field("file_path", path);
    }
    let mut remedy = None;
    let (words, nearest) = match find_correction(view, lines, old, new) {
        Correction::One(offer) => {
            let correction =
                offer::correction(met, &offer).filter(|_| !is_already_made(view, &offer, new));
            remedy = Remedy::corrections(correction.into_iter().collect());
            let (words, told) = offer::describe_offer(met, &offer, terms);
            (words, vec![told])
        }
        Correction::Several(offers) => offer::describe_several_places(met, &offers, terms),
        Correction::Unsure { regions, gaps } => {
            offer::describe_similar_regions(met, &regions, gaps, terms)
        }
    };
    text.push(words);
    Refusal::from_message(RefusalKind::NotFound, text)
        .with_remedy(remedy)
        .with_field("file_path", path)
        .with_field("nearest", nearest)
}

/// Returns whether the new text is already at the place where an edit would insert it: then the change may have been
/// made before, and would be made twice.
fn is_already_made(view: &str, offer: &CorrectionOffer, new: &str) -> bool {
    let start = view.floor_char_boundary(offer.range.start.saturating_sub(new.len()));
    let end = view.floor_char_boundary(view.len().min(offer.range.end + new.len() + 1));
    let new = new.trim();
    !new.is_empty() && !view[offer.range.clone()].contains(new) && view[start..end].contains(new)
}

/// Returns what a code fence means in a file of this name.
pub(crate) fn markup(path: &Path) -> FenceSupport {
    let extension = path.extension().and_then(OsStr::to_str);
    FenceSupport::for_extension(extension.unwrap_or_default())
}

/// Returns what a line that consists only of `...` means in this file.
pub(crate) fn bare_dots_meaning(path: &Path, text: &str) -> BareDotsMeaning {
    let extension = path.extension().and_then(OsStr::to_str);
    BareDotsMeaning::for_file(extension.unwrap_or_default(), text)
}

/// Returns the refusal for a character that the file's encoding lacks.
pub(crate) fn unencodable_refusal(target: &Target, error: &Unencodable) -> Refusal {
    let character = error.character;
    let code = format!("U+{:04X}", character as u32);
    let text = message!(
        "{} is encoded as {}, which has no {} ({}). Use characters that this encoding has; the file is as it was.",
        quote_path(target.path()),
        verbatim(error.encoding.name()),
        verbatim(character),
        verbatim(&code)
    );
    Refusal::from_message(RefusalKind::Unencodable, text)
        .with_field("file_path", quote_path(target.path()))
        .with_field("character", code)
        .with_field("encoding", error.encoding.name())
}

/// Returns the refusal for display text or a placeholder in the new text, with the text that was probably meant, where
/// that is known.
pub(crate) fn leak_refusal(reason: impl Say, mended: Option<&str>) -> Refusal {
    let text = message!(
        "{} Send the text as the file should have it, or the same call with {} if exactly this is meant.",
        reason,
        tool_and_shell_term("insist: true", "--insist")
    );
    let Some(mended) = mended else {
        return Refusal::from_message(RefusalKind::Leaked, text);
    };
    let text = match whole_text_block(NEW_TEXT, mended, MAX_REGION_LENGTH) {
        Some(whole) => message!("{} Without it {} is:\n{}", text, NEW_TEXT, whole),
        None => text,
    };
    let correction = next_call::Correction {
        new: Some(mended.to_owned()),
        ..next_call::Correction::default()
    };
    Refusal::from_message(RefusalKind::Leaked, text)
        .with_remedy(Remedy::corrections(vec![correction]))
        .with_field("new_string", mended)
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
