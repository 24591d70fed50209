//! The parsed request of a call, in one form for all tools: a read, a search, or a change.

use lancet_model::request::{Change, Request};
use serde_json::Value;

use crate::arguments::{GlobArguments, GrepArguments, ReadArguments};

/// The request of a call, after its arguments were parsed.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolRequest {
    /// Lines of a file.
    Read(ReadArguments),
    /// A read that also takes a folder and then shows its entries.
    View(ReadArguments),
    /// A search.
    Search(Search),
    /// A list of the problems that language servers report.
    Diagnose {
        /// The file; none for all files that the servers know.
        file_path: Option<String>,
    },
    /// A change.
    Change(Change<'static>),
    /// The answer of a host's tool that changes no file.
    Answer {
        /// The text for the model.
        text: String,
        /// The data for programs.
        data: Value,
    },
}

/// A search for names or for lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// For names.
    Glob(GlobArguments),
    /// For lines.
    Grep(GrepArguments),
}

impl From<Request> for ToolRequest {
    fn from(request: Request) -> Self {
        ToolRequest::Change(Change::Files(request))
    }
}
