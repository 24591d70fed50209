//! Shows the diffs, asks once for confirmation, has everything written, and reports the outcome.

use serde_json::{Value, json};

use super::InstallContext;
use super::change::NewText;
use super::work::{FileJob, Job};
use crate::arguments::ScopeArguments;
use crate::failure::{Exit, Failure};
use crate::surroundings::Surroundings;
use crate::terminal::{
    Colour, confirm_at_terminal, escape_for_terminal, print, print_error, stdout_is_terminal,
};

/// How the result is reported, and whether anything is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReportOptions {
    json: bool,
    dry_run: bool,
    yes: bool,
}

impl ReportOptions {
    pub(super) fn from_arguments(whose: &ScopeArguments, dry_run: bool) -> Self {
        Self {
            json: whose.json,
            dry_run,
            yes: whose.yes,
        }
    }
}

/// Shows the diffs, asks for confirmation and writes.
pub(super) fn confirm_and_write(
    jobs: Vec<Job>,
    here: &InstallContext<'_>,
    how: ReportOptions,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let colour = match how.json {
        true => Colour::Off,
        false => around.colour(stdout_is_terminal()),
    };
    let count: usize = jobs.iter().map(|job| job.changed_files().count()).sum();
    let is_shown = how.dry_run || !how.yes;
    let diffs: String = jobs
        .iter()
        .flat_map(Job::changed_files)
        .map(|file| colour.paint_diff(&format_diff(file)))
        .collect();
    if count > 0 && !how.dry_run && !how.yes {
        let files = if count == 1 {
            "this file"
        } else {
            "these files"
        };
        match confirm_at_terminal(&format!("{diffs}Write {files}? [y/N]")) {
            Some(true) => {}
            Some(false) => {
                print_error("Cancelled; nothing was written.\n");
                return Ok(Exit::Refused);
            }
            None => {
                return Err(Failure::usage(
                    "there is no terminal to ask on; look at it with --dry-run, then give --yes",
                ));
            }
        }
    }
    let mut failures = 0;
    let mut text = match is_shown && how.dry_run {
        true => diffs,
        false => String::new(),
    };
    let mut objects = Vec::new();
    for job in &jobs {
        let done = match (&job.files, how.dry_run) {
            (Err(words), _) => Err(words.clone()),
            (Ok(_), true) => Ok(()),
            (Ok(_), false) => job
                .write_files_and_receipt(here)
                .map_err(|failure| failure.message),
        };
        failures += usize::from(done.is_err());
        text += &format_outcome(job, &done, how, here);
        objects.push(job_json(job, &done));
    }
    if how.json {
        print(&format!(
            "{}\n",
            json!({ "dryRun": how.dry_run, "agents": objects, "text": text })
        ))?;
    } else {
        print(&text)?;
    }
    Ok(if failures > 0 {
        Exit::Refused
    } else {
        Exit::Done
    })
}

fn format_diff(file: &FileJob) -> String {
    let before = file.before.as_deref().unwrap_or_default();
    let after = match &file.after {
        NewText::Text(text) => text,
        _ => "",
    };
    let name = escape_for_terminal(&file.change.path.to_string_lossy()).into_owned();
    let body = lancet_rendering::unified(before, after, 1);
    let body: Vec<_> = body
        .lines()
        .map(|line| escape_for_terminal(line).into_owned())
        .collect();
    let from = if file.before.is_some() {
        &name
    } else {
        "/dev/null"
    };
    let to = if file.after == NewText::Removed {
        "/dev/null"
    } else {
        &name
    };
    format!("--- {from}\n+++ {to}\n{}\n", body.join("\n"))
}

/// Returns the outcome for a file as one word.
fn outcome_name(file: &FileJob) -> &'static str {
    match (&file.after, &file.before) {
        (NewText::Same, _) => "unchanged",
        (NewText::Removed, _) => "removed",
        (NewText::Text(_), None) => "created",
        (NewText::Text(_), Some(_)) => "changed",
    }
}

fn format_outcome(
    job: &Job,
    done: &Result<(), String>,
    how: ReportOptions,
    here: &InstallContext<'_>,
) -> String {
    let title = job.agent.title;
    if let Err(words) = done {
        return format!("{title}: {words}\n");
    }
    let is_same = job.changed_files().next().is_none();
    let words = match (&job.command, is_same, how.dry_run) {
        (Some(_), true, _) => "lancet is installed already; nothing was changed",
        (Some(_), false, true) => "lancet would be installed",
        (Some(_), false, false) => "lancet is installed; restart the agent",
        (None, true, _) => "lancet is not installed; nothing was changed",
        (None, false, true) => "lancet would be taken out",
        (None, false, false) => "lancet is taken out; restart the agent",
    };
    let mut text = format!("{title}: {words}\n");
    for file in job.changed_files() {
        let path = &file.change.path;
        let path = match path.strip_prefix(&here.folders.home) {
            Ok(rest) => format!("~/{}", rest.display()),
            Err(_) => path.display().to_string(),
        };
        text += &format!("  {} {}\n", outcome_name(file), escape_for_terminal(&path));
    }
    if !is_same || job.command.is_none() {
        for note in &job.notes {
            text += &format!("  {}\n", escape_for_terminal(note));
        }
    }
    text
}

fn job_json(job: &Job, done: &Result<(), String>) -> Value {
    let files = job.files.as_deref().unwrap_or_default();
    let files: Vec<_> = files
        .iter()
        .map(|file| {
            json!({ "path": file.change.path, "result": outcome_name(file), "diff": match file.after {
            NewText::Same => Value::Null,
            _ => json!(format_diff(file)),
        } })
        })
        .collect();
    json!({
        "agent": job.agent.name,
        "title": job.agent.title,
        "ok": done.is_ok(),
        "error": done.as_ref().err(),
        "files": files,
        "notes": job.notes,
    })
}
