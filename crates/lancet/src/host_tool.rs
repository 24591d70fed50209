//! Tools that a host adds through the library. A host tool proposes; the proposal passes the same rooms as any other
//! change, so it is checked, approved, written and recorded alike.

use serde_json::Value;

use crate::arguments::{EditItem, WriteArguments};
use crate::builtin::Declaration;
use crate::refusal::Refusal;
use crate::request::Request;
use crate::session::Session;

/// What a host tool wants to happen.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Proposal {
    /// Nothing is written; this is the answer.
    Answer {
        /// What the model reads.
        text: String,
        /// What programs read.
        data: Value,
    },
    /// These edits, all or none.
    Edits(Vec<EditItem>),
    /// This file, whole.
    Write(WriteArguments),
    /// Any mixture of edits and whole files, all or none.
    Change(Request),
}

/// A tool of the host's own.
pub trait HostTool: Send + Sync {
    /// Name, schema and the rest of what every tool declares.
    fn declaration(&self) -> Declaration;

    /// What the call wants to happen. The arguments fit the declared input schema, with slips of notation repaired. What is
    /// read through the session does not count as seen by the model; what the answer passes on is said with
    /// [`Session::seen`].
    ///
    /// # Errors
    /// A refusal, which is answered as such.
    fn propose(&self, session: &Session, arguments: &Value) -> Result<Proposal, Refusal>;
}
