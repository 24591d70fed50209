//! The members of a cell that depend on its source and type: outputs, execution count and attachments.

use super::{Splice, set_member};
use crate::json::{JsonMember, text};
use crate::notebook::cell::{Cell, CellType};
use crate::notebook::spacing::Spacing;

/// Returns the splices that empty the outputs of a code cell and its execution count.
pub(super) fn clear_outputs(notebook: &str, cell: &Cell<'_>) -> Vec<Splice> {
    let cleared = [("outputs", "[]"), ("execution_count", "null")];
    cleared
        .into_iter()
        .filter_map(|(name, value)| set_member(notebook, cell, name, value))
        .collect()
}

/// Returns the splices that change a cell's type. A code cell must have outputs and an execution count and cannot have
/// attachments; the other types have neither outputs nor a count.
pub(super) fn change_cell_type(notebook: &str, cell: &Cell<'_>, new: &CellType) -> Vec<Splice> {
    let name = text::encode_literal(new.name());
    let becomes_code = *new == CellType::Code;
    let unwanted: &[&str] = if becomes_code {
        &["attachments"]
    } else {
        &["outputs", "execution_count"]
    };
    let mut splices = remove_members(notebook, cell, unwanted);
    if becomes_code {
        splices.extend(clear_outputs(notebook, cell));
    }
    let missing: Vec<(&str, &str)> = [("execution_count", "null"), ("outputs", "[]")]
        .into_iter()
        .filter(|(name, _)| becomes_code && cell.member(name).is_none())
        .collect();
    let spacing = Spacing::from_object(notebook, &cell.range, &cell.members);
    let added = |spacing: &Spacing| -> String {
        missing
            .iter()
            .map(|(name, value)| format!("{}\"{name}\"{}{value}", spacing.between, spacing.colon))
            .collect()
    };
    let added = spacing.as_ref().map(added).unwrap_or_default();
    match (cell.member("cell_type"), spacing) {
        (Some(member), _) => splices.push(Splice {
            range: member.value.clone(),
            text: format!("{name}{added}"),
        }),
        (None, Some(spacing)) => {
            let at = cell
                .members
                .first()
                .map_or(cell.range.start + 1, |first| first.key.start);
            let first = format!("\"cell_type\"{}{name}{added}", spacing.colon);
            splices.push(Splice {
                range: at..at,
                text: format!("{first}{}", spacing.between),
            });
        }
        // An empty object is replaced as a whole by the change of its source: see `source::replaced`.
        (None, None) => {}
    }
    splices
}

/// Returns the splices that remove the members with these names, including duplicates, each with an adjacent comma.
fn remove_members(notebook: &str, cell: &Cell<'_>, names: &[&str]) -> Vec<Splice> {
    let members = &cell.members;
    let is_unwanted = |member: &JsonMember| {
        let name = text::decode_literal(&notebook[member.key.clone()]);
        names.contains(&name.as_str())
    };
    let mut splices = Vec::new();
    let mut at = 0;
    while at < members.len() {
        let run = members[at..]
            .iter()
            .take_while(|member| is_unwanted(member))
            .count();
        if run > 0 {
            let (first, last) = (&members[at], &members[at + run - 1]);
            let range = match (members.get(at + run), at.checked_sub(1)) {
                (Some(next), _) => first.key.start..next.key.start,
                (None, Some(before)) => members[before].value.end..last.value.end,
                (None, None) => first.key.start..last.value.end,
            };
            splices.push(Splice {
                range,
                text: String::new(),
            });
        }
        at += run.max(1);
    }
    splices
}
