//! Asks a person before a write, on the terminal itself: standard input may carry text, and whoever feeds it is not
//! necessarily a person.

use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use lancet::{Answer, Approver, Question, Wait};

use super::{Colour, Style, visible, visible_line};

/// The longest answer that is read, in bytes.
const LONGEST_ANSWER: u64 = 4096;

/// What was said beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consent {
    /// Every question is asked.
    Ask,
    /// `--yes`: questions are answered, but for those about protected names.
    Given,
}

/// What became of the questions.
#[derive(Debug, Default)]
struct Past {
    /// A question that could not be asked.
    unasked: Option<(String, bool)>,
    /// A person has seen the diff.
    shown: bool,
}

/// Asks on the terminal. Clones share what became of the questions.
#[derive(Clone, Debug)]
pub(crate) struct TerminalApprover {
    consent: Consent,
    plain: bool,
    past: Arc<Mutex<Past>>,
}

impl TerminalApprover {
    /// An approver; `plain` for no colours.
    pub(crate) fn new(consent: Consent, plain: bool) -> Self {
        Self {
            consent,
            plain,
            past: Arc::default(),
        }
    }

    /// Whether a person has seen the diff already.
    pub(crate) fn has_shown(&self) -> bool {
        self.past
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .shown
    }

    /// What to say where a question could not be asked: nobody has declined anything then.
    pub(crate) fn unasked(&self) -> Option<String> {
        let past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
        let (reason, protected) = past.unasked.as_ref()?;
        let how = if *protected {
            "Only a person at a terminal can allow it; --yes does not. Run the command there."
        } else {
            "Run the command at a terminal, or allow it with --yes; --diff shows what it would write."
        };
        Some(format!(
            "Nothing was written: {reason}, and there is no terminal to ask on. {how}"
        ))
    }
}

impl Approver for TerminalApprover {
    fn ask(&self, question: &Question, _: &Wait) -> Answer {
        if self.consent == Consent::Given && !question.protected {
            return Answer::Yes;
        }
        let answer = ask(question, Colour::of(true, self.plain));
        let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
        match answer {
            Some(answer) => {
                past.shown = true;
                answer
            }
            None => {
                past.unasked = Some((question.reason.clone(), question.protected));
                Answer::No(None)
            }
        }
    }
}

/// Asks; none where there is no terminal.
fn ask(question: &Question, colour: Colour) -> Option<Answer> {
    let mut terminal = OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/tty")
        .ok()?;
    terminal
        .write_all(worded(question, colour).as_bytes())
        .ok()?;
    let mut line = Vec::new();
    let mut input = BufReader::new(std::io::Read::take(&terminal, LONGEST_ANSWER));
    input.read_until(b'\n', &mut line).ok()?;
    if !line.ends_with(b"\n") {
        // End of input leaves the cursor behind the question.
        let _ = (&terminal).write_all(b"\n");
    }
    Some(understood(&String::from_utf8_lossy(&line)))
}

/// The question in words.
fn worded(question: &Question, colour: Colour) -> String {
    let (added, removed) = question.lines;
    let relative = question.relative.display().to_string();
    let path = question.path.display().to_string();
    let notices: String = question
        .notices
        .iter()
        .map(|notice| format!("note: {}\n", visible(notice)))
        .collect();
    format!(
        "{} {}  {} {}\n{}\n{}\n{}{}{} ",
        question.tool,
        colour.paint(Style::Bold, &visible_line(&relative)),
        colour.paint(Style::Green, &format!("+{added}")),
        colour.paint(Style::Red, &format!("-{removed}")),
        colour.paint(Style::Dim, &visible_line(&path)),
        colour.paint(Style::Dim, &visible_line(&question.reason)),
        colour.diff(&question.diff),
        colour.paint(Style::Dim, &notices),
        colour.paint(Style::Bold, "Write this? [y/N, or n and why]"),
    )
}

/// What an answer means. Only a plain yes is one; all other words are passed on as the reason for the no.
fn understood(line: &str) -> Answer {
    let line = line.trim();
    let (first, rest) = line
        .split_once(|c: char| c.is_whitespace() || ",:;.".contains(c))
        .unwrap_or((line, ""));
    let rest = rest.trim();
    match first.to_lowercase().as_str() {
        "y" | "yes" if rest.is_empty() => Answer::Yes,
        "n" | "no" if rest.is_empty() => Answer::No(None),
        "n" | "no" => Answer::No(Some(rest.to_owned())),
        "" if rest.is_empty() => Answer::No(None),
        _ => Answer::No(Some(line.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_yes_is_a_yes() {
        let no = |words: &str| Answer::No(Some(words.to_owned()));
        assert_eq!(understood("y\n"), Answer::Yes);
        assert_eq!(understood(" YES \n"), Answer::Yes);
        assert_eq!(understood("\n"), Answer::No(None));
        assert_eq!(understood(""), Answer::No(None));
        assert_eq!(understood("N\n"), Answer::No(None));
        assert_eq!(
            understood("n use the other file\n"),
            no("use the other file")
        );
        assert_eq!(understood("no, not here\n"), no("not here"));
        assert_eq!(understood("y but later\n"), no("y but later"));
        assert_eq!(understood("nothing doing\n"), no("nothing doing"));
    }

    #[test]
    fn yes_beforehand_answers_all_but_protected_names() {
        let question = Question {
            tool: "Edit".into(),
            path: "/r/a".into(),
            relative: "a".into(),
            reason: "the mode is ask".into(),
            protected: false,
            diff: String::new(),
            notices: Vec::new(),
            lines: (1, 1),
            ..Question::default()
        };
        let approver = TerminalApprover::new(Consent::Given, true);
        assert_eq!(approver.ask(&question, &Wait::default()), Answer::Yes);
        assert!(!approver.has_shown() && approver.unasked().is_none());
    }

    #[test]
    fn a_question_shows_what_the_file_would_hide() {
        let question = Question {
            tool: "Edit".into(),
            path: "/r/a".into(),
            relative: "a".into(),
            reason: "why".into(),
            protected: false,
            diff: "-ok\n+evil\x1b[2K\rok\n".into(),
            notices: Vec::new(),
            lines: (1, 1),
            ..Question::default()
        };
        let words = worded(&question, Colour::Off);
        assert!(words.contains("+evil␛[2K␍ok\n") && !words.contains('\x1b'));
    }

    #[test]
    fn what_the_diff_leaves_out_stands_below_it() {
        let question = Question {
            tool: "Edit".into(),
            path: "/r/a".into(),
            relative: "a".into(),
            reason: "the mode is ask".into(),
            protected: false,
            diff: "@@ -1 +1 @@\n-a\n+b\n".into(),
            notices: vec!["10 further places are not shown".into()],
            lines: (1, 1),
            ..Question::default()
        };
        let words = worded(&question, Colour::Off);
        assert!(
            words.contains("+b\nnote: 10 further places are not shown\nWrite this?"),
            "{words}"
        );
    }

    #[test]
    fn a_name_with_a_line_end_forges_no_line_of_the_question() {
        let question = Question {
            tool: "Edit".into(),
            path: "/r/a\n@@ -1 +1 @@\nb".into(),
            relative: "a\n@@ -1 +1 @@\nb".into(),
            reason: "/r/a\nb is protected".into(),
            protected: true,
            diff: String::new(),
            notices: Vec::new(),
            lines: (1, 1),
            ..Question::default()
        };
        let words = worded(&question, Colour::Off);
        assert_eq!(words.lines().count(), 4, "{words}");
    }
}
