//! Keeps a server's documents in step with the files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};

use super::Server;
use crate::ability::{Changes, Saves};
use crate::document::{FileState, MessageOrder};
use crate::{identifier, position, uri};

/// The kind of a file's change, in the numbers of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Became {
    New = 1,
    Changed = 2,
    Gone = 3,
}

impl Became {
    /// Returns the kind of change between these texts.
    pub(crate) fn between(before: Option<&str>, after: Option<&str>) -> Self {
        match (before, after) {
            (None, _) => Became::New,
            (_, None) => Became::Gone,
            _ => Became::Changed,
        }
    }
}

impl Server {
    /// Records that a file was shown with this text.
    pub(crate) fn read(&mut self, path: &Path, text: &Arc<str>, now: Instant) {
        self.used = now;
        let known = self.documents.get(path);
        if known.is_some_and(|known| known.text == *text) {
            self.documents.touch(path);
            return;
        }
        let order = self.order(now);
        self.tell(path, text, None, (order, now));
        self.forget_base(path);
        if self.is_ready() {
            self.pull_document(path, 0);
            self.want_workspace_once();
            self.advance(now);
        }
    }

    /// Returns whether the server has a different text of a file.
    pub(crate) fn has_other_text(&self, path: &Path, text: &str) -> bool {
        let known = self.documents.get(path);
        known.is_some_and(|known| *known.text != *text)
    }

    /// Discards what is known of a file's problems before.
    pub(super) fn forget_base(&mut self, path: &Path) {
        if let Some(state) = self.files.get_mut(path) {
            state.base = None;
            state.epoch = None;
            state.is_fresh = false;
        }
    }

    /// Returns what the order of messages guarantees for a text that is sent now.
    pub(super) fn order(&self, now: Instant) -> MessageOrder {
        if self.is_quiet(now) {
            MessageOrder::Certain
        } else {
            MessageOrder::Uncertain
        }
    }

    /// Stores a text in its document and, if the server is running, sends it.
    pub(super) fn tell(
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
            self.documents.touch(path);
        } else {
            let gone = self.documents.put(path, text, revision);
            for (path, document) in gone {
                if document.opened.is_some() {
                    self.closed(&path);
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
            (None, _) => self.open(path, now),
            (Some(_), Some(former)) if former != *text => {
                document.order = order;
                let change = match self.ability.changes {
                    Changes::Ranges => {
                        position::content_change(&former, text, self.ability.encoding)
                    }
                    Changes::Whole => json!({ "text": &**text }),
                };
                let document = json!({ "uri": uri::of_path(path), "version": version });
                let parameters = json!({ "textDocument": document, "contentChanges": [change] });
                self.notify("textDocument/didChange", &parameters);
            }
            _ => {}
        }
    }

    /// Sends the server a document that it does not have open.
    pub(super) fn open(&mut self, path: &Path, now: Instant) {
        let Some(document) = self.documents.get_mut(path) else {
            return;
        };
        document.opened = Some(now);
        document.order = MessageOrder::Certain;
        let parameters = json!({ "textDocument": {
            "uri": uri::of_path(path),
            "languageId": identifier::of_file(path),
            "version": document.version,
            "text": &*document.text,
        }});
        // The reports on the closed file have no lines to compare with.
        self.files.insert(path.to_path_buf(), FileState::default());
        self.notify("textDocument/didOpen", &parameters);
    }

    /// Opens every document that the server should have open, once it is ready.
    pub(super) fn open_all(&mut self, now: Instant) {
        let paths: Vec<PathBuf> = self
            .documents
            .iter()
            .map(|(path, _)| path.clone())
            .collect();
        for path in paths {
            self.open(&path, now);
            self.pull_document(&path, 0);
        }
        self.want_workspace_once();
    }

    /// Closes a document.
    pub(crate) fn close(&mut self, path: &Path) {
        if self
            .documents
            .remove(path)
            .is_some_and(|document| document.opened.is_some())
        {
            self.closed(path);
        }
    }

    fn closed(&mut self, path: &Path) {
        let parameters = json!({ "textDocument": { "uri": uri::of_path(path) } });
        self.notify("textDocument/didClose", &parameters);
        if let Some(state) = self.files.get_mut(path) {
            state.without_lines();
        }
    }

    /// Notifies the server that a document was saved.
    pub(super) fn saved(&mut self, path: &Path) {
        let Some(document) = self.documents.get(path).filter(|one| one.opened.is_some()) else {
            return;
        };
        let mut parameters = json!({ "textDocument": { "uri": uri::of_path(path) } });
        match self.ability.saves {
            Saves::Untold => return,
            Saves::Told => {}
            Saves::ToldWithText => parameters["text"] = Value::from(&*document.text),
        }
        self.notify("textDocument/didSave", &parameters);
    }

    /// Notifies a server that watches files of their changes.
    pub(crate) fn watched(&self, files: &[(PathBuf, Became)]) {
        if !self.is_ready() || !self.ability.watches || files.is_empty() {
            return;
        }
        let changes: Vec<Value> = files
            .iter()
            .map(|(path, became)| json!({ "uri": uri::of_path(path), "type": *became as u8 }))
            .collect();
        self.notify(
            "workspace/didChangeWatchedFiles",
            &json!({ "changes": changes }),
        );
    }
}
