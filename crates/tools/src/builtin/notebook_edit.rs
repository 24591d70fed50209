//! `NotebookEdit`: replaces, inserts or deletes one cell of a Jupyter notebook.

use lancet_model::non_exhaustive::NonExhaustive;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::output;
use super::schema::strict_schema;
use super::tool::{Tool, check_path, deserialize_arguments, non_empty};
use crate::asked::ToolRequest;
use crate::receive::InvalidArguments;
use lancet_model::declaration::Declaration;
use lancet_model::request::{
    CellChange, CellName, CellRequest, CellType, FileRequest, InsertSide, Request,
};

/// What `NotebookEdit` does with a cell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CellEditMode {
    /// Give the cell a new source.
    #[default]
    Replace,
    /// Put a new cell beside it.
    Insert,
    /// Take the cell out.
    Delete,
}

/// Arguments of `NotebookEdit`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NotebookEditArguments {
    /// Absolute path of the .ipynb file
    pub notebook_path: String,
    /// The cell's id, as Read shows it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell_id: Option<String>,
    /// The cell's number from 0, as Read shows it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub cell_number: Option<u64>,
    /// The cell's whole new source
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_source: Option<String>,
    /// code, markdown or raw; needed for insert
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell_type: Option<CellType>,
    /// replace (default), insert (after the named cell, or at the end) or delete
    #[serde(default)]
    pub edit_mode: CellEditMode,
    /// Insert before the named cell
    #[serde(default)]
    pub before: bool,
    /// Refuse unless at this revision
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Show the patch, write nothing
    #[serde(default)]
    pub dry_run: bool,
}

impl NotebookEditArguments {
    /// Converts the arguments to a request.
    #[doc(hidden)]
    pub fn into_request(self) -> Result<ToolRequest, InvalidArguments> {
        check_path("NotebookEdit", "notebook_path", &self.notebook_path)?;
        let cell = match (non_empty(self.cell_id), self.cell_number) {
            (None, None) => None,
            (id, number) => Some(CellName { id, number }),
        };
        let missing = |field: &str, why: &str| {
            InvalidArguments::new(
                Some(field),
                format!("NotebookEdit: {field} is missing; {why}."),
            )
        };
        let change = match (self.edit_mode, cell) {
            (CellEditMode::Insert, cell) => CellChange::Insert {
                beside: cell.map(|cell| {
                    let side = if self.before {
                        InsertSide::Before
                    } else {
                        InsertSide::After
                    };
                    (cell, side)
                }),
                cell_type: self.cell_type.ok_or_else(|| {
                    missing("cell_type", "a new cell needs code, markdown or raw")
                })?,
                source: self
                    .new_source
                    .ok_or_else(|| missing("new_source", "a new cell needs its source"))?,
            },
            (_, None) => {
                return Err(missing(
                    "cell_id",
                    "name the cell by cell_id or cell_number, as Read shows them",
                ));
            }
            (CellEditMode::Delete, Some(cell)) => CellChange::Delete { cell },
            (CellEditMode::Replace, Some(cell)) => CellChange::Replace {
                cell,
                cell_type: self.cell_type,
                source: self.new_source.ok_or_else(|| {
                    missing(
                        "new_source",
                        "send the cell's whole source, or edit_mode delete",
                    )
                })?,
            },
        };
        let request = CellRequest {
            change,
            revision: non_empty(self.revision),
            non_exhaustive: NonExhaustive,
        };
        Ok(Request {
            files: vec![FileRequest::cell(self.notebook_path, request)],
            dry_run: self.dry_run.into(),
            ..Request::default()
        }
        .into())
    }
}

/// The built-in tool `NotebookEdit`.
pub struct NotebookEdit;

impl Tool for NotebookEdit {
    fn name(&self) -> &'static str {
        "NotebookEdit"
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            title: "Edit a notebook".into(),
            prompt: include_str!("prompts/notebook_edit.md").into(),
            output_schema: Some(output::one_file_change_schema()),
            search_hint: "jupyter notebook ipynb cell".into(),
            ..Declaration::new(
                self.name(),
                "Replaces, inserts or deletes one cell of a Jupyter notebook (.ipynb). Read the notebook first; \
                    new_source is the cell's whole source.",
                strict_schema::<NotebookEditArguments>(),
            )
        }
    }

    fn receive(&self, fields: Map<String, Value>) -> Result<ToolRequest, InvalidArguments> {
        deserialize_arguments::<NotebookEditArguments>(self.name(), fields)?.into_request()
    }

    fn remove_foreign_fields(
        &self,
        fields: &mut Map<String, Value>,
    ) -> Result<(), InvalidArguments> {
        for other in ["source", "content"] {
            if !fields.contains_key("new_source")
                && let Some(source) = fields.remove(other)
            {
                fields.insert("new_source".to_owned(), source);
            }
        }
        Ok(())
    }
}
