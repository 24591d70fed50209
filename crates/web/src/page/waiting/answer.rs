//! Converts a form to an answer: the whole change, the ticked parts of it, or a rejection.

use lancet::approval::{Answer, Pick, Question};

use super::words::form_message;
use crate::page::fields::Fields;

/// Reads the answer of a form. The pressed button is the field `do`; each ticked checkbox is a field `pick`, which
/// names a file by its number (`2`) or a piece of one (`2.0`).
///
/// # Errors
/// The form has no answer that can be carried out. The message says why, and that nothing was decided.
pub(super) fn parse_answer(question: &Question, fields: &Fields) -> Result<Answer, String> {
    let words = form_message(question, fields)?;
    let whole = || vec![Pick::Whole; question.files.len()];
    let lasting = |answer: Answer| {
        match &words {
        None => Ok(answer),
        Some(_) => Err("An approval that lasts takes no words or comments: they go with a rejection, or with an approval of this change alone. Nothing was decided.".to_owned()),
    }
    };
    match fields.first_value("do").unwrap_or_default() {
        "yes" | "unseen" => Ok(answer_from_picks(whole(), words)),
        "picked" => {
            let picks = parse_picks(question, fields)?;
            Ok(answer_from_picks(picks, words))
        }
        "no" => Ok(Answer::No(words)),
        "session" => lasting(Answer::Session),
        "always" if question.offers.always.is_empty() => {
            Err("No rule is on offer for this question. Nothing was decided.".to_owned())
        }
        "always" => lasting(Answer::Always),
        "nothing" => Err(
            "Enter alone decides nothing. What you typed and ticked is still here; press a button."
                .to_owned(),
        ),
        _ => Err("The form has no answer. Nothing was decided.".to_owned()),
    }
}

/// Returns the answer that writes the picked parts.
fn answer_from_picks(files: Vec<Pick>, words: Option<String>) -> Answer {
    match words.is_none() && files.iter().all(|pick| *pick == Pick::Whole) {
        true => Answer::Yes,
        false => Answer::Picked { files, words },
    }
}

/// Returns the parts of each file that the ticked checkboxes pick.
fn parse_picks(question: &Question, fields: &Fields) -> Result<Vec<Pick>, String> {
    let mut picks = vec![Pick::Nothing; question.files.len()];
    let unknown =
        |box_: &str| format!("The box {box_} is not one of this question. Nothing was decided.");
    for ticked in fields.all("pick") {
        let (file, piece) = match ticked.split_once('.') {
            Some((file, piece)) => (file, Some(piece)),
            None => (ticked, None),
        };
        let file: usize = file.parse().map_err(|_| unknown(ticked))?;
        let asked = question.files.get(file).ok_or_else(|| unknown(ticked))?;
        let Some(piece) = piece else {
            for member in files_written_together(question, file) {
                picks[member] = Pick::Whole;
            }
            continue;
        };
        let piece: usize = piece.parse().map_err(|_| unknown(ticked))?;
        if piece >= asked.pieces.len() {
            return Err(unknown(ticked));
        }
        match &mut picks[file] {
            Pick::Whole => {}
            Pick::Pieces(pieces) => pieces.push(piece),
            pick => *pick = Pick::Pieces(vec![piece]),
        }
    }
    for (pick, file) in picks.iter_mut().zip(&question.files) {
        if let Pick::Pieces(pieces) = pick {
            pieces.sort_unstable();
            pieces.dedup();
            if pieces.len() == file.pieces.len() {
                *pick = Pick::Whole;
            }
        }
    }
    match picks.iter().all(|pick| *pick == Pick::Nothing) {
        true => Err("No box is ticked, so nothing would be written. Tick what is to be written, or reject the change. Nothing was decided.".to_owned()),
        false => Ok(picks),
    }
}

/// Returns the files that are written together with this one, itself included.
pub(super) fn files_written_together(question: &Question, file: usize) -> Vec<usize> {
    let first = |at: usize| question.files[at].goes_with.unwrap_or(at);
    let wanted = first(file);
    (0..question.files.len())
        .filter(|at| first(*at) == wanted)
        .collect()
}

/// Returns the answer that writes an edited text in one file, and the others as proposed.
pub(super) fn answer_with_edited_text(
    question: &Question,
    file: usize,
    text: String,
    words: Option<String>,
) -> Answer {
    let mut files = vec![Pick::Whole; question.files.len()];
    if let Some(pick) = files.get_mut(file) {
        *pick = Pick::Edited(text);
    }
    Answer::Picked { files, words }
}
