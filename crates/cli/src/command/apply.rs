//! `lancet apply`: shows the edits in a model's reply, asks once for confirmation, and makes them together.

use lancet::dialects::{AppliedBy, Dialect, ParseOptions, ResponseOptions, parse};
use lancet::doors::Audience;
use lancet::outcome::Outcome;
use lancet::tools::ToolPrefix;
use lancet::{RefusalKind, Reply};

use super::instead::RefusalFollowUp;
use super::recording::{Reversal, prove_change};
use super::{read_text_file, session_named_or_new};
use crate::answer::{OutputFormat, Presentation, exit_for_reply, print_reply};
use crate::arguments::ApplyArguments;
use crate::failure::{Exit, Failure};
use crate::fault::{begin_call, caller};
use crate::guard;
use crate::opening::{ApproverKind, FlawHandling, OpenRequest, WriteAuthor};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{ElapsedTimeLine, TerminalApprover, escape_for_terminal, print, print_error};

/// Runs `lancet apply`.
pub(super) fn run(arguments: &ApplyArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let text = read_text_file(&arguments.reply, "the reply", around)?;
    let consent = guard::consent_from_flags(
        arguments.yes,
        arguments.yes_protected,
        &arguments.common.place,
        around,
    )?;
    let approver = TerminalApprover::new(consent, around);
    let request = OpenRequest {
        mode: arguments.mode,
        approver: ApproverKind::Terminal(approver.clone()),
        flaw_use: FlawHandling::Refused,
        ..OpenRequest::for_command(
            &arguments.common.place,
            RootHint::Folder,
            WriteAuthor::Person,
        )
    };
    let lancet = request.open(around)?.lancet;
    let session = session_named_or_new(&lancet, arguments.common.session.as_ref());
    let format = arguments.format.map(Dialect::from);
    let mut options = ResponseOptions::default();
    options.format = format;
    options.insist = arguments.insist.into();
    options.dry_run = arguments.check.into();
    options.applied_by = match arguments.common.session {
        // In a named session the model must have read what it edits, as over MCP. A person who pastes a reply need not
        // have.
        Some(_) => AppliedBy::Model,
        None => AppliedBy::Person,
    };
    let applied_by = options.applied_by;
    options.caller = caller();
    options.cancel = Some(begin_call());
    let working = ElapsedTimeLine::begin("applying");
    let answer = session.apply_response(&text, options);
    drop(working);
    let output = OutputFormat::from_json_flag(arguments.common.json);
    let presentation = Presentation::Change(&approver);
    if output == OutputFormat::Text && answer.refusal().is_some_and(can_model_correct) {
        print_error(
            "lancet: the reply was refused, and no file was changed. Paste this back to the model:\n",
        );
        let format = format.or_else(|| detect_dialect(&text, &answer));
        // The reply names files from the root, and so does the message that is sent back to the model.
        let reader = Audience::Tools {
            prefix: ToolPrefix::default(),
            names_from: lancet.roots().first().cloned(),
        };
        let words = format_refusal_for_model(&answer, &reader, format);
        print(&words)?;
        let instead = RefusalFollowUp {
            session: &session,
            approver: &approver,
            applied_by,
            output,
            presentation,
            around,
        };
        return Ok(instead
            .offer_edits(&answer)?
            .unwrap_or(exit_for_reply(&answer)));
    }
    let exit = print_reply(&answer, output, presentation, around)?;
    let place = &arguments.common.place;
    prove_change(
        &arguments.proof,
        &answer,
        Reversal::Undo,
        place,
        exit,
        around,
    )
}

/// Reports whether the model that wrote the reply can correct it. The person has to act where a file may not be
/// written, was changed or was not read in the session. A credential must not be sent to the model once more.
fn can_model_correct(kind: RefusalKind) -> bool {
    !matches!(
        kind,
        RefusalKind::Denied
            | RefusalKind::Declined
            | RefusalKind::Secret
            | RefusalKind::Io
            | RefusalKind::Busy
            | RefusalKind::Timeout
            | RefusalKind::Internal
            | RefusalKind::Stale
            | RefusalKind::NotRead
    )
}

/// Returns the format of the first edit in a reply. There is none where the reply cannot be parsed: only such a refusal
/// contains the number of the reply's line.
fn detect_dialect(reply: &str, answer: &Reply) -> Option<Dialect> {
    if !answer.data()["error"]["line"].is_null() {
        return None;
    }
    let parts = parse(reply, &ParseOptions::default()).ok()?;
    parts.first().map(|part| part.dialect)
}

/// Renders the refusal as a message to the model, in the terms of the format that it wrote.
fn format_refusal_for_model(answer: &Reply, reader: &Audience, format: Option<Dialect>) -> String {
    let (what, again) = match format {
        Some(Dialect::SearchReplace) => (
            "Your SEARCH/REPLACE blocks were not applied",
            "Send all blocks again, the failed ones corrected: SEARCH must repeat whole lines of the file exactly, and occur only once.",
        ),
        Some(Dialect::V4a) => (
            "Your patch was not applied",
            "Send the whole patch again, from *** Begin Patch to *** End Patch, the failed parts corrected: context and removed lines must repeat lines of the file exactly.",
        ),
        Some(Dialect::Unified) => (
            "Your diff was not applied",
            "Send the whole diff again, the failed hunks corrected: context and removed lines must repeat lines of the file exactly.",
        ),
        Some(Dialect::Whole) => (
            "Your files were not written",
            "Send all files again, each complete.",
        ),
        _ => (
            "Your edits were not applied",
            "Send all of them again, the failed ones corrected.",
        ),
    };
    let text = match answer.outcome() {
        Outcome::Refused(refused) => refused.text_for(reader),
        _ => answer.text().to_owned(),
    };
    let body = escape_for_terminal(text.trim_end()).into_owned();
    format!("{what}; no file was changed.\n\n{body}\n\n{again}\n")
}
