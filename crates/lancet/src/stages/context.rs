//! The context of one call, which is passed to every stage: the session, the engine's snapshot for this call, the
//! caller, and the limits of time and answer.

use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lancet_formats::picture::VisionBudget;
use lancet_history::HistoryError;
use lancet_text::{LeakPolicy, Occurrences, Query, TextKind, Tolerance};
use serde_json::Value;

use super::answer_budget::AnswerBudget;
use super::program_results::{FormattedText, Formatting, HookOutput};
use crate::applied_by::AppliedBy;
use crate::approval::Approver;
use crate::audience::{ReadLines, Vocabulary};
use crate::builtin::Tool;
use crate::call::{Caller, Cancel, Stopped};
use crate::engine::moved_files::Thoroughness;
use crate::engine::{EngineView, MAX_SETTINGS_NOTICE, OtherWorkspaces};
use crate::limit::{AnswerLimit, Pictures};
use crate::message::{SEND_AGAIN, message, verbatim};
use crate::order::Turn;
use crate::outcome::Layout;
use crate::page_range::PageRange;
use crate::questions::{RecordedCall, WaitingCall};
use crate::refusal::{Numbers, Refusal, RefusalKind};
use crate::request::EditRequest;
use crate::session::{LastingAnswer, Session};
use crate::settings::Matching;
use crate::wording::format_duration;

/// The context of one call. Session, engine, caller and limits do not change during the call; *examine* spends the
/// budget.
pub(crate) struct CallContext<'s> {
    pub(crate) session: &'s Session,
    pub(super) engine: Arc<EngineView>,
    /// The name of the tool: as called at first, the tool's own name once the call has been received.
    pub(crate) tool: String,
    /// How the JSON of a change is structured.
    pub(crate) layout: Layout,
    /// Which column of error numbers a refusal uses.
    pub(crate) numbers: Numbers,
    /// The tool whose terms the answer uses.
    pub(crate) vocabulary: Vocabulary,
    pub(crate) caller: Caller,
    pub(crate) cancel: Cancel,
    /// The length limit of an answer to a call that is carried out.
    pub(crate) limit: AnswerLimit,
    /// The length limit of a refusal.
    pub(crate) refusals: AnswerLimit,
    /// How much text about a change still fits into the answer.
    pub(crate) budget: AnswerBudget,
    /// The approver of this call; none where the engine's approver is used.
    pub(crate) approver: Option<Arc<dyn Approver>>,
    /// The identity by which a recorded question is found again; none where the approver is asked directly.
    pub(crate) recorded: Option<RecordedCall>,
    /// The question that the call has waited on before this run.
    pub(crate) waited_on: Option<String>,
    /// The question that the call waits on, once it is recorded.
    pub(crate) waiting: RefCell<Option<WaitingCall>>,
    /// The recorded question whose decision the call carries out.
    pub(crate) decided: RefCell<Option<String>>,
    /// How long this call has waited for a person.
    pub(crate) waited: Cell<Duration>,
    /// The part of a person's answer that lasts beyond this call, saved once the call has succeeded.
    pub(super) answer: RefCell<LastingAnswer>,
    /// The party on whose behalf the call is made, which decides which lines count as seen.
    pub(crate) applied_by: AppliedBy,
    /// Whether the call locks its files (takes their turn).
    pub(super) turns: FileLocking,
    /// The arguments as they were received, if they may be passed to a hook.
    pub(crate) arguments: Option<Value>,
    /// The output of hooks about the plan of this call.
    pub(crate) hooked: RefCell<Option<HookOutput>>,
    /// Whether formatters run on the new text of files.
    pub(crate) formatting: Cell<Formatting>,
    /// The texts that formatters have produced in this call.
    pub(crate) formatted: RefCell<Vec<FormattedText>>,
    /// The operations that an undo or redo has chosen, by their ids.
    pub(super) chosen: RefCell<Vec<String>>,
    /// The roots in the history whose paths lead elsewhere now, once they were searched for.
    others: OnceCell<OtherWorkspaces>,
    /// Whether files that other programs moved were already searched for.
    followed: Cell<bool>,
}

/// Whether a call locks the files that it would change (takes their turn).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileLocking {
    /// It waits until no other call works on them.
    Taken,
    /// It only reads, and never waits.
    NotTaken,
}

impl<'s> CallContext<'s> {
    pub(crate) fn new(session: &'s Session, tool: String, caller: Caller, cancel: Cancel) -> Self {
        let engine = session.lancet.engine();
        let in_force = |client: Option<AnswerLimit>| {
            let mut limit = AnswerLimit::effective(engine.answer_limit, client);
            // The engine's own limit already leaves space for the notice about settings.
            if engine.trouble.is_some() && limit.most < engine.answer_limit {
                limit.most -= MAX_SETTINGS_NOTICE.min(limit.most / 4);
            }
            limit
        };
        let vocabulary = engine.audience().vocabulary(Vocabulary::Edit);
        let tool = engine.own_tool_name(&tool).to_owned();
        CallContext {
            session,
            limit: in_force(caller.handed_on.answers),
            refusals: in_force(caller.handed_on.refusals),
            engine,
            tool,
            layout: Layout::OneFile,
            numbers: Numbers::Edit,
            vocabulary,
            caller,
            cancel,
            budget: AnswerBudget::default(),
            approver: session.approver.clone(),
            recorded: None,
            waited_on: None,
            waiting: RefCell::default(),
            decided: RefCell::default(),
            waited: Cell::default(),
            answer: RefCell::default(),
            applied_by: AppliedBy::Model,
            turns: FileLocking::Taken,
            arguments: None,
            hooked: RefCell::default(),
            formatting: Cell::default(),
            formatted: RefCell::default(),
            chosen: RefCell::default(),
            others: OnceCell::new(),
            followed: Cell::default(),
        }
    }

    /// Sets the tool to a built-in one, and with it the form of its answers.
    pub(crate) fn set_tool(&mut self, tool: &dyn Tool) {
        tool.name().clone_into(&mut self.tool);
        self.layout = tool.layout();
        self.numbers = tool.numbers();
        self.vocabulary = self.engine.audience().vocabulary(tool.vocabulary());
    }

    /// Charges the budget for text that comes before the lines shown next: lines after the end of the answer must not
    /// count as seen.
    pub(crate) fn charge_sentence(&self, length: usize) {
        self.budget.charge_sentence(length);
    }

    /// Measures a text in the unit of the answer's limit.
    pub(crate) fn length(&self, text: &str) -> usize {
        self.limit.length(text)
    }

    pub(crate) fn engine(&self) -> &EngineView {
        &self.engine
    }

    /// Returns the engine's snapshot, for work that outlasts the call.
    pub(crate) fn shared_engine(&self) -> &Arc<EngineView> {
        &self.engine
    }

    /// Returns the roots in the history whose paths lead elsewhere now; searched for once per call.
    pub(crate) fn other_workspaces(&self) -> Result<&OtherWorkspaces, HistoryError> {
        if let Some(others) = self.others.get() {
            return Ok(others);
        }
        let others = self.engine.other_workspaces()?;
        Ok(self.others.get_or_init(|| others))
    }

    /// Associates the records of files that other programs moved with their present names; once per call.
    pub(crate) fn follow_moved_files(&self) -> Result<(), HistoryError> {
        if !self.followed.replace(true) {
            self.engine.follow_files(Thoroughness::Whole)?;
        }
        Ok(())
    }

    /// Refuses to continue a call that was cancelled or has taken too long. It is called only where nothing has been
    /// written.
    pub(crate) fn check_time(&self) -> Result<(), Refusal> {
        match self.cancel.stopped() {
            None => Ok(()),
            Some(Stopped::TimedOut) => Err(Refusal::from_message(
                RefusalKind::Timeout,
                message!(
                    "The call took longer than {} and was stopped. Nothing was written; ask for less at once.",
                    verbatim(format_duration(self.cancel.limit()))
                ),
            )),
            Some(_) => Err(Refusal::from_message(
                RefusalKind::Declined,
                "The caller cancelled this call. Nothing was written.",
            )),
        }
    }

    /// Locks some files (takes their turn), or refuses where the call waited too long for them. A call that only reads
    /// does not lock.
    pub(crate) fn take_turn<'p>(
        &self,
        files: impl IntoIterator<Item = &'p Path>,
    ) -> Result<Option<Turn>, Refusal> {
        if self.turns == FileLocking::NotTaken {
            return Ok(None);
        }
        let taken = self.engine().base().order.take(files, &self.cancel);
        taken.map(Some).ok_or_else(|| match self.check_time() {
            Err(refusal) if self.cancel.stopped() == Some(Stopped::Cancelled) => refusal,
            _ => Refusal::from_message(
                RefusalKind::Busy,
                message!("Another call has been at work on this file, or waits for a person's answer about it. Nothing was written; {} later.", SEND_AGAIN),
            ),
        })
    }

    /// Makes a query to the matching ladder.
    pub(crate) fn query<'q>(
        &'q self,
        view: &'q str,
        damaged: &'q [Range<usize>],
        old: &'q str,
        new: &'q str,
        edit: &EditRequest,
        leaks: LeakPolicy,
    ) -> Query<'q> {
        let settings = &self.engine().settings;
        Query {
            view,
            damaged,
            old,
            new,
            occurrences: if edit.replace_all {
                Occurrences::All
            } else {
                Occurrences::One
            },
            tolerance: if settings.matching == Matching::Exact {
                Tolerance::Exact
            } else {
                Tolerance::Tolerant
            },
            abbreviations: &settings.abbreviations,
            leaks,
            text_kind: TextKind::Code,
            bounds: None,
        }
    }

    /// Returns the call that shows lines of a file to this session, ready to be sent.
    pub(crate) fn read_call(
        &self,
        path: &Path,
        offset: Option<usize>,
        limit: Option<usize>,
    ) -> String {
        self.read_lines(ReadLines {
            path,
            offset,
            limit,
            column: None,
            pages: None,
        })
    }

    /// Returns the call that shows pages of a PDF.
    pub(crate) fn read_pages_call(&self, path: &Path, pages: PageRange) -> String {
        self.read_lines(ReadLines {
            path,
            offset: None,
            limit: None,
            column: None,
            pages: Some(pages),
        })
    }

    /// Returns the call that shows a line from a character on.
    pub(crate) fn read_column_call(&self, path: &Path, line: usize, column: usize) -> String {
        self.read_lines(ReadLines {
            path,
            offset: Some(line),
            limit: None,
            column: Some(column),
            pages: None,
        })
    }

    /// Returns the limits for a picture in the answer; none where no picture is sent.
    #[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
    pub(crate) fn vision_budget(&self) -> Option<VisionBudget> {
        match self.caller.handed_on.pictures {
            Pictures::Seen => self.engine().settings.read.images.vision_budget(),
            Pictures::Lost => None,
            _ => None,
        }
    }

    /// Returns the name of a tool that the reader of the answer uses.
    pub(crate) fn tool_name(&self, tool: &str) -> String {
        self.engine().audience().tool(tool)
    }

    fn read_lines(&self, lines: ReadLines<'_>) -> String {
        self.engine()
            .audience()
            .read_call(self.vocabulary, &lines, self.session.name())
    }
}
