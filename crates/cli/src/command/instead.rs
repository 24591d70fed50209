//! Offers the edits that a refusal names, at a terminal: shows the diff of one, and makes it if the user agrees.

use std::io::IsTerminal as _;

use lancet::approval::Approver as _;
use lancet::dialects::AppliedBy;
use lancet::{Check, NextCall, RawCall, Reply, Session};
use serde_json::json;

use crate::answer::{OutputFormat, Presentation, print_reply};
use crate::failure::{Exit, Failure};
use crate::fault::{call_registered, caller};
use crate::surroundings::{RunningAgent, Surroundings};
use crate::terminal::{
    TerminalApprover, confirm_at_terminal, print_error, prompt_line, stdout_is_terminal,
};

/// The context in which the user may continue after a refused command.
pub(super) struct RefusalFollowUp<'a> {
    pub(super) session: &'a Session,
    pub(super) approver: &'a TerminalApprover,
    pub(super) applied_by: AppliedBy,
    pub(super) output: OutputFormat,
    pub(super) presentation: Presentation<'a>,
    pub(super) around: &'a Surroundings,
}

impl RefusalFollowUp<'_> {
    /// Offers the edits of a refusal that has been printed. The result is none where there are none, where no user is
    /// at a terminal, or where the user wants none of them.
    pub(super) fn offer_edits(&self, refused: &Reply) -> Result<Option<Exit>, Failure> {
        let edits: Vec<&NextCall> = refused
            .next_calls()
            .iter()
            .filter(|call| {
                let is_edit = ["Edit", "MultiEdit"].contains(&call.tool.as_str());
                is_edit && call.arguments.get("dry_run").is_none()
            })
            .collect();
        if edits.is_empty() || !self.is_person_there() {
            return Ok(None);
        }
        match choose_edit(&edits) {
            Some(call) => self.confirm_and_apply(call),
            None => Ok(None),
        }
    }

    /// Reports whether a person reads the answer and can type. With `--yes` there is no prompt.
    fn is_person_there(&self) -> bool {
        self.output == OutputFormat::Text
            && self.approver.consent_given_in_advance(false).is_none()
            && std::io::stdin().is_terminal()
            && stdout_is_terminal()
            && std::io::stderr().is_terminal()
            && RunningAgent::detect().is_none()
    }

    /// Shows the diff and makes the edit after a yes. If a rule requires a question, that question does both.
    fn confirm_and_apply(&self, call: &NextCall) -> Result<Option<Exit>, Failure> {
        let foreseen = RawCall::new(&call.tool, call.arguments.clone()).with_caller(caller());
        let is_asked = match self
            .session
            .check(foreseen.with_applied_by(self.applied_by))
        {
            Check::Passes => false,
            Check::Asks { .. } => true,
            _ => return Ok(None),
        };
        if !is_asked {
            let mut shown = call.arguments.clone();
            shown["dry_run"] = json!(true);
            let shown = call_registered(self.session, &call.tool, shown, self.applied_by);
            print_reply(&shown, self.output, self.presentation, self.around)?;
            if shown.is_error() || confirm_at_terminal("Write this instead? [y/N]") != Some(true) {
                return Ok(None);
            }
        }
        let arguments = call.arguments.clone();
        let reply = call_registered(self.session, &call.tool, arguments, self.applied_by);
        print_reply(&reply, self.output, self.presentation, self.around).map(Some)
    }
}

/// Returns the only edit, or the one whose number the user types.
fn choose_edit<'c>(edits: &[&'c NextCall]) -> Option<&'c NextCall> {
    if let [only] = edits {
        return Some(only);
    }
    let mut list = String::new();
    for (at, call) in edits.iter().enumerate() {
        list.push_str(&format!("  {}  {}\n", at + 1, call.why));
    }
    loop {
        let line = prompt_line(&format!(
            "{list}Which one? [1-{}, Enter for none]",
            edits.len()
        ))?;
        match line.trim() {
            "" | "n" | "no" | "q" => return None,
            typed => match typed.parse::<usize>() {
                Ok(number) if (1..=edits.len()).contains(&number) => {
                    return Some(edits[number - 1]);
                }
                _ => print_error("That is none of the numbers.\n"),
            },
        }
    }
}
