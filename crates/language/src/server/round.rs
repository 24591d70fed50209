//! One change and what a server says of it: first, where it is not known, what was there before; then what is there now.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::sync::Became;
use super::{Late, Others, QUIET, Request, Server};
use crate::Problem;
use crate::diagnosis::{Diagnosis, without};
use crate::document::{FileState, LARGEST, Order};

/// So long after everything else, the answer about the whole project is waited for; what comes later is told later.
const PATIENCE: Duration = Duration::from_millis(300);

/// So long after a server has looked at the whole project, its answer follows if there is one.
const ANSWER_FOLLOWS: Duration = Duration::from_millis(30);

/// A server that has said nothing of a document for so long is told of it anew when its problems are needed.
const FORGOTTEN: Duration = Duration::from_secs(5);

/// The most late problems that are kept.
const MOST_LATE: usize = 200;

/// One changed file.
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    pub(crate) before: Option<Arc<str>>,
    pub(crate) after: Option<Arc<str>>,
    pub(crate) revision: String,
}

/// A change that a server was told.
pub(super) struct Round {
    id: u64,
    session: String,
    phase: Phase,
    /// The changed files that are there.
    changed: Vec<PathBuf>,
    audience: Audience,
    /// Whether nothing of an earlier text could come any more when the change began.
    order: Order,
    /// When the change was told.
    told: Instant,
    /// When everything but the whole project was answered.
    answered: Option<Instant>,
    found: Vec<(PathBuf, Diagnosis)>,
}

enum Phase {
    /// It is to say first what was there before.
    Before(Vec<Change>),
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
pub(crate) enum Step {
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
        matches!(self.phase, Phase::Done(_))
    }

    /// Whether a file is none of those that were changed, after the change was told.
    pub(super) fn is_other(&self, path: &Path) -> bool {
        !matches!(self.phase, Phase::Before(_)) && !self.changed.iter().any(|one| one == path)
    }
}

impl Server {
    /// Files were changed. Where the server does not run yet, it is told when it does; then nobody waits for it.
    pub(crate) fn change(&mut self, id: u64, session: &str, changes: Vec<Change>, now: Instant) {
        self.used = now;
        self.advance(now);
        let order = self.order(now);
        self.hurry(now);
        self.withdraw();
        if !self.is_ready() {
            for change in &changes {
                match change.after.as_ref().filter(|text| text.len() <= LARGEST) {
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
            phase: Phase::Before(changes),
            changed: Vec::new(),
            audience: Audience::Waits,
            order,
            told: now,
            answered: None,
            found: Vec::new(),
        });
        self.advance(now);
    }

    /// Sees to it that what a file had before its change will be known.
    fn look_before(&mut self, change: &Change, order: Order, now: Instant) {
        let path = &change.path;
        let Some(before) = change.before.as_ref().filter(|text| text.len() <= LARGEST) else {
            return;
        };
        let document = self.documents.get(path);
        let opened = document
            .filter(|document| document.text == *before)
            .and_then(|document| document.opened);
        let is_known = self
            .files
            .get(path)
            .is_some_and(|state| state.base.is_some());
        match opened {
            Some(_) if is_known => {}
            Some(opened) => {
                let asked = |request: &Request| matches!(request, Request::Document { path: asked, .. } if asked == path);
                if self.ability.pull.is_some() {
                    if !self.requests.values().any(asked) {
                        self.pull_document(path, 0);
                    }
                } else if now.duration_since(opened) > FORGOTTEN {
                    self.close(path);
                    self.tell(path, before, None, (order, now));
                }
            }
            None => {
                self.tell(path, before, None, (order, now));
                self.forget_base(path);
                self.pull_document(path, 0);
            }
        }
    }

    /// Goes on with a change as far as what was said allows; the time at which it is worth another look.
    pub(crate) fn advance(&mut self, now: Instant) -> Option<Instant> {
        self.ask_workspace(now);
        self.learn();
        let wake = match &self.round {
            Some(Round {
                phase: Phase::Before(changes),
                ..
            }) => {
                let known = |change: &Change| {
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
                phase: Phase::After,
                ..
            }) => match self.is_answered(now) {
                Ok(result) => {
                    self.finish(result);
                    None
                }
                Err(wake) => wake,
            },
            Some(Round {
                phase: Phase::Done(_),
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

    /// Takes what was said of files of which nothing was known for what they have; and, where no change was told, whatever
    /// was said.
    fn learn(&mut self) {
        let is_changed = self.round.is_some();
        let epoch = Some(self.epoch);
        let fresh = |state: &&mut FileState| state.is_fresh && state.epoch == epoch;
        for state in self.files.values_mut().filter(fresh) {
            if state.base.is_none() || !is_changed {
                state.base = Some(state.said());
                state.is_fresh = false;
            }
        }
    }

    /// Tells the change itself, known or not what was there before.
    fn tell_change(&mut self, now: Instant) {
        let is_quiet = now.duration_since(self.said) >= QUIET && self.busy.is_empty();
        let Some(round) = &mut self.round else {
            return;
        };
        round.told = now;
        let order = match round.order {
            Order::Certain if is_quiet => Order::Certain,
            _ => Order::Uncertain,
        };
        let Phase::Before(changes) = std::mem::replace(&mut round.phase, Phase::After) else {
            return;
        };
        let looked = |request: &Request| matches!(request, Request::Workspace { looked: Some(looked), .. } if now >= *looked + ANSWER_FOLLOWS);
        self.knows_workspace |= self.requests.values().any(looked);
        self.cancel_pulls();
        self.epoch += 1;
        self.others = match &self.ability.pull {
            Some(_) => Others::Trusted {
                absent_is_empty: self.knows_workspace,
            },
            None if order == Order::Certain => Others::Trusted {
                absent_is_empty: self.progress.is_empty()
                    && self.files.values().any(|state| state.base.is_some()),
            },
            None => Others::Doubtful,
        };
        let mut watched = Vec::new();
        let mut changed = Vec::new();
        for change in &changes {
            match (&change.before, &change.after) {
                (None, Some(_)) => watched.push((change.path.clone(), Became::New)),
                (Some(_), None) => watched.push((change.path.clone(), Became::Gone)),
                _ => {}
            }
        }
        self.watched(&watched);
        for change in changes {
            let Some(text) = change.after.as_ref().filter(|text| text.len() <= LARGEST) else {
                self.close(&change.path);
                if change.after.is_none() {
                    self.files.remove(&change.path);
                } else {
                    changed.push(change.path);
                }
                continue;
            };
            let is_same = self
                .documents
                .get(&change.path)
                .is_some_and(|one| one.text == *text);
            self.tell(&change.path, text, Some(&change.revision), (order, now));
            if is_same && self.ability.pull.is_none() {
                // There is nothing that it would send.
                continue;
            }
            if let (None, Some(state)) = (&change.before, self.files.get_mut(&change.path)) {
                state.base = Some(Vec::new());
            }
            changed.push(change.path);
        }
        for path in &changed {
            self.saved(path);
        }
        match &self.ability.pull {
            Some(pull) if pull.reaches_others => self.pull_all(),
            _ => {
                for path in &changed {
                    self.pull_document(path, 0);
                }
            }
        }
        self.wants_workspace = true;
        if let Some(round) = &mut self.round {
            round.changed = changed;
        }
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
            Request::Workspace { looked, .. } => Some(looked),
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
            round.phase = Phase::Done(result);
        }
        self.collect();
    }

    /// Gathers what is new: for whoever waits, or else for later.
    fn collect(&mut self) {
        let epoch = Some(self.epoch);
        let Some(round) = &mut self.round else {
            return;
        };
        for (path, state) in &mut self.files {
            if !state.is_fresh || state.epoch != epoch {
                continue;
            }
            state.is_fresh = false;
            let said = state.said();
            if let Some(base) = &state.base {
                let new = without(&said, base);
                round
                    .found
                    .extend(new.into_iter().map(|one| (path.clone(), one)));
            }
            state.base = Some(said);
        }
        if round.audience == Audience::Left {
            for (path, diagnosis) in std::mem::take(&mut round.found) {
                if self.late.len() >= MOST_LATE {
                    break;
                }
                let document = self.documents.get(&path);
                self.late.push(Late {
                    session: round.session.clone(),
                    revision: document.and_then(|document| document.revision.clone()),
                    path,
                    diagnosis,
                });
            }
        }
    }

    /// How far a change is; none where it was overtaken by another, or the server ended.
    pub(crate) fn step(&mut self, id: u64, now: Instant) -> Option<Step> {
        let wake = self.advance(now);
        let round = self.round.as_mut().filter(|round| round.id == id)?;
        let Phase::Done(result) = &round.phase else {
            return Some(Step::Waits(wake));
        };
        let is_ready = result.is_ok();
        let problems = self.hand_out();
        Some(Step::Done { problems, is_ready })
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

    /// A change that waits for what was there before is told without it.
    fn hurry(&mut self, now: Instant) {
        if let Some(Round {
            phase: Phase::Before(_),
            ..
        }) = &self.round
        {
            self.tell_change(now);
        }
    }

    fn hand_out(&mut self) -> Vec<Problem> {
        let Some(round) = &mut self.round else {
            return Vec::new();
        };
        round.audience = Audience::Left;
        let found = std::mem::take(&mut round.found);
        let problem = |(path, diagnosis): &(PathBuf, Diagnosis)| {
            let document = self.documents.get(path);
            let revision = document.and_then(|document| document.revision.as_deref());
            diagnosis.problem(path, &self.entry.name, revision)
        };
        found.iter().map(problem).collect()
    }

    /// Takes back what was found and not told, because a text is another now: if it is still there, it is new again.
    pub(super) fn withdraw(&mut self) {
        let round = self
            .round
            .as_mut()
            .map(|round| std::mem::take(&mut round.found));
        let late = self.late.drain(..).map(|late| (late.path, late.diagnosis));
        for (path, diagnosis) in round.unwrap_or_default().into_iter().chain(late) {
            if let Some(base) = self
                .files
                .get_mut(&path)
                .and_then(|state| state.base.as_mut())
            {
                *base = without(base, &[diagnosis]);
            }
        }
    }
}
