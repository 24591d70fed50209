//! The file tools that AI agents edit code with, as a library.
//!
//! Every edit is applied exactly where it was meant, changes nothing else, and can be undone. Where that cannot be
//! guaranteed, the file stays as it was and the answer says what to do next.
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
//! let session = lancet.new_session();
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
//! A [`Lancet`] is opened once on its roots. A [`Session`] is one conversation: it remembers what its model has seen,
//! and only what was seen may be changed. A call goes in as a [`RawCall`] or through a typed function
//! ([`Session::edit`]) and comes back as a [`Reply`] with text for the model, data for programs and a rendering for a
//! person.
//!
//! | to | see |
//! |---|---|
//! | list the tools for an API request, or add one of your own | [`tools`], [`Lancet::tools`], [`tools::HostTool`] |
//! | decide in code which files may be touched | [`Builder::allow`], [`Builder::ask`], [`Builder::deny`], [`policy`] |
//! | prompt a person before a write | [`approval::Approver`] |
//! | be notified of every read, change and refusal | [`events::Observer`] |
//! | read an answer as data | [`Reply::outcome`], [`outcome`] |
//! | apply the reply of a model that writes its edits as text | [`Session::apply_response`], [`dialects`] |
//! | read PDFs | [`pdf::PdfReader`], [`Builder::pdf_reader`] |
//! | outlines of source code, and a warning where a change breaks its syntax | [`syntax::SyntaxReader`],
//! [`Builder::syntax_reader`] |
//! | start the programs that convert other files to text | [`convert::FileConverter`], [`Builder::file_converter`] |
//! | start the formatters and hooks that a person names | [`programs::ProgramRunner`], [`Builder::program_runner`] |
//! | undo changes | [`Session::undo`], [`Session::undo_all`], [`undo`] |
//! | read the log, contents and authors of lines | [`history::History`] |
//! | report which files a person has unsaved changes in | [`editor::Editor`] |
//! | see which sessions are at work, and stop the writes of one | [`sessions::Sessions`] |
//! | load `lancet.toml` | [`settings`] |
//! | test against a disk that is full or fails | the module `testing`, with the feature of that name |
//!
//! # Threads and async
//!
//! [`Lancet`] and [`Session`] are cheap to clone, `Send` and `Sync`. Calls of several threads run concurrently, and
//! those that write one file take turns. A call blocks its thread: for a second or less as a rule, for up to
//! [`call::TIME_LIMIT`] where a search is long, and for minutes while a person is prompted ([`Builder::wait_limit`]).
//! So async code must not make it on the runtime's own thread. [`Session::edit_async`] and the like, and
//! [`Session::call_async`] for a model's call, make it on a separate thread. They are plain futures that need no
//! runtime; dropping one cancels the call. An [`approval::Approver`] is called on a separate thread and may block; to
//! prompt in async code, send the question over a channel and wait for the answer there. `examples/tokio.rs` shows both
//! under tokio, `examples/async_calls.rs` the futures without a runtime.
//!
//! The library changes no signal of its host. A host that may run under a limit of file sizes (`ulimit -f`) should
//! ignore or handle SIGXFSZ, as the program `lancet` does: a write beyond the limit then fails and is reported as `io`.
//! Otherwise the signal ends the process.

mod api;
mod async_call;
pub mod dialects;
pub mod editor;
mod engine;
pub mod events;
mod explain;
pub mod history;
mod host_tool;
mod journal;
mod ledger;
mod line_rules;
mod operation;
mod order;
pub mod questions;
pub mod recording;
mod residency;
pub mod resource;
pub mod review;
mod session;
pub mod sessions;
mod stages;
#[cfg(feature = "testing")]
pub mod testing;
mod write_scope;

pub use async_call::CallFuture;
pub use call::{Caller, Cancel, Conversation, RawCall};
pub use engine::{Builder, Lancet, OpenError};
pub use lancet_history::{SessionName, SessionNameError};
pub use next_call::NextCall;
pub use refusal::{Refusal, RefusalKind};
pub use reply::{Block, Reply};
pub use session::{AnnouncedSession, Check, Session};
pub use settings::{Mode, Settings};
pub use write_scope::WriteScope;

#[doc(inline)]
pub use lancet_model::{call, undo};
#[doc(inline)]
pub use lancet_settings::programs;

pub(crate) use lancet_model::{
    applied_by, audience, cell_request, limit, message, next_call, page_range, path_list, reason,
    reply, row, tool_prefix, visible, wording,
};
pub(crate) use lancet_settings::gutter;
pub(crate) use lancet_tools::{arguments, builtin, receive};

pub mod approval {
    //! Approvers, the questions they get before a write, and their answers. The programs that embed lancet bring the
    //! approvers: a terminal, an agent's own dialog, a page, a callback.
    //!
    //! One call is one [`Question`], however many files it changes. The answer is for the whole call, or picks files
    //! and pieces of them:
    //!
    //! ```
    //! use lancet::approval::{Answer, Pick, Question};
    //!
    //! /// Lets everything through but files that are removed, and asks about nothing twice.
    //! fn answer(question: &Question) -> Answer {
    //!     if question.is_protected() {
    //!         return Answer::No(Some("Leave the settings alone.".into()));
    //!     }
    //!     let keep = |file: &lancet::approval::FileQuestion| match file.kind {
    //!         lancet::approval::ChangeKind::Delete => Pick::Nothing,
    //!         _ => Pick::Whole,
    //!     };
    //!     let files: Vec<Pick> = question.files.iter().map(keep).collect();
    //!     match files.contains(&Pick::Nothing) {
    //!         true => Answer::Picked { files, words: Some("Nothing is to be removed.".into()) },
    //!         false => Answer::Session,
    //!     }
    //! }
    //!
    //! let lancet = lancet::Lancet::builder().root(".").approver(answer);
    //! # drop(lancet);
    //! ```

    pub use lancet_model::approval::{
        Answer, Approver, ChangeKind, FileQuestion, LastingOffers, Pick, Piece, Question,
        REASON_WAIT, TOO_LONG_TO_SHOW, Wait,
    };

    pub(crate) use lancet_model::approval::encoding;
}

/// The outcome of a call as data: one typed value per answer. The JSON that programs read (`_meta["lancet/result"]`
/// over MCP, `--json` in the shell, [`Reply::data`]) is its serialisation and has no other source. Fields are added and
/// never renamed.
pub mod outcome {
    pub use lancet_model::outcome::{
        ChangeKind, ChangeOutcome, Diagnosis, ExecutableChange, FileOutcome, FolderOutcome,
        FoundProblem, GitDiff, GitFile, GitLines, GitStatus, Hunk, LeftOutFile, LineEndings,
        Matching, OldLines, OmittedPart, Outcome, PictureOutcome, ReadKind, ReadOutcome,
        RefusedOutcome, Role, Row, Rung, SearchOutcome, SkippedFiles, Totals, WriteGuarantee,
        WrittenFile, describe_rung, unified_diff,
    };

    pub(crate) use lancet_model::outcome::*;
}

/// The table of all refusals: stable name, stable numbers, when each is given.
pub mod refusal {
    pub use lancet_model::refusal::{Numbers, Refusal, RefusalKind, Row, TABLE};
}

/// The change that a call requests, in one form for all tools. Every change of files is a
/// [`Request`](request::Request), whichever tool or host built it, so that one call may mix edits and whole files in
/// one transaction.
pub mod request {
    pub use lancet_model::request::{
        Action, CellChange, CellName, CellRequest, CellType, DeleteRequest, DryRun, EditRequest,
        ExecutableChange, FileRequest, FinalNewline, FolderChange, GapHandling, HunkBounds,
        HunkPlace, InsertSide, Insist, LastLine, LineRange, MoveRequest, Place, PlannedPlaces,
        Request, Substitution, WriteMode, WriteRequest, WrittenNewline,
    };

    pub(crate) use lancet_model::request::*;
    pub(crate) use lancet_tools::asked::{Search, ToolRequest};
}

/// The settings: the values in force, and which layer set each.
pub mod settings {
    pub use crate::engine::{ReloadedSettings, SettingsChange, SettingsSource};
    pub use lancet_settings::{
        AskSettings, Asker, CheckpointSettings, ClaudeSettings, ClaudeSettingsError, ClientLimit,
        CommitSettings, CommitTrailer, ContentsUse, Diagnostics, Durability, FlawEffect,
        GitSurroundings, Gutter, HistorySettings, IgnoredLine, Images, IndexUse, LanguageSettings,
        Layer, LeftOutEntry, LineEndings, Links, Matching, Mode, Origin, PathPatterns, PdfForm,
        ReadSettings, SETTINGS_FILE_NAME, SaveRuleError, SavedRule, SearchSettings, Settings,
        SettingsError, SettingsFlaw, Severity, ShellSettings, Stale, Strategy, ToolPreset,
        ValueInForce, Weak, WriteSettings, add_rule_to_text, help, import_claude_settings,
        is_open_for_writing, save_rule,
    };

    pub(crate) use lancet_settings::LayeredHook;
}

/// The tools: their declarations for a model, their arguments, and tools of the host.
pub mod tools {
    pub use crate::arguments::{
        ApplyPatchArguments, CellEditMode, DeleteFileArguments, DeleteLinesArguments,
        DiagnosticsArguments, EditArguments, EditItem, GlobArguments, GrepArguments,
        InsertArguments, MoveFileArguments, MoveLinesArguments, MultiEditArguments,
        NotebookEditArguments, OutputMode, ReadArguments, ReadMode, RenameArguments,
        ReplaceLinesArguments, UndoArguments, WriteArguments, WriteMode, strict_schema,
    };
    pub use crate::builtin::{
        ANSWER_LIMIT, ANSWER_LIMIT_MCP, Declaration, DescriptionLength, Format, ListForm,
        Strictness, UnknownFormat, declaration, declarations, is_default, mcp_tool, tool_list,
    };
    pub use crate::cell_request::CellType;
    pub use crate::host_tool::{HostTool, Proposal};
    pub use crate::tool_prefix::{InvalidPrefix, ToolPrefix};
}

/// Converting files to text by the programs of the setting `read.converters`: the trait that a host implements to start
/// them ([`Builder::file_converter`]), and its arguments.
pub mod convert {
    pub use lancet_formats::convert::{ConvertError, Converter, FileConverter};
}

/// Language servers: the table of known ones, the choice among them, and the trait that a host implements to start them
/// ([`Builder::language`]).
pub mod language {
    pub use lancet_language::{
        LanguageOptions, LanguageServers, Package, ProblemDelivery, ServerEntry, ServerProcess,
        ServerStarter, ServerState, ServerStatus, Severity, built_in, choose_entries,
        is_matching_program,
    };
}

/// Reading PDFs: the trait of a reader that a host implements ([`Builder::pdf_reader`]), and its arguments.
pub mod pdf {
    pub use lancet_formats::pdf::{PageForm, PdfError, PdfPage, PdfPages, PdfReader, PdfRequest};
    pub use lancet_formats::picture::{
        Picture, PictureFormat, PictureSize, SentFormat, VisionBudget,
    };
}

/// Source code: the trait of a reader that a host implements ([`Builder::syntax_reader`]), and its results.
pub mod syntax {
    pub use lancet_formats::syntax::{Symbol, SyntaxError, SyntaxOutline, SyntaxReader};
}

/// The policy: the rules in force, and explanations of its decisions.
pub mod policy {
    pub use crate::explain::Explanation;
    pub use lancet_policy::{
        Access, LayeredRule, Outcome, PatternError, Rule, RuleEffect, RuleError, RuleLayer, Scope,
    };
}

/// Items that the programs of this repository (the MCP server, the command line, the fuzz targets) need beyond the
/// library. They are not part of the API: any version may change them.
#[doc(hidden)]
pub mod doors {
    pub use crate::audience::Audience;
    pub use crate::line_rules::{RuleFile, line_end_for_new};
    pub use crate::receive::{
        InvalidArguments, Received, Repair, canonical_tool, closest_tool, normalize, receive,
    };
    pub use crate::residency::{RunningIndex, running_indexes};
    pub use crate::stages::examine::read::PlainLines;
    pub use crate::stages::examine::search::{
        LinkUse, MatchedFiles, ShellFormat, ShellReport, ShellSearch, SortOrder, escape_regex,
    };
    pub use crate::visible::{escape_for_terminal, escape_line_for_terminal};
    pub use crate::wording::{format_size, path_from_text, path_text};
    pub use lancet_formats::picture::{PictureError, as_png};
    pub use lancet_history::{StoreFacts, examine_hooks, examine_store, files_set_aside};
    pub use lancet_model::path_names::name_from_working_folder;
    pub use lancet_search::{
        AbsenceReason, BinaryFiles, CaseMatching, DotMatching, HiddenFiles, IgnoreFiles,
        IndexResidency, IndexStatus, LineLimit, MatchBoundary, MatchSpan, NamePlacement, Output,
        OutputStyle, Pattern, PatternError, PatternOptions, PrintMode, PrintOptions, Printout,
        ResidentFacts, ResultOrder, SearchStats, SelectedLines, Substitution, TemplateError,
        excludes_path, smart_case, type_definitions,
    };
    pub use lancet_workspace::EntryKind;
}
