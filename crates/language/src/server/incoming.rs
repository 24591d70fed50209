//! Messages from a server: answers, problems, and requests.

use std::time::Instant;

use serde_json::{Value, json};

use super::pull::ReportDelivery;
use super::{OtherFilesKnowledge, PendingRequest, Server};
use crate::ability::{self, PullSupport, RenameSupport, ServerCapabilities};
use crate::document::MessageOrder;
use crate::{ServerStatus, uri};

/// The maximum number of tasks whose progress is tracked.
const MAX_PROGRESS_TASKS: usize = 100;

const METHOD_NOT_FOUND: i64 = -32601;

/// The result of processing a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageEffect {
    /// A thread may be waiting for it.
    News,
    Nothing,
    /// It is not a message of the protocol: the conversation with the server must end.
    Nonsense,
}

impl Server {
    /// Processes a message.
    pub(crate) fn handle_message(&mut self, message: &Value, now: Instant) -> MessageEffect {
        let method = message["method"].as_str();
        let id = message.get("id").filter(|id| !id.is_null());
        let heard = match (method, id) {
            (Some(method), Some(id)) => {
                self.handle_request(id, method, &message["params"]);
                MessageEffect::News
            }
            (Some(method), None) => self.handle_notification(method, &message["params"], now),
            (None, Some(id)) => self.handle_answer(id, message, now),
            (None, None) if message.is_object() && message.get("error").is_some() => {
                MessageEffect::Nothing
            }
            (None, None) => MessageEffect::Nonsense,
        };
        if heard == MessageEffect::News {
            self.advance_round(now);
        }
        heard
    }

    fn handle_answer(&mut self, id: &Value, message: &Value, now: Instant) -> MessageEffect {
        // Cancelled requests are no longer in the map.
        let Some(request) = id.as_i64().and_then(|id| self.requests.remove(&id)) else {
            return MessageEffect::Nothing;
        };
        if let (PendingRequest::Plan, Some(id)) = (&request, id.as_i64()) {
            self.store_plan_answer(id, message);
            return MessageEffect::News;
        }
        let answer = match message.get("error").filter(|error| !error.is_null()) {
            Some(error) => Err(error["code"].as_i64().unwrap_or_default()),
            None => Ok(&message["result"]),
        };
        match request {
            PendingRequest::Initialize => match answer {
                Ok(result) if result["capabilities"].is_object() => {
                    self.handle_initialized(&result["capabilities"], now);
                }
                _ => return MessageEffect::Nonsense,
            },
            PendingRequest::Document {
                path,
                version,
                tries,
            } => {
                self.said = now;
                self.handle_document_answer(&path, version, tries, answer);
            }
            PendingRequest::Workspace { .. } => {
                self.said = now;
                self.handle_workspace_answer(answer);
            }
            PendingRequest::Plan | PendingRequest::Shutdown => {}
        }
        MessageEffect::News
    }

    fn handle_initialized(&mut self, capabilities: &Value, now: Instant) {
        self.ability = ServerCapabilities::from_capabilities(capabilities);
        self.standing = ServerStatus::Ready;
        self.send_notification("initialized", &json!({}));
        if !self.entry.settings.is_null() {
            let settings = json!({ "settings": self.entry.settings });
            self.send_notification("workspace/didChangeConfiguration", &settings);
        }
        self.send_open_all(now);
    }

    /// Processes a notification.
    fn handle_notification(
        &mut self,
        method: &str,
        parameters: &Value,
        now: Instant,
    ) -> MessageEffect {
        match method {
            "textDocument/publishDiagnostics" => self.handle_published_problems(parameters, now),
            "$/progress" => self.handle_progress(parameters, now),
            // An extension of clangd.
            "textDocument/clangd.fileStatus" => self.handle_file_work(parameters, now),
            _ => return MessageEffect::Nothing,
        }
        MessageEffect::News
    }

    fn handle_published_problems(&mut self, parameters: &Value, now: Instant) {
        let path = parameters["uri"].as_str().and_then(uri::path_from_uri);
        let (Some(path), true) = (path, parameters["diagnostics"].is_array()) else {
            return;
        };
        if !ability::accepts_pushed_problems(&self.entry, &self.ability) {
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
            .is_some_and(|round| round.is_other_file(&path));
        if is_of_this_text && !(is_other && self.others == OtherFilesKnowledge::Doubtful) {
            self.store_problems(&path, ReportDelivery::Pushed, &parameters["diagnostics"]);
        }
    }

    /// Records whether the server is working on a file.
    fn handle_file_work(&mut self, parameters: &Value, now: Instant) {
        let Some(uri) = parameters["uri"].as_str() else {
            return;
        };
        self.said = now;
        if parameters["state"] == "idle" {
            self.busy.remove(uri);
        } else if self.busy.len() < MAX_PROGRESS_TASKS {
            self.busy.insert(uri.to_owned());
        }
    }

    fn handle_progress(&mut self, parameters: &Value, now: Instant) {
        let token = match &parameters["token"] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match parameters["value"]["kind"].as_str() {
            Some("begin") if self.progress.len() < MAX_PROGRESS_TASKS => {
                self.progress.insert(token);
            }
            Some("end") => {
                self.progress.remove(&token);
                self.mark_workspace_processed(&token, now);
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
                    .map(|item| ability::settings_section(&self.entry, item["section"].as_str()))
                    .collect()
            }
            "workspace/workspaceFolders" => {
                json!([{ "uri": uri::uri_from_path(&self.folder), "name": self.entry.name }])
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
                self.send_message(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
                return;
            }
        };
        self.send_message(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
        match method {
            "client/registerCapability" => self.handle_registrations(&parameters["registrations"]),
            // The misspelling is in the protocol.
            "client/unregisterCapability" => {
                self.handle_unregistrations(&parameters["unregisterations"])
            }
            "workspace/diagnostic/refresh" => self.is_outdated = true,
            _ => {}
        }
    }

    fn handle_registrations(&mut self, registrations: &Value) {
        for one in registrations.as_array().into_iter().flatten() {
            match one["method"].as_str() {
                Some("textDocument/diagnostic") => {
                    self.ability.pull = PullSupport::from_options(&one["registerOptions"]);
                    self.cancel_pulls();
                    self.pull_all();
                    self.want_workspace_problems();
                }
                Some("workspace/didChangeWatchedFiles") => self.ability.watches = true,
                Some("textDocument/rename") => {
                    let options = &one["registerOptions"];
                    self.ability.rename =
                        RenameSupport::from_options(options).or(Some(RenameSupport::AtOnce));
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

    fn handle_unregistrations(&mut self, registrations: &Value) {
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
