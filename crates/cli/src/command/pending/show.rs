//! `lancet pending show`: one question with its diff, the possible answers, and its outcome.

use lancet::approval::{FileQuestion, Pick, Question};
use lancet::questions::{QuestionState, RecordedQuestion};

use super::find::find;
use super::hunks::{NumberedPiece, numbered};
use super::line::asker;
use super::question_json::whole;
use crate::arguments::{PendingArguments, QuestionArguments};
use crate::command::history::time;
use crate::failure::{Exit, Failure};
use crate::surroundings::Surroundings;
use crate::terminal::{
    Colour, Style, headline, page, print, stdout_is_terminal, visible, visible_line,
};

/// Runs `lancet pending show`.
pub(super) fn show(
    asked: &QuestionArguments,
    arguments: &PendingArguments,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let questions = super::questions(arguments, None, around)?;
    let found = find(&questions, &asked.question)?;
    if arguments.json {
        print(&format!("{}\n", whole(&found, &asked.question)))?;
        return Ok(Exit::Done);
    }
    let colour = around.colour(stdout_is_terminal());
    let mut out = head(&found, colour);
    out.push_str(&diffs(&found.question, colour));
    if found.state == QuestionState::Open {
        out.push_str(&answers(&found));
    }
    page(&out, around)?;
    Ok(Exit::Done)
}

fn head(found: &RecordedQuestion, colour: Colour) -> String {
    let question = &found.question;
    let mut out = colour.paint(Style::Bold, &format!("question {}", found.id)) + "\n";
    let mut line = |name: &str, value: &str| {
        if !value.is_empty() {
            out.push_str(&format!("{name:<12}{}\n", visible_line(value)));
        }
    };
    line("time", &time::local_with_zone(found.time));
    line("from", &asker(question));
    line("tool", &question.tool);
    line("call", question.call.as_deref().unwrap_or_default());
    line("why", &question.reason());
    let mut rules: Vec<&str> = question
        .files
        .iter()
        .filter_map(|file| file.rule.as_deref())
        .collect();
    rules.dedup();
    rules.iter().for_each(|rule| line("rule", rule));
    line("state", &state(found));
    if let Some((_, at)) = &found.decided {
        line("decided", &time::local_with_zone(*at));
    }
    out.push('\n');
    out
}

/// Describes the outcome of the question.
fn state(found: &RecordedQuestion) -> String {
    match found.state {
        QuestionState::Open if found.is_caller_alive => "open".to_owned(),
        QuestionState::Open => "open; the process that asked has ended".to_owned(),
        _ => found.what_became_of_it(),
    }
}

/// Returns the diffs of a question, each hunk below its number.
fn diffs(question: &Question, colour: Colour) -> String {
    picked(question, &vec![Pick::Whole; question.files.len()], colour)
}

/// Returns the diffs of the picked parts of a question, one pick for each file. A text that was edited has a separate
/// diff.
pub(super) fn picked(question: &Question, picks: &[Pick], colour: Colour) -> String {
    let mut out = String::new();
    for ((file, pieces), pick) in question.files.iter().zip(numbered(question)).zip(picks) {
        let is_shown = |at: usize| match pick {
            Pick::Whole => true,
            Pick::Pieces(picked) => picked.contains(&at),
            _ => false,
        };
        out.push_str(&format!("{}\n", headline(file, colour)));
        for (at, piece) in pieces.iter().enumerate() {
            if is_shown(at) {
                out.push_str(&numbered_piece(piece, colour));
            }
        }
        out.push_str(&colour.paint(Style::Dim, &notices(file)));
        out.push('\n');
    }
    out
}

fn numbered_piece(piece: &NumberedPiece<'_>, colour: Colour) -> String {
    let together = match piece.hunks.as_slice() {
        [(first, _), .., (last, _)] => {
            format!(", which belongs together with the others of {first} to {last}")
        }
        _ => String::new(),
    };
    let shown = piece.hunks.iter().map(|(number, diff)| {
        let head = colour.paint(Style::Dim, &format!("hunk {number}{together}"));
        format!("{head}\n{}", colour.diff(diff))
    });
    shown.collect()
}

fn notices(file: &FileQuestion) -> String {
    let notices = file.notices.iter();
    notices
        .map(|notice| format!("note: {}\n", visible(notice)))
        .collect()
}

/// Returns the possible answers, as commands.
fn answers(found: &RecordedQuestion) -> String {
    let (question, id) = (&found.question, &found.id);
    let id = &id[id.len().saturating_sub(lancet::history::SHOWN_ID)..];
    let mut out =
        format!("lancet pending approve {id}\nlancet pending reject {id} 'words for the model'\n");
    let files = question.files.len();
    let pieces: usize = question.files.iter().map(|file| file.pieces.len()).sum();
    if question.is_whole {
        out.push_str("  It is written as a whole or not at all.\n");
    } else {
        let mut parts = Vec::new();
        if files > 1 {
            parts.push("--file FILE");
        }
        if pieces > files {
            parts.push("--hunk N");
        }
        if question.files.iter().any(|file| file.text.is_some()) {
            parts.push("--edit");
        }
        if !parts.is_empty() {
            out.push_str(&format!("  in part or otherwise: {}\n", parts.join(", ")));
        }
    }
    if !question.offers.session.is_empty() {
        out.push_str(&format!(
            "  --session: until the session ends, for {}\n",
            visible_line(&question.offers.session)
        ));
    }
    for rule in &question.offers.always {
        out.push_str(&format!(
            "  --always: adds {} to your settings\n",
            visible_line(rule)
        ));
    }
    out
}
