//! A server that is queried for a plan, for the lifetime of its process.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use super::shared::{ServersState, SharedServers};
use super::{LanguageServers, next_check_time};
use crate::answer::{AnswerValidity, ServerRefusal};
use crate::document::MAX_DOCUMENT_BYTES;
use crate::server::Server;
use crate::{FileTexts, MOST_PLANNED_FILES, PlannedEdits, RefactorError};

/// The error codes for "content modified" and "server cancelled".
const STALE_REQUEST_ERRORS: [i64; 2] = [-32801, -32802];

/// A server, and what is needed to query it.
pub(super) struct ServerConversation<'c> {
    shared: &'c Arc<SharedServers>,
    id: usize,
    generation: u64,
    pub(super) name: String,
    pub(super) texts: &'c mut dyn FileTexts,
    until: Instant,
    /// The files that were opened only for this request.
    opened: Vec<PathBuf>,
}

/// The outcome of a request.
pub(super) enum RequestOutcome {
    Answer {
        value: Value,
        /// The newest text version that the server had when it was queried.
        newest: i32,
    },
    /// A text changed meanwhile.
    Overtaken,
}

impl<'c> ServerConversation<'c> {
    pub(super) fn new(
        language: &'c LanguageServers,
        state: &ServersState,
        id: usize,
        texts: &'c mut dyn FileTexts,
        until: Instant,
    ) -> ServerConversation<'c> {
        let server = &state.servers[id];
        ServerConversation {
            shared: &language.shared,
            id,
            generation: server.generation,
            name: server.entry.name.clone(),
            texts,
            until,
            opened: Vec::new(),
        }
    }

    /// Runs a function on the server if it is still the same process.
    pub(super) fn with_server<T>(
        &self,
        look: impl FnOnce(&mut Server) -> T,
    ) -> Result<T, RefactorError> {
        let mut state = self.shared.lock();
        let server = self.same_server(&mut state)?;
        Ok(look(server))
    }

    fn same_server<'s>(
        &self,
        state: &'s mut ServersState,
    ) -> Result<&'s mut Server, RefactorError> {
        let server = &mut state.servers[self.id];
        match server.generation == self.generation && server.is_ready() {
            true => Ok(server),
            false => Err(RefactorError::Ended(self.name.clone())),
        }
    }

    /// Sends the server every open file that another program has changed since.
    pub(super) fn send_changed_files(&mut self) -> Result<(), RefactorError> {
        for path in self.with_server(|server| server.open_files())? {
            match self.texts.text(&path) {
                Ok(Some(text)) if text.len() <= MAX_DOCUMENT_BYTES => {
                    self.send_text(&path, &text)?
                }
                // The file is gone, or is one that servers may not see.
                _ => self.with_server(|server| server.close_document(&path))?,
            }
        }
        Ok(())
    }

    /// Sends the server the files that its plan may touch. It may have read them long ago, or not know that they exist.
    pub(super) fn send_plan_files(&mut self) -> Result<(), RefactorError> {
        let (patterns, folder) =
            self.with_server(|server| (server.entry.files.clone(), server.folder.clone()))?;
        let open = self.with_server(|server| server.open_files())?;
        let mentions = self.texts.files_with_mentions(&patterns);
        let below = mentions.iter().filter(|path| path.starts_with(&folder));
        for path in below.take(MOST_PLANNED_FILES) {
            if open.contains(path) {
                continue;
            }
            if let Ok(Some(text)) = self.texts.text(path)
                && text.len() <= MAX_DOCUMENT_BYTES
            {
                self.send_text(path, &text)?;
                self.opened.push(path.clone());
            }
        }
        Ok(())
    }

    /// Closes what was opened for the request, except the files of the plan, which are changed next.
    pub(super) fn close_opened_files(&mut self, result: &Result<PlannedEdits, RefactorError>) {
        match result {
            Ok(plan) => self
                .opened
                .retain(|path| plan.files.iter().all(|file| file.path != *path)),
            // It goes on analysing them, and may be ready at the next request.
            Err(RefactorError::NotReady(_) | RefactorError::Slow(_)) => return,
            Err(_) => {}
        }
        let opened = std::mem::take(&mut self.opened);
        // A server that ended has nothing open.
        let _ = self.with_server(|server| {
            for path in &opened {
                server.close_document(path);
            }
        });
    }

    /// Makes sure that the server has a text.
    pub(super) fn send_text(&self, path: &Path, text: &Arc<str>) -> Result<(), RefactorError> {
        self.require_small(path, text)?;
        self.with_server(|server| {
            server.ensure_text(path, text, Instant::now());
        })
    }

    /// Refuses a text that is too large to be sent to servers.
    pub(super) fn require_small(&self, path: &Path, text: &str) -> Result<(), RefactorError> {
        if text.len() <= MAX_DOCUMENT_BYTES {
            return Ok(());
        }
        let megabytes = MAX_DOCUMENT_BYTES >> 20;
        Err(RefactorError::Malformed {
            server: self.name.clone(),
            why: format!(
                "{} has more than {megabytes} MiB, too much to send to a server",
                path.display()
            ),
        })
    }

    /// Returns whether an answer applies to this text of a file. If the server does not have the text, it is sent.
    pub(super) fn check_answer_text(
        &self,
        path: &Path,
        text: &Arc<str>,
        newest: i32,
        versions: &[i64],
    ) -> Result<AnswerValidity, RefactorError> {
        self.with_server(|server| {
            server.check_answer_text(path, text, (newest, versions), Instant::now())
        })
    }

    /// Waits until the server has processed what it was sent. One that never reports this is queried after a third of
    /// the time.
    pub(super) fn wait_until_processed(&self) -> Result<(), RefactorError> {
        let began = Instant::now();
        let patience = began + self.until.saturating_duration_since(began) / 3;
        let mut state = self.shared.lock();
        loop {
            let now = Instant::now();
            let server = self.same_server(&mut state)?;
            server.advance_round(now);
            let is_at_work = server.is_at_work();
            if !is_at_work && (server.has_processed_everything(now) || now >= patience) {
                return Ok(());
            }
            if now >= self.until {
                return Err(RefactorError::NotReady(self.name.clone()));
            }
            if self.texts.is_stopped() {
                return Err(RefactorError::Stopped);
            }
            state = self
                .shared
                .wait_for_news(state, next_check_time(now, self.until));
        }
    }

    /// Sends a request and waits for its answer.
    pub(super) fn send_and_wait(
        &self,
        method: &str,
        parameters: &Value,
    ) -> Result<RequestOutcome, RefactorError> {
        let mut state = self.shared.lock();
        let server = self.same_server(&mut state)?;
        let (question, newest) = server.send_plan_request(method, parameters, Instant::now());
        loop {
            let server = self.same_server(&mut state)?;
            match server.take_plan_answer(question) {
                Some(Ok(value)) => return Ok(RequestOutcome::Answer { value, newest }),
                Some(Err(ServerRefusal { code, .. })) if STALE_REQUEST_ERRORS.contains(&code) => {
                    return Ok(RequestOutcome::Overtaken);
                }
                Some(Err(ServerRefusal { words, .. })) => {
                    let server = self.name.clone();
                    return Err(RefactorError::Said { server, words });
                }
                None => {}
            }
            let now = Instant::now();
            let ended = if now >= self.until {
                Some(RefactorError::Slow(self.name.clone()))
            } else if self.texts.is_stopped() {
                Some(RefactorError::Stopped)
            } else {
                None
            };
            if let Some(error) = ended {
                server.drop_plan_request(question);
                return Err(error);
            }
            state = self
                .shared
                .wait_for_news(state, next_check_time(now, self.until));
        }
    }
}
