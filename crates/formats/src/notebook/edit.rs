//! Changes of one cell as replacements of ranges of the notebook's text.

mod members;
mod source;

use std::ops::Range;

use super::cell::{Cell, CellType};
use super::spacing::{SourceForm, Spacing, split_source_lines};
use super::{Notebook, array_member};
use crate::json::{self, text::encode_literal};

/// A range of the notebook's text and the text that replaces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// The range; empty for an insertion.
    pub range: Range<usize>,
    /// The new text.
    pub text: String,
}

/// A cell to insert.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewCell<'a> {
    /// The type.
    pub cell_type: CellType,
    /// The source.
    pub source: &'a str,
    /// The id; none for versions without ids.
    pub id: Option<&'a str>,
}

impl<'a> NewCell<'a> {
    /// Creates a cell without an id.
    pub fn new(cell_type: CellType, source: &'a str) -> Self {
        Self {
            cell_type,
            source,
            id: None,
        }
    }

    /// Sets the id of the cell.
    pub fn with_id(mut self, id: &'a str) -> Self {
        self.id = Some(id);
        self
    }
}

impl Notebook<'_> {
    /// Returns the splices, in order, that give a cell this source and, if one is given, this type. Outputs and
    /// execution count of a code cell are cleared, since they belong to the old source. The list is empty if source and
    /// type are so already, and for a number that no cell has.
    pub fn replace(
        &self,
        number: usize,
        source: &str,
        cell_type: Option<&CellType>,
    ) -> Vec<Splice> {
        let Some(cell) = self.cells.get(number).filter(|_| self.is_editable()) else {
            return Vec::new();
        };
        let new_type = cell_type.unwrap_or(cell.cell_type());
        if cell.source() == source && new_type == cell.cell_type() {
            return Vec::new();
        }
        let mut splices = source::replace_source(self.text, cell, source, self.source_form(number));
        if new_type == cell.cell_type() {
            if *new_type == CellType::Code {
                splices.extend(members::clear_outputs(self.text, cell));
            }
        } else {
            splices.extend(members::change_cell_type(self.text, cell, new_type));
        }
        splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
        splices
    }

    /// Returns the splices that insert a cell before the one with this number, or at the end if no cell has it. The
    /// list is empty for a read-only notebook.
    pub fn insert(&self, number: usize, cell: &NewCell<'_>) -> Vec<Splice> {
        let Some(array) = &self.array else {
            return Vec::new();
        };
        let text = self.text;
        // The cell before determines the layout of the new one; if the new cell becomes the first, the cell after it
        // does.
        let neighbour = self
            .cells
            .get(number.saturating_sub(1))
            .or(self.cells.last());
        let spacing = neighbour
            .and_then(|cell| Spacing::from_object(text, &cell.range, &cell.members))
            .unwrap_or_else(|| self.cell_layout());
        let form = neighbour.map_or(SourceForm::List, |_| {
            self.source_form(number.saturating_sub(1))
        });
        let object = spacing.format_object(&new_cell_members(cell, form, &spacing));
        let cells = Spacing::from_array(text, array);
        let (at, new) = match (self.cells.get(number), self.cells.last(), cells) {
            (Some(next), _, Some(cells)) if number == 0 => {
                (next.range.start, format!("{object}{}", cells.between))
            }
            (Some(_), _, _) => {
                let before = &self.cells[number - 1];
                let between = &text[before.range.end..self.cells[number].range.start];
                (before.range.end, format!("{between}{object}"))
            }
            (None, Some(last), Some(cells)) => {
                (last.range.end, format!("{}{object}", cells.between))
            }
            _ => {
                let outer = self.array_layout();
                let new = format!("[{}{object}{}]", outer.first, outer.last);
                return vec![Splice {
                    range: array.clone(),
                    text: new,
                }];
            }
        };
        vec![Splice {
            range: at..at,
            text: new,
        }]
    }

    /// Returns the splices that remove a cell, with the comma and white space that separate it from its neighbour. The
    /// list is empty for a number that no cell has.
    pub fn delete(&self, number: usize) -> Vec<Splice> {
        let (Some(array), Some(cell)) = (&self.array, self.cells.get(number)) else {
            return Vec::new();
        };
        let next = self.cells.get(number + 1);
        let before = number
            .checked_sub(1)
            .and_then(|number| self.cells.get(number));
        let range = match (before, next) {
            (_, Some(next)) => cell.range.start..next.range.start,
            (Some(before), None) => before.range.end..cell.range.end,
            (None, None) => array.start + 1..array.end - 1,
        };
        vec![Splice {
            range,
            text: String::new(),
        }]
    }

    /// Returns the form of a cell's source, or that of the first cell that has one.
    fn source_form(&self, number: usize) -> SourceForm {
        let own = self.cells.get(number).into_iter();
        own.chain(&self.cells)
            .find_map(|cell| SourceForm::from_cell(self.text, cell))
            .unwrap_or(SourceForm::List)
    }

    /// Returns the spacing of an empty array of cells: one level below the notebook's object.
    fn array_layout(&self) -> Spacing {
        let whole = json::skip_space(self.text, 0)..self.text.trim_end().len();
        let members = json::object_members(self.text, &whole);
        debug_assert!(array_member(self.text, &members, "cells").is_some());
        Spacing::from_object(self.text, &whole, &members)
            .map(|spacing| spacing.nested())
            .unwrap_or_else(|| Spacing {
                first: String::new(),
                last: String::new(),
                between: ", ".to_owned(),
                colon: ": ".to_owned(),
            })
    }

    /// Returns the spacing of a cell if the notebook has none to copy it from.
    fn cell_layout(&self) -> Spacing {
        self.array_layout().nested()
    }
}

/// Returns the members of a new cell, in the order in which nbformat writes them.
fn new_cell_members(
    cell: &NewCell<'_>,
    form: SourceForm,
    spacing: &Spacing,
) -> Vec<(&'static str, String)> {
    let is_code = cell.cell_type == CellType::Code;
    let source = match form {
        SourceForm::String => encode_literal(cell.source),
        SourceForm::List => spacing
            .nested()
            .format_list(&split_source_lines(cell.source)),
    };
    let mut members = vec![("cell_type", encode_literal(cell.cell_type.name()))];
    if is_code {
        members.push(("execution_count", "null".to_owned()));
    }
    if let Some(id) = cell.id {
        members.push(("id", encode_literal(id)));
    }
    members.push(("metadata", "{}".to_owned()));
    if is_code {
        members.push(("outputs", "[]".to_owned()));
    }
    members.push(("source", source));
    members
}

/// Returns a splice that replaces a cell's value, unless it is that text already.
fn set_member(text: &str, cell: &Cell<'_>, name: &str, value: &str) -> Option<Splice> {
    let member = cell.member(name)?;
    (text[member.value.clone()] != *value).then(|| Splice {
        range: member.value.clone(),
        text: value.to_owned(),
    })
}
