//! Asks a person before a write, on the terminal device itself: standard input may carry text, and what feeds it need
//! not be a person.

mod editor;
#[cfg(test)]
mod tests;

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lancet::approval::{Answer, Approver, ChangeKind, Question, Wait};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{Colour, Style, visible, visible_line};
use crate::surroundings::Surroundings;

/// The longest answer that is read, in bytes.
const LONGEST_ANSWER: usize = 4096;

/// How often it is checked whether the answer is still wanted.
const LOOK_EVERY: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};

/// The consent that flags gave in advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consent {
    /// Every question is asked.
    Ask,
    /// `--yes`: questions count as answered with yes, except those about protected names.
    Given,
    /// `--yes-protected`: questions about protected names count as answered, too.
    GivenToAll,
}

impl Consent {
    /// Reads the consent from the flags.
    pub(crate) fn of(yes: bool, yes_protected: bool) -> Self {
        match (yes, yes_protected) {
            (_, true) => Consent::GivenToAll,
            (true, false) => Consent::Given,
            (false, false) => Consent::Ask,
        }
    }
}

/// The state of the questions of one command.
#[derive(Debug, Default)]
struct AskState {
    /// A question that could not be asked, for the error message.
    unasked: Option<(String, bool)>,
    /// Whether a person has seen the diff.
    shown: bool,
    /// The folder for texts that a person edits.
    drafts: Option<PathBuf>,
}

/// Asks on the terminal. Clones share the state of the questions.
#[derive(Clone, Debug)]
pub(crate) struct TerminalApprover {
    consent: Consent,
    plain: bool,
    /// The person's editor.
    editor: String,
    past: Arc<Mutex<AskState>>,
}

impl TerminalApprover {
    /// Makes an approver.
    pub(crate) fn new(consent: Consent, around: &Surroundings) -> Self {
        Self {
            consent,
            plain: around.plain,
            editor: around.editor.clone().unwrap_or_else(|| "vi".to_owned()),
            past: Arc::default(),
        }
    }

    /// Sets the folder for texts that a person edits.
    pub(crate) fn keep_drafts_in(&self, folder: PathBuf) {
        self.past().drafts = Some(folder);
    }

    /// Whether a person has already seen the diff.
    pub(crate) fn has_shown(&self) -> bool {
        self.past().shown
    }

    /// The message where a question could not be asked, since nobody has declined then.
    pub(crate) fn unasked(&self) -> Option<String> {
        let past = self.past();
        let (reason, protected) = past.unasked.as_ref()?;
        let how = if *protected {
            "Only a person at a terminal, or --yes-protected, can allow it; --yes does not. Run the command there."
        } else {
            "Run the command at a terminal, or allow it with --yes; --diff (undo, redo, restore: --dry-run) shows what it would write."
        };
        Some(format!(
            "Nothing was written: {reason}, and there is no terminal to ask on. {how}"
        ))
    }

    fn past(&self) -> MutexGuard<'_, AskState> {
        self.past.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks until there is an answer; none where there is no terminal.
    fn ask_at_terminal(&self, question: &Question, wait: &Wait) -> Option<Answer> {
        let colour = Colour::of(true, self.plain);
        let mut terminal = OpenOptions::new()
            .read(true)
            .write(true)
            .open("/dev/tty")
            .ok()?;
        let mut words = worded(question, colour);
        loop {
            let prompt = colour.paint(Style::Bold, &prompt(question));
            terminal
                .write_all(format!("{words}{prompt} ").as_bytes())
                .ok()?;
            let Some(line) = read_line(&mut terminal, wait).ok()? else {
                let _ = terminal.write_all(b"\n(no longer asked)\n");
                return Some(Answer::No(None));
            };
            match understood(&line) {
                ParsedLine::Answer(answer) => return Some(answer),
                ParsedLine::Edit => {
                    match editor::edit(&self.editor, self.past().drafts.clone(), question) {
                        Ok(Some(text)) => return Some(Answer::Edited(text)),
                        Ok(None) => words = "The text is as it was.\n".to_owned(),
                        Err(error) => words = format!("It cannot be edited: {error}.\n"),
                    }
                }
            }
        }
    }
}

impl Approver for TerminalApprover {
    fn ask(&self, question: &Question, wait: &Wait) -> Answer {
        if self.beforehand(question.protected).is_some() {
            return Answer::Yes;
        }
        let answer = self.ask_at_terminal(question, wait);
        let mut past = self.past();
        match answer {
            Some(answer) => {
                // The person has not seen the diff of a text that they edited.
                past.shown = !matches!(answer, Answer::Edited(_));
                answer
            }
            None => {
                past.unasked = Some((question.reason.clone(), question.protected));
                Answer::Unanswered(None)
            }
        }
    }

    fn beforehand(&self, protected: bool) -> Option<String> {
        let flag = match self.consent {
            Consent::Given if !protected => "--yes",
            Consent::GivenToAll => "--yes-protected",
            Consent::Ask | Consent::Given => return None,
        };
        Some(flag.to_owned())
    }
}

/// Asks a yes-or-no question on the terminal; none where there is no terminal.
pub(crate) fn confirm(question: &str) -> Option<bool> {
    let mut terminal = OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/tty")
        .ok()?;
    terminal.write_all(format!("{question} ").as_bytes()).ok()?;
    let line = read_line(&mut terminal, &Wait::default()).ok()??;
    Some(understood(&line) == ParsedLine::Answer(Answer::Yes))
}

/// Reads a line from the terminal; none where the call no longer waits for it.
fn read_line(terminal: &mut File, wait: &Wait) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    loop {
        let ready = poll(
            &mut [PollFd::new(&*terminal, PollFlags::IN)],
            Some(&LOOK_EVERY),
        )?;
        if wait.is_over() {
            return Ok(None);
        }
        if ready == 0 {
            continue;
        }
        // A terminal delivers whole lines.
        let mut bytes = [0; 1024];
        let length = terminal.read(&mut bytes)?;
        line.extend_from_slice(&bytes[..length]);
        if length == 0 || line.contains(&b'\n') || line.len() >= LONGEST_ANSWER {
            if !line.ends_with(b"\n") {
                // At the end of input the cursor is still behind the question.
                let _ = terminal.write_all(b"\n");
            }
            let first = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
            return Ok(Some(String::from_utf8_lossy(first).into_owned()));
        }
    }
}

/// The question as text.
fn worded(question: &Question, colour: Colour) -> String {
    let (added, removed) = question.lines;
    let notices: String = question
        .notices
        .iter()
        .map(|notice| format!("note: {}\n", visible(notice)))
        .collect();
    let kind = match question.kind {
        ChangeKind::Create => " (a new file)",
        ChangeKind::Delete => " (it goes)",
        _ => "",
    };
    let rule = match &question.rule {
        Some(rule) => colour.paint(Style::Dim, &format!("{}\n", visible_line(rule))),
        None => String::new(),
    };
    format!(
        "{} {}{kind}  {} {}\n{}\n{}\n{rule}{}{}",
        question.tool,
        colour.paint(Style::Bold, &question.shown_relative()),
        colour.paint(Style::Green, &format!("+{added}")),
        colour.paint(Style::Red, &format!("-{removed}")),
        colour.paint(Style::Dim, &question.shown_path()),
        colour.paint(Style::Dim, &visible_line(&question.reason)),
        colour.diff(&question.diff),
        colour.paint(Style::Dim, &notices),
    )
}

/// The prompt with the possible answers.
fn prompt(question: &Question) -> String {
    let mut further = format!("s: yes, for {} in this session", question.offers.session);
    if let Some(rule) = &question.offers.always {
        further.push_str(&format!("; a: always ({})", visible_line(rule)));
    }
    if question.text.is_some() {
        further.push_str("; e: edit it first");
    }
    format!("{further}\nWrite this? [y/N, or n and why]")
}

/// The meaning of a typed line.
#[derive(Debug, PartialEq, Eq)]
enum ParsedLine {
    Answer(Answer),
    Edit,
}

/// Parses a typed line. Only a plain yes is a yes; any other text is a no with the text as its reason.
fn understood(line: &str) -> ParsedLine {
    let line = line.trim();
    let (first, rest) = line
        .split_once(|c: char| c.is_whitespace() || ",:;.".contains(c))
        .unwrap_or((line, ""));
    let rest = rest.trim();
    let alone = rest.is_empty();
    ParsedLine::Answer(match first.to_lowercase().as_str() {
        "y" | "yes" if alone => Answer::Yes,
        "s" | "session" if alone => Answer::Session,
        "a" | "always" if alone => Answer::Always,
        "e" | "edit" if alone => return ParsedLine::Edit,
        "n" | "no" if alone => Answer::No(None),
        "n" | "no" => Answer::No(Some(rest.to_owned())),
        "" if alone => Answer::No(None),
        _ => Answer::No(Some(line.to_owned())),
    })
}
