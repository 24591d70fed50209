//! Keeps a server's documents in step with the files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};

use super::Server;
use crate::ability::{ChangeForm, SaveNotification};
use crate::document::{FileState, MessageOrder};
use crate::{identifier, position, uri};

/// The kind of a file's change, in the numbers of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileChangeKind {
    New = 1,
    Changed = 2,
    Gone = 3,
}

impl FileChangeKind {
    /// Returns the kind of change between these texts.
    pub(crate) fn between(before: Option<&str>, after: Option<&str>) -> Self {
        match (before, after) {
            (None, _) => FileChangeKind::New,
            (_, None) => FileChangeKind::Gone,
            _ => FileChangeKind::Changed,
        }
    }
}

impl Server {
    /// Records that a file was shown with this text.
    pub(crate) fn update_text(&mut self, path: &Path, text: &Arc<str>, now: Instant) {
        self.used = now;
        let known = self.documents.get(path);
        if known.is_some_and(|known| known.text == *text) {
            self.documents.mark_used(path);
            return;
        }
        let order = self.message_order(now);
        self.send_text(path, text, None, (order, now));
        self.forget_earlier_problems(path);
        if self.is_ready() {
            self.pull_document(path, 0);
            self.want_workspace_problems();
            self.advance_round(now);
        }
    }

    /// Returns whether the server has a different text of a file.
    pub(crate) fn has_other_text(&self, path: &Path, text: &str) -> bool {
        let known = self.documents.get(path);
        known.is_some_and(|known| *known.text != *text)
    }

    /// Discards what is known of a file's problems before.
    pub(super) fn forget_earlier_problems(&mut self, path: &Path) {
        if let Some(state) = self.files.get_mut(path) {
            state.base = None;
            state.epoch = None;
            state.is_fresh = false;
        }
    }

    /// Returns what the order of messages guarantees for a text that is sent now.
    pub(super) fn message_order(&self, now: Instant) -> MessageOrder {
        if self.is_silent(now) {
            MessageOrder::Certain
        } else {
            MessageOrder::Uncertain
        }
    }

    /// Stores a text in its document and, if the server is running, sends it.
    pub(super) fn send_text(
        &mut self,
        path: &Path,
        text: &Arc<str>,
        revision: Option<&str>,
        (order, now): (MessageOrder, Instant),
    ) {
        let former = self.documents.get(path).map(|former| former.text.clone());
        if former.as_ref() == Some(text) {
            if let Some(document) = self.documents.get_mut(path) {
                document.revision = revision.map(str::to_owned).or(document.revision.take());
            }
            self.documents.mark_used(path);
        } else {
            let gone = self.documents.store(path, text, revision);
            for (path, document) in gone {
                if document.opened.is_some() {
                    self.send_close(&path);
                }
            }
        }
        if !self.is_ready() {
            return;
        }
        let Some(document) = self.documents.get_mut(path) else {
            return;
        };
        let version = document.version;
        match (document.opened, former) {
            (None, _) => self.send_open(path, now),
            (Some(_), Some(former)) if former != *text => {
                document.order = order;
                let change = match self.ability.changes {
                    ChangeForm::Ranges => {
                        position::content_change(&former, text, self.ability.encoding)
                    }
                    ChangeForm::Whole => json!({ "text": &**text }),
                };
                let document = json!({ "uri": uri::uri_from_path(path), "version": version });
                let parameters = json!({ "textDocument": document, "contentChanges": [change] });
                self.send_notification("textDocument/didChange", &parameters);
            }
            _ => {}
        }
    }

    /// Sends the server a document that it does not have open.
    pub(super) fn send_open(&mut self, path: &Path, now: Instant) {
        let Some(document) = self.documents.get_mut(path) else {
            return;
        };
        document.opened = Some(now);
        document.order = MessageOrder::Certain;
        let parameters = json!({ "textDocument": {
            "uri": uri::uri_from_path(path),
            "languageId": identifier::language_id(path),
            "version": document.version,
            "text": &*document.text,
        }});
        // The reports on the closed file have no lines to compare with.
        self.files.insert(path.to_path_buf(), FileState::default());
        self.send_notification("textDocument/didOpen", &parameters);
    }

    /// Opens every document that the server should have open, once it is ready.
    pub(super) fn send_open_all(&mut self, now: Instant) {
        let paths: Vec<PathBuf> = self
            .documents
            .iter()
            .map(|(path, _)| path.clone())
            .collect();
        for path in paths {
            self.send_open(&path, now);
            self.pull_document(&path, 0);
        }
        self.want_workspace_problems();
    }

    /// Closes a document.
    pub(crate) fn close_document(&mut self, path: &Path) {
        if self
            .documents
            .remove(path)
            .is_some_and(|document| document.opened.is_some())
        {
            self.send_close(path);
        }
    }

    fn send_close(&mut self, path: &Path) {
        let parameters = json!({ "textDocument": { "uri": uri::uri_from_path(path) } });
        self.send_notification("textDocument/didClose", &parameters);
        if let Some(state) = self.files.get_mut(path) {
            state.clear_line_texts();
        }
    }

    /// Notifies the server that a document was saved.
    pub(super) fn send_saved(&mut self, path: &Path) {
        let Some(document) = self.documents.get(path).filter(|one| one.opened.is_some()) else {
            return;
        };
        let mut parameters = json!({ "textDocument": { "uri": uri::uri_from_path(path) } });
        match self.ability.saves {
            SaveNotification::Untold => return,
            SaveNotification::Told => {}
            SaveNotification::ToldWithText => parameters["text"] = Value::from(&*document.text),
        }
        self.send_notification("textDocument/didSave", &parameters);
    }

    /// Notifies a server that watches files of their changes.
    pub(crate) fn send_watched_files(&self, files: &[(PathBuf, FileChangeKind)]) {
        if !self.is_ready() || !self.ability.watches || files.is_empty() {
            return;
        }
        let changes: Vec<Value> = files
            .iter()
            .map(|(path, became)| json!({ "uri": uri::uri_from_path(path), "type": *became as u8 }))
            .collect();
        self.send_notification(
            "workspace/didChangeWatchedFiles",
            &json!({ "changes": changes }),
        );
    }
}
