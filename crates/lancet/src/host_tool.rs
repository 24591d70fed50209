//! Tools that a host adds through the library. A host tool proposes a change. The proposal passes the same stages as
//! any other change, so it is checked, approved, written and recorded in the same way.

use serde_json::Value;

use crate::arguments::{EditItem, WriteArguments};
use crate::builtin::Declaration;
use crate::refusal::Refusal;
use crate::request::Request;
use crate::session::Session;

/// The proposal of a host tool.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Proposal {
    /// Nothing is written; the tool's answer is given.
    Answer {
        /// The text for the model.
        text: String,
        /// The data for programs.
        data: Value,
    },
    /// Edits, all or none of which are made.
    Edits(Vec<EditItem>),
    /// A whole file to write.
    Write(WriteArguments),
    /// A mixture of edits and whole files, all or none of which are made.
    Change(Request),
}

/// A tool that the host implements.
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
    /// Returns the tool's name, schema and the other fields of a declaration.
    fn declaration(&self) -> Declaration;

    /// Returns what the call is to do. The arguments fit the declared input schema, with slips of notation repaired.
    /// Text that the tool reads through the session does not count as seen by the model. If the answer passes text on,
    /// the tool reports that with [`Session::note_seen`].
    ///
    /// # Errors
    /// The refusal is the call's answer.
    fn propose(&self, session: &Session, arguments: &Value) -> Result<Proposal, Refusal>;
}
