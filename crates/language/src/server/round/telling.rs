//! Sends a change to a server in two steps: the version before, if the server does not have it, then the change.

use std::time::{Duration, Instant};

use super::{ANSWER_FOLLOWS, Round, RoundPhase, ToldChange};
use crate::document::MessageOrder;
use crate::server::sync::Became;
use crate::server::{Others, PendingRequest, QUIET, Server};

/// A server that has reported nothing on a document for this long is sent it again when its problems are needed.
const FORGOTTEN: Duration = Duration::from_secs(5);

impl Server {
    /// Makes sure that the problems of a file before its change will be known.
    pub(in crate::server) fn look_before(
        &mut self,
        change: &ToldChange,
        order: MessageOrder,
        now: Instant,
    ) {
        let path = &change.path;
        let Some(before) = &change.before else {
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
                let asked = |request: &PendingRequest| matches!(request, PendingRequest::Document { path: asked, .. } if asked == path);
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

    /// Sends the change itself, whether or not the problems before it are known.
    pub(in crate::server) fn tell_change(&mut self, now: Instant) {
        let is_quiet = now.duration_since(self.said) >= QUIET && self.busy.is_empty();
        let Some(round) = &mut self.round else {
            return;
        };
        round.told = now;
        let order = match round.order {
            MessageOrder::Certain if is_quiet => MessageOrder::Certain,
            _ => MessageOrder::Uncertain,
        };
        let RoundPhase::Before(changes) = std::mem::replace(&mut round.phase, RoundPhase::After)
        else {
            return;
        };
        let looked = |request: &PendingRequest| matches!(request, PendingRequest::Workspace { looked: Some(looked), .. } if now >= *looked + ANSWER_FOLLOWS);
        self.knows_workspace |= self.requests.values().any(looked);
        self.cancel_pulls();
        self.epoch += 1;
        self.others = match &self.ability.pull {
            Some(_) => Others::Trusted {
                absent_is_empty: self.knows_workspace,
            },
            None if order == MessageOrder::Certain => Others::Trusted {
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
            let Some(text) = &change.after else {
                self.close(&change.path);
                self.files.remove(&change.path);
                continue;
            };
            let is_same = self
                .documents
                .get(&change.path)
                .is_some_and(|one| one.text == *text);
            self.tell(&change.path, text, Some(&change.revision), (order, now));
            if is_same && self.ability.pull.is_none() {
                // The server would push nothing for it.
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

    /// Sends a change that waits for the problems before it, without them.
    pub(in crate::server) fn hurry(&mut self, now: Instant) {
        if let Some(Round {
            phase: RoundPhase::Before(_),
            ..
        }) = &self.round
        {
            self.tell_change(now);
        }
    }
}
