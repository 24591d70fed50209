//! Lets a person pick the changes to write: file by file, and within a file hunk by hunk.

use lancet::approval::{Answer, FileQuestion, Pick, Question, Wait};

use super::keys::{PartKey, part_understood};
use super::{Terminal, show};
use crate::terminal::{Colour, Style, visible_line};

/// The result of picking.
pub(super) enum Picking {
    /// The person answered.
    Done(Answer),
    /// The person returned to the question, or the call no longer waits for the answer.
    Ended,
}

/// Prompts for the parts one by one; none where the terminal is gone.
pub(super) fn pick(
    terminal: &mut Terminal,
    question: &Question,
    colour: Colour,
    wait: &Wait,
) -> Option<Picking> {
    let mut picker = Picker {
        terminal,
        act: show::act(question),
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
            1 => picker.hunks(file)?,
            _ => picker.file(file, &others)?,
        };
        match picked {
            Some(pick) => files.push(pick),
            None => return Some(Picking::Ended),
        }
    }
    let words = (!picker.words.is_empty()).then(|| picker.words.join("; "));
    Some(Picking::Done(answer(files, words)))
}

/// Returns the answer that follows from the picks.
fn answer(files: Vec<Pick>, words: Option<String>) -> Answer {
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
    fn file(&mut self, file: &FileQuestion, others: &[&FileQuestion]) -> Option<Option<Pick>> {
        let several = file.pieces.len() > 1 && others.is_empty();
        let (keys, by_hunk) = match several {
            true => ("y/n/h/d/q/?", "h  pick by hunk\n"),
            false => ("y/n/d/q/?", ""),
        };
        let act = self.act.to_lowercase();
        let help = format!(
            "y  {act} this file\nn  leave it out\n{by_hunk}d  show its diff\nq  back to the question\n"
        );
        let mut words = format!("{}\n", show::headline(file, self.colour));
        for other in others {
            words.push_str(&format!("{}\n", show::headline(other, self.colour)));
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
                PartKey::Hunks if several => return self.hunks(file),
                PartKey::Diff => {
                    let all = std::iter::once(file).chain(others.iter().copied());
                    all.map(|file| show::file_diff(file, self.colour)).collect()
                }
                PartKey::Back => return Some(None),
                PartKey::Help => help.clone(),
                PartKey::Hunks => not_understood("h"),
                PartKey::Other(typed) => not_understood(&typed),
            };
        }
    }

    /// Prompts for the hunks of a file; an inner none returns to the question.
    fn hunks(&mut self, file: &FileQuestion) -> Option<Option<Pick>> {
        let mut picked = Vec::new();
        for (at, piece) in file.pieces.iter().enumerate() {
            let shown = self.colour.numbered_diff(&piece.diff);
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
                    PartKey::Hunks => not_understood("h"),
                    PartKey::Other(typed) => not_understood(&typed),
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
        Some(line.map_or(PartKey::Back, |line| part_understood(&line)))
    }
}

fn not_understood(typed: &str) -> String {
    format!("{} is no answer; ? explains.\n", visible_line(typed))
}
