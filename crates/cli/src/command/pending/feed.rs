//! The news about the questions of a project: those that were asked and those that were decided since the last check.

use lancet::history::HistoryError;
use lancet::questions::{Questions, RecordedQuestion};

/// A change of a question.
pub(in crate::command) enum QuestionChange {
    /// It was recorded.
    Asked(RecordedQuestion),
    /// It is no longer open.
    Closed(RecordedQuestion),
}

/// The questions that were open at the last check.
pub(in crate::command) struct QuestionFeed {
    questions: Questions,
    /// Their ids, newest last.
    open: Vec<String>,
}

impl QuestionFeed {
    /// Begins without a check.
    pub(in crate::command) fn new(questions: Questions) -> Self {
        Self {
            questions,
            open: Vec::new(),
        }
    }

    /// Checks the questions and returns the news: first the decided ones, then the new ones, oldest first.
    pub(in crate::command) fn check_for_changes(
        &mut self,
    ) -> Result<Vec<QuestionChange>, HistoryError> {
        let open = self.questions.open()?;
        let mut news = Vec::new();
        for id in &self.open {
            if open.iter().all(|one| one.id != *id) {
                news.extend(self.questions.get(id)?.map(QuestionChange::Closed));
            }
        }
        let known = std::mem::take(&mut self.open);
        for one in open.into_iter().rev() {
            self.open.push(one.id.clone());
            if !known.contains(&one.id) {
                news.push(QuestionChange::Asked(one));
            }
        }
        Ok(news)
    }

    /// Returns the newest question that was open at the last check.
    pub(in crate::command) fn newest_open_question(
        &self,
    ) -> Result<Option<RecordedQuestion>, HistoryError> {
        let Some(id) = self.open.last() else {
            return Ok(None);
        };
        self.questions.get(id)
    }

    /// Returns the questions themselves.
    pub(in crate::command) fn questions(&self) -> &Questions {
        &self.questions
    }
}
