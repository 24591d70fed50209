//! Requests for a server's plan: the texts it needs beforehand, the request itself, and its answer.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};

use super::{PendingRequest, Server};
use crate::ability::{RenameSupport, ServerCapabilities};
use crate::answer::{AnswerValidity, ServerRefusal};
use crate::position::{Encoding, PositionLines};
use crate::uri;

/// The longest message of a server that is passed on, in bytes.
const MAX_ERROR_LENGTH: usize = 500;

impl Server {
    /// Returns how it renames symbols; none if it does not.
    pub(crate) fn rename_support(&self) -> Option<RenameSupport> {
        self.ability.rename.filter(|_| self.is_ready())
    }

    /// Returns whether it wants a request before this file is moved.
    pub(crate) fn wants_request_before_move(&self, path: &Path) -> bool {
        self.is_ready() && self.ability.will_move.matches(path)
    }

    pub(crate) fn position_encoding(&self) -> Encoding {
        self.ability.encoding
    }

    /// Returns when its process was started.
    pub(crate) fn start_time(&self) -> Instant {
        self.began
    }

    /// Returns whether it reports to be working on files or on the project.
    pub(crate) fn is_at_work(&self) -> bool {
        !self.progress.is_empty() || !self.busy.is_empty()
    }

    /// Returns the files that it has open.
    pub(crate) fn open_files(&self) -> Vec<PathBuf> {
        let open = self.documents.iter();
        let open = open.filter(|(_, document)| document.opened.is_some());
        open.map(|(path, _)| path.clone()).collect()
    }

    /// Makes sure that it has a text; returns whether it already had.
    pub(crate) fn ensure_text(&mut self, path: &Path, text: &Arc<str>, now: Instant) -> bool {
        let document = self.documents.get(path);
        let known = document.is_some_and(|one| one.opened.is_some() && one.text == *text);
        if self.has_other_text(path, text) {
            self.withdraw_findings();
        }
        self.update_text(path, text, now);
        known
    }

    /// Sends a request for a plan; returns the id of the request and the newest text version that it had then.
    pub(crate) fn send_plan_request(
        &mut self,
        method: &str,
        parameters: &Value,
        now: Instant,
    ) -> (i64, i32) {
        self.used = now;
        let id = self.send_request(method, parameters, PendingRequest::Plan);
        (id, self.documents.newest_version())
    }

    /// Drops a plan that the caller no longer waits for.
    pub(crate) fn drop_plan_request(&mut self, id: i64) {
        self.plans.remove(&id);
        if self.requests.remove(&id).is_some() {
            self.send_notification("$/cancelRequest", &json!({ "id": id }));
        }
    }

    /// Returns the answer to a request for a plan, once it has arrived.
    pub(crate) fn take_plan_answer(&mut self, id: i64) -> Option<Result<Value, ServerRefusal>> {
        self.plans.remove(&id)
    }

    pub(super) fn store_plan_answer(&mut self, id: i64, message: &Value) {
        let answer = match message.get("error").filter(|error| !error.is_null()) {
            Some(error) => {
                let words = error["message"]
                    .as_str()
                    .unwrap_or("an error without words");
                Err(ServerRefusal {
                    code: error["code"].as_i64().unwrap_or_default(),
                    words: words[..words.floor_char_boundary(MAX_ERROR_LENGTH)].to_owned(),
                })
            }
            None => Ok(message["result"].clone()),
        };
        self.plans.insert(id, answer);
    }

    /// Returns whether an answer applies to this text of a file. If the server does not have the text, it is sent.
    pub(crate) fn check_answer_text(
        &mut self,
        path: &Path,
        text: &Arc<str>,
        (newest, versions): (i32, &[i64]),
        now: Instant,
    ) -> AnswerValidity {
        let is_known = self.ensure_text(path, text, now);
        let version = self.documents.get(path).map(|document| document.version);
        match version {
            // Versions of texts increase over all documents of a server.
            Some(version) if is_known && version <= newest => {
                match versions.iter().all(|said| *said == i64::from(version)) {
                    true => AnswerValidity::Yes,
                    false => AnswerValidity::OtherVersion,
                }
            }
            _ => AnswerValidity::ToldNow,
        }
    }

    /// Converts a byte offset in a document to the protocol's position.
    pub(crate) fn protocol_position(&self, path: &Path, text: &str, at: usize) -> Value {
        let position = PositionLines::new(text).position(at, self.position_encoding());
        json!({ "textDocument": { "uri": uri::uri_from_path(path) }, "position": position })
    }

    /// Notifies it that a file was moved, if it wants to know.
    pub(crate) fn notify_moved(&self, from: &Path, to: &Path) {
        let ServerCapabilities { did_move, .. } = &self.ability;
        if self.is_ready() && did_move.matches(from) {
            let files =
                json!([{ "oldUri": uri::uri_from_path(from), "newUri": uri::uri_from_path(to) }]);
            self.send_notification("workspace/didRenameFiles", &json!({ "files": files }));
        }
    }
}
