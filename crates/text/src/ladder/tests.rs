//! Tests of the ladder: each gives the rung and the resulting text, or the refusal. Each submodule has the cases of one
//! family of rungs; `laws` has the properties that hold for any input.

mod blank_edges;
mod blocks;
mod escapes;
mod laws;
mod literal;
mod look_alikes;
mod numbers;
mod size;

use super::*;
use crate::splice::{Change, apply_changes};

/// The outcome of an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EditOutcome {
    Done(Rung, String),
    Ambiguous(Rung, usize),
    TooMany(Rung, usize),
    NotFound,
    Forbidden(Rung),
    Leaked,
}

use EditOutcome::{Ambiguous, Forbidden, Leaked, NotFound};

pub(super) fn outcome_done(rung: Rung, result: &str) -> EditOutcome {
    EditOutcome::Done(rung, result.to_owned())
}

pub(super) fn new_query<'a>(view: &'a str, old: &'a str, new: &'a str) -> Query<'a> {
    Query {
        view,
        damaged: &[],
        old,
        new,
        occurrences: Occurrences::One,
        tolerance: Tolerance::Tolerant,
        abbreviations: &[],
        leaks: LeakPolicy::Refuse,
        text_kind: TextKind::Prose,
        bounds: None,
    }
}

/// Returns all changes at the places found, in order.
pub(super) fn changes(found: &FoundPlaces) -> Vec<Change> {
    let changes = found.places.iter().flat_map(|place| place.changes.clone());
    changes.collect()
}

pub(super) fn find_outcome(query: &Query<'_>) -> EditOutcome {
    match find(query) {
        Verdict::Found(found) => {
            let result = apply_changes(query.view, &changes(&found));
            EditOutcome::Done(found.rung, result)
        }
        Verdict::Ambiguous { rung, places, .. } => Ambiguous(rung, places.len()),
        Verdict::TooMany { rung, count, .. } => EditOutcome::TooMany(rung, count),
        Verdict::NotFound { guard: None } => NotFound,
        Verdict::NotFound { guard: Some(guard) } => Forbidden(guard.rung),
        Verdict::Leaked { .. } => Leaked,
    }
}

/// Returns the outcome of an edit of one place.
pub(super) fn edit_outcome(view: &str, old: &str, new: &str) -> EditOutcome {
    find_outcome(&new_query(view, old, new))
}

/// Returns the outcome of an edit of all places.
pub(super) fn edit_all(view: &str, old: &str, new: &str) -> EditOutcome {
    find_outcome(&Query {
        occurrences: Occurrences::All,
        ..new_query(view, old, new)
    })
}

/// A case: its name, the file, the old text, the new text, the outcome.
pub(super) type Case<'a> = (&'a str, &'a str, &'a str, &'a str, EditOutcome);

pub(super) fn check_cases(cases: &[Case<'_>]) {
    for (why, view, old, new, wanted) in cases {
        assert_eq!(
            edit_outcome(view, old, new),
            *wanted,
            "{why}: {old:?} in {view:?}"
        );
    }
}
