//! New problems: collected, reported once, stored for later, or withdrawn.

use std::path::PathBuf;

use super::RoundAudience;
use crate::Problem;
use crate::diagnosis::{Diagnostic, subtract};
use crate::document::FileState;
use crate::server::{LateProblem, Server};

/// The maximum number of late problems that are stored.
const MAX_LATE: usize = 200;

impl Server {
    /// Takes the reports on files without a known state as their state and, if no change was sent, all reports.
    pub(in crate::server) fn adopt_reports(&mut self) {
        let is_changed = self.round.is_some();
        let epoch = Some(self.epoch);
        let fresh = |state: &&mut FileState| state.is_fresh && state.epoch == epoch;
        for state in self.files.values_mut().filter(fresh) {
            if state.base.is_none() || !is_changed {
                state.base = Some(state.reported_diagnostics());
                state.is_fresh = false;
            }
        }
    }

    /// Collects the new problems: for the caller that waits, or else for later.
    pub(in crate::server) fn collect_new_problems(&mut self) {
        let epoch = Some(self.epoch);
        let Some(round) = &mut self.round else {
            return;
        };
        for (path, state) in &mut self.files {
            if !state.is_fresh || state.epoch != epoch {
                continue;
            }
            state.is_fresh = false;
            let said = state.reported_diagnostics();
            if let Some(base) = &state.base {
                let new = subtract(&said, base);
                round
                    .found
                    .extend(new.into_iter().map(|one| (path.clone(), one)));
            }
            state.base = Some(said);
        }
        if round.audience == RoundAudience::Left {
            for (path, diagnosis) in std::mem::take(&mut round.found) {
                if self.late.len() >= MAX_LATE {
                    break;
                }
                let document = self.documents.get(&path);
                self.late.push(LateProblem {
                    session: round.session.clone(),
                    revision: document.and_then(|document| document.revision.clone()),
                    path,
                    diagnosis,
                });
            }
        }
    }

    pub(in crate::server) fn take_findings(&mut self) -> Vec<Problem> {
        let Some(round) = &mut self.round else {
            return Vec::new();
        };
        round.audience = RoundAudience::Left;
        let found = std::mem::take(&mut round.found);
        let problem = |(path, diagnosis): &(PathBuf, Diagnostic)| {
            let document = self.documents.get(path);
            let revision = document.and_then(|document| document.revision.as_deref());
            diagnosis.to_problem(path, &self.entry.name, revision)
        };
        found.iter().map(problem).collect()
    }

    /// Withdraws findings that were not reported yet, because a document has changed. A finding that persists is found
    /// again, and is then new.
    pub(crate) fn withdraw_findings(&mut self) {
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
                *base = subtract(base, &[diagnosis]);
            }
        }
    }
}
