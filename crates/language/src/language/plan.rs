//! Requests for a server's plan: the edits for renaming a symbol or moving a file. A plan must apply to the texts on
//! the disk: a server that had others is sent the new ones and queried again.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Language;
use super::conversation::{Conversation, Reply};
use super::shared::ServersState;
use crate::ability::Renames;
use crate::answer::Known;
use crate::position::TextLines;
use crate::server::Server;
use crate::workspace_edit::{self, EditFault};
use crate::{
    FileTexts, MOST_PLANNED_FILES, PlannedEdits, PlannedFile, RefactorError, RenameQuestion, uri,
};

/// How often a server is queried before its plan counts as unsettled.
const MOST_ROUNDS: usize = 5;

/// How long after its start a server may still register capabilities.
const REGISTERS: Duration = Duration::from_secs(2);

/// The purpose of a plan.
enum PlanFor<'q> {
    Rename(&'q RenameQuestion<'q>),
    Move(&'q Path, &'q Path),
}

impl Language {
    /// Plans the renaming of a symbol in every file; waits until the given time at most. Nothing is changed.
    ///
    /// # Errors
    /// If there is no plan, or none that can be applied exactly.
    pub fn rename(
        &self,
        question: &RenameQuestion<'_>,
        texts: &mut dyn FileTexts,
        until: Instant,
    ) -> Result<PlannedEdits, RefactorError> {
        let (mut conversation, renames) = self.who_renames(question.path, texts, until)?;
        let result = conversation.rename(question, renames);
        conversation.dismiss(&result);
        result
    }

    /// Plans the edits that other files need when a file is moved; returns none if no running server wants to be
    /// queried about it. No server is started. Waits until the given time at most. Nothing is changed.
    ///
    /// # Errors
    /// As [`Language::rename`].
    pub fn before_move(
        &self,
        from: &Path,
        to: &Path,
        texts: &mut dyn FileTexts,
        until: Instant,
    ) -> Result<Option<PlannedEdits>, RefactorError> {
        let mut state = self.shared.lock();
        let running = self.shared.running(&mut state, from);
        let asks = |id: &usize| state.servers[*id].plans_move(from);
        let Some(id) = running.into_iter().find(asks) else {
            return Ok(None);
        };
        let mut conversation = Conversation::new(self, &state, id, texts, until);
        drop(state);
        let result = conversation.before_move(from, to);
        conversation.dismiss(&result);
        result.map(Some)
    }

    /// Notifies the servers that want to know that a file was moved on the disk. The texts themselves are sent by
    /// [`Language::changed`].
    pub fn moved(&self, from: &Path, to: &Path) {
        for server in &self.shared.lock().servers {
            server.moved(from, to);
        }
    }

    /// Returns the server that renames symbols of a file.
    fn who_renames<'c>(
        &'c self,
        path: &Path,
        texts: &'c mut dyn FileTexts,
        until: Instant,
    ) -> Result<(Conversation<'c>, Renames), RefactorError> {
        let mut state = self.shared.lock();
        if state.places.of_file(path).is_empty() {
            return Err(RefactorError::NoServer);
        }
        loop {
            let now = Instant::now();
            let servers = self.shared.servers_of(&mut state, path, now);
            if servers.is_empty() {
                let names = self.shared.left_out(&mut state, path);
                return Err(RefactorError::NotRunning(names));
            }
            let able = |id: &usize| state.servers[*id].renames().map(|renames| (*id, renames));
            if let Some((id, renames)) = servers.iter().find_map(able) {
                let conversation = Conversation::new(self, &state, id, texts, until);
                return Ok((conversation, renames));
            }
            let may_still = |server: &&Server| {
                !server.is_ready() || now.duration_since(server.began()) < REGISTERS
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
                Some(_) => state = self.shared.wait_for_news(state, super::soon(now, until)),
            }
        }
    }
}

impl Conversation<'_> {
    fn rename(
        &mut self,
        question: &RenameQuestion<'_>,
        renames: Renames,
    ) -> Result<PlannedEdits, RefactorError> {
        self.refresh()?;
        self.require_same(question)?;
        self.acquaint()?;
        self.settle()?;
        if renames == Renames::AfterPreparing {
            self.prepare(question)?;
        }
        let mut place = self.place(question)?;
        place["newName"] = json!(question.new_name);
        let asked = PlanFor::Rename(question);
        let plan = self.plan("textDocument/rename", &place, &asked)?;
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

    fn before_move(&mut self, from: &Path, to: &Path) -> Result<PlannedEdits, RefactorError> {
        self.refresh()?;
        self.acquaint()?;
        self.settle()?;
        let files = json!([{ "oldUri": uri::of_path(from), "newUri": uri::of_path(to) }]);
        let parameters = json!({ "files": files });
        let asked = PlanFor::Move(from, to);
        self.plan("workspace/willRenameFiles", &parameters, &asked)
    }

    /// Fails if the file of a question has a different text now.
    fn require_same(&mut self, question: &RenameQuestion<'_>) -> Result<(), RefactorError> {
        match self.texts.text(question.path) {
            Ok(Some(text)) if text == *question.text => self.learn(question.path, &text),
            Ok(_) => Err(RefactorError::Changed),
            Err(_) => Err(RefactorError::Withheld(question.path.to_path_buf())),
        }
    }

    fn place(&self, question: &RenameQuestion<'_>) -> Result<Value, RefactorError> {
        let (path, at) = (question.path, question.symbol.start);
        self.with(|server| server.place(path, question.text, at))
    }

    /// Queries what would be renamed, and fails if it is not the named symbol.
    fn prepare(&mut self, question: &RenameQuestion<'_>) -> Result<(), RefactorError> {
        let place = self.place(question)?;
        let server = self.name.clone();
        let mut answer = Value::Null;
        for round in 1..=MOST_ROUNDS {
            match self.ask("textDocument/prepareRename", &place)? {
                Reply::Answer { value, .. } => answer = value,
                Reply::Overtaken if round < MOST_ROUNDS => continue,
                Reply::Overtaken => return Err(RefactorError::Unsettled(server)),
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
        let encoding = self.with(|server| server.encoding())?;
        let lines = TextLines::new(question.text);
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
    fn plan(
        &mut self,
        method: &str,
        parameters: &Value,
        asked: &PlanFor<'_>,
    ) -> Result<PlannedEdits, RefactorError> {
        let mut versions_differ = false;
        for _ in 0..MOST_ROUNDS {
            let (value, newest) = match self.ask(method, parameters)? {
                Reply::Answer { value, newest } => (value, newest),
                Reply::Overtaken => continue,
            };
            let round = self.round(&value, newest, asked)?;
            match round {
                Round::Settled(files) => {
                    return Ok(PlannedEdits {
                        server: self.name.clone(),
                        files,
                    });
                }
                Round::OtherVersion => versions_differ = true,
                Round::ToldNow => versions_differ = false,
            }
            self.settle()?;
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
    fn round(
        &mut self,
        value: &Value,
        newest: i32,
        asked: &PlanFor<'_>,
    ) -> Result<Round, RefactorError> {
        if value.is_null() {
            return Ok(Round::Settled(Vec::new()));
        }
        let moved = match asked {
            PlanFor::Move(from, to) => Some((*from, *to)),
            PlanFor::Rename(_) => None,
        };
        let changes = workspace_edit::read(value, moved).map_err(|fault| self.fault(fault))?;
        if changes.len() > MOST_PLANNED_FILES {
            return Err(RefactorError::TooMany {
                server: self.name.clone(),
                files: changes.len(),
            });
        }
        let mut round = Round::Settled(Vec::new());
        for (path, change) in changes {
            let text = match self.texts.text(&path) {
                Ok(Some(text)) => text,
                Ok(None) | Err(_) => return Err(RefactorError::Withheld(path)),
            };
            if let PlanFor::Rename(question) = asked
                && path == question.path
                && text != *question.text
            {
                return Err(RefactorError::Changed);
            }
            self.require_small(&path, &text)?;
            match self.knew(&path, &text, newest, &change.versions)? {
                Known::Yes => {}
                Known::ToldNow => {
                    round = Round::ToldNow;
                    continue;
                }
                Known::OtherVersion => {
                    if let Round::Settled(_) = round {
                        round = Round::OtherVersion;
                    }
                    continue;
                }
            }
            let encoding = self.with(|server| server.encoding())?;
            let spans = workspace_edit::spans(&change.edits, &text, encoding)
                .map_err(|fault| self.fault(fault))?;
            if let Round::Settled(files) = &mut round
                && !spans.is_empty()
            {
                files.push(PlannedFile { path, text, spans });
            }
        }
        Ok(round)
    }

    fn fault(&self, fault: EditFault) -> RefactorError {
        let server = self.name.clone();
        match fault {
            EditFault::Unsupported(step) => RefactorError::Unsupported { server, step },
            EditFault::Malformed(why) => RefactorError::Malformed { server, why },
        }
    }
}

/// The result of one answer.
enum Round {
    Settled(Vec<PlannedFile>),
    /// The server was sent a text that it did not have.
    ToldNow,
    OtherVersion,
}
