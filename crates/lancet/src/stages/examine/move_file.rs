//! The *examine* stage for a file that gets another name. If a language server is running and knows which imports the
//! new name changes, these edits are part of the same plan; no server is started for it.

use lancet_model::non_exhaustive::NonExhaustive;
use std::path::Path;

use lancet_workspace::FileType;

use super::change;
use super::planned::{self, DiskTexts, Purpose};
use crate::message::{Message, message, verbatim};
use crate::refusal::Refusal;
use crate::request::{Action, EditRequest, FileRequest, MoveRequest, PlannedRole, Request};
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::{Intent, locate};
use crate::stages::plan::{PartialApproval, Plan};
use crate::wording::format_count;

/// The time limit for a server, as a multiple of the wait for problems.
const TIME_LIMIT_FACTOR: u32 = 4;

/// What a server reports about a move.
enum ImportEdits {
    /// Nothing has to be changed, or no server knows.
    None,
    /// The server could not be queried, and the answer says why.
    Unknown(Message),
    /// It planned these edits.
    Planned {
        server: String,
        edits: Vec<(String, EditRequest)>,
        untold: Option<Message>,
    },
}

/// Works out the plan that gives a file another name.
pub(crate) fn examine(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    request: &Request,
) -> Result<Plan, Refusal> {
    let (note, request) = match plan_import_edits(context, request)? {
        ImportEdits::None => return change::examine(context, attempt, request),
        ImportEdits::Unknown(why) => (why, request.clone()),
        ImportEdits::Planned {
            server,
            edits,
            untold,
        } => {
            let (note, request) = with_edits(request, &server, edits);
            let untold = untold.map(|untold| message!("; {}", untold));
            (message!("{}{}", note, untold), request)
        }
    };
    context.charge_sentence(context.length(&note.render(context.engine().audience())));
    let mut plan = change::examine_as_one(context, attempt, &request)?;
    if plan.files.len() > 1 {
        plan.origin.parts = PartialApproval::Inseparable;
    }
    if let Some(moved) = plan.files.first_mut() {
        moved.view.notices.push(note);
    }
    Ok(plan)
}

/// Queries the server of the file for the edits that the move needs.
fn plan_import_edits(context: &CallContext<'_>, request: &Request) -> Result<ImportEdits, Refusal> {
    let engine = context.engine();
    let Some((language, (from, to))) = engine.language().zip(old_and_new_name(request)) else {
        return Ok(ImportEdits::None);
    };
    // Files that cannot be moved are refused when the plan is made.
    let (Ok(from), Ok(to)) = (
        locate(engine, from, Intent::Leave),
        locate(engine, to, Intent::Take),
    ) else {
        return Ok(ImportEdits::None);
    };
    let is_plain = matches!(from.located.kind(), FileType::File) && !from.located.is_link();
    let is_free = matches!(to.located.kind(), FileType::Missing);
    if !is_plain || !is_free || from.is_withheld() || to.is_withheld() {
        return Ok(ImportEdits::None);
    }
    let mut texts = DiskTexts::new(context, &mentioned_name(from.path()));
    let until = planned::deadline(context, TIME_LIMIT_FACTOR);
    let plan = match language.plan_move(from.path(), to.path(), &mut texts, until) {
        Ok(Some(plan)) if !plan.files.is_empty() => plan,
        Ok(_) => return Ok(ImportEdits::None),
        Err(error) => {
            return match planned::reason_for_move_without_plan(&error) {
                Some(why) => Ok(ImportEdits::Unknown(why)),
                None => {
                    let server = "the language server";
                    Err(planned::no_plan_refusal(
                        context,
                        error,
                        Purpose::Move,
                        server,
                    ))
                }
            };
        }
    };
    let role = |path: &Path| match path == from.path() {
        true => PlannedRole::Moved,
        false => PlannedRole::Other,
    };
    let edits = planned::edits_of_plan(context, &texts, &plan, Purpose::Move, role)?;
    let own = from.path().to_str().unwrap_or_default();
    // Edits of the file itself are made together with the move.
    let edits = edits.into_iter().map(|(path, edit)| match path == own {
        true => (String::new(), edit),
        false => (path, edit),
    });
    Ok(ImportEdits::Planned {
        server: plan.server.clone(),
        edits: edits.collect(),
        untold: texts.incomplete_search_sentence(),
    })
}

/// Returns how other files mention a file: by its name without the extension or, for `__init__`, `index` and `mod`, by
/// the folder's name.
fn mentioned_name(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name);
    let name = match path.file_stem() {
        Some(stem) if ["__init__", "index", "mod"].iter().any(|one| stem == *one) => folder,
        stem => stem,
    };
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the two names of a request that moves one file and does nothing else.
fn old_and_new_name(request: &Request) -> Option<(&str, &str)> {
    match request.files.as_slice() {
        [
            FileRequest {
                path,
                action: Action::Move(to),
                non_exhaustive: NonExhaustive,
            },
        ] if to.edits.is_empty() => Some((path, &to.to)),
        _ => None,
    }
}

/// Returns the move together with the edits that a server planned for it, and what the answer says about them. An edit
/// without a path belongs to the moved file.
fn with_edits(
    request: &Request,
    server: &str,
    edits: Vec<(String, EditRequest)>,
) -> (Message, Request) {
    let (own, others): (Vec<_>, Vec<_>) = edits.into_iter().partition(|(path, _)| path.is_empty());
    let note = match others.len() {
        0 => message!(
            "{} planned the changes of the moved file's own imports",
            verbatim(server)
        ),
        files => message!(
            "{} planned the changes of imports: {}, whose lines are named, not shown",
            verbatim(server),
            verbatim(format_count(files, "other file"))
        ),
    };
    let mut request = request.clone();
    if let Some(FileRequest {
        action: Action::Move(MoveRequest { edits, .. }),
        ..
    }) = request.files.first_mut()
    {
        edits.extend(own.into_iter().map(|(_, edit)| edit));
    }
    let others = others
        .into_iter()
        .map(|(path, edit)| FileRequest::edit(path, vec![edit]));
    request.files.extend(others);
    (note, request)
}
