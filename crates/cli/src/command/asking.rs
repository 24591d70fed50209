//! Selects who is prompted about the writes of agents, for the commands that serve them.

use lancet::approval::FileQuestion;
use lancet::questions::RecordedQuestion;
use lancet::settings::Asker;
use lancet_mcp::{Ask, CallApprover, Elicitation, QuestionRecording};
use serde_json::{Value, json};

use crate::arguments::AskOption;
use crate::launcher;
use crate::surroundings::Surroundings;
use crate::terminal::{Consent, TerminalApprover};

/// Who is prompted: the choice of the flag, else that of the settings.
pub(super) struct AskTarget {
    pub(super) ask: Ask,
    /// The user at the terminal, if they are the one who is prompted.
    pub(super) approver: Option<CallApprover>,
}

impl AskTarget {
    /// Combines the flag and the settings. `page` says when questions are recorded, where the settings allow it.
    pub(super) fn new(
        flag: Option<AskOption>,
        settings: &[Asker],
        page: QuestionRecording,
        around: &Surroundings,
    ) -> Self {
        let ask = match flag {
            Some(AskOption::Elicit) => Ask::any_client(),
            Some(AskOption::Page) => Ask::always_recorded(),
            Some(AskOption::Terminal) => Ask::default(),
            None => Ask {
                elicit: match settings.contains(&Asker::Elicit) {
                    true => Elicitation::Known,
                    false => Elicitation::Never,
                },
                page: match settings.contains(&Asker::Page) {
                    true => page,
                    false => QuestionRecording::Never,
                },
            },
        };
        let asks_at_terminal = match flag {
            Some(flag) => flag == AskOption::Terminal,
            None => settings.contains(&Asker::Terminal),
        };
        let approver = || CallApprover::new(TerminalApprover::new(Consent::Ask, around));
        Self {
            ask,
            approver: asks_at_terminal.then(approver),
        }
    }
}

/// Passes a question that begins to wait to the program of `ask.notify`.
pub(super) fn notify_user(question: &RecordedQuestion) {
    let file = |file: &FileQuestion| {
        json!({
            "path": file.escaped_path(),
            "kind": file.kind.as_str(),
            "added": file.lines.0,
            "removed": file.lines.1,
        })
    };
    let asked = &question.question;
    let files: Vec<Value> = asked.files.iter().map(file).collect();
    let line = json!({
        "event": "waiting",
        "question": question.id,
        "tool": asked.tool,
        "session": asked.session,
        "client": asked.client,
        "files": files,
        "reason": asked.joined_reasons(),
        "protected": asked.is_protected(),
    });
    launcher::notify(format!("{line}\n"));
}
