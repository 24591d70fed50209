//! Checks whether a decision fits its question, so that it can be carried out.

use crate::approval::{Answer, Pick, Question};

/// Returns whether a pick leaves the whole file out.
#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
pub(super) fn leaves_file_out(pick: &Pick) -> bool {
    match pick {
        Pick::Nothing => true,
        Pick::Pieces(pieces) => pieces.is_empty(),
        Pick::Whole | Pick::Edited(_) => false,
        _ => false,
    }
}

/// Checks that a decision can be carried out, and explains why it cannot.
#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
pub(super) fn check_answer(question: &Question, answer: &Answer) -> Result<(), String> {
    let picks = match answer {
        Answer::Edited(text) if question.files.len() == 1 => vec![Pick::Edited(text.clone())],
        Answer::Edited(_) => {
            return Err("the question is about several files; name the one to edit".to_owned());
        }
        Answer::Picked { files, .. } => files.clone(),
        Answer::Yes
        | Answer::No(_)
        | Answer::NoByProgram { .. }
        | Answer::Unanswered(_)
        | Answer::Session
        | Answer::Always => return Ok(()),
        _ => return Ok(()),
    };
    if picks.len() > question.files.len() {
        return Err(format!("the question has {} files", question.files.len()));
    }
    let is_part = |pick: &Pick| !matches!(pick, Pick::Whole);
    if question.is_whole && (picks.len() < question.files.len() || picks.iter().any(is_part)) {
        return Err("this change is written as a whole or not at all".to_owned());
    }
    for (pick, file) in picks.iter().zip(&question.files) {
        let path = file.escaped_relative_path();
        match pick {
            Pick::Pieces(pieces) => {
                let count = file.pieces.len();
                if pieces.iter().any(|piece| *piece >= count) {
                    return Err(format!("{path} has {count} parts that can be picked"));
                }
            }
            Pick::Edited(_) if file.text.is_none() => {
                return Err(format!("the text of {path} cannot be edited"));
            }
            Pick::Whole | Pick::Nothing | Pick::Edited(_) => {}
            _ => return Err(format!("the answer for {path} is not understood")),
        }
        let partner = file.goes_with.and_then(|at| picks.get(at));
        if let Some(partner) = partner
            && (*partner == Pick::Nothing) != (*pick == Pick::Nothing)
        {
            return Err(format!(
                "{path} changes together with another file: pick both or neither"
            ));
        }
    }
    Ok(())
}
