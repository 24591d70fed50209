//! Language servers: which of them serve a file, what is sent to them, and which problems an edit caused.
//!
//! - [`ServerEntry`] says which files a server serves and how it is started; [`built_in`] is the table of known ones
//!   and [`choose_entries`] selects those that are installed.
//! - [`LanguageServers`] manages the servers of one process: [`LanguageServers::announce_read`],
//!   [`LanguageServers::announce_changes`], [`LanguageServers::wait_for_problems`] and
//!   [`LanguageServers::take_late_problems`]; and their plans: [`LanguageServers::plan_rename`],
//!   [`LanguageServers::plan_move`].
//! - [`ServerStarter`] starts programs. This crate starts none, and touches no file except to check whether a
//!   root file exists and, for [`is_matching_program`], which version a program has.
//!
//! ```no_run
//! use std::{path::Path, sync::Arc, time::Instant};
//! use lancet_language::{ChangedText, LanguageOptions, LanguageServers, ServerStarter};
//!
//! fn edited(options: LanguageOptions, starter: Arc<dyn ServerStarter>) {
//!     let servers = LanguageServers::new(options, starter);
//!     let path = Path::new("/project/main.py");
//!     servers.announce_read(path, "x = 1\n");
//!     let change = ChangedText { path, before: Some("x = 1\n"), after: Some("x = y\n"), revision: "b2" };
//!     let pending = servers.announce_changes("session", &[change]);
//!     let found = servers.wait_for_problems(pending, Instant::now() + servers.answer_wait());
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

pub use entry::{Package, ProblemDelivery, ServerEntry, choose_entries, is_matching_program};
pub use language::{LanguageServers, PendingChange};
pub use options::LanguageOptions;
pub use problem::{
    ChangedText, MAX_REPORTED, NewProblems, Problem, ServerState, ServerStatus, Severity,
};
pub use refactor::{
    FileTexts, MOST_PLANNED_FILES, PlannedEdits, PlannedFile, PlannedSpan, RefactorError,
    RenameRequest, TextNotAllowed,
};
pub use starter::{ServerProcess, ServerStarter};
pub use table::built_in;
