//! Text that a host has shown to the model without a tool call: it counts as a read of the lines that it equals, or as
//! a partial view.

use std::path::Path;

use lancet_history::SeenRanges;

use super::context::CallContext;
use super::locate::{Intent, locate};
use super::open::{MAX_IN_MEMORY_SIZE, decode, require_file, snapshot};
use crate::call::{Caller, Cancel, SeenAs};
use crate::ledger::{entry_for, raw_range};
use crate::message::message;
use crate::refusal::{Refusal, RefusalKind};
use crate::session::Session;

/// Records text that a host has shown as part of a file. Text equal to whole lines of the file at one place counts as a
/// read of those lines; any other text is a partial view, unless the session has read this version itself.
pub(crate) fn note_seen(session: &Session, path: &Path, text: &str) -> Result<SeenAs, Refusal> {
    session.refresh();
    let context = CallContext::new(session, "Read".into(), Caller::default(), Cancel::new());
    let target = locate(context.engine(), &path.to_string_lossy(), Intent::Show)?;
    require_file(context.engine(), &target)?;
    if target
        .located
        .stat()
        .is_some_and(|stamp| stamp.size > MAX_IN_MEMORY_SIZE)
    {
        return Err(Refusal::from_message(
            RefusalKind::TooLarge,
            message!(
                "{} is too large to be taken in from a host; let the model read it.",
                target.given
            ),
        ));
    }
    let base = snapshot(session, &target)?;
    let document = decode(context.engine(), &target, &base.bytes)?;
    let sent = lancet_text::normalize_newlines(text, document.endings());
    let mut ledger = session.ledger();
    let known = ledger
        .get_without_use(target.path())
        .filter(|entry| entry.revision == *base.revision.as_bytes())
        .cloned();
    let read_before = known.is_some();
    let mut entry = known.unwrap_or_else(|| entry_for(&base, SeenRanges::nothing_seen()));
    let seen_as = match whole_lines(document.view(), &sent) {
        Some(range) => {
            entry.seen.add(raw_range(&document, range));
            entry.partial_view = false;
            SeenAs::WholeLines
        }
        None if read_before => return Ok(SeenAs::NothingNew),
        None => {
            entry.partial_view = true;
            SeenAs::PartialView
        }
    };
    ledger.put(target.path(), entry);
    drop(ledger);
    session.store_entry(target.path());
    Ok(seen_as)
}

/// Finds the only place where a text occurs as whole lines; a missing or additional final newline is ignored.
fn whole_lines(view: &str, text: &str) -> Option<std::ops::Range<usize>> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    if view.strip_suffix('\n').unwrap_or(view) == body {
        return Some(0..view.len());
    }
    if body.is_empty() {
        return None;
    }
    let mut places = view
        .match_indices(body)
        .map(|(at, _)| at..at + body.len())
        .filter(|place| {
            let starts = place.start == 0 || view.as_bytes()[place.start - 1] == b'\n';
            let ends = place.end == view.len() || view.as_bytes()[place.end] == b'\n';
            starts && ends
        });
    let place = places.next()?;
    if places.next().is_some() {
        return None;
    }
    let end = (place.end + 1).min(view.len());
    Some(place.start..end)
}

#[cfg(test)]
mod tests {
    use super::whole_lines;

    #[test]
    fn finds_only_whole_lines_that_occur_once() {
        assert_eq!(whole_lines("a\nb\nc\n", "b\n"), Some(2..4));
        assert_eq!(whole_lines("a\nb\nc\n", "a\nb\nc"), Some(0..6));
        assert_eq!(whole_lines("a\nb\nb\n", "b"), None);
        assert_eq!(whole_lines("ab\n", "a"), None);
    }
}
