//! What is new about the questions of a project: those that were asked and those that were decided since the last look.

use lancet::history::HistoryError;
use lancet::questions::{Questions, RecordedQuestion};

/// Something that happened to a question.
pub(in crate::command) enum News {
    /// It was asked.
    Asked(RecordedQuestion),
    /// It is no longer open.
    Closed(RecordedQuestion),
}

/// The questions that are open, as of the last look.
pub(in crate::command) struct Feed {
    questions: Questions,
    /// Their ids, newest last.
    open: Vec<String>,
}

impl Feed {
    /// Begins without having looked.
    pub(in crate::command) fn new(questions: Questions) -> Self {
        Self {
            questions,
            open: Vec::new(),
        }
    }

    /// Looks, and tells what is new: first what was decided, then what was asked, oldest first.
    pub(in crate::command) fn look(&mut self) -> Result<Vec<News>, HistoryError> {
        let open = self.questions.open()?;
        let mut news = Vec::new();
        for id in &self.open {
            if open.iter().all(|one| one.id != *id) {
                news.extend(self.questions.get(id)?.map(News::Closed));
            }
        }
        let known = std::mem::take(&mut self.open);
        for one in open.into_iter().rev() {
            self.open.push(one.id.clone());
            if !known.contains(&one.id) {
                news.push(News::Asked(one));
            }
        }
        Ok(news)
    }

    /// The newest question that was open at the last look.
    pub(in crate::command) fn newest(&self) -> Result<Option<RecordedQuestion>, HistoryError> {
        let Some(id) = self.open.last() else {
            return Ok(None);
        };
        self.questions.get(id)
    }

    /// The questions themselves.
    pub(in crate::command) fn questions(&self) -> &Questions {
        &self.questions
    }
}
