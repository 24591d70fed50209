//! The file tools that AI agents edit code with, as a library.
//!
//! Every edit lands exactly where it was meant, changes nothing else, and where that cannot be made sure the file stands
//! as it was and the answer says what to do next.
//!
//! ```
//! use lancet::{Lancet, Mode, RawCall};
//! use serde_json::json;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let root = folder.path();
//! std::fs::write(root.join("greeting.txt"), "hello\nworld\n")?;
//! let lancet = Lancet::builder().root(root).mode(Mode::AcceptEdits).open()?;
//! let session = lancet.unnamed_session();
//!
//! let path = root.join("greeting.txt");
//! let reply = session.call(RawCall::new("Read", json!({ "file_path": path })));
//! assert!(reply.text().starts_with("1→hello\n2→world\n"));
//!
//! let edit = json!({ "file_path": path, "old_string": "world", "new_string": "reader" });
//! let reply = session.call(RawCall::new("Edit", edit));
//! assert!(!reply.is_error());
//! assert_eq!(std::fs::read_to_string(&path)?, "hello\nreader\n");
//! # Ok(())
//! # }
//! ```
//!
//! A [`Lancet`] is opened once on its roots. A [`Session`] is one conversation: it remembers what its model has seen, and
//! only what was seen may be changed. A call goes in as a [`RawCall`] or through a typed function and comes back as a
//! [`Reply`] with text for the model, data for programs and a rendering for a person. [`Lancet::tools`] lists the tools
//! as an API call needs them; a host adds its own with [`HostTool`], hears of everything as an [`Observer`] and is asked
//! as an [`Approver`].
//!
//! The library changes no signal of its host. A host that may run under a limit of file sizes (`ulimit -f`) should ignore or
//! handle SIGXFSZ, as the program `lancet` does: a write beyond the limit then fails and is told as `io`; otherwise the
//! signal ends the process.

mod api;
mod approver;
pub mod arguments;
mod audience;
mod call;
mod closest;
pub mod declare;
mod engine;
mod explain;
mod gutter;
mod history;
mod host_tool;
mod journal;
mod ledger;
mod limit;
pub mod line_rules;
mod observe;
mod operation;
mod order;
pub mod outcome;
mod reason;
pub mod receive;
pub mod refusal;
mod reply;
mod rooms;
mod row;
mod session;
pub mod settings;
mod undo;
mod visible;
mod wording;

pub use approver::{Answer, Approver, Offers, OtherFile, Question, WORDS_WAIT, Wait};
pub use audience::Audience;
pub use call::{Caller, Cancel, RawCall, Stopped, TIME_LIMIT};
pub use declare::ANSWER_LIMIT;
pub use declare::Declaration;
pub use engine::{Builder, Lancet, OpenError, Reread, SettingsSource, Settled};
pub use explain::Explanation;
pub use history::{Attribution, History, SHORTEST_ID, Written};
pub use host_tool::{HostTool, Proposal};
pub use lancet_history::{
    ALREADY_UNDONE, ChangeKind, Compressed, FileChange, IdMatch, LogQuery, Operation,
    OperationKind, OperationState, RecordedState, Removed, Reversible, SessionName,
    SessionNameError, Statistics, StatisticsQuery, StoreError, StoreFacts, Totals, examine_store,
    files_set_aside,
};
pub use lancet_policy as policy;
pub use lancet_search::excludes_path;
pub use limit::{AnswerLimit, HandedOn, Measure};
pub use observe::{Event, Observer};
pub use refusal::{Refusal, RefusalKind};
pub use reply::{Block, Reply};
pub use row::{Role, Row};
pub use session::{Check, Session};
pub use settings::{Mode, Settings};
pub use undo::{Conflicts, Direction, Overlap, Restore, Selection, Side, TakeBack};
pub use visible::{visible, visible_line};
