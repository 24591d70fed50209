//! `lancet pending show`: one question with its diff, the possible answers, and its outcome.

use lancet::approval::{FileQuestion, Pick, Question};
use lancet::questions::{QuestionState, RecordedQuestion};

use super::find::find_question;
use super::hunks::{NumberedPiece, number_pieces};
use super::line::question_origin;
use super::question_json::full_question_json;
use crate::arguments::{PendingArguments, QuestionArguments};
use crate::command::history::time;
use crate::failure::{Exit, Failure};
use crate::surroundings::Surroundings;
use crate::terminal::{
    Colour, Style, escape_for_terminal, escape_line_for_terminal, format_headline, print,
    print_paged, stdout_is_terminal,
};

/// Runs `lancet pending show`.
pub(super) fn show(
    asked: &QuestionArguments,
    arguments: &PendingArguments,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let questions = super::open_questions(arguments, None, around)?;
    let found = find_question(&questions, &asked.question)?;
    if arguments.json {
        print(&format!(
            "{}\n",
            full_question_json(&found, &asked.question)
        ))?;
        return Ok(Exit::Done);
    }
    let colour = around.colour(stdout_is_terminal());
    let mut out = format_header(&found, colour);
    out.push_str(&format_diffs(&found.question, colour));
    if found.state == QuestionState::Open {
        out.push_str(&format_possible_answers(&found));
    }
    print_paged(&out, around)?;
    Ok(Exit::Done)
}

fn format_header(found: &RecordedQuestion, colour: Colour) -> String {
    let question = &found.question;
    let mut out = colour.paint(Style::Bold, &format!("question {}", found.id)) + "\n";
    let mut line = |name: &str, value: &str| {
        if !value.is_empty() {
            out.push_str(&format!("{name:<12}{}\n", escape_line_for_terminal(value)));
        }
    };
    line("time", &time::format_local_with_zone(found.time));
    line("from", &question_origin(question));
    line("tool", &question.tool);
    line("call", question.call.as_deref().unwrap_or_default());
    line("why", &question.joined_reasons());
    let mut rules: Vec<&str> = question
        .files
        .iter()
        .filter_map(|file| file.rule.as_deref())
        .collect();
    rules.dedup();
    rules.iter().for_each(|rule| line("rule", rule));
    line("state", &describe_state(found));
    if let Some((_, at)) = &found.decided {
        line("decided", &time::format_local_with_zone(*at));
    }
    out.push('\n');
    out
}

/// Describes the outcome of the question.
fn describe_state(found: &RecordedQuestion) -> String {
    match found.state {
        QuestionState::Open if found.is_caller_alive => "open".to_owned(),
        QuestionState::Open => "open; the process that asked has ended".to_owned(),
        _ => found.describe_outcome(),
    }
}

/// Returns the diffs of a question, each hunk below its number.
fn format_diffs(question: &Question, colour: Colour) -> String {
    format_picked_diffs(question, &vec![Pick::Whole; question.files.len()], colour)
}

/// Returns the diffs of the picked parts of a question, one pick for each file. A text that was edited has a separate
/// diff.
pub(super) fn format_picked_diffs(question: &Question, picks: &[Pick], colour: Colour) -> String {
    let mut out = String::new();
    for ((file, pieces), pick) in question
        .files
        .iter()
        .zip(number_pieces(question))
        .zip(picks)
    {
        let is_shown = |at: usize| match pick {
            Pick::Whole => true,
            Pick::Pieces(picked) => picked.contains(&at),
            _ => false,
        };
        out.push_str(&format!("{}\n", format_headline(file, colour)));
        for (at, piece) in pieces.iter().enumerate() {
            if is_shown(at) {
                out.push_str(&format_numbered_piece(piece, colour));
            }
        }
        out.push_str(&colour.paint(Style::Dim, &format_notices(file)));
        out.push('\n');
    }
    out
}

fn format_numbered_piece(piece: &NumberedPiece<'_>, colour: Colour) -> String {
    let together = match piece.hunks.as_slice() {
        [(first, _), .., (last, _)] => {
            format!(", which belongs together with the others of {first} to {last}")
        }
        _ => String::new(),
    };
    let shown = piece.hunks.iter().map(|(number, diff)| {
        let head = colour.paint(Style::Dim, &format!("hunk {number}{together}"));
        format!("{head}\n{}", colour.paint_diff(diff))
    });
    shown.collect()
}

fn format_notices(file: &FileQuestion) -> String {
    let notices = file.notices.iter();
    notices
        .map(|notice| format!("note: {}\n", escape_for_terminal(notice)))
        .collect()
}

/// Returns the possible answers, as commands.
fn format_possible_answers(found: &RecordedQuestion) -> String {
    let (question, id) = (&found.question, &found.id);
    let id = &id[id
        .len()
        .saturating_sub(lancet::history::MIN_SHOWN_ID_LENGTH)..];
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
            escape_line_for_terminal(&question.offers.session)
        ));
    }
    for rule in &question.offers.always {
        out.push_str(&format!(
            "  --always: adds {} to your settings\n",
            escape_line_for_terminal(rule)
        ));
    }
    out
}
