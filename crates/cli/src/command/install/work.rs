//! Works out what happens to the files of an agent, and writes them.

use std::cell::RefCell;
use std::path::Path;

use lancet_install::{
    Agent, FileChange, Form, Memory, OwnTools, PluginMark, Request, WriteConsent, value_at,
};
use serde_json::json;

use super::change::{NewText, installed, uninstalled, without_receipt};
use super::receipt::{self, FileReceipt, Receipt};
use super::{Here, disk};
use crate::failure::Failure;

/// What happens to one agent.
pub(super) struct Job {
    pub(super) agent: &'static Agent,
    /// The command that its settings get; none where lancet is taken out.
    pub(super) command: Option<String>,
    /// The files, or why there are none.
    pub(super) files: Result<Vec<FileJob>, String>,
    pub(super) notes: Vec<String>,
}

/// What happens to one file.
pub(super) struct FileJob {
    pub(super) change: FileChange,
    old: Option<FileReceipt>,
    /// The text of the file as it is.
    pub(super) before: Option<String>,
    /// The text that the file gets.
    pub(super) after: NewText,
}

impl Job {
    /// Works out what installing takes.
    pub(super) fn install(agent: &'static Agent, request: &Request, here: &Here<'_>) -> Self {
        let mut job = Self {
            agent,
            command: Some(request.launch.command.clone()),
            files: Ok(Vec::new()),
            notes: Vec::new(),
        };
        if let Some(sign) = plugin(agent, here) {
            job.files = Err(format!(
                "lancet is there as a plugin already ({sign}); remove the plugin first, or leave it at that"
            ));
            return job;
        }
        let plan = match agent.plan(request, &here.folders) {
            Ok(plan) => plan,
            Err(words) => {
                job.files = Err(words);
                return job;
            }
        };
        job.notes = plan.notes;
        let old = receipt::load(&here.receipt(agent));
        let old = |path: &Path| {
            old.as_ref()?
                .files
                .iter()
                .find(|file| file.path == path)
                .cloned()
        };
        let files = plan.files.into_iter().map(|change| {
            let before = disk::read(&change.path).map_err(|failure| failure.message)?;
            let old = old(&change.path);
            let (after, _) = installed(&change, before.as_deref(), old.as_ref(), Vec::new())
                .map_err(|error| left(&change.path, &error))?;
            Ok(FileJob {
                change,
                old,
                before,
                after,
            })
        });
        job.files = files.collect();
        job
    }

    /// Works out what taking out takes.
    pub(super) fn uninstall(agent: &'static Agent, here: &Here<'_>) -> Self {
        let known = receipt::load(&here.receipt(agent));
        let mut notes = Vec::new();
        if known.is_none() {
            notes.push(
                "There is no record of the installation here: only what has lancet's name is taken out.".to_owned(),
            );
        }
        let files = changes_of(agent, here, known.as_ref()).and_then(|changes| {
            let mut files = Vec::new();
            for (change, old) in changes {
                let before = disk::read(&change.path).map_err(|failure| failure.message)?;
                let after = match uninstalled(change.form, before.as_deref(), &old) {
                    Ok(after) => after,
                    // One file that stays is no reason to leave the others.
                    Err(error) if known.is_some() => {
                        notes.push(left(&change.path, &error));
                        NewText::Same
                    }
                    Err(error) => return Err(left(&change.path, &error)),
                };
                files.push(FileJob {
                    change,
                    old: Some(old),
                    before,
                    after,
                });
            }
            Ok(files)
        });
        Self {
            agent,
            command: None,
            files,
            notes,
        }
    }

    /// The files that change.
    pub(super) fn changes(&self) -> impl Iterator<Item = &FileJob> {
        let files = self.files.as_deref().unwrap_or_default();
        files.iter().filter(|file| file.after != NewText::Same)
    }

    /// Writes the files and the receipt.
    pub(super) fn carry_out(&self, here: &Here<'_>) -> Result<(), Failure> {
        let Ok(files) = &self.files else {
            return Ok(());
        };
        let place = here.receipt(self.agent);
        let Some(command) = &self.command else {
            for file in files.iter().filter(|file| file.after != NewText::Same) {
                let Some(old) = &file.old else { continue };
                disk::change(&file.change.path, &|text| {
                    let new = uninstalled(file.change.form, text, old);
                    let new =
                        new.map_err(|error| Failure::refused(left(&file.change.path, &error)))?;
                    Ok(new)
                })?;
            }
            // The folder of the first file is empty only when the last one is gone.
            for file in files.iter().rev() {
                let folders = file.old.as_ref().map(|old| old.folders.as_slice());
                disk::remove_empty(folders.unwrap_or_default());
            }
            return receipt::remove(&place).map_err(|error| Failure::system(error.to_string()));
        };
        let kept = RefCell::new(Receipt {
            agent: self.agent.name.to_owned(),
            command: command.clone(),
            files: files.iter().filter_map(|file| file.old.clone()).collect(),
        });
        for file in files {
            let path = &file.change.path;
            disk::change(path, &|text| {
                let folders = disk::missing_folders(path);
                let (new, done) = installed(&file.change, text, file.old.as_ref(), folders)
                    .map_err(|error| Failure::refused(left(path, &error)))?;
                // The receipt is there before the file is touched: what was begun can be taken back.
                let mut kept = kept.borrow_mut();
                kept.files.retain(|known| known.path != done.path);
                kept.files.push(done);
                receipt::save(&place, &kept).map_err(|error| {
                    Failure::system(format!("{} cannot be written: {error}", place.display()))
                })?;
                Ok(new)
            })?;
        }
        Ok(())
    }
}

/// The files of an agent that lancet may be in, each with the receipt to go by.
fn changes_of(
    agent: &Agent,
    here: &Here<'_>,
    known: Option<&Receipt>,
) -> Result<Vec<(FileChange, FileReceipt)>, String> {
    let mut plans: Vec<FileChange> = Vec::new();
    for writes in [WriteConsent::Ask, WriteConsent::Allow] {
        let request = Request {
            scope: here.scope,
            writes,
            own_tools: OwnTools::Off,
            memory: Memory::Write,
            launch: lancet_install::Launch {
                command: String::new(),
                arguments: Vec::new(),
            },
        };
        for file in agent.plan(&request, &here.folders)?.files {
            match plans.iter_mut().find(|plan| plan.path == file.path) {
                Some(plan) => {
                    let new = file
                        .entries
                        .into_iter()
                        .filter(|entry| !plan.entries.contains(entry));
                    let new: Vec<_> = new.collect();
                    plan.entries.extend(new);
                }
                None => plans.push(file),
            }
        }
    }
    let Some(known) = known else {
        return Ok(plans
            .into_iter()
            .map(|change| {
                // A file that cannot be read is reported when it is to be changed.
                let text = disk::read(&change.path).ok().flatten();
                let receipt = without_receipt(&change, text.as_deref());
                (change, receipt)
            })
            .collect());
    };
    let files = known.files.iter().map(|file| {
        let plan = plans.iter().find(|plan| plan.path == file.path);
        let change = FileChange {
            path: file.path.clone(),
            form: plan.map_or_else(|| form_of(&file.path), |plan| plan.form),
            entries: Vec::new(),
        };
        (change, file.clone())
    });
    Ok(files.collect())
}

/// The form of a file that no plan has any more, by its name.
fn form_of(path: &Path) -> Form {
    match path.extension().and_then(|name| name.to_str()) {
        Some("json" | "jsonc") => Form::Json,
        Some("toml") => Form::Toml,
        Some("yaml" | "yml") => Form::Yaml,
        _ => Form::Text,
    }
}

fn left(path: &Path, error: &lancet_install::EditError) -> String {
    format!("{} was left as it is: {error}", path.display())
}

/// The sign of a plugin that brings lancet already.
pub(super) fn plugin(agent: &Agent, here: &Here<'_>) -> Option<String> {
    agent
        .plugin(&here.folders)
        .into_iter()
        .find_map(|mark| match mark {
            PluginMark::There(path) => path.exists().then(|| path.display().to_string()),
            PluginMark::Key { file, object } => {
                let text = disk::read(&file).ok()??;
                let keys = value_at(Form::Json, &text, &[object.to_owned()])?;
                let mut keys = keys.as_object()?.iter();
                let found =
                    keys.find(|(name, on)| name.starts_with("lancet@") && **on != json!(false));
                found.map(|(name, _)| format!("{name} in {}", file.display()))
            }
        })
}
