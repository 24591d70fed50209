//! Requests for a server's problems: of documents, and of the whole project if it supports that.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{OtherFilesKnowledge, PendingRequest, Server};
use crate::diagnosis::Diagnostic;
use crate::document::FileState;
use crate::uri;

/// How often a document is requested again if the server reports that it was interrupted.
const MAX_TRIES: u32 = 3;

/// How long a server may take to show progress on the whole project.
const PROGRESS_WAIT: Duration = Duration::from_millis(100);

/// The maximum number of files for which something is stored.
const MAX_FILES: usize = 5000;

/// The error codes for overtaken requests: cancelled, content modified, server cancelled.
const STALE_REQUEST_ERRORS: [i64; 3] = [-32800, -32801, -32802];

/// How a report of the server arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReportDelivery {
    Pulled,
    Pushed,
}

impl Server {
    /// Requests the problems of an open document.
    pub(super) fn pull_document(&mut self, path: &Path, tries: u32) {
        let (Some(pull), Some(document)) = (&self.ability.pull, self.documents.get(path)) else {
            return;
        };
        if document.opened.is_none() {
            return;
        }
        let mut parameters = json!({ "textDocument": { "uri": uri::uri_from_path(path) } });
        if let Some(identifier) = &pull.identifier {
            parameters["identifier"] = json!(identifier);
        }
        let request = PendingRequest::Document {
            path: path.to_path_buf(),
            version: document.version,
            tries,
        };
        self.send_request("textDocument/diagnostic", &parameters, request);
    }

    /// Requests the problems of every open document.
    pub(super) fn pull_all(&mut self) {
        let open = self
            .documents
            .iter()
            .filter(|(_, one)| one.opened.is_some());
        let paths: Vec<PathBuf> = open.map(|(path, _)| path.clone()).collect();
        for path in paths {
            self.pull_document(&path, 0);
        }
    }

    /// Requests the problems of the whole project once those of documents are answered. Not before, and again after a
    /// while without progress: a server that is still busy with a document it was just sent may put such a request
    /// aside and not come back to it (ty 0.0.104 does).
    pub(super) fn request_workspace_problems(&mut self, now: Instant) {
        if self.wants_workspace && !self.waits_for_documents() {
            self.wants_workspace = false;
            self.pull_workspace(0, now);
        }
        if let Some((id, tries, due)) = self.stalled_workspace_request()
            && due <= now
        {
            self.requests.remove(&id);
            self.send_notification("$/cancelRequest", &json!({ "id": id }));
            self.pull_workspace(tries + 1, now);
        }
    }

    /// Returns when to repeat the request for the whole project, because the server has shown no progress.
    pub(crate) fn next_repeat_time(&self) -> Option<Instant> {
        self.stalled_workspace_request().map(|(_, _, due)| due)
    }

    /// Returns the request for the whole project on which the server has shown no progress, how often it was sent, and
    /// when to send it again.
    fn stalled_workspace_request(&self) -> Option<(i64, u32, Instant)> {
        self.requests
            .iter()
            .find_map(|(id, request)| match request {
                PendingRequest::Workspace {
                    asked,
                    tries,
                    looked: None,
                } if *tries < MAX_TRIES && !self.progress.contains(&progress_token(*id)) => {
                    Some((*id, *tries, *asked + PROGRESS_WAIT))
                }
                _ => None,
            })
    }

    /// Returns whether a request for the problems of some document is unanswered.
    pub(super) fn waits_for_documents(&self) -> bool {
        let asks = |request: &PendingRequest| matches!(request, PendingRequest::Document { .. });
        self.requests.values().any(asks)
    }

    /// Requests the problems of the whole project if that never happened.
    pub(super) fn want_workspace_problems(&mut self) {
        let asked = |request: &PendingRequest| matches!(request, PendingRequest::Workspace { .. });
        self.wants_workspace |= !self.knows_workspace && !self.requests.values().any(asked);
    }

    /// Requests the problems of the whole project.
    fn pull_workspace(&mut self, tries: u32, now: Instant) {
        let Some(pull) = self.ability.pull.as_ref().filter(|pull| pull.has_workspace) else {
            return;
        };
        let known = self.files.iter().filter_map(|(path, state)| {
            let result = state.result.as_ref()?;
            Some(json!({ "uri": uri::uri_from_path(path), "value": result }))
        });
        let mut parameters = json!({
            "previousResultIds": known.collect::<Vec<_>>(),
            "workDoneToken": progress_token(self.numbers + 1),
        });
        if let Some(identifier) = &pull.identifier {
            parameters["identifier"] = json!(identifier);
        }
        let request = PendingRequest::Workspace {
            asked: now,
            tries,
            looked: None,
        };
        self.send_request("workspace/diagnostic", &parameters, request);
    }

    /// Records that the server has processed everything in a request; if no answer follows, nothing has changed.
    pub(super) fn mark_workspace_processed(&mut self, told: &str, now: Instant) {
        for (id, request) in &mut self.requests {
            if let PendingRequest::Workspace { looked, .. } = request
                && progress_token(*id) == told
            {
                *looked = Some(now);
            }
        }
    }

    /// Cancels every request for problems, because the texts have changed.
    pub(super) fn cancel_pulls(&mut self) {
        let asks = |request: &PendingRequest| {
            matches!(
                request,
                PendingRequest::Document { .. } | PendingRequest::Workspace { .. }
            )
        };
        let ids: Vec<i64> = self
            .requests
            .extract_if(|_, request| asks(request))
            .map(|(id, _)| id)
            .collect();
        for id in ids {
            self.send_notification("$/cancelRequest", &json!({ "id": id }));
        }
    }

    /// Processes the answer to a request for a document.
    pub(super) fn handle_document_answer(
        &mut self,
        path: &Path,
        version: i32,
        tries: u32,
        answer: Result<&Value, i64>,
    ) {
        let is_current = self
            .documents
            .get(path)
            .is_some_and(|one| one.version == version);
        match answer {
            Ok(report) if is_current => {
                self.store_report(path, report);
                let related = report["relatedDocuments"].as_object();
                for (uri, report) in related.into_iter().flatten() {
                    if let Some(path) = uri::path_from_uri(uri) {
                        self.store_report(&path, report);
                    }
                }
            }
            Err(code)
                if is_current && STALE_REQUEST_ERRORS.contains(&code) && tries < MAX_TRIES =>
            {
                self.pull_document(path, tries + 1);
            }
            _ => {}
        }
    }

    /// Processes the answer to a request for the whole project.
    pub(super) fn handle_workspace_answer(&mut self, answer: Result<&Value, i64>) {
        let Ok(answer) = answer else {
            return;
        };
        self.knows_workspace = true;
        for report in answer["items"].as_array().into_iter().flatten() {
            let Some(path) = report["uri"].as_str().and_then(uri::path_from_uri) else {
                continue;
            };
            let stale = report["version"]
                .as_i64()
                .zip(self.documents.get(&path))
                .is_some_and(|(version, document)| i64::from(document.version) != version);
            if !stale {
                self.store_report(&path, report);
            }
        }
    }

    fn store_report(&mut self, path: &Path, report: &Value) {
        if report["kind"] == "unchanged" {
            if let Some(state) = self.files.get_mut(path) {
                state.epoch = Some(self.epoch);
            }
            return;
        }
        if !report["items"].is_array() {
            return;
        }
        self.store_problems(path, ReportDelivery::Pulled, &report["items"]);
        if let Some(state) = self.files.get_mut(path) {
            state.result = report["resultId"].as_str().map(str::to_owned);
        }
    }

    /// Stores what was reported for a file.
    pub(super) fn store_problems(&mut self, path: &Path, way: ReportDelivery, items: &Value) {
        let mut diagnoses = Diagnostic::parse_list(items, self.least);
        let document = self.documents.get(path).filter(|one| one.opened.is_some());
        if let Some(document) = document {
            Diagnostic::set_locations(&mut diagnoses, &document.text, self.ability.encoding);
        }
        let is_open = document.is_some();
        if !self.files.contains_key(path) {
            if !is_open && (diagnoses.is_empty() || self.files.len() >= MAX_FILES) {
                return;
            }
            let was_empty = self.others
                == OtherFilesKnowledge::Trusted {
                    absent_is_empty: true,
                };
            let state = FileState {
                base: (!is_open && was_empty).then(Vec::new),
                ..FileState::default()
            };
            self.files.insert(path.to_path_buf(), state);
        }
        let Some(state) = self.files.get_mut(path) else {
            return;
        };
        match way {
            ReportDelivery::Pulled => state.pulled = diagnoses,
            ReportDelivery::Pushed => state.pushed = diagnoses,
        }
        // If the server answers requests, its pushed problems do not replace its answer.
        if way == ReportDelivery::Pulled || self.ability.pull.is_none() || !is_open {
            state.epoch = Some(self.epoch);
        }
        state.is_fresh = true;
    }
}

/// Returns the progress token for a request.
fn progress_token(id: i64) -> String {
    format!("lancet-{id}")
}
