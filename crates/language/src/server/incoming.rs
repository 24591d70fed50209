//! Messages from a server: answers, problems, and requests.

use std::time::Instant;

use serde_json::{Value, json};

use super::pull::Way;
use super::{Others, PendingRequest, Server};
use crate::ability::{self, Ability, Pull, Renames};
use crate::document::MessageOrder;
use crate::{ServerStanding, uri};

/// The maximum number of tasks whose progress is tracked.
const MOST_PROGRESS: usize = 100;

const METHOD_NOT_FOUND: i64 = -32601;

/// The result of processing a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reception {
    /// A thread may be waiting for it.
    News,
    Nothing,
    /// It is not a message of the protocol: the conversation with the server must end.
    Nonsense,
}

impl Server {
    /// Processes a message.
    pub(crate) fn receive(&mut self, message: &Value, now: Instant) -> Reception {
        let method = message["method"].as_str();
        let id = message.get("id").filter(|id| !id.is_null());
        let heard = match (method, id) {
            (Some(method), Some(id)) => {
                self.handle_request(id, method, &message["params"]);
                Reception::News
            }
            (Some(method), None) => self.handle_notification(method, &message["params"], now),
            (None, Some(id)) => self.answered_to(id, message, now),
            (None, None) if message.is_object() && message.get("error").is_some() => {
                Reception::Nothing
            }
            (None, None) => Reception::Nonsense,
        };
        if heard == Reception::News {
            self.advance(now);
        }
        heard
    }

    fn answered_to(&mut self, id: &Value, message: &Value, now: Instant) -> Reception {
        // Cancelled requests are no longer in the map.
        let Some(request) = id.as_i64().and_then(|id| self.requests.remove(&id)) else {
            return Reception::Nothing;
        };
        if let (PendingRequest::Plan, Some(id)) = (&request, id.as_i64()) {
            self.plan_answered(id, message);
            return Reception::News;
        }
        let answer = match message.get("error").filter(|error| !error.is_null()) {
            Some(error) => Err(error["code"].as_i64().unwrap_or_default()),
            None => Ok(&message["result"]),
        };
        match request {
            PendingRequest::Initialize => match answer {
                Ok(result) if result["capabilities"].is_object() => {
                    self.initialized(&result["capabilities"], now);
                }
                _ => return Reception::Nonsense,
            },
            PendingRequest::Document {
                path,
                version,
                tries,
            } => {
                self.said = now;
                self.document_answered(&path, version, tries, answer);
            }
            PendingRequest::Workspace { .. } => {
                self.said = now;
                self.workspace_answered(answer);
            }
            PendingRequest::Plan | PendingRequest::Shutdown => {}
        }
        Reception::News
    }

    fn initialized(&mut self, capabilities: &Value, now: Instant) {
        self.ability = Ability::from_capabilities(capabilities);
        self.standing = ServerStanding::Ready;
        self.notify("initialized", &json!({}));
        if !self.entry.settings.is_null() {
            let settings = json!({ "settings": self.entry.settings });
            self.notify("workspace/didChangeConfiguration", &settings);
        }
        self.open_all(now);
    }

    /// Processes a notification.
    fn handle_notification(&mut self, method: &str, parameters: &Value, now: Instant) -> Reception {
        match method {
            "textDocument/publishDiagnostics" => self.published(parameters, now),
            "$/progress" => self.progressed(parameters, now),
            // An extension of clangd.
            "textDocument/clangd.fileStatus" => self.worked(parameters, now),
            _ => return Reception::Nothing,
        }
        Reception::News
    }

    fn published(&mut self, parameters: &Value, now: Instant) {
        let path = parameters["uri"].as_str().and_then(uri::to_path);
        let (Some(path), true) = (path, parameters["diagnostics"].is_array()) else {
            return;
        };
        if !ability::counts_pushed(&self.entry, &self.ability) {
            return;
        }
        self.said = now;
        let version = parameters["version"].as_i64();
        let open = self.documents.get(&path).filter(|one| one.opened.is_some());
        let is_of_this_text = match (open, version) {
            (Some(document), Some(version)) => i64::from(document.version) == version,
            (Some(document), None) => document.order == MessageOrder::Certain,
            (None, _) => true,
        };
        let is_other = self
            .round
            .as_ref()
            .is_some_and(|round| round.is_other(&path));
        if is_of_this_text && !(is_other && self.others == Others::Doubtful) {
            self.say(&path, Way::Pushed, &parameters["diagnostics"]);
        }
    }

    /// Records whether the server is working on a file.
    fn worked(&mut self, parameters: &Value, now: Instant) {
        let Some(uri) = parameters["uri"].as_str() else {
            return;
        };
        self.said = now;
        if parameters["state"] == "idle" {
            self.busy.remove(uri);
        } else if self.busy.len() < MOST_PROGRESS {
            self.busy.insert(uri.to_owned());
        }
    }

    fn progressed(&mut self, parameters: &Value, now: Instant) {
        let token = match &parameters["token"] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match parameters["value"]["kind"].as_str() {
            Some("begin") if self.progress.len() < MOST_PROGRESS => {
                self.progress.insert(token);
            }
            Some("end") => {
                self.progress.remove(&token);
                self.looked(&token, now);
            }
            _ => {}
        }
    }

    /// Answers a request of the server.
    fn handle_request(&mut self, id: &Value, method: &str, parameters: &Value) {
        let result = match method {
            "workspace/configuration" => {
                let items = parameters["items"].as_array().into_iter().flatten();
                items
                    .map(|item| ability::configuration(&self.entry, item["section"].as_str()))
                    .collect()
            }
            "workspace/workspaceFolders" => {
                json!([{ "uri": uri::of_path(&self.folder), "name": self.entry.name }])
            }
            "workspace/applyEdit" => {
                json!({ "applied": false, "failureReason": "lancet takes no edits unasked" })
            }
            "window/showDocument" => json!({ "success": false }),
            "client/registerCapability"
            | "client/unregisterCapability"
            | "window/workDoneProgress/create"
            | "window/showMessageRequest" => Value::Null,
            _ if method.starts_with("workspace/") && method.ends_with("/refresh") => Value::Null,
            _ => {
                let error = json!({ "code": METHOD_NOT_FOUND, "message": "not known here" });
                self.send(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
                return;
            }
        };
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
        match method {
            "client/registerCapability" => self.registered(&parameters["registrations"]),
            // The misspelling is in the protocol.
            "client/unregisterCapability" => self.unregistered(&parameters["unregisterations"]),
            "workspace/diagnostic/refresh" => self.is_outdated = true,
            _ => {}
        }
    }

    fn registered(&mut self, registrations: &Value) {
        for one in registrations.as_array().into_iter().flatten() {
            match one["method"].as_str() {
                Some("textDocument/diagnostic") => {
                    self.ability.pull = Pull::from_options(&one["registerOptions"]);
                    self.cancel_pulls();
                    self.pull_all();
                    self.want_workspace_once();
                }
                Some("workspace/didChangeWatchedFiles") => self.ability.watches = true,
                Some("textDocument/rename") => {
                    let options = &one["registerOptions"];
                    self.ability.rename = Renames::from_options(options).or(Some(Renames::AtOnce));
                }
                Some("workspace/willRenameFiles") => {
                    let id = one["id"].as_str();
                    self.ability.will_move.add(id, &one["registerOptions"]);
                }
                Some("workspace/didRenameFiles") => {
                    let id = one["id"].as_str();
                    self.ability.did_move.add(id, &one["registerOptions"]);
                }
                _ => {}
            }
        }
    }

    fn unregistered(&mut self, registrations: &Value) {
        for one in registrations.as_array().into_iter().flatten() {
            let id = one["id"].as_str().unwrap_or_default();
            match one["method"].as_str() {
                Some("textDocument/diagnostic") => {
                    self.ability.pull = None;
                    self.cancel_pulls();
                }
                Some("textDocument/rename") => self.ability.rename = None,
                Some("workspace/willRenameFiles") => self.ability.will_move.remove(id),
                Some("workspace/didRenameFiles") => self.ability.did_move.remove(id),
                _ => {}
            }
        }
    }
}
