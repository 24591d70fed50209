//! Sends a change to a server in two steps: the version before, if the server does not have it, then the change.

use std::time::{Duration, Instant};

use super::{ANSWER_DELAY, AnnouncedChange, ChangeRound, RoundPhase};
use crate::document::MessageOrder;
use crate::server::sync::FileChangeKind;
use crate::server::{OtherFilesKnowledge, PendingRequest, SILENCE, Server};

/// A server that has reported nothing on a document for this long is sent it again when its problems are needed.
const RESEND_AFTER: Duration = Duration::from_secs(5);

impl Server {
    /// Makes sure that the problems of a file before its change will be known.
    pub(in crate::server) fn request_earlier_problems(
        &mut self,
        change: &AnnouncedChange,
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
                } else if now.duration_since(opened) > RESEND_AFTER {
                    self.close_document(path);
                    self.send_text(path, before, None, (order, now));
                }
            }
            None => {
                self.send_text(path, before, None, (order, now));
                self.forget_earlier_problems(path);
                self.pull_document(path, 0);
            }
        }
    }

    /// Sends the change itself, whether or not the problems before it are known.
    pub(in crate::server) fn send_change(&mut self, now: Instant) {
        let is_quiet = now.duration_since(self.said) >= SILENCE && self.busy.is_empty();
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
        let looked = |request: &PendingRequest| matches!(request, PendingRequest::Workspace { looked: Some(looked), .. } if now >= *looked + ANSWER_DELAY);
        self.knows_workspace |= self.requests.values().any(looked);
        self.cancel_pulls();
        self.epoch += 1;
        self.others = match &self.ability.pull {
            Some(_) => OtherFilesKnowledge::Trusted {
                absent_is_empty: self.knows_workspace,
            },
            None if order == MessageOrder::Certain => OtherFilesKnowledge::Trusted {
                absent_is_empty: self.progress.is_empty()
                    && self.files.values().any(|state| state.base.is_some()),
            },
            None => OtherFilesKnowledge::Doubtful,
        };
        let mut watched = Vec::new();
        let mut changed = Vec::new();
        for change in &changes {
            match (&change.before, &change.after) {
                (None, Some(_)) => watched.push((change.path.clone(), FileChangeKind::New)),
                (Some(_), None) => watched.push((change.path.clone(), FileChangeKind::Gone)),
                _ => {}
            }
        }
        self.send_watched_files(&watched);
        for change in changes {
            let Some(text) = &change.after else {
                self.close_document(&change.path);
                self.files.remove(&change.path);
                continue;
            };
            let is_same = self
                .documents
                .get(&change.path)
                .is_some_and(|one| one.text == *text);
            self.send_text(&change.path, text, Some(&change.revision), (order, now));
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
            self.send_saved(path);
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
    pub(in crate::server) fn send_waiting_change(&mut self, now: Instant) {
        if let Some(ChangeRound {
            phase: RoundPhase::Before(_),
            ..
        }) = &self.round
        {
            self.send_change(now);
        }
    }
}
