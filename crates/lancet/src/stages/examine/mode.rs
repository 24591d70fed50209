//! The *examine* stage for a change of a file's executable bit. The content does not change, so the model need not have
//! read it.

use lancet_history::SeenRanges;
use lancet_workspace::ExecutableChange;

use super::edit::TEXT_LENGTH_PER_FILE;
use super::whole_file::{WholeFile, encoding_and_line_ends};
use crate::message::message;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::open::require_file;
use crate::stages::plan::{ChangeView, FilePlan, NewContent};
use crate::wording::quote_path;

/// Works out the plan that changes the executable bit of a file, and nothing else.
pub(super) fn examine_file(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    target: Target,
    executable: ExecutableChange,
) -> Result<FilePlan, Refusal> {
    context.charge_sentence(
        2 * context.length(&quote_path(target.path()).to_string()) + TEXT_LENGTH_PER_FILE,
    );
    require_file(context.engine(), &target)?;
    let whole = WholeFile::read(context, attempt, &target)?;
    let mode = whole
        .expected
        .stamp()
        .map_or(0, |stamp| stamp.permissions());
    if executable.apply_to_mode(mode) == mode {
        let path = target.display_name();
        let text = message!(
            "{} has these permission bits already. Nothing was changed.",
            &path
        );
        return Err(
            Refusal::from_message(RefusalKind::NoChange, text).with_field("file_path", path)
        );
    }
    let (encoding, endings) = encoding_and_line_ends(whole.document(context, &target).as_ref());
    let known = context
        .session
        .ledger()
        .get_without_use(target.path())
        .cloned();
    let seen = known
        .filter(|entry| entry.revision == *whole.revision.as_bytes())
        .map_or_else(SeenRanges::default, |entry| entry.seen);
    Ok(FilePlan {
        target,
        expected: whole.expected,
        new: match &whole.base {
            Some(_) => NewContent::Changes(Vec::new()),
            None => NewContent::Streamed(Vec::new()),
        },
        base: whole.base,
        view: ChangeView {
            mode_only: true,
            ..ChangeView::default()
        },
        encoding,
        endings,
        seen,
        executable,
    })
}
