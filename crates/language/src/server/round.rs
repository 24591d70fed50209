//! One change and the server's reports on it: first the problems before the change, if they are not known, then those
//! after it.

mod findings;
mod telling;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{PendingRequest, SILENCE, Server};
use crate::Problem;
use crate::diagnosis::Diagnostic;
use crate::document::MessageOrder;

/// How long the answer for the whole project is waited for after everything else; what arrives later is reported later.
const WORKSPACE_ANSWER_WAIT: Duration = Duration::from_millis(300);

/// How soon after a server has checked the whole project its answer follows, if there is one.
const ANSWER_DELAY: Duration = Duration::from_millis(30);

/// One changed file.
pub(crate) struct AnnouncedChange {
    pub(crate) path: PathBuf,
    pub(crate) before: Option<Arc<str>>,
    pub(crate) after: Option<Arc<str>>,
    pub(crate) revision: String,
}

/// A change that was sent to a server.
pub(super) struct ChangeRound {
    id: u64,
    session: String,
    phase: RoundPhase,
    /// The changed files that exist.
    changed: Vec<PathBuf>,
    audience: RoundAudience,
    /// Whether no report on an earlier text was pending when the change began.
    order: MessageOrder,
    /// When the change was sent.
    told: Instant,
    /// When everything but the whole project was answered.
    answered: Option<Instant>,
    found: Vec<(PathBuf, Diagnostic)>,
}

enum RoundPhase {
    /// It first has to report the problems before the change.
    Before(Vec<AnnouncedChange>),
    After,
    Done(Result<(), NotAnswered>),
}

/// The server did not report on the changed files.
#[derive(Clone, Copy)]
struct NotAnswered;

#[derive(PartialEq, Eq)]
enum RoundAudience {
    Waits,
    Left,
}

/// The progress of a change.
pub(crate) enum RoundStep {
    /// Everything was reported, or the rest never will be.
    Done {
        problems: Vec<Problem>,
        is_ready: bool,
    },
    /// Something is missing; check again at that time.
    Waits(Option<Instant>),
}

impl ChangeRound {
    pub(super) fn is_waited_for(&self) -> bool {
        self.audience == RoundAudience::Waits && !self.is_done()
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.phase, RoundPhase::Done(_))
    }

    /// Returns whether a file is not among the changed ones, after the change was sent.
    pub(super) fn is_other_file(&self, path: &Path) -> bool {
        !matches!(self.phase, RoundPhase::Before(_)) && !self.changed.iter().any(|one| one == path)
    }
}

impl Server {
    /// Records changed files. If the server is not running yet, they are sent when it is, and no caller waits for it.
    pub(crate) fn begin_round(
        &mut self,
        id: u64,
        session: &str,
        changes: Vec<AnnouncedChange>,
        now: Instant,
    ) {
        self.used = now;
        self.advance_round(now);
        let order = self.message_order(now);
        self.send_waiting_change(now);
        self.withdraw_findings();
        if !self.is_ready() {
            for change in &changes {
                match &change.after {
                    Some(text) => {
                        self.send_text(&change.path, text, Some(&change.revision), (order, now))
                    }
                    None => self.close_document(&change.path),
                }
            }
            return;
        }
        for change in &changes {
            self.request_earlier_problems(change, order, now);
        }
        self.round = Some(ChangeRound {
            id,
            session: session.to_owned(),
            phase: RoundPhase::Before(changes),
            changed: Vec::new(),
            audience: RoundAudience::Waits,
            order,
            told: now,
            answered: None,
            found: Vec::new(),
        });
        self.advance_round(now);
    }

    /// Advances a change as far as the reports allow; returns the time at which to check again.
    pub(crate) fn advance_round(&mut self, now: Instant) -> Option<Instant> {
        self.request_workspace_problems(now);
        self.adopt_reports();
        let wake = match &self.round {
            Some(ChangeRound {
                phase: RoundPhase::Before(changes),
                ..
            }) => {
                let known = |change: &AnnouncedChange| {
                    change.before.is_none()
                        || self
                            .files
                            .get(&change.path)
                            .is_some_and(|state| state.base.is_some())
                };
                if changes.iter().all(known) {
                    self.send_change(now);
                    return self.advance_round(now);
                }
                None
            }
            Some(ChangeRound {
                phase: RoundPhase::After,
                ..
            }) => match self.check_answered(now) {
                Ok(result) => {
                    self.finish_round(result);
                    None
                }
                Err(wake) => wake,
            },
            Some(ChangeRound {
                phase: RoundPhase::Done(_),
                ..
            }) => {
                self.collect_new_problems();
                None
            }
            None => None,
        };
        let may_ask = self.round.as_ref().is_none_or(ChangeRound::is_done);
        if self.is_outdated && may_ask && !self.waits_for_documents() {
            self.is_outdated = false;
            self.pull_all();
        }
        wake
    }

    /// Returns whether everything that is expected was reported; otherwise when to check again.
    fn check_answered(&mut self, now: Instant) -> Result<Result<(), NotAnswered>, Option<Instant>> {
        let epoch = Some(self.epoch);
        let waits_for_documents = self.waits_for_documents();
        let Some(round) = &mut self.round else {
            return Ok(Err(NotAnswered));
        };
        let current = |path: &PathBuf| {
            self.files
                .get(path)
                .is_some_and(|state| state.epoch == epoch)
        };
        let all_current = round.changed.iter().all(current);
        if self.ability.pull.is_none() {
            if !all_current || !self.busy.is_empty() {
                return Err(None);
            }
            let quiet = self.said.max(round.told) + SILENCE;
            return if now < quiet {
                Err(Some(quiet))
            } else {
                Ok(Ok(()))
            };
        }
        if waits_for_documents {
            return Err(None);
        }
        if !all_current {
            return Ok(Err(NotAnswered));
        }
        let answered = *round.answered.get_or_insert(now);
        let workspace = self.requests.values().find_map(|request| match request {
            PendingRequest::Workspace { looked, .. } => Some(looked),
            _ => None,
        });
        let until = match workspace {
            None => return Ok(Ok(())),
            Some(None) => {
                let patience = answered + WORKSPACE_ANSWER_WAIT;
                let due = self.next_repeat_time().unwrap_or(patience);
                if now < patience {
                    return Err(Some(due.min(patience)));
                }
                patience
            }
            Some(Some(looked)) => *looked + ANSWER_DELAY,
        };
        if now < until {
            Err(Some(until))
        } else {
            Ok(Ok(()))
        }
    }

    fn finish_round(&mut self, result: Result<(), NotAnswered>) {
        if let Some(round) = &mut self.round {
            round.phase = RoundPhase::Done(result);
        }
        self.collect_new_problems();
    }

    /// Returns the progress of a change; none if another change overtook it, or the server ended.
    pub(crate) fn poll_round(&mut self, id: u64, now: Instant) -> Option<RoundStep> {
        let wake = self.advance_round(now);
        let round = self.round.as_mut().filter(|round| round.id == id)?;
        let RoundPhase::Done(result) = &round.phase else {
            return Some(RoundStep::Waits(wake));
        };
        let is_ready = result.is_ok();
        let problems = self.take_findings();
        Some(RoundStep::Done { problems, is_ready })
    }

    /// Ends the wait for a change: returns the problems known so far, and stores later ones.
    pub(crate) fn take_problems_and_leave(&mut self, id: u64, now: Instant) -> Vec<Problem> {
        if self.round.as_ref().is_none_or(|round| round.id != id) {
            return Vec::new();
        }
        self.send_waiting_change(now);
        self.collect_new_problems();
        self.take_findings()
    }

    /// Ends a change for which no caller will wait: all its problems are stored for later.
    pub(crate) fn leave_problems_for_later(&mut self, id: u64, now: Instant) {
        if let Some(round) = self.round.as_mut().filter(|round| round.id == id) {
            round.audience = RoundAudience::Left;
            self.send_waiting_change(now);
            self.advance_round(now);
        }
    }
}
