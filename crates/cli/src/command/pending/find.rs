//! Finds questions by the end of their ids.

use lancet::history::{MIN_ACCEPTED_ID_LENGTH, MIN_SHOWN_ID_LENGTH};
use lancet::questions::{FoundQuestion, Questions, RecordedQuestion};

use super::line::{Columns, format_question};
use crate::command::history::access::unreadable_failure;
use crate::failure::Failure;
use crate::terminal::Colour;

/// The part of an id that is shown, and the shorter part that no other question's id ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShortEnding<'q> {
    pub(super) shown: &'q str,
    pub(super) unique: &'q str,
}

/// Returns the endings that distinguish these questions, in their order.
pub(super) fn unique_endings(questions: &[RecordedQuestion]) -> Vec<ShortEnding<'_>> {
    let ids: Vec<&str> = questions.iter().map(|one| one.id.as_str()).collect();
    unique_endings_of_ids(&ids)
}

fn unique_endings_of_ids<'q>(ids: &[&'q str]) -> Vec<ShortEnding<'q>> {
    let mut backwards: Vec<(Vec<u8>, usize)> = ids
        .iter()
        .enumerate()
        .map(|(at, id)| (id.bytes().rev().collect(), at))
        .collect();
    backwards.sort_unstable();
    let mut needed = vec![MIN_ACCEPTED_ID_LENGTH; ids.len()];
    for pair in backwards.windows(2) {
        let [(one, first), (other, second)] = pair else {
            continue;
        };
        let alike = one.iter().zip(other).take_while(|(a, b)| a == b).count();
        for at in [*first, *second] {
            needed[at] = needed[at].max(alike + 1);
        }
    }
    let ending = |id: &'q str, length: usize| &id[id.len().saturating_sub(length)..];
    let with_needed = ids.iter().zip(needed);
    with_needed
        .map(|(id, needed)| ShortEnding {
            shown: ending(id, needed.max(MIN_SHOWN_ID_LENGTH)),
            unique: ending(id, needed),
        })
        .collect()
}

/// Finds the question that was typed: by the end of its id, or by the whole id from any project.
pub(super) fn find_question(
    questions: &Questions,
    typed: &str,
) -> Result<RecordedQuestion, Failure> {
    if typed.len() < MIN_ACCEPTED_ID_LENGTH {
        return Err(Failure::usage(format!(
            "{typed:?} is too short: give at least {MIN_ACCEPTED_ID_LENGTH} characters of the id"
        )));
    }
    let several = match questions.find(typed).map_err(unreadable_failure)? {
        FoundQuestion::One(found) => return Ok(*found),
        FoundQuestion::Several(ids) => ids,
        _ => {
            let found = questions.get(typed).map_err(unreadable_failure)?;
            let none = || {
                Failure::refused(format!(
                    "there is no question {typed}; `lancet pending` lists those that wait, `lancet pending --all` those of all projects"
                ))
            };
            return found.ok_or_else(none);
        }
    };
    let mut found = Vec::new();
    for id in several {
        found.extend(questions.get(&id).map_err(unreadable_failure)?);
    }
    let shown = unique_endings(&found);
    let columns = Columns::for_questions(&found, &shown);
    let lines: String = found
        .iter()
        .zip(shown)
        .map(|(one, id)| format_question(one, id, columns, Colour::Off))
        .collect();
    Err(Failure::refused(format!(
        "{typed} is the end of several ids; give more of one of these:\n{}",
        lines.trim_end()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_endings_are_as_short_as_uniqueness_allows() {
        let found = unique_endings_of_ids(&["aaaa1111bbbb", "aaaa2222bbbb", "cccccccccccc"]);
        let shown: Vec<(&str, &str)> = found.iter().map(|one| (one.shown, one.unique)).collect();
        assert_eq!(
            shown,
            [("1bbbb", "1bbbb"), ("2bbbb", "2bbbb"), ("cccc", "cc")]
        );
        assert!(unique_endings_of_ids(&[]).is_empty());
    }
}
