//! The *examine* stage for `NotebookEdit`: a cell of a notebook is replaced, inserted or deleted. The change is a
//! splice of the file's text, so every other byte is unchanged.

use lancet_formats::Notebook;
use lancet_formats::notebook::{self as format, NewCell, NotebookError};
use lancet_text::{Change, Document};

use super::explain::unencodable_refusal;
use super::hidden;
use super::read_state::{CurrentVersion, ReadState, RequiredPart, read_state};
use super::view::{LineOffsets, Notes, change_view};
use crate::ledger::raw_range;
use crate::message::{CALL_VERB, Message, SEND_THIS_AGAIN, Say, message, verbatim};
use crate::next_call::Remedy;
use crate::refusal::{Refusal, RefusalKind};
use crate::request::{CellChange, CellName, CellRequest, CellType, ExecutableChange, InsertSide};
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::open::{
    decode, expected_content, is_notebook_name, require_file, snapshot_to_change,
};
use crate::stages::plan::{FilePlan, NewContent};
use crate::wording::{format_count, quote_path, truncate};

/// The most cells that a refusal names.
const MAX_NAMED_CELLS: usize = 20;

/// How many characters of an id an answer repeats.
const MAX_ID_LENGTH: usize = 80;

/// Works out the plan for a change of one cell.
pub(super) fn examine_file(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    target: Target,
    request: &CellRequest,
) -> Result<FilePlan, Refusal> {
    require_notebook(context, &target)?;
    let base = snapshot_to_change(context, attempt, &target)?;
    let document = decode(context.engine(), &target, &base.bytes)?;
    let notebook =
        Notebook::parse(document.view()).map_err(|error| damaged_refusal(&target, &error))?;
    if !notebook.is_editable() {
        let text = message!(
            "{} is a notebook of version 3, which is only read. Convert it with `jupyter nbconvert --to notebook` first.",
            &target.given
        );
        return Err(refusal(&target, RefusalKind::Invalid, text));
    }
    let PlannedCellChange {
        changes,
        touched,
        sentence,
    } = plan_cell_change(&target, &notebook, &request.change)?;
    if changes.is_empty() {
        let text = message!(
            "The cell of {} already has exactly this source. Nothing was written.",
            quote_path(target.path())
        );
        return Err(refusal(&target, RefusalKind::NoChange, text));
    }
    let state = read_state(
        context,
        target.path(),
        CurrentVersion::from_snapshot(&base, &document),
        request.revision.as_deref(),
        RequiredPart::Places,
    )?;
    check_shown(context, &target, &document, &notebook, &state, &touched)?;
    let raw_changes = document
        .raw_changes(&changes)
        .map_err(|error| unencodable_refusal(&target, &error))?;
    let mut notes = Notes::default();
    notes.push_once(hidden::hidden_in_changes(document.view(), &changes));
    notes.add_foreign_change(state.foreign.as_deref());
    let (mut view, _) = change_view(context, &document, &changes, notes, LineOffsets::default());
    // The answer describes the cell instead of numbered lines, which would be lines of the notebook's JSON.
    view.body = sentence.render(context.engine().audience());
    view.numbered.clear();
    let mut seen = state.seen;
    seen.apply_edit(
        &raw_changes
            .iter()
            .map(|change| (change.range.clone(), change.bytes.len() as u64))
            .collect::<Vec<_>>(),
    );
    let (encoding, endings) = (document.encoding(), document.endings());
    let base_expected = expected_content(&base);
    drop(document);
    Ok(FilePlan {
        target,
        expected: base_expected,
        base: Some(base),
        new: NewContent::Changes(raw_changes),
        executable: ExecutableChange::Keep,
        view,
        encoding,
        endings,
        seen,
    })
}

/// Refuses a file that is not a notebook.
fn require_notebook(context: &CallContext<'_>, target: &Target) -> Result<(), Refusal> {
    require_file(context.engine(), target)?;
    if !is_notebook_name(target) {
        let text = message!(
            "{} is not a notebook (.ipynb). Change it with {} or {}.",
            &target.given,
            verbatim(context.tool_name("Edit")),
            verbatim(context.tool_name("Write"))
        );
        return Err(refusal(target, RefusalKind::Invalid, text));
    }
    Ok(())
}

/// Refuses a change of cells that were not shown whole.
fn check_shown(
    context: &CallContext<'_>,
    target: &Target,
    document: &Document<'_>,
    notebook: &Notebook,
    state: &ReadState,
    touched: &[usize],
) -> Result<(), Refusal> {
    for &number in touched {
        let range = raw_range(document, notebook.cells()[number].range());
        if !state.seen.missing_from(range).is_empty() {
            // If another program changed the file since it was shown, that refusal names the real cause.
            if let Some(refusal) = &state.merge_refusal {
                return Err((**refusal).clone());
            }
            let text = message!(
                "Cell {} of {} was not shown whole in this session. {} {} and {}.",
                number,
                quote_path(target.path()),
                CALL_VERB,
                verbatim(context.read_call(target.path(), Some(number + 1), Some(1))),
                SEND_THIS_AGAIN
            );
            let refusal = refusal(target, RefusalKind::NotRead, text);
            return Err(refusal.with_remedy(Remedy::read_lines(Some(number + 1), Some(1))));
        }
    }
    Ok(())
}

/// The computed change of a cell.
struct PlannedCellChange {
    /// The changes of the text.
    changes: Vec<Change>,
    /// The numbers of the cells that must have been shown.
    touched: Vec<usize>,
    /// The sentence of the answer about the cell.
    sentence: Message,
}

#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
fn plan_cell_change(
    target: &Target,
    notebook: &Notebook<'_>,
    change: &CellChange,
) -> Result<PlannedCellChange, Refusal> {
    let (splices, touched, sentence) = match change {
        CellChange::Replace {
            cell,
            source,
            cell_type,
            ..
        } => {
            let number = find_cell(target, notebook, cell)?;
            let cell_type = cell_type.map(format_type);
            (
                notebook.replace(number, source, cell_type.as_ref()),
                vec![number],
                message!("{} has the new source.", cell_name(notebook, number)),
            )
        }
        CellChange::Delete { cell } => {
            let number = find_cell(target, notebook, cell)?;
            let sentence = message!(
                "{} is out; the numbers of the cells after it are lower by one.",
                cell_name(notebook, number)
            );
            (notebook.delete(number), vec![number], sentence)
        }
        CellChange::Insert {
            beside,
            cell_type,
            source,
        } => {
            // The cell next to the new one must have been shown; for a cell at the end that is the last one.
            let last = notebook.cells().len();
            let (number, touched) = match beside {
                Some((cell, InsertSide::Before)) => {
                    let number = find_cell(target, notebook, cell)?;
                    (number, vec![number])
                }
                Some((cell, InsertSide::After)) => {
                    let number = find_cell(target, notebook, cell)?;
                    (number + 1, vec![number])
                }
                None => (last, last.checked_sub(1).into_iter().collect()),
            };
            let id = notebook.has_ids().then(|| notebook.unused_id(source));
            let mut cell = NewCell::new(format_type(*cell_type), source);
            if let Some(id) = &id {
                cell = cell.with_id(id);
            }
            let id = id.as_ref().map(|id| message!(" (id {})", verbatim(id)));
            let after = match number < last {
                true => "; the numbers of the cells after it are higher by one",
                false => "",
            };
            let sentence = message!("The new cell is cell {}{}{}.", number, id, after);
            (notebook.insert(number, &cell), touched, sentence)
        }
        _ => return Err(Refusal::unknown_request()),
    };
    let changes = splices
        .into_iter()
        .map(|splice| Change {
            range: splice.range,
            text: splice.text,
        })
        .collect();
    Ok(PlannedCellChange {
        changes,
        touched,
        sentence,
    })
}

/// Names the cell for an answer.
fn cell_name(notebook: &Notebook<'_>, number: usize) -> Message {
    match notebook.cells().get(number).and_then(|cell| cell.id()) {
        Some(id) => message!(
            "Cell {} (id {})",
            number,
            verbatim(truncate(id, MAX_ID_LENGTH))
        ),
        None => message!("Cell {}", number),
    }
}

/// Returns the number of the cell that a call names.
fn find_cell(target: &Target, notebook: &Notebook<'_>, name: &CellName) -> Result<usize, Refusal> {
    let total = notebook.cells().len();
    let by_number = match name.number {
        None => None,
        Some(number) => match usize::try_from(number)
            .ok()
            .filter(|number| *number < total)
        {
            Some(number) => Some(number),
            None => {
                let text = message!(
                    "{} has {}, numbered from 0; there is no cell {}. {}",
                    quote_path(target.path()),
                    verbatim(format_count(total, "cell")),
                    number,
                    list_cells(notebook)
                );
                return Err(refusal(target, RefusalKind::NotFound, text));
            }
        },
    };
    let Some(id) = &name.id else {
        return by_number.ok_or_else(|| {
            let text = "NotebookEdit: name the cell by cell_id or cell_number.".to_owned();
            refusal(target, RefusalKind::Invalid, verbatim(text))
        });
    };
    let shown = truncate(id, MAX_ID_LENGTH);
    match (notebook.cells_with_id(id).as_slice(), by_number) {
        ([], _) => {
            let text = message!(
                "{} has no cell with the id {}. {}",
                quote_path(target.path()),
                verbatim(format!("{:?}", shown)),
                list_cells(notebook)
            );
            Err(refusal(target, RefusalKind::NotFound, text))
        }
        ([number], None) => Ok(*number),
        ([number], Some(other)) if *number == other => Ok(*number),
        ([number], Some(other)) => {
            let text = message!(
                "The id {} is that of cell {}, and cell_number is {}. Send one of them.",
                verbatim(format!("{:?}", shown)),
                verbatim(number),
                other
            );
            Err(refusal(target, RefusalKind::Invalid, text))
        }
        (several, _) => {
            let numbers: Vec<String> = several.iter().map(usize::to_string).collect();
            let text = message!(
                "{} cells of {} have the id {}: {}. Name the cell by cell_number alone.",
                several.len(),
                quote_path(target.path()),
                verbatim(format!("{:?}", shown)),
                verbatim(truncate(&numbers.join(", "), 200))
            );
            Err(refusal(target, RefusalKind::Ambiguous, text))
        }
    }
}

/// Returns the cells of a notebook, for a refusal.
fn list_cells(notebook: &Notebook<'_>) -> Message {
    let cells = notebook.cells();
    if cells.is_empty() {
        return message!("The notebook is empty; insert a cell.");
    }
    let named: Vec<Message> = cells
        .iter()
        .take(MAX_NAMED_CELLS)
        .enumerate()
        .map(|(number, cell)| match cell.id() {
            Some(id) => message!("{} ({})", number, verbatim(truncate(id, MAX_ID_LENGTH))),
            None => message!("{}", number),
        })
        .collect();
    let more = match cells.len().saturating_sub(MAX_NAMED_CELLS) {
        0 => Message::default(),
        more => message!(" and {} more", more),
    };
    message!("Its cells: {}{}.", Message::joined(named, ", "), more)
}

#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
fn format_type(cell_type: CellType) -> format::CellType {
    match cell_type {
        CellType::Code => format::CellType::Code,
        CellType::Markdown => format::CellType::Markdown,
        CellType::Raw => format::CellType::Raw,
        _ => format::CellType::Raw,
    }
}

fn damaged_refusal(target: &Target, error: &NotebookError) -> Refusal {
    let given = &target.given;
    let text = match error {
        NotebookError::NotJson(at) => message!(
            "{} cannot be read as a notebook: it is no JSON at {}. Read shows it as text, and Edit mends it.",
            given,
            verbatim(at)
        ),
        other => message!("{} is {}. Nothing was changed.", given, verbatim(other)),
    };
    refusal(target, RefusalKind::Damaged, text)
}

fn refusal(target: &Target, kind: RefusalKind, text: impl Say) -> Refusal {
    Refusal::from_message(kind, text).with_field("file_path", quote_path(target.path()))
}
