//! A change of one cell of a notebook, as a caller describes it.

use crate::non_exhaustive::NonExhaustive;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A change of one cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellRequest {
    /// What happens to which cell.
    pub change: CellChange,
    /// The change is refused unless the notebook is at this revision.
    pub revision: Option<String>,
    #[doc(hidden)]
    pub non_exhaustive: NonExhaustive,
}

impl CellRequest {
    /// Makes a change of a notebook at whatever revision it is.
    pub fn new(change: CellChange) -> Self {
        Self {
            change,
            revision: None,
            non_exhaustive: NonExhaustive,
        }
    }
}

/// The kinds of change of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CellChange {
    /// The cell gets a new source.
    Replace {
        /// The cell.
        cell: CellName,
        /// The whole new source.
        source: String,
        /// The new type, where it changes.
        cell_type: Option<CellType>,
    },
    /// A cell is put into the notebook.
    Insert {
        /// The cell next to which it is put; none for the end of the notebook.
        beside: Option<(CellName, InsertSide)>,
        /// The type of the new cell.
        cell_type: CellType,
        /// Its source.
        source: String,
    },
    /// The cell is removed.
    Delete {
        /// The cell.
        cell: CellName,
    },
}

/// Names a cell by its id, by its number, or by both, which must then agree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellName {
    /// The id, as the notebook has it.
    pub id: Option<String>,
    /// The number, from 0.
    pub number: Option<u64>,
}

/// On which side of a cell a new one is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsertSide {
    /// Before it.
    Before,
    /// After it.
    After,
}

/// The types of cells that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CellType {
    /// Code with its outputs.
    Code,
    /// Markdown.
    Markdown,
    /// Text that is passed on as it is.
    Raw,
}
