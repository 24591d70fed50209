//! Refusals of calls that name no usable tool, or whose arguments cannot be used.

use super::context::CallContext;
use crate::message::{PLAN_MODE_ADVICE, Say, message, verbatim};
use crate::receive::InvalidArguments;
use crate::refusal::{Refusal, RefusalKind};

/// Returns the refusal for arguments that cannot be used.
pub(super) fn unusable_refusal(text: impl Say, invalid: &InvalidArguments) -> Refusal {
    Refusal::from_message(RefusalKind::Invalid, text)
        .with_field("field", invalid.field.clone())
        .with_field("suggestion", invalid.suggestion.clone())
}

/// Refuses a tool that is not offered here.
pub(super) fn require_listed(context: &CallContext<'_>) -> Result<(), Refusal> {
    match context.engine().tools.has_tool(&context.tool) {
        true => Ok(()),
        false => Err(not_listed_refusal(context)),
    }
}

/// Returns the refusal for a tool that exists but is disabled.
pub(super) fn not_listed_refusal(context: &CallContext<'_>) -> Refusal {
    if context.engine().mode == crate::settings::Mode::Plan {
        return Refusal::from_message(
            RefusalKind::Declined,
            message!(
                "lancet runs in plan mode: {} writes nothing. {}",
                verbatim(context.tool_name(&context.tool)),
                PLAN_MODE_ADVICE
            ),
        );
    }
    Refusal::from_message(
        RefusalKind::Invalid,
        message!(
            "The tool {} is switched off here. The tools are {}.",
            verbatim(context.tool_name(&context.tool)),
            verbatim(tool_names(context))
        ),
    )
}

/// Returns the tools that are listed, in a sentence.
pub(super) fn tool_names(context: &CallContext<'_>) -> String {
    let tools = context.engine().tools.declarations().iter();
    let names: Vec<String> = tools.map(|tool| context.tool_name(&tool.name)).collect();
    names.join(", ")
}
