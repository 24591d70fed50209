//! Jupyter notebooks (nbformat 3 and 4): read as cells, and changed cell by cell without touching any other character.
//!
//! ```
//! use lancet_formats::notebook::{CellType, Notebook};
//!
//! let text = r#"{"cells": [{"cell_type": "markdown", "metadata": {}, "source": "old"}],
//!  "metadata": {}, "nbformat": 4, "nbformat_minor": 4}"#;
//! let notebook = Notebook::parse(text)?;
//! assert_eq!(notebook.cells()[0].cell_type(), &CellType::Markdown);
//!
//! let splices = notebook.replace(0, "new", None);
//! assert_eq!(&text[splices[0].range.clone()], "old");
//! assert_eq!(splices[0].text, "new");
//! # Ok::<(), lancet_formats::notebook::NotebookError>(())
//! ```

mod cell;
mod edit;
mod multiline;
mod output;
mod spacing;

use std::collections::HashSet;
use std::ops::Range;

pub use cell::{Cell, CellType};
pub use edit::{NewCell, Splice};
pub use output::{Base64, Output};

use crate::json::{self, JsonType, MalformedJson};

/// Why a text is not a notebook.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotebookError {
    /// The text is not JSON.
    #[error("no JSON: {0}")]
    NotJson(#[from] MalformedJson),
    /// The text is JSON of another shape.
    #[error("JSON, but no notebook: {0}")]
    OtherJson(String),
}

/// The version of the notebook format that a notebook declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Version {
    /// `nbformat`.
    pub major: u64,
    /// `nbformat_minor`; 0 if the notebook has none.
    pub minor: u64,
}

/// A notebook over the text of its file.
#[derive(Debug)]
pub struct Notebook<'t> {
    text: &'t str,
    version: Version,
    /// The array of cells; none in version 3, which has cells in worksheets.
    array: Option<Range<usize>>,
    cells: Vec<Cell<'t>>,
}

impl<'t> Notebook<'t> {
    /// Parses a notebook. Of duplicate names in an object the last one counts.
    pub fn parse(text: &'t str) -> Result<Self, NotebookError> {
        let whole = json::check_document(text)?;
        let other = |why: &str| NotebookError::OtherJson(why.to_owned());
        if json::type_at(text, whole.start) != JsonType::Object {
            return Err(other("the outermost value is no object"));
        }
        let members = json::object_members(text, &whole);
        let number = |name: &str| {
            json::last_member_named(text, &members, name)
                .and_then(|member| text[member.value.clone()].parse::<u64>().ok())
        };
        let major = number("nbformat").ok_or_else(|| other("`nbformat` is no number"))?;
        let version = Version {
            major,
            minor: number("nbformat_minor").unwrap_or_default(),
        };
        let (array, ranges) = match major {
            4 => {
                let array = array_member(text, &members, "cells")
                    .ok_or_else(|| other("`cells` is no array"))?;
                let ranges = json::array_items(text, &array);
                (Some(array), ranges)
            }
            3 => (None, worksheet_cells(text, &members)),
            _ => {
                let why = format!("nbformat {major} is not known; versions 3 and 4 are");
                return Err(NotebookError::OtherJson(why));
            }
        };
        let mut cells = Vec::with_capacity(ranges.len());
        for (number, range) in ranges.into_iter().enumerate() {
            if json::type_at(text, range.start) != JsonType::Object {
                return Err(NotebookError::OtherJson(format!(
                    "cell {number} is no object"
                )));
            }
            cells.push(Cell::parse(text, range));
        }
        Ok(Self {
            text,
            version,
            array,
            cells,
        })
    }

    /// Checks that a notebook contains what version 4 of the format requires: `metadata` and `nbformat_minor`, and in
    /// each cell its type, `metadata` and `source`, in a code cell also `outputs` and `execution_count`.
    ///
    /// # Errors
    /// Something is missing, or is of another type.
    pub fn check_complete(&self) -> Result<(), NotebookError> {
        if self.version.major != 4 {
            return Ok(());
        }
        let text = self.text;
        let whole = json::check_document(text)?;
        let members = json::object_members(text, &whole);
        let type_of = |member: &json::JsonMember| json::type_at(text, member.value.start);
        let lacks = |what: String| Err(NotebookError::OtherJson(what));
        let metadata = json::last_member_named(text, &members, "metadata").map(type_of);
        if metadata != Some(JsonType::Object) {
            return lacks("`metadata` is no object".to_owned());
        }
        let minor = json::last_member_named(text, &members, "nbformat_minor");
        if minor.is_none_or(|minor| text[minor.value.clone()].parse::<u64>().is_err()) {
            return lacks("`nbformat_minor` is no number".to_owned());
        }
        for (number, cell) in self.cells.iter().enumerate() {
            let is = |name: &str, wanted: JsonType| cell.member(name).map(type_of) == Some(wanted);
            let is_code = *cell.cell_type() == CellType::Code;
            let is_known =
                is_code || matches!(cell.cell_type(), CellType::Markdown | CellType::Raw);
            let missing = if !is_known {
                "`cell_type`"
            } else if !is("metadata", JsonType::Object) {
                "`metadata`"
            } else if !is("source", JsonType::Array) && !is("source", JsonType::String) {
                "`source`"
            } else if is_code && !is("outputs", JsonType::Array) {
                "`outputs`"
            } else if is_code && cell.member("execution_count").is_none() {
                "`execution_count`"
            } else {
                continue;
            };
            return lacks(format!("cell {number} has no valid {missing}"));
        }
        Ok(())
    }

    /// Returns the version of the format.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Returns whether cells can be changed: version 3 is read-only.
    pub fn is_editable(&self) -> bool {
        self.array.is_some()
    }

    /// Returns the cells in order; the first one has the number 0.
    pub fn cells(&self) -> &[Cell<'t>] {
        &self.cells
    }

    /// Returns the numbers of the cells with this id. Only a damaged notebook has several.
    pub fn cells_with_id(&self, id: &str) -> Vec<usize> {
        let numbered = self.cells.iter().enumerate();
        numbered
            .filter(|(_, cell)| cell.id() == Some(id))
            .map(|(number, _)| number)
            .collect()
    }

    /// Returns whether cells of this version have ids: from 4.5 on.
    pub fn has_ids(&self) -> bool {
        self.version >= Version { major: 4, minor: 5 }
    }

    /// Returns an id that no cell has. The same notebook and the same seed give the same id.
    pub fn unused_id(&self, seed: &str) -> String {
        let used: HashSet<&str> = self.cells.iter().filter_map(Cell::id).collect();
        // FNV-1a over the seed; each further round hashes the hash. Except for collisions of 32 bits, the loop ends
        // after at most one round per cell.
        let mut hash = fnv1a(0xcbf2_9ce4_8422_2325, seed.as_bytes());
        loop {
            hash = fnv1a(hash, &(self.cells.len() as u64).to_le_bytes());
            let id = format!("{:08x}", hash >> 32);
            if !used.contains(id.as_str()) {
                return id;
            }
        }
    }
}

fn fnv1a(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Returns the array that is the value of a name of an object.
fn array_member(text: &str, members: &[json::JsonMember], name: &str) -> Option<Range<usize>> {
    json::last_member_named(text, members, name)
        .map(|member| member.value.clone())
        .filter(|value| json::type_at(text, value.start) == JsonType::Array)
}

/// Returns the cells of all worksheets, the form of version 3.
fn worksheet_cells(text: &str, members: &[json::JsonMember]) -> Vec<Range<usize>> {
    let Some(worksheets) = array_member(text, members, "worksheets") else {
        return Vec::new();
    };
    let sheets = json::array_items(text, &worksheets);
    let objects = sheets
        .into_iter()
        .filter(|sheet| json::type_at(text, sheet.start) == JsonType::Object);
    objects
        .filter_map(|sheet| array_member(text, &json::object_members(text, &sheet), "cells"))
        .flat_map(|cells| json::array_items(text, &cells))
        .collect()
}
