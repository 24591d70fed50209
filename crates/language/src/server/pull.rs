//! Asking a server for problems: of documents, and of the whole project where it offers that.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Others, PendingRequest, Server};
use crate::diagnosis::Diagnosis;
use crate::document::FileState;
use crate::uri;

/// How often a document is asked for again where the server says that it was interrupted.
const MOST_TRIES: u32 = 3;

/// So long a server may take to give a sign that it looks at the whole project.
const SIGN: Duration = Duration::from_millis(100);

/// The most files of which something is kept.
const MOST_FILES: usize = 5000;

/// The errors with which a server says that a request was overtaken: cancelled, the content was modified, the server
/// cancelled.
const OVERTAKEN: [i64; 3] = [-32800, -32801, -32802];

/// How a word of the server came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Pulled,
    Pushed,
}

impl Server {
    /// Asks for the problems of an open document.
    pub(super) fn pull_document(&mut self, path: &Path, tries: u32) {
        let (Some(pull), Some(document)) = (&self.ability.pull, self.documents.get(path)) else {
            return;
        };
        if document.opened.is_none() {
            return;
        }
        let mut parameters = json!({ "textDocument": { "uri": uri::of_path(path) } });
        if let Some(identifier) = &pull.identifier {
            parameters["identifier"] = json!(identifier);
        }
        let request = PendingRequest::Document {
            path: path.to_path_buf(),
            version: document.version,
            tries,
        };
        self.request("textDocument/diagnostic", &parameters, request);
    }

    /// Asks for the problems of every open document.
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

    /// Asks for the problems of the whole project once those of documents are answered. Not before, and again after a while
    /// without a sign: a server that is still busy with a document it was just told may put such a request aside and not
    /// come back to it (ty 0.0.104 does).
    pub(super) fn ask_workspace(&mut self, now: Instant) {
        if self.wants_workspace && !self.waits_for_documents() {
            self.wants_workspace = false;
            self.pull_workspace(0, now);
        }
        if let Some((id, tries, due)) = self.unheeded()
            && due <= now
        {
            self.requests.remove(&id);
            self.notify("$/cancelRequest", &json!({ "id": id }));
            self.pull_workspace(tries + 1, now);
        }
    }

    /// When a question about the whole project has to be asked again, because the server gave no sign.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.unheeded().map(|(_, _, due)| due)
    }

    /// The question about the whole project of which the server gave no sign, how often it was asked, and when it is asked
    /// again.
    fn unheeded(&self) -> Option<(i64, u32, Instant)> {
        self.requests
            .iter()
            .find_map(|(id, request)| match request {
                PendingRequest::Workspace {
                    asked,
                    tries,
                    looked: None,
                } if *tries < MOST_TRIES && !self.progress.contains(&token(*id)) => {
                    Some((*id, *tries, *asked + SIGN))
                }
                _ => None,
            })
    }

    /// Whether the problems of some document are asked for and not answered.
    pub(super) fn waits_for_documents(&self) -> bool {
        let asks = |request: &PendingRequest| matches!(request, PendingRequest::Document { .. });
        self.requests.values().any(asks)
    }

    /// Sees to it that the problems of the whole project are asked for, where they never were.
    pub(super) fn want_workspace_once(&mut self) {
        let asked = |request: &PendingRequest| matches!(request, PendingRequest::Workspace { .. });
        self.wants_workspace |= !self.knows_workspace && !self.requests.values().any(asked);
    }

    /// Asks for the problems of the whole project.
    fn pull_workspace(&mut self, tries: u32, now: Instant) {
        let Some(pull) = self.ability.pull.as_ref().filter(|pull| pull.has_workspace) else {
            return;
        };
        let known = self.files.iter().filter_map(|(path, state)| {
            let result = state.result.as_ref()?;
            Some(json!({ "uri": uri::of_path(path), "value": result }))
        });
        let mut parameters = json!({
            "previousResultIds": known.collect::<Vec<_>>(),
            "workDoneToken": token(self.numbers + 1),
        });
        if let Some(identifier) = &pull.identifier {
            parameters["identifier"] = json!(identifier);
        }
        let request = PendingRequest::Workspace {
            asked: now,
            tries,
            looked: None,
        };
        self.request("workspace/diagnostic", &parameters, request);
    }

    /// The server has looked at everything that a request asks for; where no answer follows, it has no news.
    pub(super) fn looked(&mut self, told: &str, now: Instant) {
        for (id, request) in &mut self.requests {
            if let PendingRequest::Workspace { looked, .. } = request
                && token(*id) == told
            {
                *looked = Some(now);
            }
        }
    }

    /// Takes back every question about problems: the texts are others now.
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
            self.notify("$/cancelRequest", &json!({ "id": id }));
        }
    }

    /// The answer to a question about a document.
    pub(super) fn document_answered(
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
                self.reported(path, report);
                let related = report["relatedDocuments"].as_object();
                for (uri, report) in related.into_iter().flatten() {
                    if let Some(path) = uri::to_path(uri) {
                        self.reported(&path, report);
                    }
                }
            }
            Err(code) if is_current && OVERTAKEN.contains(&code) && tries < MOST_TRIES => {
                self.pull_document(path, tries + 1);
            }
            _ => {}
        }
    }

    /// The answer to a question about the whole project.
    pub(super) fn workspace_answered(&mut self, answer: Result<&Value, i64>) {
        let Ok(answer) = answer else {
            return;
        };
        self.knows_workspace = true;
        for report in answer["items"].as_array().into_iter().flatten() {
            let Some(path) = report["uri"].as_str().and_then(uri::to_path) else {
                continue;
            };
            let stale = report["version"]
                .as_i64()
                .zip(self.documents.get(&path))
                .is_some_and(|(version, document)| i64::from(document.version) != version);
            if !stale {
                self.reported(&path, report);
            }
        }
    }

    fn reported(&mut self, path: &Path, report: &Value) {
        if report["kind"] == "unchanged" {
            if let Some(state) = self.files.get_mut(path) {
                state.epoch = Some(self.epoch);
            }
            return;
        }
        if !report["items"].is_array() {
            return;
        }
        self.say(path, Way::Pulled, &report["items"]);
        if let Some(state) = self.files.get_mut(path) {
            state.result = report["resultId"].as_str().map(str::to_owned);
        }
    }

    /// Keeps what was said of a file.
    pub(super) fn say(&mut self, path: &Path, way: Way, items: &Value) {
        let mut diagnoses = Diagnosis::all(items, self.least);
        let document = self.documents.get(path).filter(|one| one.opened.is_some());
        if let Some(document) = document {
            Diagnosis::located(&mut diagnoses, &document.text, self.ability.encoding);
        }
        let is_open = document.is_some();
        if !self.files.contains_key(path) {
            if !is_open && (diagnoses.is_empty() || self.files.len() >= MOST_FILES) {
                return;
            }
            let was_empty = self.others
                == Others::Trusted {
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
            Way::Pulled => state.pulled = diagnoses,
            Way::Pushed => state.pushed = diagnoses,
        }
        // Where the server is asked, what it sends by itself does not stand for its answer.
        if way == Way::Pulled || self.ability.pull.is_none() || !is_open {
            state.epoch = Some(self.epoch);
        }
        state.is_fresh = true;
    }
}

/// The name under which a server is to report how it gets on with a request.
fn token(id: i64) -> String {
    format!("lancet-{id}")
}
