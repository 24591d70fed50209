//! The part of `lancet trust` about the programs that the settings start: the path of each, and what changed in it
//! since it was trusted.

use std::fmt::Write as _;
use std::path::Path;

use lancet::Settings;
use lancet::programs::ProgramPlaces;
use lancet_rendering::unified;

use crate::failure::Failure;
use crate::language;
use crate::surroundings::Surroundings;
use crate::surroundings::trusted_programs::{ProgramFile, Record, find_program_files};
use crate::terminal::escape_for_terminal;

/// The most lines of one difference that are shown.
const MAX_DIFF_LINES: usize = 200;

/// A program that the settings start, and the files that it is started from.
pub(super) struct ListedProgram {
    /// The setting that starts it, such as `hook`.
    kind: &'static str,
    command: Vec<String>,
    pub(super) files: Vec<ProgramFile>,
}

/// Lists the programs that these settings start in this project.
pub(super) fn list_programs(
    settings: &Settings,
    places: &ProgramPlaces,
    root: &Path,
) -> Result<Vec<ListedProgram>, Failure> {
    let hooks = settings.hooks().into_iter();
    let hooks = hooks.map(|hook| ("hook", hook.command));
    let formatters = settings.formatters().into_iter();
    let formatters = formatters.map(|formatter| ("formatter", formatter.command));
    let converters = settings.converters().into_iter();
    let converters = converters.map(|converter| ("converter", converter.command));
    let servers = language::available_servers(settings).into_iter();
    let servers = servers.map(|server| ("language server", server.run));
    let notify = std::iter::once(("ask.notify", settings.ask.notify.clone()));
    let all = hooks.chain(formatters).chain(converters).chain(servers);
    let mut listed = Vec::new();
    for (kind, command) in all.chain(notify).filter(|(_, run)| !run.is_empty()) {
        let files = find_program_files(&command, places, root).map_err(|error| {
            Failure::system(format!("{}: cannot be read: {error}", command.join(" ")))
        })?;
        listed.push(ListedProgram {
            kind,
            command,
            files,
        });
    }
    Ok(listed)
}

/// Returns the list for a person.
pub(super) fn describe_programs(
    listed: &[ListedProgram],
    record: &Record,
    around: &Surroundings,
) -> String {
    if listed.is_empty() {
        return "No program is started by these settings.\n".to_owned();
    }
    let mut text = "Programs that these settings start:\n".to_owned();
    for program in listed {
        let command = escape_for_terminal(&program.command.join(" ")).into_owned();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {}: {command}", program.kind);
        if program.files.is_empty() {
            let _ = writeln!(text, "    not found");
        }
        for file in &program.files {
            let place = match file.is_inside {
                true => "inside the project",
                false => "outside the project",
            };
            let cover = match &file.kept {
                None => "belongs to the system".to_owned(),
                Some(kept) if kept.source == file.path => format!("hash {}", &kept.hash[..16]),
                Some(kept) => {
                    let lock = around.relative(&kept.source);
                    format!(
                        "covered by {}, hash {}",
                        escape_for_terminal(&lock),
                        &kept.hash[..16]
                    )
                }
            };
            let name = around.relative(&file.path);
            let _ = writeln!(text, "    {}: {place}, {cover}", escape_for_terminal(&name));
        }
    }
    let files = listed.iter().flat_map(|program| &program.files);
    let mut told = Vec::new();
    for file in files {
        let Some(kept) = &file.kept else { continue };
        if told.contains(&&kept.source) {
            continue;
        }
        told.push(&kept.source);
        let name = around.relative(&kept.source);
        match record.get(&file.path) {
            Some(then) if then.source == kept.source && then.hash != kept.hash => {
                let _ = writeln!(
                    text,
                    "\n{} changed since you trusted it:",
                    escape_for_terminal(&name)
                );
                text.push_str(&format_difference(
                    then.text.as_deref(),
                    kept.text.as_deref(),
                ));
            }
            _ => {}
        }
    }
    text.push_str(
        "lancet asks again before it starts one of these files that has changed. What they load in turn (modules, plugins, configuration) is not covered.\n",
    );
    text
}

/// Returns the difference of two texts, if both were stored.
fn format_difference(before: Option<&str>, after: Option<&str>) -> String {
    let (Some(before), Some(after)) = (before, after) else {
        return "  (not a short text: the difference cannot be shown)\n".to_owned();
    };
    let diff = unified(before, after, 3);
    let mut lines = diff.lines();
    let mut text = String::new();
    for line in lines.by_ref().take(MAX_DIFF_LINES) {
        let _ = writeln!(text, "  {}", escape_for_terminal(line));
    }
    let left = lines.count();
    if left > 0 {
        let _ = writeln!(text, "  ({left} more lines)");
    }
    text
}
