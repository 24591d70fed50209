//! Computes the changes to the files of an agent, and writes them.

use std::cell::RefCell;
use std::path::Path;

use lancet_install::{
    Agent, Entry, FileChange, Form, InstallRequest, InstalledParts, MemoryUse, OwnTools,
    PluginMark, WriteConsent, parse_value_at,
};
use serde_json::json;

use super::change::{NewText, install_into_text, uninstall_from_text, without_receipt};
use super::receipt::{self, FileReceipt, Receipt};
use super::{InstallContext, disk};
use crate::failure::Failure;

/// The changes for one agent.
pub(super) struct Job {
    pub(super) agent: &'static Agent,
    /// The command that its settings get; none where lancet is removed.
    pub(super) command: Option<String>,
    /// The files, or the reason why there are none.
    pub(super) files: Result<Vec<FileJob>, String>,
    pub(super) notes: Vec<String>,
}

/// The change of one file.
pub(super) struct FileJob {
    pub(super) change: FileChange,
    purpose: Purpose,
    old: Option<FileReceipt>,
    /// The text of the file as it is.
    pub(super) before: Option<String>,
    /// The result for the file.
    pub(super) after: NewText,
}

/// Why a file changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// It gets the entries of the change.
    Entries,
    /// The entries of its receipt are removed.
    Removal,
    /// It is left alone, and remains in the receipt.
    Kept,
}

impl FileJob {
    /// Plans the removal from a file. A note is returned if the file stays as it is because it was changed.
    fn plan_removal(
        change: FileChange,
        old: FileReceipt,
    ) -> Result<(Self, Option<String>), String> {
        let before = disk::read(&change.path).map_err(|failure| failure.message)?;
        let (after, note) = match uninstall_from_text(change.form, before.as_deref(), &old) {
            Ok(after) => (after, None),
            Err(error) => (
                NewText::Same,
                Some(left_unchanged_note(&change.path, &error)),
            ),
        };
        let file = Self {
            change,
            purpose: Purpose::Removal,
            old: Some(old),
            before,
            after,
        };
        Ok((file, note))
    }

    /// Makes the job of a file that is left alone.
    fn for_retained_file(change: FileChange, old: FileReceipt) -> Self {
        Self {
            change,
            purpose: Purpose::Kept,
            old: Some(old),
            before: None,
            after: NewText::Same,
        }
    }

    /// Removes lancet from a file.
    fn uninstall_from_file(&self, old: &FileReceipt) -> Result<(), Failure> {
        disk::update_file(&self.change.path, &|text| {
            let new = uninstall_from_text(self.change.form, text, old);
            new.map_err(|error| Failure::refused(left_unchanged_note(&self.change.path, &error)))
        })
    }
}

impl Job {
    /// Plans an installation.
    pub(super) fn plan_installation(
        agent: &'static Agent,
        request: &InstallRequest,
        here: &InstallContext<'_>,
    ) -> Self {
        let mut job = Self {
            agent,
            command: Some(request.launch.command.clone()),
            files: Ok(Vec::new()),
            notes: Vec::new(),
        };
        if let Some(sign) = find_plugin(agent, here) {
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
        let known = receipt::load(&here.receipt_path(agent));
        let old = |path: &Path| {
            known
                .as_ref()?
                .files
                .iter()
                .find(|file| file.path == path)
                .cloned()
        };
        let planned: Vec<_> = plan.files.iter().map(|file| file.path.clone()).collect();
        let files = plan.files.into_iter().map(|change| {
            let before = disk::read(&change.path).map_err(|failure| failure.message)?;
            let old = old(&change.path);
            let (after, _) =
                install_into_text(&change, before.as_deref(), old.as_ref(), Vec::new())
                    .map_err(|error| left_unchanged_note(&change.path, &error))?;
            Ok(FileJob {
                change,
                purpose: Purpose::Entries,
                old,
                before,
                after,
            })
        });
        job.files = files.collect();
        // lancet is removed from a file that only an earlier installation wrote. A memory file is left alone if that
        // was requested.
        if let (Ok(files), Some(known)) = (&mut job.files, &known) {
            let earlier = possible_changes(agent, here, Some(known)).and_then(|earlier| {
                let with_memory = InstallRequest {
                    memory: MemoryUse::Write,
                    ..request.clone()
                };
                let possible = agent.plan(&with_memory, &here.folders)?.files;
                let is_memory = |path: &Path| possible.iter().any(|file| file.path == path);
                let earlier = earlier.into_iter();
                let others = earlier.filter(|(change, _)| !planned.contains(&change.path));
                let files = others.map(|(change, old)| match is_memory(&change.path) {
                    true => Ok((FileJob::for_retained_file(change, old), None)),
                    false => FileJob::plan_removal(change, old),
                });
                files.collect::<Result<Vec<_>, _>>()
            });
            match earlier {
                Ok(earlier) => {
                    for (file, note) in earlier {
                        files.push(file);
                        job.notes.extend(note);
                    }
                }
                Err(words) => job.files = Err(words),
            }
        }
        job
    }

    /// Plans a removal.
    pub(super) fn plan_uninstallation(agent: &'static Agent, here: &InstallContext<'_>) -> Self {
        let known = receipt::load(&here.receipt_path(agent));
        let mut notes = Vec::new();
        if known.is_none() {
            notes.push(
                "There is no record of the installation here: only what has lancet's name is taken out.".to_owned(),
            );
        }
        let files = possible_changes(agent, here, known.as_ref()).and_then(|changes| {
            let mut files = Vec::new();
            for (change, old) in changes {
                // A file that cannot be changed does not keep the others from being changed. Without a receipt, a file
                // that lancet wrote as a whole is not recognizable by its text, which may name another program.
                let may_stay = known.is_some() || is_file_written_by_lancet(&old);
                let (file, note) = FileJob::plan_removal(change, old)?;
                match note {
                    Some(note) if may_stay => notes.push(note),
                    Some(note) => return Err(note),
                    None => {}
                }
                files.push(file);
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

    /// Returns the files that change.
    pub(super) fn changed_files(&self) -> impl Iterator<Item = &FileJob> {
        let files = self.files.as_deref().unwrap_or_default();
        files.iter().filter(|file| file.after != NewText::Same)
    }

    /// Writes the files and the receipt.
    pub(super) fn write_files_and_receipt(&self, here: &InstallContext<'_>) -> Result<(), Failure> {
        let Ok(files) = &self.files else {
            return Ok(());
        };
        let place = here.receipt_path(self.agent);
        let Some(command) = &self.command else {
            for file in files.iter().filter(|file| file.after != NewText::Same) {
                let Some(old) = &file.old else { continue };
                file.uninstall_from_file(old)?;
            }
            // Folders are removed after all files: one that has two of the files is empty only when both are gone.
            for file in files.iter().rev() {
                let folders = file.old.as_ref().map(|old| old.folders.as_slice());
                disk::remove_empty_folders(folders.unwrap_or_default());
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
            if file.purpose == Purpose::Kept {
                continue;
            }
            if let (Purpose::Removal, Some(old)) = (file.purpose, &file.old) {
                // A file that stays as it is remains in the receipt.
                if file.after != NewText::Same || file.before.is_none() {
                    file.uninstall_from_file(old)?;
                    disk::remove_empty_folders(&old.folders);
                    let mut kept = kept.borrow_mut();
                    kept.files.retain(|known| known.path != *path);
                    save_receipt(&place, &kept)?;
                }
                continue;
            }
            disk::update_file(path, &|text| {
                let folders = disk::missing_folders(path);
                let (new, done) = install_into_text(&file.change, text, file.old.as_ref(), folders)
                    .map_err(|error| Failure::refused(left_unchanged_note(path, &error)))?;
                // The receipt is written before the file, so that `uninstall` can undo an installation that was
                // interrupted.
                let mut kept = kept.borrow_mut();
                kept.files.retain(|known| known.path != done.path);
                kept.files.push(done);
                save_receipt(&place, &kept)?;
                Ok(new)
            })?;
        }
        Ok(())
    }
}

fn save_receipt(place: &Path, kept: &Receipt) -> Result<(), Failure> {
    receipt::save(place, kept)
        .map_err(|error| Failure::system(format!("{} cannot be written: {error}", place.display())))
}

/// Reports whether lancet wrote the whole file.
fn is_file_written_by_lancet(receipt: &FileReceipt) -> bool {
    let mut entries = receipt.entries.iter();
    entries.any(|kept| matches!(kept.entry, Entry::Whole { .. }))
}

/// Returns the files of an agent that may contain lancet, each with the receipt to use.
fn possible_changes(
    agent: &Agent,
    here: &InstallContext<'_>,
    known: Option<&Receipt>,
) -> Result<Vec<(FileChange, FileReceipt)>, String> {
    let mut plans: Vec<FileChange> = Vec::new();
    for writes in [WriteConsent::Ask, WriteConsent::Allow] {
        let request = InstallRequest {
            scope: here.scope,
            writes,
            own_tools: OwnTools::Off,
            memory: MemoryUse::Write,
            parts: InstalledParts::All,
            launch: lancet_install::LaunchCommand {
                command: String::new(),
                arguments: Vec::new(),
                cached: None,
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
            form: plan.map_or_else(|| form_by_name(&file.path), |plan| plan.form),
            entries: Vec::new(),
        };
        (change, file.clone())
    });
    Ok(files.collect())
}

/// Returns the form of a file that is no longer in any plan, by its name.
fn form_by_name(path: &Path) -> Form {
    match path.extension().and_then(|name| name.to_str()) {
        Some("json" | "jsonc") => Form::Json,
        Some("toml") => Form::Toml,
        Some("yaml" | "yml") => Form::Yaml,
        _ => Form::Text,
    }
}

fn left_unchanged_note(path: &Path, error: &lancet_install::EditError) -> String {
    format!("{} was left as it is: {error}", path.display())
}

/// Returns the evidence that a plugin already provides lancet.
pub(super) fn find_plugin(agent: &Agent, here: &InstallContext<'_>) -> Option<String> {
    agent
        .plugin_marks(&here.folders)
        .into_iter()
        .find_map(|mark| match mark {
            PluginMark::There(path) => path.exists().then(|| path.display().to_string()),
            PluginMark::Key { file, object } => {
                let text = disk::read(&file).ok()??;
                let keys = parse_value_at(Form::Json, &text, &[object.to_owned()])?;
                let mut keys = keys.as_object()?.iter();
                let found =
                    keys.find(|(name, on)| name.starts_with("lancet@") && **on != json!(false));
                found.map(|(name, _)| format!("{name} in {}", file.display()))
            }
        })
}
