//! Lets a person pick the changes to write: file by file, and within a file hunk by hunk.

use lancet::approval::{Answer, FileQuestion, Pick, Question, Wait};

use super::keys::{PartKey, parse_part_key};
use super::{Terminal, show};
use crate::terminal::{Colour, Style, escape_line_for_terminal};

/// The result of picking.
pub(super) enum PickOutcome {
    /// The person answered.
    Done(Answer),
    /// The person returned to the question, or the call no longer waits for the answer.
    Ended,
}

/// Prompts for the parts one by one; none where the terminal is gone.
pub(super) fn pick_parts(
    terminal: &mut Terminal,
    question: &Question,
    colour: Colour,
    wait: &Wait,
) -> Option<PickOutcome> {
    let mut picker = Picker {
        terminal,
        act: show::write_verb(question),
        colour,
        wait,
        words: Vec::new(),
    };
    let mut files: Vec<Pick> = Vec::new();
    for (at, file) in question.files.iter().enumerate() {
        // The answer for the first of several files that belong together applies to all of them.
        let first = file.goes_with.and_then(|first| files.get(first).cloned());
        let others = question
            .files
            .iter()
            .filter(|other| other.goes_with == Some(at));
        let others: Vec<&FileQuestion> = others.collect();
        let picked = match question.files.len() {
            _ if first.is_some() => first,
            1 => picker.pick_hunks(file)?,
            _ => picker.pick_file(file, &others)?,
        };
        match picked {
            Some(pick) => files.push(pick),
            None => return Some(PickOutcome::Ended),
        }
    }
    let words = (!picker.words.is_empty()).then(|| picker.words.join("; "));
    Some(PickOutcome::Done(answer_from_picks(files, words)))
}

/// Returns the answer that follows from the picks.
fn answer_from_picks(files: Vec<Pick>, words: Option<String>) -> Answer {
    if files.iter().all(|pick| *pick == Pick::Whole) {
        Answer::Yes
    } else if files.iter().all(|pick| *pick == Pick::Nothing) {
        Answer::No(words)
    } else {
        Answer::Picked { files, words }
    }
}

struct Picker<'t> {
    terminal: &'t mut Terminal,
    /// The verb for the effect of a yes.
    act: &'t str,
    colour: Colour,
    wait: &'t Wait,
    /// The reasons that the person gave for parts that they left out.
    words: Vec<String>,
}

impl Picker<'_> {
    /// Prompts for one file and the others that go with it; an inner none returns to the question.
    fn pick_file(&mut self, file: &FileQuestion, others: &[&FileQuestion]) -> Option<Option<Pick>> {
        let several = file.pieces.len() > 1 && others.is_empty();
        let (keys, by_hunk) = match several {
            true => ("y/n/h/d/q/?", "h  pick by hunk\n"),
            false => ("y/n/d/q/?", ""),
        };
        let act = self.act.to_lowercase();
        let help = format!(
            "y  {act} this file\nn  leave it out\n{by_hunk}d  show its diff\nq  back to the question\n"
        );
        let mut words = format!("{}\n", show::format_headline(file, self.colour));
        for other in others {
            words.push_str(&format!("{}\n", show::format_headline(other, self.colour)));
        }
        loop {
            let what = match others {
                [] => "this file",
                _ => "these files, which only change together",
            };
            let prompt = format!("{} {what}? [{keys}]", self.act);
            words = match self.ask(&words, &prompt)? {
                PartKey::Yes => return Some(Some(Pick::Whole)),
                PartKey::No(why) => {
                    self.words.extend(why);
                    return Some(Some(Pick::Nothing));
                }
                PartKey::Hunks if several => return self.pick_hunks(file),
                PartKey::Diff => {
                    let all = std::iter::once(file).chain(others.iter().copied());
                    all.map(|file| show::format_file_diff(file, self.colour))
                        .collect()
                }
                PartKey::Back => return Some(None),
                PartKey::Help => help.clone(),
                PartKey::Hunks => unknown_answer_message("h"),
                PartKey::Other(typed) => unknown_answer_message(&typed),
            };
        }
    }

    /// Prompts for the hunks of a file; an inner none returns to the question.
    fn pick_hunks(&mut self, file: &FileQuestion) -> Option<Option<Pick>> {
        let mut picked = Vec::new();
        for (at, piece) in file.pieces.iter().enumerate() {
            let shown = self.colour.paint_numbered_diff(&piece.diff);
            let mut words = shown.clone();
            loop {
                let which = match piece.hunks.len() {
                    0 | 1 => "hunk",
                    _ => "part, whose hunks belong together",
                };
                let prompt = format!(
                    "({}/{}) {} this {which}? [y/n/q/?]",
                    at + 1,
                    file.pieces.len(),
                    self.act
                );
                words = match self.ask(&words, &prompt)? {
                    PartKey::Yes => {
                        picked.push(at);
                        break;
                    }
                    PartKey::No(why) => {
                        self.words.extend(why);
                        break;
                    }
                    PartKey::Back => return Some(None),
                    PartKey::Diff => shown.clone(),
                    PartKey::Help => {
                        let act = self.act.to_lowercase();
                        format!("y  {act} it\nn  leave it out\nq  back to the question\n")
                    }
                    PartKey::Hunks => unknown_answer_message("h"),
                    PartKey::Other(typed) => unknown_answer_message(&typed),
                };
            }
        }
        Some(Some(match picked.len() {
            0 => Pick::Nothing,
            all if all == file.pieces.len() => Pick::Whole,
            _ => Pick::Pieces(picked),
        }))
    }

    /// Prompts for one part. If the call no longer waits for the answer, the question says so.
    fn ask(&mut self, words: &str, prompt: &str) -> Option<PartKey> {
        let prompt = self.colour.paint(Style::Bold, prompt);
        let line = self.terminal.ask(&format!("{words}{prompt} "), self.wait)?;
        Some(line.map_or(PartKey::Back, |line| parse_part_key(&line)))
    }
}

fn unknown_answer_message(typed: &str) -> String {
    format!(
        "{} is no answer; ? explains.\n",
        escape_line_for_terminal(typed)
    )
}
