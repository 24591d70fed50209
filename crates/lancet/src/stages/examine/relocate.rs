//! The *examine* stage for a move: gives a file or symbolic link another name. The model need not have read it, and the
//! new name must be free.

use std::path::{Path, PathBuf};

use lancet_history::SeenRanges;
use lancet_text::{Encoding, Endings};
use lancet_workspace::{ExecutableChange, ExpectedState, FileType, normalize_lexically};

use super::edit::TEXT_LENGTH_PER_FILE;
use super::folder_permission::{NameChange, require_writable_folder};
use super::located_file::NumberedEdit;
use super::whole_file::{WholeFile, encoding_and_line_ends};
use crate::message::{Message, message, tool_and_shell_term, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::request::MoveRequest;
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::open::require_file;
use crate::stages::plan::{ChangeView, FilePlan, LedgerUpdate, NewContent, PlannedMove};
use crate::wording::quote_path;

/// The parts of a move's plan apart from its names, for a move without edits.
pub(super) struct MovedContent {
    expected: ExpectedState,
    base: Option<lancet_workspace::Snapshot>,
    form: (Encoding, Endings),
    notices: Vec<Message>,
    /// The folders that are removed if the move leaves them empty, outermost first.
    folders: Vec<PathBuf>,
}

/// Refuses a source that cannot be moved and a name that is not free.
pub(super) fn check_move(
    context: &CallContext<'_>,
    from: &Target,
    to: &Target,
    edits: &[NumberedEdit<'_>],
) -> Result<(), Refusal> {
    for path in [from, to] {
        context.charge_sentence(
            2 * context.length(&quote_path(path.path()).to_string()) + TEXT_LENGTH_PER_FILE,
        );
    }
    if !from.located.is_link() {
        require_file(context.engine(), from)?;
    }
    if from.path() == to.path() {
        let path = from.display_name();
        let text = message!("{} has this name already. Nothing was changed.", &path);
        return Err(
            Refusal::from_message(RefusalKind::NoChange, text).with_field("file_path", path)
        );
    }
    require_free(to)?;
    require_writable_folder(from, NameChange::Moved)?;
    require_writable_folder(to, NameChange::Made)?;
    if edits.is_empty() {
        return Ok(());
    }
    let is_hard_link = from.located.stat().is_some_and(|stamp| stamp.links > 1);
    let why = if from.located.is_link() {
        "is a symbolic link: a move is of the link, and edits are of the file behind it"
    } else if is_hard_link {
        "has other names (hard links), which would not keep both the move and the edits"
    } else {
        return Ok(());
    };
    let path = from.display_name();
    let text = message!(
        "{} {}. Send the move and the edits as two calls.",
        &path,
        why
    );
    Err(Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", path))
}

/// Refuses a name that exists.
fn require_free(to: &Target) -> Result<(), Refusal> {
    let path = to.display_name();
    let (kind, text) = match to.located.kind() {
        FileType::Missing => return Ok(()),
        FileType::Directory => (
            RefusalKind::Special,
            message!(
                "{} is a folder. Give the whole new path of the file, its name included.",
                &path
            ),
        ),
        FileType::File | FileType::Special(_) => (
            RefusalKind::Exists,
            message!(
                "{} is there already, and a move never goes over what is there. Give another path, or remove that file first.",
                &path
            ),
        ),
    };
    Err(Refusal::from_message(kind, text).with_field("file_path", path))
}

/// Reads the content that is moved, without edits.
pub(super) fn examine_content(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    from: &Target,
    to: &Target,
    request: &MoveRequest,
) -> Result<MovedContent, Refusal> {
    if from.located.is_link() {
        return examine_link(from, to, request);
    }
    let whole = WholeFile::read(context, attempt, from)?;
    let short = whole.revision.short_hex();
    if let Some(named) = request.revision.as_deref().filter(|named| *named != short) {
        let path = from.display_name();
        let text = message!(
            "{} is at revision {}, not {}{}{} if it fits that version.",
            &path,
            verbatim(&short),
            verbatim(named),
            tool_and_shell_term(
                ". Read it again, or send the call with revision ",
                ". Look at it again, or give --revision "
            ),
            verbatim(&short)
        );
        return Err(Refusal::from_message(RefusalKind::Stale, text)
            .with_field("file_path", path)
            .with_field("revision", short));
    }
    let form = encoding_and_line_ends(whole.document(context, from).as_ref());
    Ok(MovedContent {
        expected: whole.expected,
        base: whole.base,
        form,
        notices: Vec::new(),
        folders: request.folders.clone(),
    })
}

fn examine_link(
    from: &Target,
    to: &Target,
    request: &MoveRequest,
) -> Result<MovedContent, Refusal> {
    let read = from.located.stat().zip(from.located.link_target());
    let Some((stamp, target)) = read else {
        let text = message!(
            "{} is no longer there. Look again before going on.",
            from.display_name()
        );
        return Err(Refusal::from_message(RefusalKind::Missing, text)
            .with_field("file_path", from.display_name()));
    };
    let mut notices = vec![message!(
        "it is a symbolic link to {} and stays one; the file that it leads to is where it was",
        quote_path(Path::new(&target))
    )];
    let leads_to = |link: &Target| {
        let folder = link.path().parent().unwrap_or(Path::new("/"));
        normalize_lexically(&folder.join(&target))
    };
    if leads_to(from) != leads_to(to) {
        notices.push(message!(
            "the link is relative: from its new place it leads to {}",
            quote_path(&leads_to(to))
        ));
    }
    Ok(MovedContent {
        expected: ExpectedState::Link { target, stamp },
        base: None,
        form: (Encoding::UTF8, Endings::None),
        notices,
        folders: request.folders.clone(),
    })
}

/// Makes the plan that gives a file another name and changes nothing in it.
pub(super) fn plan_move(from: Target, to: Target, content: MovedContent) -> FilePlan {
    FilePlan {
        target: to,
        expected: content.expected,
        base: content.base,
        new: moved_content(from, Vec::new(), content.folders),
        view: ChangeView {
            notices: content.notices,
            ..ChangeView::default()
        },
        encoding: content.form.0,
        endings: content.form.1,
        seen: SeenRanges::default(),
        executable: ExecutableChange::Keep,
    }
}

/// Turns the plan of edits into one that also gives the file another name.
pub(super) fn with_edits(plan: FilePlan, to: Target, folders: Vec<PathBuf>) -> FilePlan {
    let changes = match plan.new {
        NewContent::Changes(changes) | NewContent::Streamed(changes) => changes,
        // Edits of an existing file produce no other kind of new content.
        _ => Vec::new(),
    };
    FilePlan {
        target: to,
        new: moved_content(plan.target, changes, folders),
        ..plan
    }
}

fn moved_content(
    from: Target,
    changes: Vec<lancet_text::RawChange>,
    folders: Vec<PathBuf>,
) -> NewContent {
    NewContent::Moved(Box::new(PlannedMove {
        from,
        changes,
        mode: None,
        folders,
        ledger: LedgerUpdate::Revise,
    }))
}
