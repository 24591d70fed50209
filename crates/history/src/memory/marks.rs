//! The marks of prompts, and the sessions of agents' processes.

use super::{MemoryHistory, now};
use crate::error::HistoryError;
use crate::mark::{MarkQuery, MarkStore, PromptMark};

impl MarkStore for MemoryHistory {
    fn record_prompt(&self, session: &str, prompt: &str) -> Result<(), HistoryError> {
        let mut kept = self.lock_state();
        let mark = PromptMark {
            id: kept.marks.last().map_or(1, |last| last.id + 1),
            session: session.to_owned(),
            time: now(),
            sequence: kept.sequence,
            prompt: PromptMark::stored_line(prompt),
        };
        kept.marks.push(mark);
        Ok(())
    }

    fn prompt_marks(&self, query: &MarkQuery) -> Result<Vec<PromptMark>, HistoryError> {
        let kept = self.lock_state();
        let has_changed = |session: &str| {
            let mut operations = kept.operations.iter().map(|kept| &kept.operation);
            query.below.is_empty()
                || operations.any(|operation| {
                    operation.session == session
                        && super::operations::has_file_below(operation, &query.below)
                })
        };
        let marks = kept.marks.iter().rev().filter(|mark| {
            query
                .session
                .as_ref()
                .is_none_or(|session| *session == mark.session)
                && has_changed(&mark.session)
        });
        let most = query.limit.unwrap_or(usize::MAX);
        Ok(marks.take(most).cloned().collect())
    }

    fn report_session(&self, process: &str, session: &str) -> Result<(), HistoryError> {
        let mut kept = self.lock_state();
        kept.reported.insert(process.to_owned(), session.to_owned());
        Ok(())
    }

    fn reported_session(&self, process: &str) -> Result<Option<String>, HistoryError> {
        Ok(self.lock_state().reported.get(process).cloned())
    }
}
