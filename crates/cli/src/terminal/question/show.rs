//! The text of a question for the terminal: the summary, the files with their lines, the diffs, and the keys.

use lancet::approval::{ChangeKind, FileQuestion, Question};

use super::QuestionOrigin;
use crate::terminal::{Colour, Style, escape_for_terminal, escape_line_for_terminal};

/// The phrase of the notice that a path was relative, which is for models.
const RELATIVE_PATH: &str = " is a relative path; it was taken from ";

/// The explanation of the keys after a text was edited.
const EDITED_HELP: &str = "\
y  write it as edited
n  write nothing
e  edit it again
d  show the diff again
";

/// The explanation of the key that leaves a question open.
const LATER_HELP: &str = "q  leave it open, and decide later\n";

/// The explanation of the key that explains.
const HELP_KEY_HELP: &str = "?  show this\n";

/// Returns the prompt after a text was edited.
pub(super) fn edited_prompt(asker: QuestionOrigin) -> &'static str {
    match asker {
        QuestionOrigin::Command => "Write it as edited? [y/N/e/d/?]",
        QuestionOrigin::Agent => "Approve it as edited? [y/n/e/d/q/?]",
    }
}

/// Returns the explanation of the keys after a text was edited.
pub(super) fn edited_help(asker: QuestionOrigin) -> String {
    let later = match asker {
        QuestionOrigin::Command => "",
        QuestionOrigin::Agent => LATER_HELP,
    };
    format!("{EDITED_HELP}{later}{HELP_KEY_HELP}")
}

/// Returns the question: what would happen, the reason for the question, and the diffs.
#[cfg(test)]
pub(super) fn format_question(question: &Question, colour: Colour) -> String {
    format_summary(question, QuestionOrigin::Command, colour) + &format_diffs(question, colour)
}

/// The tools of `lancet mv` and `lancet rm`, as models know them.
const MOVE_TOOL: &str = "MoveFile";
const DELETE_TOOL: &str = "DeleteFile";

/// Returns the name of the command. Some are tools of other names for models.
fn command_name(question: &Question) -> &str {
    match question.tool.as_str() {
        "ApplyPatch" => "Apply",
        MOVE_TOOL => "Move",
        DELETE_TOOL => "Remove",
        tool => tool,
    }
}

/// Returns the question without the diffs.
pub(super) fn format_summary(question: &Question, asker: QuestionOrigin, colour: Colour) -> String {
    let mut words = match question.files.as_slice() {
        [file] => format!(
            "{} {}\n{}\n",
            command_name(question),
            format_headline(file, colour),
            colour.paint(Style::Dim, &file.escaped_path())
        ),
        files => {
            let summary = format!("{} files", files.len());
            let mut words = format!(
                "{}: {}, {}\n",
                command_name(question),
                colour.paint(Style::Bold, &summary),
                format_line_counts(question.line_counts(), colour)
            );
            for file in files {
                words.push_str(&format!("  {}\n", format_headline(file, colour)));
            }
            words
        }
    };
    let reason = escape_line_for_terminal(&question.joined_reasons()).into_owned();
    // A person's own command prompts before every write, whatever the mode of agents is.
    if asker == QuestionOrigin::Agent || !reason.starts_with("the mode is ") {
        words.push_str(&format!("{}\n", colour.paint(Style::Dim, &reason)));
    }
    let mut rules: Vec<&str> = Vec::new();
    for rule in question
        .files
        .iter()
        .filter_map(|file| file.rule.as_deref())
    {
        if !rules.contains(&rule) {
            rules.push(rule);
            let line = format!("{}\n", escape_line_for_terminal(rule));
            words.push_str(&colour.paint(Style::Dim, &line));
        }
    }
    words
}

/// Returns the diffs of all files, each with its notices. With several files, each diff is below the name of its file.
pub(super) fn format_diffs(question: &Question, colour: Colour) -> String {
    let mut words = String::new();
    for file in &question.files {
        if question.files.len() > 1 {
            let name = format!("{}\n", file.escaped_relative_path());
            words.push_str(&colour.paint(Style::Bold, &name));
        }
        words.push_str(&format_file_diff(file, colour));
    }
    words
}

/// Returns the diff of one file and the notices about it.
pub(super) fn format_file_diff(file: &FileQuestion, colour: Colour) -> String {
    // A person sees the whole path above the diff, and reads paths from the working folder anyway.
    let notices = file.notices.iter();
    let notices = notices.filter(|notice| !notice.contains(RELATIVE_PATH));
    let notices: String = notices
        .map(|notice| format!("note: {}\n", escape_for_terminal(notice)))
        .collect();
    colour.paint_numbered_diff(&file.diff()) + &colour.paint(Style::Dim, &notices)
}

/// Describes one file: its name, what happens to it, and its lines.
pub(crate) fn format_headline(file: &FileQuestion, colour: Colour) -> String {
    let kind = match (file.kind, file.escaped_old_path()) {
        (ChangeKind::Create, _) => " (a new file)".to_owned(),
        (ChangeKind::Delete, _) => " (it goes)".to_owned(),
        (_, Some(old)) => format!(" (moved from {old})"),
        _ => String::new(),
    };
    let mark = match (file.protected, &file.reason) {
        (true, _) => "  protected",
        (false, Some(_)) => "",
        (false, None) => "  needs no answer by itself",
    };
    format!(
        "{}{kind}  {}{mark}",
        colour.paint(Style::Bold, &file.escaped_relative_path()),
        format_line_counts(file.lines, colour)
    )
}

fn format_line_counts((added, removed): (usize, usize), colour: Colour) -> String {
    format!(
        "{} {}",
        colour.paint(Style::Green, &format!("+{added}")),
        colour.paint(Style::Red, &format!("-{removed}"))
    )
}

/// Reports whether there is more than one part to pick from.
pub(super) fn has_parts(question: &Question) -> bool {
    let files = question.files.iter();
    let parts = files.map(|file| match file.goes_with {
        Some(_) => 0,
        None => file.pieces.len().max(1),
    });
    !question.is_whole && parts.sum::<usize>() > 1
}

fn can_edit(question: &Question) -> bool {
    !question.is_whole && question.files.iter().any(|file| file.text.is_some())
}

/// Returns the verb for the effect of a yes.
pub(super) fn write_verb(question: &Question) -> &str {
    match question.tool.as_str() {
        tool @ ("Undo" | "Redo" | "Restore") => tool,
        MOVE_TOOL => "Move",
        DELETE_TOOL => "Remove",
        _ => "Write",
    }
}

/// Returns the prompt with the possible answers.
pub(super) fn format_prompt(question: &Question, asker: QuestionOrigin) -> String {
    let further = match question.offers.always.as_slice() {
        [] => String::new(),
        [rule] => format!("a: always ({})\n", escape_line_for_terminal(rule)),
        rules => format!(
            "a: always (adds {} rules to your settings; ? lists them)\n",
            rules.len()
        ),
    };
    let is_agents = asker == QuestionOrigin::Agent;
    let (act, keys) = match asker {
        QuestionOrigin::Command => (write_verb(question), "y/N"),
        QuestionOrigin::Agent => ("Approve", "y/n"),
    };
    let mut keys = keys.to_owned();
    for (key, is_offered) in [
        ("/s", is_agents && !question.offers.session.is_empty()),
        ("/a", !question.offers.always.is_empty()),
        ("/e", can_edit(question)),
        ("/p", has_parts(question)),
        ("/d", true),
        ("/q", is_agents),
        ("/?", true),
    ] {
        if is_offered {
            keys.push_str(key);
        }
    }
    format!("{further}{act} this? [{keys}]")
}

/// Returns the explanation of the keys.
pub(super) fn format_help(question: &Question, asker: QuestionOrigin) -> String {
    let act = write_verb(question).to_lowercase();
    let mut words = format!("y  {act} it\nn  write nothing\n");
    if asker == QuestionOrigin::Agent {
        words = format!(
            "y  let the agent {act} it\nn  {act} nothing; words behind it are passed on to the model\n"
        );
        if !question.offers.session.is_empty() {
            words.push_str(&format!(
                "s  the same, and no more questions until the session ends about {}\n",
                escape_line_for_terminal(&question.offers.session)
            ));
        }
    }
    if !question.offers.always.is_empty() {
        words.push_str(&format!("a  {act} it, and add to your settings:\n"));
        for rule in &question.offers.always {
            words.push_str(&format!("     {}\n", escape_line_for_terminal(rule)));
        }
        if question
            .offers
            .always
            .iter()
            .any(|rule| rule.contains("(//"))
        {
            words.push_str("   (// begins an absolute path)\n");
        }
    }
    if can_edit(question) {
        words.push_str(match question.files.len() {
            1 => "e  edit the text first\n",
            _ => "e  edit the texts first, one file after the other\n",
        });
    }
    if has_parts(question) {
        words.push_str("p  pick what is written, by file and by hunk\n");
    }
    words.push_str("d  show the diff again\n");
    if asker == QuestionOrigin::Agent {
        words.push_str(LATER_HELP);
    }
    words + HELP_KEY_HELP
}
