//! Language servers: which of them serve a file, what is sent to them, and which problems an edit caused.
//!
//! - [`ServerEntry`] says which files a server serves and how it is started; [`built_in`] is the table of known ones
//!   and [`chosen`] selects those that are installed.
//! - [`Language`] manages the servers of one process: [`Language::read`], [`Language::changed`], [`Language::problems`]
//!   and [`Language::take_late`]; and their plans: [`Language::rename`], [`Language::before_move`].
//! - [`ServerStarter`] starts programs. This crate starts none, and touches no file except to check whether a
//!   root file exists and, for [`fits`], which version a program has.
//!
//! ```no_run
//! use std::{path::Path, sync::Arc, time::Instant};
//! use lancet_language::{ChangedText, Language, LanguageOptions, ServerStarter};
//!
//! fn edited(options: LanguageOptions, starter: Arc<dyn ServerStarter>) {
//!     let language = Language::new(options, starter);
//!     let path = Path::new("/project/main.py");
//!     language.read(path, "x = 1\n");
//!     let change = ChangedText { path, before: Some("x = 1\n"), after: Some("x = y\n"), revision: "b2" };
//!     let pending = language.changed("session", &[change]);
//!     let found = language.problems(pending, Instant::now() + language.wait());
//!     for problem in found.new {
//!         // Told with the answer of the edit.
//!         let _ = (problem.path, problem.line, problem.message);
//!     }
//! }
//! ```

mod ability;
mod answer;
mod diagnosis;
mod document;
mod entry;
mod file_filter;
mod flood;
mod frame;
mod identifier;
mod language;
mod options;
mod outbox;
mod place;
mod position;
mod problem;
mod refactor;
mod server;
mod starter;
mod table;
mod uri;
mod workspace_edit;

pub use entry::{Delivery, Package, ServerEntry, chosen, fits};
pub use language::{Language, Pending};
pub use options::LanguageOptions;
pub use problem::{
    ChangedText, MOST_TOLD, NewProblems, Problem, ServerStanding, ServerState, Severity,
};
pub use refactor::{
    FileTexts, MOST_PLANNED_FILES, PlannedEdits, PlannedFile, PlannedSpan, RefactorError,
    RenameQuestion, TextWithheld,
};
pub use starter::{ServerProcess, ServerStarter};
pub use table::built_in;
