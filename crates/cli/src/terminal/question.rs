//! Prompts a person before a write, on the terminal device itself: standard input may contain text, and its source need
//! not be a person.

mod edited;
mod editor;
mod keys;
mod on_record;
mod pick;
mod show;
#[cfg(test)]
mod tests;

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lancet::approval::{Answer, Approver, Question, Wait};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use self::edited::EditedTexts;
use self::keys::Key;
use self::pick::PickOutcome;
pub(crate) use self::show::format_headline;
use super::progress_line::ProgressPause;
use super::{
    Colour, Style, columns, encode_for_terminal, escape_line_for_terminal, show_in_pager,
    wrap_lines,
};
use crate::surroundings::Surroundings;

/// The longest answer that is read, in bytes.
const LONGEST_ANSWER: usize = 4096;

/// How often a check is made whether the answer is still wanted.
const CHECK_INTERVAL: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};

/// The consent that flags gave in advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consent {
    /// Every question is shown.
    Ask,
    /// `--yes`: questions count as answered with yes, except those about protected names.
    Given,
    /// `--yes-protected` with the person's token: questions about protected names also count as answered.
    GivenToAll,
}

/// The origin of a change that a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QuestionOrigin {
    /// The user's own command waits for the answer.
    Command,
    /// An agent needs the answer. The question is recorded and can stay open.
    Agent,
}

/// The state of the questions of one command.
#[derive(Debug, Default)]
struct AskState {
    /// A question that could not be shown, for the error message.
    failed_to_ask: Option<(String, bool)>,
    /// Whether a person has seen the diff.
    shown: bool,
    /// The folder for texts that a person edits.
    drafts: Option<PathBuf>,
    /// The files of the last question.
    asked: Vec<PathBuf>,
    /// The text that each question begins with.
    heading: String,
    /// Whether the person chooses by file and hunk from the start.
    begins_with_choice: bool,
}

/// An approver that prompts on the terminal. Clones share the state of the questions.
#[derive(Clone, Debug)]
pub(crate) struct TerminalApprover {
    consent: Consent,
    colour: Colour,
    /// Whether the user has a pager.
    has_pager: bool,
    past: Arc<Mutex<AskState>>,
    /// Locked while a question is on the screen: a question that is withdrawn may still have its pager or editor open.
    screen: Arc<Mutex<()>>,
}

impl TerminalApprover {
    /// Makes an approver.
    pub(crate) fn new(consent: Consent, around: &Surroundings) -> Self {
        Self {
            consent,
            colour: around.colour(true),
            has_pager: around.pager.is_some(),
            past: Arc::default(),
            screen: Arc::default(),
        }
    }

    /// Sets the folder for texts that a person edits.
    pub(crate) fn set_drafts_folder(&self, folder: PathBuf) {
        self.lock_state().drafts = Some(folder);
    }

    /// Sets the text that each question begins with.
    pub(crate) fn set_heading(&self, heading: &str) {
        self.lock_state().heading = heading.to_owned();
    }

    /// Lets the person choose by file and hunk from the start.
    pub(crate) fn begin_with_choice(&self) {
        self.lock_state().begins_with_choice = true;
    }

    /// Reports whether a person has already seen the diff.
    pub(crate) fn has_shown(&self) -> bool {
        self.lock_state().shown
    }

    /// Returns the message for a question that could not be shown. Without it the answer would say that the user
    /// declined.
    pub(crate) fn failed_to_ask(&self) -> Option<String> {
        let past = self.lock_state();
        let (reason, protected) = past.failed_to_ask.as_ref()?;
        // The message names a rule or a protected name as the reason, but not the mode: a person's own command prompts
        // before every write by default.
        let why = match reason.starts_with("the mode is ") {
            true => "it has to be confirmed",
            false => reason,
        };
        let how = if *protected {
            "Only a person at a terminal can allow it, or --yes-protected with the person's token in LANCET_TOKEN; --yes does not."
        } else {
            "Use --yes to write it, or --diff to see what it would write."
        };
        Some(format!(
            "Not written: {why}, and there is no terminal to ask on. {how}"
        ))
    }

    fn lock_state(&self) -> MutexGuard<'_, AskState> {
        self.past.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prompts until there is an answer. The result is none where there is no terminal; an inner none means that the
    /// question stays open.
    fn prompt_until_answered(
        &self,
        question: &Question,
        wait: &Wait,
        asker: QuestionOrigin,
    ) -> Option<Option<Answer>> {
        let _screen = self.screen.lock().unwrap_or_else(PoisonError::into_inner);
        let _free = ProgressPause::begin();
        let colour = self.colour;
        let mut terminal = Terminal::open()?;
        let mut edited = EditedTexts::default();
        let columns = columns(&terminal.0);
        let narrow = |words: &str| wrap_lines(words, columns);
        let heading = self.lock_state().heading.clone();
        let again = self.repetition_note(question);
        let mut words =
            narrow(&(again + &heading + &show::format_summary(question, asker, colour)));
        if let Some(answer) = self.choose_first(&mut terminal, &words, question, wait)? {
            return Some(Some(answer));
        }
        words.push_str(&show::format_diffs(question, colour));
        loop {
            let prompt = match edited.has_edits() {
                true => show::edited_prompt(asker).to_owned(),
                false => show::format_prompt(question, asker),
            };
            if self.page(&terminal, &words) {
                words = narrow(&show::format_summary(question, asker, colour));
            }
            let prompt = colour.paint(Style::Bold, &narrow(&prompt));
            let Some(line) = terminal.ask(&format!("{words}{prompt} "), wait)? else {
                terminal.write_text("\n(no longer asked)\n")?;
                return Some(Some(Answer::No(None)));
            };
            let key = match asker {
                QuestionOrigin::Command => keys::parse_key(&line),
                QuestionOrigin::Agent => keys::parse_recorded_key(&line),
            };
            words = match key {
                Key::Later => return Some(None),
                Key::No(words) => return Some(Some(Answer::No(words))),
                Key::Yes if edited.has_edits() => return Some(Some(edited.to_answer())),
                Key::Yes => return Some(Some(Answer::Yes)),
                Key::Edit => self.edit_texts(question, &mut edited),
                Key::Diff if edited.has_edits() => edited.format_diffs(question, colour),
                Key::Help if edited.has_edits() => show::edited_help(asker),
                Key::Always | Key::Session | Key::Pick if edited.has_edits() => {
                    "The text was edited: y writes it, e edits it again, n writes nothing.\n"
                        .to_owned()
                }
                Key::Always if question.offers.always.is_empty() => {
                    "There is no rule that could be added; ? explains.\n".to_owned()
                }
                Key::Always => return Some(Some(Answer::Always)),
                Key::Session if question.offers.session.is_empty() => {
                    "There is nothing that could be allowed for the session; ? explains.\n"
                        .to_owned()
                }
                Key::Session => return Some(Some(Answer::Session)),
                Key::Pick if !show::has_parts(question) => {
                    "There is only one part; ? explains.\n".to_owned()
                }
                Key::Pick => match pick::pick_parts(&mut terminal, question, colour, wait)? {
                    PickOutcome::Done(answer) => return Some(Some(answer)),
                    PickOutcome::Ended => String::new(),
                },
                Key::Diff => show::format_diffs(question, colour),
                Key::Help => narrow(&show::format_help(question, asker)),
                Key::Other(typed) => {
                    format!(
                        "{} is no answer; ? explains.\n",
                        escape_line_for_terminal(&typed)
                    )
                }
            };
        }
    }

    /// Lets the person choose by file and hunk before any other question, if the command says so. None where the whole
    /// question is asked; an outer none where the terminal is gone.
    fn choose_first(
        &self,
        terminal: &mut Terminal,
        words: &str,
        question: &Question,
        wait: &Wait,
    ) -> Option<Option<Answer>> {
        if !self.lock_state().begins_with_choice || !show::has_parts(question) {
            return Some(None);
        }
        terminal.write_text(words)?;
        let picked = pick::pick_parts(terminal, question, self.colour, wait)?;
        Some(match picked {
            PickOutcome::Done(answer) => Some(answer),
            PickOutcome::Ended => None,
        })
    }

    /// Lets the person edit the texts of a question. Returns what is shown afterwards: the diffs of the edited texts,
    /// or why there are none.
    fn edit_texts(&self, question: &Question, edited: &mut EditedTexts) -> String {
        let drafts = self.lock_state().drafts.clone();
        match edited.edit_files(question, drafts) {
            Ok(true) if edited.has_edits() => edited.format_diffs(question, self.colour),
            Ok(_) => "The text is as it was.\n".to_owned(),
            Err(error) => format!("It cannot be edited: {error}.\n"),
        }
    }

    /// Returns the text before a question that is repeated, because a file changed.
    fn repetition_note(&self, question: &Question) -> String {
        let files: Vec<PathBuf> = question
            .files
            .iter()
            .map(|file| file.path.clone())
            .collect();
        let mut past = self.lock_state();
        let is_same = past.asked == files;
        past.asked = files;
        match is_same {
            true => "The file changed meanwhile; this is how it would be changed now.\n".to_owned(),
            false => String::new(),
        }
    }

    /// Shows a text that is longer than the screen in the pager. Returns false where it was not shown.
    fn page(&self, terminal: &Terminal, text: &str) -> bool {
        let rows = rustix::termios::tcgetwinsize(&terminal.0).map_or(0, |size| size.ws_row);
        // The prompt takes two lines. A terminal that does not report its size is assumed to be long enough.
        let fits = rows == 0 || text.lines().count() + 2 < usize::from(rows);
        if fits || !self.has_pager {
            return false;
        }
        let write = |out: &mut dyn io::Write| out.write_all(text.as_bytes());
        let screen = terminal.0.try_clone();
        screen.is_ok_and(|screen| show_in_pager(screen.into(), write).is_ok())
    }
}

impl Approver for TerminalApprover {
    fn ask(&self, question: &Question, wait: &Wait) -> Answer {
        if self
            .consent_given_in_advance(question.is_protected())
            .is_some()
        {
            return Answer::Yes;
        }
        let answer = self.prompt_until_answered(question, wait, QuestionOrigin::Command);
        let mut past = self.lock_state();
        match answer.flatten() {
            Some(answer) => {
                // Picked parts were not shown as one diff.
                past.shown = !matches!(answer, Answer::Picked { .. });
                answer
            }
            None => {
                past.failed_to_ask = Some((question.joined_reasons(), question.is_protected()));
                Answer::Unanswered(None)
            }
        }
    }

    fn consent_given_in_advance(&self, protected: bool) -> Option<String> {
        let flag = match self.consent {
            Consent::Given if !protected => "--yes",
            Consent::GivenToAll => "--yes-protected with LANCET_TOKEN",
            Consent::Ask | Consent::Given => return None,
        };
        Some(flag.to_owned())
    }
}

/// Reports whether there is a terminal to prompt on.
pub(crate) fn has_terminal() -> bool {
    Terminal::open().is_some()
}

/// Asks a yes-or-no question on the terminal; none where there is no terminal.
pub(crate) fn confirm_at_terminal(question: &str) -> Option<bool> {
    let mut terminal = Terminal::open()?;
    let line = terminal.ask(&format!("{question} "), &Wait::default())??;
    Some(keys::parse_key(&line) == Key::Yes)
}

/// Asks for a line on the terminal; none where there is no terminal.
pub(crate) fn prompt_line(question: &str) -> Option<String> {
    let mut terminal = Terminal::open()?;
    terminal.ask(&format!("{question} "), &Wait::default())?
}

/// The terminal device itself.
struct Terminal(File);

impl Terminal {
    /// Opens it; none where there is no terminal.
    fn open() -> Option<Self> {
        let mut options = OpenOptions::new();
        let opened = options.read(true).write(true).open("/dev/tty");
        opened.ok().map(Self)
    }

    /// Shows a text; none where the terminal is gone.
    fn write_text(&mut self, text: &str) -> Option<()> {
        self.0.write_all(encode_for_terminal(text).as_bytes()).ok()
    }

    /// Shows a text and waits for a line; an inner none where the answer is no longer wanted.
    fn ask(&mut self, text: &str, wait: &Wait) -> Option<Option<String>> {
        self.write_text(text)?;
        self.read_line(wait).ok()
    }

    fn read_line(&mut self, wait: &Wait) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        loop {
            let ready = poll(
                &mut [PollFd::new(&self.0, PollFlags::IN)],
                Some(&CHECK_INTERVAL),
            )?;
            if wait.is_over() {
                return Ok(None);
            }
            if ready == 0 {
                continue;
            }
            // A terminal delivers whole lines.
            let mut bytes = [0; 1024];
            let length = self.0.read(&mut bytes)?;
            line.extend_from_slice(&bytes[..length]);
            if length == 0 || line.contains(&b'\n') || line.len() >= LONGEST_ANSWER {
                if !line.ends_with(b"\n") {
                    // At the end of input the cursor is still on the line of the question.
                    let _ = self.0.write_all(b"\n");
                }
                let first = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
                return Ok(Some(String::from_utf8_lossy(first).into_owned()));
            }
        }
    }
}
