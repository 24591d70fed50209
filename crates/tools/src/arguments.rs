//! The argument types of the tools, each defined in its tool's file. The doc comment of a field is also its description
//! in the tool's schema, so it is short and written for the model.

mod new;

pub use crate::builtin::apply_patch::ApplyPatchArguments;
pub use crate::builtin::delete_file::DeleteFileArguments;
pub use crate::builtin::diagnostics::DiagnosticsArguments;
pub use crate::builtin::edit::EditArguments;
pub use crate::builtin::glob::GlobArguments;
pub use crate::builtin::grep::{GrepArguments, OutputMode};
pub use crate::builtin::lines::{
    DeleteLinesArguments, InsertArguments, MoveLinesArguments, ReplaceLinesArguments,
};
pub use crate::builtin::move_file::MoveFileArguments;
pub use crate::builtin::multi_edit::{EditItem, MultiEditArguments};
pub use crate::builtin::notebook_edit::{CellEditMode, NotebookEditArguments};
pub use crate::builtin::read::{ReadArguments, ReadMode};
pub use crate::builtin::rename::RenameArguments;
pub use crate::builtin::strict_schema;
pub use crate::builtin::undo::UndoArguments;
pub use crate::builtin::write::WriteArguments;
pub use lancet_model::request::WriteMode;
