//! The notice about parts of settings files that cannot be used. Each session gets it once, with its first answer, and
//! again when the flaws change.

use super::context::CallContext;
use super::notice::Notice;
use crate::wording::truncate;

/// The most flaws that a notice names.
const MAX_NAMED_FLAWS: usize = 3;
/// The longest description of one flaw, in characters.
const MAX_FLAW_LENGTH: usize = 300;

/// Returns the notice for the session. The command line reports flaws itself, when it loads the settings.
pub(super) fn notice<'c>(context: &'c CallContext<'_>) -> Option<Notice<'c>> {
    let engine = context.engine();
    let flaws = &engine.settings.flaws;
    if flaws.is_empty() || engine.audience().is_person() {
        return None;
    }
    let all: Vec<String> = flaws.iter().map(ToString::to_string).collect();
    let all = all.join("\n");
    let told = &context.session.inner.told_flaws;
    if told.are_reported(&all) {
        return None;
    }
    let named = flaws.iter().take(MAX_NAMED_FLAWS);
    let named: Vec<String> = named
        .map(|flaw| truncate(&flaw.to_string(), MAX_FLAW_LENGTH))
        .collect();
    let more = match flaws.len() - named.len() {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let sentence = format!(
        "a part of lancet's settings cannot be used and is left out ({}{more}). Tell the user; `lancet doctor` lists what is wrong.",
        named.join("; ")
    );
    Some(Notice::new(&sentence, move || told.record_as_reported(all)))
}
