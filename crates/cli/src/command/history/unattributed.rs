//! Changes whose caller is not known, for an undo of everything since a moment.

use lancet::history::{History, LogQuery, Operation, PromptMark, ReversalDirection};

use super::access::unreadable_failure;
use crate::failure::Failure;
use crate::terminal::print_error;

/// Returns the changes of a session since a prompt, together with those whose caller is not known, if these are to be
/// undone, too, and there are some. Otherwise they are only counted.
pub(super) fn since_prompt(
    history: &History,
    mark: &PromptMark,
    are_included: bool,
) -> Result<Option<Vec<String>>, Failure> {
    let query = LogQuery {
        after: Some(mark.sequence),
        reversible: Some(ReversalDirection::Undoable),
        ..LogQuery::default()
    };
    let unknown: Vec<Operation> = history.log(&query).map_err(unreadable_failure)?;
    let unknown: Vec<Operation> = unknown
        .into_iter()
        .filter(|change| !change.has_known_caller())
        .collect();
    if unknown.is_empty() {
        return Ok(None);
    }
    if !are_included {
        tell_left_out(unknown.len());
        return Ok(None);
    }
    let of_session = LogQuery {
        tree: Some(mark.session.clone()),
        ..query
    };
    let mut all = history.log(&of_session).map_err(unreadable_failure)?;
    all.extend(unknown);
    Ok(Some(all.into_iter().map(|change| change.id).collect()))
}

/// Says how many changes are left out.
pub(super) fn tell_left_out(number: usize) {
    let changes = match number {
        1 => "1 change whose caller is not known is".to_owned(),
        more => format!("{more} changes whose caller is not known are"),
    };
    print_error(&format!(
        "lancet: {changes} left out; --include-unattributed undoes what is left out, too\n"
    ));
}
