//! One change and what a server says of it: first, where it is not known, what was there before; then what is there now.

mod findings;
mod telling;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{PendingRequest, QUIET, Server};
use crate::Problem;
use crate::diagnosis::Diagnosis;
use crate::document::MessageOrder;

/// So long after everything else, the answer about the whole project is waited for; what comes later is told later.
const PATIENCE: Duration = Duration::from_millis(300);

/// So long after a server has looked at the whole project, its answer follows if there is one.
const ANSWER_FOLLOWS: Duration = Duration::from_millis(30);

/// One changed file.
pub(crate) struct ToldChange {
    pub(crate) path: PathBuf,
    pub(crate) before: Option<Arc<str>>,
    pub(crate) after: Option<Arc<str>>,
    pub(crate) revision: String,
}

/// A change that a server was told.
pub(super) struct Round {
    id: u64,
    session: String,
    phase: RoundPhase,
    /// The changed files that are there.
    changed: Vec<PathBuf>,
    audience: Audience,
    /// Whether nothing of an earlier text could come any more when the change began.
    order: MessageOrder,
    /// When the change was told.
    told: Instant,
    /// When everything but the whole project was answered.
    answered: Option<Instant>,
    found: Vec<(PathBuf, Diagnosis)>,
}

enum RoundPhase {
    /// It is to say first what was there before.
    Before(Vec<ToldChange>),
    After,
    Done(Result<(), NotAnswered>),
}

/// It did not say what the changed files have.
#[derive(Clone, Copy)]
struct NotAnswered;

#[derive(PartialEq, Eq)]
enum Audience {
    Waits,
    Left,
}

/// How far a change is.
pub(crate) enum RoundStep {
    /// Everything was said, or the rest will never be.
    Done {
        problems: Vec<Problem>,
        is_ready: bool,
    },
    /// Something is missing; worth another look at that time.
    Waits(Option<Instant>),
}

impl Round {
    pub(super) fn is_waited_for(&self) -> bool {
        self.audience == Audience::Waits && !self.is_done()
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.phase, RoundPhase::Done(_))
    }

    /// Whether a file is none of those that were changed, after the change was told.
    pub(super) fn is_other(&self, path: &Path) -> bool {
        !matches!(self.phase, RoundPhase::Before(_)) && !self.changed.iter().any(|one| one == path)
    }
}

impl Server {
    /// Files were changed. Where the server does not run yet, it is told when it does; then nobody waits for it.
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

    /// Goes on with a change as far as what was said allows; the time at which it is worth another look.
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

    /// Whether everything was said that will be; else when to look again.
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

    /// How far a change is; none where it was overtaken by another, or the server ended.
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

    /// Nobody waits for a change any more: what is known of it already is given, the rest is kept for later.
    pub(crate) fn leave(&mut self, id: u64, now: Instant) -> Vec<Problem> {
        if self.round.as_ref().is_none_or(|round| round.id != id) {
            return Vec::new();
        }
        self.hurry(now);
        self.collect();
        self.hand_out()
    }

    /// Nobody will wait for a change: everything of it is kept for later.
    pub(crate) fn leave_to_late(&mut self, id: u64, now: Instant) {
        if let Some(round) = self.round.as_mut().filter(|round| round.id == id) {
            round.audience = Audience::Left;
            self.hurry(now);
            self.advance(now);
        }
    }
}
