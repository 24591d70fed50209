//! The questions to the user, and their states.

use std::path::PathBuf;

use super::{MemoryHistory, QuestionRow, SharedState, now};
use crate::error::HistoryError;
use crate::event::EventKind;
use crate::question::{
    AskOutcome, DecideOutcome, Digest, MAX_OPEN, MAX_OPEN_PER_SESSION, QuestionDraft,
    QuestionQuery, QuestionRecord, QuestionState, QuestionStore, RecordedDecision,
};

/// The validity of an approval in milliseconds: one day.
const APPROVAL_VALIDITY: i64 = 24 * 60 * 60 * 1_000;

impl SharedState {
    fn record_mut(&mut self, id: &str) -> Option<&mut QuestionRecord> {
        let mut all = self.questions.iter_mut().map(|kept| &mut kept.record);
        all.find(|record| record.id == id)
    }

    /// Returns the session that asked a question.
    pub(super) fn session_of_question(&self, id: &str) -> Option<&str> {
        let mut all = self.questions.iter().map(|kept| &kept.record);
        let found = all.find(|record| record.id == id)?;
        Some(&found.session)
    }

    /// Uses up an approval for an operation. Returns false if the approval does not exist, or was used.
    pub(super) fn use_up_approval(&mut self, id: &str, operation: &str) -> bool {
        let now = now();
        let is_valid = |record: &&mut QuestionRecord| {
            let decided = record.decision.as_ref().map(|decision| decision.time);
            record.state == QuestionState::Approved
                && decided.is_some_and(|at| at > now - APPROVAL_VALIDITY)
        };
        let Some(record) = self.record_mut(id).filter(is_valid) else {
            return false;
        };
        record.state = QuestionState::Used;
        record.followed_by = Some(operation.to_owned());
        true
    }

    /// Restores the approval that an operation used up and did not need.
    pub(super) fn restore_approval(&mut self, operation: &str) {
        for record in self.questions.iter_mut().map(|kept| &mut kept.record) {
            if record.state == QuestionState::Used
                && record.followed_by.as_deref() == Some(operation)
            {
                record.state = QuestionState::Approved;
                record.followed_by = None;
            }
        }
    }

    /// Returns the record as a reader gets it. Whether its caller is alive is determined at this time.
    fn to_record(&self, kept: &QuestionRow) -> QuestionRecord {
        QuestionRecord {
            is_caller_alive: self.alive.contains(&kept.process),
            ..kept.record.clone()
        }
    }
}

impl QuestionStore for MemoryHistory {
    fn record_question(&self, draft: &QuestionDraft<'_>) -> Result<AskOutcome, HistoryError> {
        let mut kept = self.lock_state();
        let open = |kept: &&QuestionRow| kept.record.state == QuestionState::Open;
        let mut waiting = kept.questions.iter().filter(open);
        let same = waiting.find(|kept| kept.call == draft.call && kept.record.plan == draft.plan);
        if let Some(same) = same {
            return Ok(AskOutcome::Known(same.record.id.clone()));
        }
        if kept.session_of_question(draft.id).is_some() {
            return Ok(AskOutcome::Taken);
        }
        let waits =
            |kept: &&QuestionRow| open(kept) && draft.renews != Some(kept.record.id.as_str());
        let of_session = |kept: &&QuestionRow| kept.record.session == draft.author.session;
        if kept
            .questions
            .iter()
            .filter(waits)
            .filter(of_session)
            .count()
            >= MAX_OPEN_PER_SESSION
        {
            return Ok(AskOutcome::TooManyOfSession);
        }
        if kept.questions.iter().filter(waits).count() >= MAX_OPEN {
            return Ok(AskOutcome::TooMany);
        }
        let undecided = |record: &&mut QuestionRecord| {
            matches!(record.state, QuestionState::Open | QuestionState::Approved)
        };
        if let Some(earlier) = draft.renews.and_then(|id| kept.record_mut(id))
            && undecided(&&mut *earlier)
        {
            earlier.state = QuestionState::Superseded;
            earlier.followed_by = Some(draft.id.to_owned());
        }
        kept.questions.push(QuestionRow {
            record: QuestionRecord {
                id: draft.id.to_owned(),
                plan: draft.plan,
                time: now(),
                session: draft.author.session.to_owned(),
                client: draft.author.client.map(str::to_owned),
                call_id: draft.author.call.map(str::to_owned),
                tool: draft.tool.to_owned(),
                shown: draft.shown.to_vec(),
                files: draft.files.clone(),
                state: QuestionState::Open,
                decision: None,
                delivered: false,
                followed_by: None,
                answer: None,
                is_caller_alive: true,
            },
            call: draft.call,
            process: self.process,
            arguments: draft.arguments.to_vec(),
        });
        kept.append_event(EventKind::Waiting, Some(draft.author.session), draft.event);
        Ok(AskOutcome::Recorded)
    }

    fn find_question_of_call(&self, call: &Digest) -> Result<Option<QuestionRecord>, HistoryError> {
        let kept = self.lock_state();
        let mut newest_first = kept.questions.iter().rev();
        let found = newest_first.find(|question| question.call == *call);
        Ok(found.map(|found| kept.to_record(found)))
    }

    fn find_question(&self, id: &str) -> Result<Option<QuestionRecord>, HistoryError> {
        let kept = self.lock_state();
        let mut all = kept.questions.iter();
        let found = all.find(|question| question.record.id == id);
        Ok(found.map(|found| kept.to_record(found)))
    }

    fn list_questions(&self, query: &QuestionQuery) -> Result<Vec<QuestionRecord>, HistoryError> {
        let kept = self.lock_state();
        let found = kept.questions.iter().rev().filter(|question| {
            let record = &question.record;
            (query.decided || record.state == QuestionState::Open) && record.is_below(&query.below)
        });
        let most = query.limit.unwrap_or(usize::MAX);
        Ok(found
            .take(most)
            .map(|found| kept.to_record(found))
            .collect())
    }

    fn open_question_ids(&self, below: &[PathBuf]) -> Result<Vec<String>, HistoryError> {
        let query = QuestionQuery {
            below: below.to_vec(),
            ..QuestionQuery::default()
        };
        let open = self.list_questions(&query)?;
        Ok(open.into_iter().map(|record| record.id).collect())
    }

    fn record_decision(
        &self,
        id: &str,
        approves: bool,
        decision: &[u8],
        by: &str,
        event: &str,
    ) -> Result<DecideOutcome, HistoryError> {
        let mut kept = self.lock_state();
        let Some(record) = kept.record_mut(id) else {
            return Ok(DecideOutcome::Unknown);
        };
        if record.state != QuestionState::Open {
            return Ok(DecideOutcome::TooLate(record.state));
        }
        record.state = match approves {
            true => QuestionState::Approved,
            false => QuestionState::Rejected,
        };
        record.decision = Some(RecordedDecision {
            words: decision.to_vec(),
            by: by.to_owned(),
            time: now(),
        });
        let session = record.session.clone();
        kept.append_event(EventKind::Decided, Some(&session), event);
        Ok(DecideOutcome::Counts)
    }

    fn withdraw_question(&self, id: &str) -> Result<(), HistoryError> {
        let mut kept = self.lock_state();
        if let Some(record) = kept.record_mut(id)
            && matches!(record.state, QuestionState::Open | QuestionState::Approved)
        {
            record.state = QuestionState::Superseded;
        }
        Ok(())
    }

    fn amend_rejection(&self, id: &str, decision: &[u8]) -> Result<bool, HistoryError> {
        let mut kept = self.lock_state();
        let rejected = kept
            .record_mut(id)
            .filter(|record| record.state == QuestionState::Rejected && !record.delivered);
        let Some(decided) = rejected.and_then(|record| record.decision.as_mut()) else {
            return Ok(false);
        };
        decided.words = decision.to_vec();
        Ok(true)
    }

    fn mark_rejection_delivered(&self, id: &str) -> Result<bool, HistoryError> {
        let mut kept = self.lock_state();
        let Some(record) = kept.record_mut(id).filter(|record| !record.delivered) else {
            return Ok(false);
        };
        record.delivered = true;
        Ok(true)
    }

    fn store_answer(&self, id: &str, answer: &[u8]) -> Result<(), HistoryError> {
        if let Some(record) = self.lock_state().record_mut(id) {
            record.answer = Some(answer.to_vec());
        }
        Ok(())
    }

    fn closed_questions(&self, ids: &[String]) -> Result<Vec<String>, HistoryError> {
        let mut kept = self.lock_state();
        let mut is_open = |id: &str| {
            let found = kept.record_mut(id);
            found.is_some_and(|record| record.state == QuestionState::Open)
        };
        Ok(ids.iter().filter(|id| !is_open(id)).cloned().collect())
    }

    fn call_arguments(&self, id: &str) -> Result<Option<Vec<u8>>, HistoryError> {
        let kept = self.lock_state();
        let mut all = kept.questions.iter();
        let found = all.find(|question| question.record.id == id);
        Ok(found.map(|found| found.arguments.clone()))
    }

    fn prune_questions(&self) -> Result<u64, HistoryError> {
        Ok(0)
    }
}
