//! Refuses to write credentials into guarded files: those that people or agents share, such as an agent's memory. Only
//! the text that the call inserts is scanned. The refusal names the kind
//! and the line, never the credential itself.

use lancet_policy::find_credential;

use crate::message::message;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::wording::quote_path;

/// Refuses new text with a credential, for a guarded file.
pub(crate) fn refuse_credential(
    context: &CallContext<'_>,
    target: &Target,
    new: &str,
) -> Result<(), Refusal> {
    let policy = context.engine().permissions.policy();
    if !target.with_names(|names| policy.is_guarded(names)) {
        return Ok(());
    }
    let Some(found) = find_credential(new) else {
        return Ok(());
    };
    let line = new[..found.at].matches('\n').count() + 1;
    let path = quote_path(target.path());
    let text = message!(
        "Line {} of the new text holds a credential ({}), and {} is a file that others read. Nothing was written; leave the credential out and write where it is kept instead.",
        line,
        found.kind,
        &path
    );
    Err(Refusal::from_message(RefusalKind::Secret, text)
        .with_field("file_path", path)
        .with_field("kind", found.kind)
        .with_field("line", line))
}
