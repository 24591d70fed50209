//! Checks a change of lancet's own settings before a person is asked: a file that does not load would disable all later
//! rules.

use lancet_text::apply_raw;

use crate::message::{Message, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::settings::{Layer, Origin, SETTINGS_FILE_NAME, Settings};
use crate::stages::context::CallContext;
use crate::stages::plan::{FilePlan, NewContent};
use crate::wording::quote_path;

/// Refuses a plan that leaves a settings file which does not load.
pub(super) fn require_loadable_settings(
    context: &CallContext<'_>,
    file: &FilePlan,
) -> Result<(), Refusal> {
    let path = file.target.path();
    let users = context.engine().permissions.user_settings.as_deref();
    if path
        .file_name()
        .is_none_or(|name| name != SETTINGS_FILE_NAME)
        && users != Some(path)
    {
        return Ok(());
    }
    let whole;
    let new = match &file.new {
        NewContent::HardLink(link) => &link.otherwise,
        new => new,
    };
    let bytes = match (new, &file.base) {
        (NewContent::Whole(bytes) | NewContent::Restored { bytes, .. }, _) => bytes,
        (NewContent::Changes(changes), Some(base)) => {
            whole = apply_raw(&base.bytes, changes);
            &whole
        }
        (NewContent::Moved(moved), Some(base)) => {
            whole = apply_raw(&base.bytes, &moved.changes);
            &whole
        }
        _ => return Ok(()),
    };
    let host_tools: Vec<String> = context
        .engine()
        .base()
        .host_tools()
        .iter()
        .map(|tool| tool.declaration().name.to_string())
        .collect();
    let host_tools: Vec<&str> = host_tools.iter().map(String::as_str).collect();
    let layer = Layer {
        origin: Origin::User,
        path: path.to_path_buf(),
        text: String::from_utf8_lossy(bytes).into_owned(),
    };
    let Err(error) = Settings::load_with_tools(&[layer], &host_tools) else {
        return Ok(());
    };
    let meant = match &error.suggestion {
        Some(meant) => message!(" Did you mean {}?", verbatim(meant)),
        None => Message::default(),
    };
    let text = message!(
        "{} would not load as lancet's settings: line {}, column {}: {}.{} Nothing was written; send the text again with that mended.",
        quote_path(path),
        error.line,
        error.column,
        verbatim(error.message),
        meant
    );
    Err(Refusal::from_message(RefusalKind::Invalid, text)
        .with_field("file_path", quote_path(path))
        .with_field("line", error.line)
        .with_field("suggestion", error.suggestion))
}
