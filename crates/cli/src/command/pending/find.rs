//! Finds questions by the end of their ids.

use lancet::history::{SHORTEST_ID, SHOWN_ID};
use lancet::questions::{FoundQuestion, Questions, RecordedQuestion};

use super::line::{Columns, line};
use crate::command::history::access::unreadable;
use crate::failure::Failure;
use crate::terminal::Colour;

/// The part of an id that is shown, and the shorter part that no other question's id ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShortEnding<'q> {
    pub(super) shown: &'q str,
    pub(super) unique: &'q str,
}

/// Returns the endings that distinguish these questions, in their order.
pub(super) fn endings(questions: &[RecordedQuestion]) -> Vec<ShortEnding<'_>> {
    let ids: Vec<&str> = questions.iter().map(|one| one.id.as_str()).collect();
    endings_of(&ids)
}

fn endings_of<'q>(ids: &[&'q str]) -> Vec<ShortEnding<'q>> {
    let mut backwards: Vec<(Vec<u8>, usize)> = ids
        .iter()
        .enumerate()
        .map(|(at, id)| (id.bytes().rev().collect(), at))
        .collect();
    backwards.sort_unstable();
    let mut needed = vec![SHORTEST_ID; ids.len()];
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
            shown: ending(id, needed.max(SHOWN_ID)),
            unique: ending(id, needed),
        })
        .collect()
}

/// Finds the question that was typed: by the end of its id, or by the whole id from any project.
pub(super) fn find(questions: &Questions, typed: &str) -> Result<RecordedQuestion, Failure> {
    if typed.len() < SHORTEST_ID {
        return Err(Failure::usage(format!(
            "{typed:?} is too short: give at least {SHORTEST_ID} characters of the id"
        )));
    }
    let several = match questions.find(typed).map_err(unreadable)? {
        FoundQuestion::One(found) => return Ok(*found),
        FoundQuestion::Several(ids) => ids,
        _ => {
            let found = questions.get(typed).map_err(unreadable)?;
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
        found.extend(questions.get(&id).map_err(unreadable)?);
    }
    let shown = endings(&found);
    let columns = Columns::for_questions(&found, &shown);
    let lines: String = found
        .iter()
        .zip(shown)
        .map(|(one, id)| line(one, id, columns, Colour::Off))
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
    fn an_ending_is_as_long_as_it_takes_to_tell_questions_apart() {
        let found = endings_of(&["aaaa1111bbbb", "aaaa2222bbbb", "cccccccccccc"]);
        let shown: Vec<(&str, &str)> = found.iter().map(|one| (one.shown, one.unique)).collect();
        assert_eq!(
            shown,
            [("1bbbb", "1bbbb"), ("2bbbb", "2bbbb"), ("cccc", "cc")]
        );
        assert!(endings_of(&[]).is_empty());
    }
}
