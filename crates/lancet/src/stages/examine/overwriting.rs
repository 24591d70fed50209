//! What the model that writes must have read before a whole file is written: the whole file or, to append, its last
//! line.

use lancet_text::Document;
use lancet_workspace::Snapshot;

use super::read_state::ReadState;
use crate::applied_by::AppliedBy;
use crate::arguments::WriteMode;
use crate::call::Conversation;
use crate::ledger::raw_line;
use crate::message::{
    CALL_VERB, SEND_THIS_AGAIN, for_tools, message, tool_and_shell_term, verbatim,
};
use crate::next_call::Remedy;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::wording::{format_count, quote_path};

/// Refuses to replace a whole file where sub-agents share the session: only the model that has seen the file may
/// replace it, and the session's record does not show which one that was.
pub(super) fn require_one_conversation(
    context: &CallContext<'_>,
    target: &Target,
) -> Result<(), Refusal> {
    if context.caller.conversation == Conversation::One || context.applied_by == AppliedBy::Person {
        return Ok(());
    }
    let path = target.path();
    let text = message!(
        "{} is there already, and it is not known whether this agent or another one of the same session has read it. {} {} and {} with the `revision` that its last line names.",
        quote_path(path),
        CALL_VERB,
        verbatim(context.read_call(path, None, None)),
        SEND_THIS_AGAIN
    );
    Err(Refusal::from_message(RefusalKind::NotRead, text).with_field("file_path", quote_path(path)))
}

/// Requires that the whole file was seen before it is overwritten, or its last line before text is appended.
pub(super) fn require_seen(
    context: &CallContext<'_>,
    target: &Target,
    document: &Document<'_>,
    base: &Snapshot,
    read_state: &ReadState,
    mode: WriteMode,
) -> Result<(), Refusal> {
    let path = target.path();
    let needed = match (mode, document.line_count()) {
        (_, 0) => return Ok(()),
        (WriteMode::Append, lines) => raw_line(document, lines - 1),
        _ => 0..base.bytes.len() as u64,
    };
    let Some(gap) = read_state.seen.missing_from(needed).into_iter().next() else {
        return Ok(());
    };
    if let Some(refusal) = &read_state.merge_refusal {
        return Err((**refusal).clone());
    }
    let lines = document.line_count();
    let first = (0..lines)
        .find(|&line| raw_line(document, line).end > gap.start)
        .unwrap_or(0);
    let offset = match mode {
        WriteMode::Append => lines,
        _ => first + 1,
    };
    let text = match mode {
        WriteMode::Append => message!(
            "The last line of {} was not shown in this session, and append adds to it. {} {} and {}.",
            quote_path(path),
            CALL_VERB,
            verbatim(context.read_call(path, Some(offset), None)),
            SEND_THIS_AGAIN
        ),
        _ => message!(
            "{} was not shown whole in this session: line {} of {} is the first that was not. {} {} and {}{}{}replace the file unseen.",
            quote_path(path),
            first + 1,
            verbatim(format_count(lines, "line")),
            CALL_VERB,
            verbatim(context.read_call(path, Some(offset), None)),
            SEND_THIS_AGAIN,
            tool_and_shell_term(
                ", or send the revision that ",
                ", or give --revision, which lancet read shows, to ",
            ),
            for_tools(message!("{} gave to ", verbatim(context.tool_name("Read"))))
        ),
    };
    Err(Refusal::from_message(RefusalKind::NotRead, text)
        .with_remedy(Remedy::read_lines(Some(offset), None))
        .with_field("file_path", quote_path(path)))
}
