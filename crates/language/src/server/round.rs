//! One change and the server's reports on it: first the problems before the change, if they are not known, then those
//! after it.

mod findings;
mod telling;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{PendingRequest, QUIET, Server};
use crate::Problem;
use crate::diagnosis::Diagnosis;
use crate::document::MessageOrder;

/// How long the answer for the whole project is waited for after everything else; what arrives later is reported later.
const PATIENCE: Duration = Duration::from_millis(300);

/// How soon after a server has checked the whole project its answer follows, if there is one.
const ANSWER_FOLLOWS: Duration = Duration::from_millis(30);

/// One changed file.
pub(crate) struct ToldChange {
    pub(crate) path: PathBuf,
    pub(crate) before: Option<Arc<str>>,
    pub(crate) after: Option<Arc<str>>,
    pub(crate) revision: String,
}

/// A change that was sent to a server.
pub(super) struct Round {
    id: u64,
    session: String,
    phase: RoundPhase,
    /// The changed files that exist.
    changed: Vec<PathBuf>,
    audience: Audience,
    /// Whether no report on an earlier text was pending when the change began.
    order: MessageOrder,
    /// When the change was sent.
    told: Instant,
    /// When everything but the whole project was answered.
    answered: Option<Instant>,
    found: Vec<(PathBuf, Diagnosis)>,
}

enum RoundPhase {
    /// It first has to report the problems before the change.
    Before(Vec<ToldChange>),
    After,
    Done(Result<(), NotAnswered>),
}

/// The server did not report on the changed files.
#[derive(Clone, Copy)]
struct NotAnswered;

#[derive(PartialEq, Eq)]
enum Audience {
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

impl Round {
    pub(super) fn is_waited_for(&self) -> bool {
        self.audience == Audience::Waits && !self.is_done()
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.phase, RoundPhase::Done(_))
    }

    /// Returns whether a file is not among the changed ones, after the change was sent.
    pub(super) fn is_other(&self, path: &Path) -> bool {
        !matches!(self.phase, RoundPhase::Before(_)) && !self.changed.iter().any(|one| one == path)
    }
}

impl Server {
    /// Records changed files. If the server is not running yet, they are sent when it is, and no caller waits for it.
    pub(crate) fn change(
        &mut self,
        id: u64,
        session: &str,
        changes: Vec<ToldChange>,
        now: Instant,
    ) {
        self.used = now;
        self.advance(now);
        let order = self.order(now);
        self.hurry(now);
        self.withdraw();
        if !self.is_ready() {
            for change in &changes {
                match &change.after {
                    Some(text) => {
                        self.tell(&change.path, text, Some(&change.revision), (order, now))
                    }
                    None => self.close(&change.path),
                }
            }
            return;
        }
        for change in &changes {
            self.look_before(change, order, now);
        }
        self.round = Some(Round {
            id,
            session: session.to_owned(),
            phase: RoundPhase::Before(changes),
            changed: Vec::new(),
            audience: Audience::Waits,
            order,
            told: now,
            answered: None,
            found: Vec::new(),
        });
        self.advance(now);
    }

    /// Advances a change as far as the reports allow; returns the time at which to check again.
    pub(crate) fn advance(&mut self, now: Instant) -> Option<Instant> {
        self.ask_workspace(now);
        self.learn();
        let wake = match &self.round {
            Some(Round {
                phase: RoundPhase::Before(changes),
                ..
            }) => {
                let known = |change: &ToldChange| {
                    change.before.is_none()
                        || self
                            .files
                            .get(&change.path)
                            .is_some_and(|state| state.base.is_some())
                };
                if changes.iter().all(known) {
                    self.tell_change(now);
                    return self.advance(now);
                }
                None
            }
            Some(Round {
                phase: RoundPhase::After,
                ..
            }) => match self.is_answered(now) {
                Ok(result) => {
                    self.finish(result);
                    None
                }
                Err(wake) => wake,
            },
            Some(Round {
                phase: RoundPhase::Done(_),
                ..
            }) => {
                self.collect();
                None
            }
            None => None,
        };
        let may_ask = self.round.as_ref().is_none_or(Round::is_done);
        if self.is_outdated && may_ask && !self.waits_for_documents() {
            self.is_outdated = false;
            self.pull_all();
        }
        wake
    }

    /// Returns whether everything that is expected was reported; otherwise when to check again.
    fn is_answered(&mut self, now: Instant) -> Result<Result<(), NotAnswered>, Option<Instant>> {
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
            let quiet = self.said.max(round.told) + QUIET;
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
                let patience = answered + PATIENCE;
                let due = self.due().unwrap_or(patience);
                if now < patience {
                    return Err(Some(due.min(patience)));
                }
                patience
            }
            Some(Some(looked)) => *looked + ANSWER_FOLLOWS,
        };
        if now < until {
            Err(Some(until))
        } else {
            Ok(Ok(()))
        }
    }

    fn finish(&mut self, result: Result<(), NotAnswered>) {
        if let Some(round) = &mut self.round {
            round.phase = RoundPhase::Done(result);
        }
        self.collect();
    }

    /// Returns the progress of a change; none if another change overtook it, or the server ended.
    pub(crate) fn step(&mut self, id: u64, now: Instant) -> Option<RoundStep> {
        let wake = self.advance(now);
        let round = self.round.as_mut().filter(|round| round.id == id)?;
        let RoundPhase::Done(result) = &round.phase else {
            return Some(RoundStep::Waits(wake));
        };
        let is_ready = result.is_ok();
        let problems = self.hand_out();
        Some(RoundStep::Done { problems, is_ready })
    }

    /// Ends the wait for a change: returns the problems known so far, and stores later ones.
    pub(crate) fn leave(&mut self, id: u64, now: Instant) -> Vec<Problem> {
        if self.round.as_ref().is_none_or(|round| round.id != id) {
            return Vec::new();
        }
        self.hurry(now);
        self.collect();
        self.hand_out()
    }

    /// Ends a change for which no caller will wait: all its problems are stored for later.
    pub(crate) fn leave_to_late(&mut self, id: u64, now: Instant) {
        if let Some(round) = self.round.as_mut().filter(|round| round.id == id) {
            round.audience = Audience::Left;
            self.hurry(now);
            self.advance(now);
        }
    }
}
