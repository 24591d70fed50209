//! Requests for a server's plan: the edits for renaming a symbol or moving a file. A plan must apply to the texts on
//! the disk: a server that had others is sent the new ones and queried again.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::LanguageServers;
use super::conversation::{RequestOutcome, ServerConversation};
use super::shared::ServersState;
use crate::ability::RenameSupport;
use crate::answer::AnswerValidity;
use crate::position::PositionLines;
use crate::server::Server;
use crate::workspace_edit::{self, EditFault};
use crate::{
    FileTexts, MOST_PLANNED_FILES, PlannedEdits, PlannedFile, RefactorError, RenameRequest, uri,
};

/// How often a server is queried before its plan counts as unsettled.
const MAX_ROUNDS: usize = 5;

/// How long after its start a server may still register capabilities.
const REGISTRATION_TIME: Duration = Duration::from_secs(2);

/// The purpose of a plan.
enum PlanPurpose<'q> {
    Rename(&'q RenameRequest<'q>),
    Move(&'q Path, &'q Path),
}

impl LanguageServers {
    /// Plans the renaming of a symbol in every file; waits until the given time at most. Nothing is changed.
    ///
    /// # Errors
    /// If there is no plan, or none that can be applied exactly.
    pub fn plan_rename(
        &self,
        question: &RenameRequest<'_>,
        texts: &mut dyn FileTexts,
        until: Instant,
    ) -> Result<PlannedEdits, RefactorError> {
        let (mut conversation, renames) = self.server_that_renames(question.path, texts, until)?;
        let result = conversation.plan_rename(question, renames);
        conversation.close_opened_files(&result);
        result
    }

    /// Plans the edits that other files need when a file is moved; returns none if no running server wants to be
    /// queried about it. No server is started. Waits until the given time at most. Nothing is changed.
    ///
    /// # Errors
    /// As [`LanguageServers::plan_rename`].
    pub fn plan_move(
        &self,
        from: &Path,
        to: &Path,
        texts: &mut dyn FileTexts,
        until: Instant,
    ) -> Result<Option<PlannedEdits>, RefactorError> {
        let mut state = self.shared.lock();
        let running = self.shared.running_servers_for(&mut state, from);
        let asks = |id: &usize| state.servers[*id].wants_request_before_move(from);
        let Some(id) = running.into_iter().find(asks) else {
            return Ok(None);
        };
        let mut conversation = ServerConversation::new(self, &state, id, texts, until);
        drop(state);
        let result = conversation.plan_move(from, to);
        conversation.close_opened_files(&result);
        result.map(Some)
    }

    /// Notifies the servers that want to know that a file was moved on the disk. The texts themselves are sent by
    /// [`LanguageServers::announce_changes`].
    pub fn notify_moved(&self, from: &Path, to: &Path) {
        for server in &self.shared.lock().servers {
            server.notify_moved(from, to);
        }
    }

    /// Returns the server that renames symbols of a file.
    fn server_that_renames<'c>(
        &'c self,
        path: &Path,
        texts: &'c mut dyn FileTexts,
        until: Instant,
    ) -> Result<(ServerConversation<'c>, RenameSupport), RefactorError> {
        let mut state = self.shared.lock();
        if state.places.servers_for_file(path).is_empty() {
            return Err(RefactorError::NoServer);
        }
        loop {
            let now = Instant::now();
            let servers = self.shared.start_servers_for(&mut state, path, now);
            if servers.is_empty() {
                let names = self.shared.unavailable_servers_for(&mut state, path);
                return Err(RefactorError::NotRunning(names));
            }
            let able = |id: &usize| {
                state.servers[*id]
                    .rename_support()
                    .map(|renames| (*id, renames))
            };
            if let Some((id, renames)) = servers.iter().find_map(able) {
                let conversation = ServerConversation::new(self, &state, id, texts, until);
                return Ok((conversation, renames));
            }
            let may_still = |server: &&Server| {
                !server.is_ready() || now.duration_since(server.start_time()) < REGISTRATION_TIME
            };
            let ServersState { servers: all, .. } = &*state;
            let waits = servers.iter().map(|id| &all[*id]).find(may_still);
            match waits {
                None => {
                    let names = servers.iter().map(|id| all[*id].entry.name.clone());
                    return Err(RefactorError::NotOffered(names.collect()));
                }
                Some(server) if now >= until => {
                    return Err(RefactorError::NotReady(server.entry.name.clone()));
                }
                Some(_) if texts.is_stopped() => return Err(RefactorError::Stopped),
                Some(_) => {
                    state = self
                        .shared
                        .wait_for_news(state, super::next_check_time(now, until))
                }
            }
        }
    }
}

impl ServerConversation<'_> {
    fn plan_rename(
        &mut self,
        question: &RenameRequest<'_>,
        renames: RenameSupport,
    ) -> Result<PlannedEdits, RefactorError> {
        self.send_changed_files()?;
        self.check_text_unchanged(question)?;
        self.send_plan_files()?;
        self.wait_until_processed()?;
        if renames == RenameSupport::AfterPreparing {
            self.check_symbol(question)?;
        }
        let mut place = self.symbol_position(question)?;
        place["newName"] = json!(question.new_name);
        let asked = PlanPurpose::Rename(question);
        let plan = self.request_plan("textDocument/rename", &place, &asked)?;
        let covers = |file: &PlannedFile| {
            let mut spans = file.spans.iter();
            let at = &question.symbol;
            file.path == question.path
                && spans.any(|span| span.range.start < at.end && at.start < span.range.end)
        };
        match plan.files.iter().any(covers) {
            true => Ok(plan),
            false if plan.files.is_empty() => Err(RefactorError::Nothing(plan.server)),
            false => Err(RefactorError::Malformed {
                server: plan.server,
                why: "it leaves out the very place that was named".to_owned(),
            }),
        }
    }

    fn plan_move(&mut self, from: &Path, to: &Path) -> Result<PlannedEdits, RefactorError> {
        self.send_changed_files()?;
        self.send_plan_files()?;
        self.wait_until_processed()?;
        let files =
            json!([{ "oldUri": uri::uri_from_path(from), "newUri": uri::uri_from_path(to) }]);
        let parameters = json!({ "files": files });
        let asked = PlanPurpose::Move(from, to);
        self.request_plan("workspace/willRenameFiles", &parameters, &asked)
    }

    /// Fails if the file of a question has a different text now.
    fn check_text_unchanged(&mut self, question: &RenameRequest<'_>) -> Result<(), RefactorError> {
        match self.texts.text(question.path) {
            Ok(Some(text)) if text == *question.text => self.send_text(question.path, &text),
            Ok(_) => Err(RefactorError::Changed),
            Err(_) => Err(RefactorError::Withheld(question.path.to_path_buf())),
        }
    }

    fn symbol_position(&self, question: &RenameRequest<'_>) -> Result<Value, RefactorError> {
        let (path, at) = (question.path, question.symbol.start);
        self.with_server(|server| server.protocol_position(path, question.text, at))
    }

    /// Queries what would be renamed, and fails if it is not the named symbol.
    fn check_symbol(&mut self, question: &RenameRequest<'_>) -> Result<(), RefactorError> {
        let place = self.symbol_position(question)?;
        let server = self.name.clone();
        let mut answer = Value::Null;
        for round in 1..=MAX_ROUNDS {
            match self.send_and_wait("textDocument/prepareRename", &place)? {
                RequestOutcome::Answer { value, .. } => answer = value,
                RequestOutcome::Overtaken if round < MAX_ROUNDS => continue,
                RequestOutcome::Overtaken => return Err(RefactorError::Unsettled(server)),
            }
            break;
        }
        if answer.is_null() {
            return Err(RefactorError::Nothing(server));
        }
        let range = answer.get("range").unwrap_or(&answer);
        if !range["start"].is_object() {
            // The server leaves it to the client to find the bounds of a word.
            return Ok(());
        }
        let encoding = self.with_server(|server| server.position_encoding())?;
        let lines = PositionLines::new(question.text);
        let at = |which: &str| {
            let place = &range[which];
            let line = u32::try_from(place["line"].as_u64()?).ok()?;
            let units = u32::try_from(place["character"].as_u64()?).ok()?;
            lines.offset(line, units, encoding)
        };
        let text = match (at("start"), at("end")) {
            (Some(start), Some(end)) if (start..end) == question.symbol => return Ok(()),
            (Some(start), Some(end)) => question.text.get(start..end),
            _ => None,
        };
        let text = text.unwrap_or_default().chars().take(100).collect();
        Err(RefactorError::OtherText { server, text })
    }

    /// Requests plans until one applies to the texts on the disk.
    fn request_plan(
        &mut self,
        method: &str,
        parameters: &Value,
        asked: &PlanPurpose<'_>,
    ) -> Result<PlannedEdits, RefactorError> {
        let mut versions_differ = false;
        for _ in 0..MAX_ROUNDS {
            let (value, newest) = match self.send_and_wait(method, parameters)? {
                RequestOutcome::Answer { value, newest } => (value, newest),
                RequestOutcome::Overtaken => continue,
            };
            let round = self.check_answer(&value, newest, asked)?;
            match round {
                AnswerCheck::Settled(files) => {
                    return Ok(PlannedEdits {
                        server: self.name.clone(),
                        files,
                    });
                }
                AnswerCheck::OtherVersion => versions_differ = true,
                AnswerCheck::ToldNow => versions_differ = false,
            }
            self.wait_until_processed()?;
        }
        Err(match versions_differ {
            true => RefactorError::Malformed {
                server: self.name.clone(),
                why: "it is for another version of a file than the one that was sent".to_owned(),
            },
            false => RefactorError::Unsettled(self.name.clone()),
        })
    }

    /// Compares one answer with the disk.
    fn check_answer(
        &mut self,
        value: &Value,
        newest: i32,
        asked: &PlanPurpose<'_>,
    ) -> Result<AnswerCheck, RefactorError> {
        if value.is_null() {
            return Ok(AnswerCheck::Settled(Vec::new()));
        }
        let moved = match asked {
            PlanPurpose::Move(from, to) => Some((*from, *to)),
            PlanPurpose::Rename(_) => None,
        };
        let changes =
            workspace_edit::parse_plan(value, moved).map_err(|fault| self.plan_error(fault))?;
        if changes.len() > MOST_PLANNED_FILES {
            return Err(RefactorError::TooMany {
                server: self.name.clone(),
                files: changes.len(),
            });
        }
        let mut round = AnswerCheck::Settled(Vec::new());
        for (path, change) in changes {
            let text = match self.texts.text(&path) {
                Ok(Some(text)) => text,
                Ok(None) | Err(_) => return Err(RefactorError::Withheld(path)),
            };
            if let PlanPurpose::Rename(question) = asked
                && path == question.path
                && text != *question.text
            {
                return Err(RefactorError::Changed);
            }
            self.require_small(&path, &text)?;
            match self.check_answer_text(&path, &text, newest, &change.versions)? {
                AnswerValidity::Yes => {}
                AnswerValidity::ToldNow => {
                    round = AnswerCheck::ToldNow;
                    continue;
                }
                AnswerValidity::OtherVersion => {
                    if let AnswerCheck::Settled(_) = round {
                        round = AnswerCheck::OtherVersion;
                    }
                    continue;
                }
            }
            let encoding = self.with_server(|server| server.position_encoding())?;
            let spans = workspace_edit::edit_spans(&change.edits, &text, encoding)
                .map_err(|fault| self.plan_error(fault))?;
            if let AnswerCheck::Settled(files) = &mut round
                && !spans.is_empty()
            {
                files.push(PlannedFile { path, text, spans });
            }
        }
        Ok(round)
    }

    fn plan_error(&self, fault: EditFault) -> RefactorError {
        let server = self.name.clone();
        match fault {
            EditFault::Unsupported(step) => RefactorError::Unsupported { server, step },
            EditFault::Malformed(why) => RefactorError::Malformed { server, why },
        }
    }
}

/// The result of one answer.
enum AnswerCheck {
    Settled(Vec<PlannedFile>),
    /// The server was sent a text that it did not have.
    ToldNow,
    OtherVersion,
}
