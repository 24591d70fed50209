//! Edits at places that a language server planned: they are valid for one version of the file only.

use std::path::Path;

use lancet_history::SeenRanges;
use lancet_text::{Change, EditedPlace as FoundPlace, FoundPlaces, Rung, normalize_newlines};

use super::edit_session::EditSession;
use super::line_place::LocatedEdit;
use super::source::TextSource;
use crate::message::{SEND_AGAIN, message};
use crate::refusal::{Refusal, RefusalKind};
use crate::request::{EditRequest, Place, PlannedPlaces, PlannedRole};
use crate::stages::context::CallContext;
use crate::stages::examine::read_state::{CurrentVersion, ReadState};
use crate::stages::locate::Target;

/// Returns the refusal where the file is no longer the version that was planned for.
pub(super) fn outdated_refusal(
    target: &Target,
    edit: &EditRequest,
    current: CurrentVersion<'_>,
) -> Option<Refusal> {
    let Place::Planned(planned) = &edit.place else {
        return None;
    };
    if planned.revision == current.revision {
        return None;
    }
    let path = target.display_name();
    let text = message!(
        "{} changed while the change was worked out. Nothing was written; {}.",
        &path,
        SEND_AGAIN
    );
    Some(Refusal::from_message(RefusalKind::Stale, text).with_field("file_path", path))
}

/// Returns what the session has seen of a file that it need not have read; none where it must have.
pub(super) fn read_state(
    context: &CallContext<'_>,
    path: &Path,
    edit: &EditRequest,
    current: CurrentVersion<'_>,
) -> Option<ReadState> {
    let Place::Planned(planned) = &edit.place else {
        return None;
    };
    match planned.role {
        PlannedRole::Named => None,
        PlannedRole::Other => Some(ReadState::from_seen(SeenRanges::nothing_seen())),
        PlannedRole::Moved => {
            let entry = context.session.ledger().get(path).cloned();
            let entry = entry.filter(|entry| entry.revision == *current.revision.as_bytes());
            Some(match entry {
                Some(entry) => ReadState {
                    numbers: entry.numbers,
                    ..ReadState::from_seen(entry.seen)
                },
                None => ReadState::from_seen(SeenRanges::nothing_seen()),
            })
        }
    }
}

/// Returns whether the lines of a file are not shown by the call that changes it.
pub(super) fn is_unshown(edits: &[(usize, &EditRequest)]) -> bool {
    let is_other = |edit: &EditRequest| match &edit.place {
        Place::Planned(planned) => planned.role == PlannedRole::Other,
        _ => false,
    };
    edits.iter().any(|(_, edit)| is_other(edit))
}

impl<S: TextSource> EditSession<'_, S> {
    /// Returns the places of a plan, unchanged.
    pub(super) fn locate_planned(&self, planned: &PlannedPlaces) -> LocatedEdit {
        let endings = self.source.endings();
        let place = |(range, new): &(std::ops::Range<usize>, String)| FoundPlace {
            range: range.clone(),
            changes: vec![Change {
                range: range.clone(),
                text: normalize_newlines(new, endings).into_owned(),
            }],
        };
        let found = FoundPlaces {
            rung: Rung::Exact,
            places: planned.places.iter().map(place).collect(),
            remarks: Vec::new(),
        };
        LocatedEdit {
            // The line that the caller must have seen was checked before the request to the server.
            touched: Some(Vec::new()),
            replaced: Some(String::new()),
            ..LocatedEdit::new(found, None)
        }
    }
}
