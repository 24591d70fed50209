//! A server that is queried for a plan, for the lifetime of its process.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use super::shared::{ServersState, SharedServers};
use super::{Language, soon};
use crate::answer::{Known, ServerRefusal};
use crate::document::LARGEST;
use crate::server::Server;
use crate::{FileTexts, MOST_PLANNED_FILES, PlannedEdits, RefactorError};

/// The error codes for "content modified" and "server cancelled".
const OVERTAKEN: [i64; 2] = [-32801, -32802];

/// A server, and what is needed to query it.
pub(super) struct Conversation<'c> {
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
pub(super) enum Reply {
    Answer {
        value: Value,
        /// The newest text version that the server had when it was queried.
        newest: i32,
    },
    /// A text changed meanwhile.
    Overtaken,
}

impl<'c> Conversation<'c> {
    pub(super) fn new(
        language: &'c Language,
        state: &ServersState,
        id: usize,
        texts: &'c mut dyn FileTexts,
        until: Instant,
    ) -> Conversation<'c> {
        let server = &state.servers[id];
        Conversation {
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
    pub(super) fn with<T>(&self, look: impl FnOnce(&mut Server) -> T) -> Result<T, RefactorError> {
        let mut state = self.shared.lock();
        let server = self.same(&mut state)?;
        Ok(look(server))
    }

    fn same<'s>(&self, state: &'s mut ServersState) -> Result<&'s mut Server, RefactorError> {
        let server = &mut state.servers[self.id];
        match server.generation == self.generation && server.is_ready() {
            true => Ok(server),
            false => Err(RefactorError::Ended(self.name.clone())),
        }
    }

    /// Sends the server every open file that another program has changed since.
    pub(super) fn refresh(&mut self) -> Result<(), RefactorError> {
        for path in self.with(|server| server.open_files())? {
            match self.texts.text(&path) {
                Ok(Some(text)) if text.len() <= LARGEST => self.learn(&path, &text)?,
                // The file is gone, or is one that servers may not see.
                _ => self.with(|server| server.close(&path))?,
            }
        }
        Ok(())
    }

    /// Sends the server the files that its plan may touch. It may have read them long ago, or not know that they exist.
    pub(super) fn acquaint(&mut self) -> Result<(), RefactorError> {
        let (patterns, folder) =
            self.with(|server| (server.entry.files.clone(), server.folder.clone()))?;
        let open = self.with(|server| server.open_files())?;
        let mentions = self.texts.mentions(&patterns);
        let below = mentions.iter().filter(|path| path.starts_with(&folder));
        for path in below.take(MOST_PLANNED_FILES) {
            if open.contains(path) {
                continue;
            }
            if let Ok(Some(text)) = self.texts.text(path)
                && text.len() <= LARGEST
            {
                self.learn(path, &text)?;
                self.opened.push(path.clone());
            }
        }
        Ok(())
    }

    /// Closes what was opened for the request, except the files of the plan, which are changed next.
    pub(super) fn dismiss(&mut self, result: &Result<PlannedEdits, RefactorError>) {
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
        let _ = self.with(|server| {
            for path in &opened {
                server.close(path);
            }
        });
    }

    /// Makes sure that the server has a text.
    pub(super) fn learn(&self, path: &Path, text: &Arc<str>) -> Result<(), RefactorError> {
        self.require_small(path, text)?;
        self.with(|server| {
            server.learn_text(path, text, Instant::now());
        })
    }

    /// Refuses a text that is too large to be sent to servers.
    pub(super) fn require_small(&self, path: &Path, text: &str) -> Result<(), RefactorError> {
        if text.len() <= LARGEST {
            return Ok(());
        }
        let megabytes = LARGEST >> 20;
        Err(RefactorError::Malformed {
            server: self.name.clone(),
            why: format!(
                "{} has more than {megabytes} MiB, too much to send to a server",
                path.display()
            ),
        })
    }

    /// Returns whether an answer applies to this text of a file. If the server does not have the text, it is sent.
    pub(super) fn knew(
        &self,
        path: &Path,
        text: &Arc<str>,
        newest: i32,
        versions: &[i64],
    ) -> Result<Known, RefactorError> {
        self.with(|server| server.knew(path, text, (newest, versions), Instant::now()))
    }

    /// Waits until the server has processed what it was sent. One that never reports this is queried after a third of
    /// the time.
    pub(super) fn settle(&self) -> Result<(), RefactorError> {
        let began = Instant::now();
        let patience = began + self.until.saturating_duration_since(began) / 3;
        let mut state = self.shared.lock();
        loop {
            let now = Instant::now();
            let server = self.same(&mut state)?;
            server.advance(now);
            let is_at_work = server.is_at_work();
            if !is_at_work && (server.is_settled(now) || now >= patience) {
                return Ok(());
            }
            if now >= self.until {
                return Err(RefactorError::NotReady(self.name.clone()));
            }
            if self.texts.is_stopped() {
                return Err(RefactorError::Stopped);
            }
            state = self.shared.wait_for_news(state, soon(now, self.until));
        }
    }

    /// Sends a request and waits for its answer.
    pub(super) fn ask(&self, method: &str, parameters: &Value) -> Result<Reply, RefactorError> {
        let mut state = self.shared.lock();
        let server = self.same(&mut state)?;
        let (question, newest) = server.ask_plan(method, parameters, Instant::now());
        loop {
            let server = self.same(&mut state)?;
            match server.take_plan(question) {
                Some(Ok(value)) => return Ok(Reply::Answer { value, newest }),
                Some(Err(ServerRefusal { code, .. })) if OVERTAKEN.contains(&code) => {
                    return Ok(Reply::Overtaken);
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
                server.give_up_plan(question);
                return Err(error);
            }
            state = self.shared.wait_for_news(state, soon(now, self.until));
        }
    }
}
