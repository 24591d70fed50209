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
///
/// ```
/// use lancet::tools::{Declaration, EditItem, HostTool, Proposal, ReadArguments};
/// use lancet::{Lancet, Mode, RawCall, Refusal, Session};
/// use serde_json::{Value, json};
///
/// struct Rename;
///
/// impl HostTool for Rename {
///     fn declaration(&self) -> Declaration {
///         let schema = json!({
///             "type": "object",
///             "properties": {
///                 "file": { "type": "string", "description": "Absolute path" },
///                 "to": { "type": "string", "description": "The new name" },
///             },
///             "required": ["file", "to"],
///             "additionalProperties": false,
///         });
///         Declaration::new("RenameMain", "Renames the function main.", schema)
///     }
///
///     fn propose(&self, _: &Session, arguments: &Value) -> Result<Proposal, Refusal> {
///         let text = |key: &str| arguments[key].as_str().unwrap_or_default();
///         let new = format!("fn {}()", text("to"));
///         Ok(Proposal::Edits(vec![EditItem::new(text("file"), "fn main()", new)]))
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("a.rs");
/// # std::fs::write(&path, "fn main() {}\n")?;
/// let lancet = Lancet::builder()
///     .root(folder.path())
///     .mode(Mode::AcceptEdits)
///     .tool(Rename)
///     .open()?;
/// let session = lancet.new_session();
/// session.read(ReadArguments::new(&path));
/// let reply = session.call(RawCall::new("RenameMain", json!({ "file": path, "to": "start" })));
/// assert!(!reply.is_error(), "{}", reply.text());
/// assert_eq!(std::fs::read_to_string(&path)?, "fn start() {}\n");
/// # Ok(())
/// # }
/// ```
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
