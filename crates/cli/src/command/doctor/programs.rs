//! Checks whether the formatters and hook programs in the settings are installed.

use std::path::PathBuf;

use lancet::Settings;
use serde_json::{Value, json};

use crate::surroundings::program_on_path;

/// A program that the settings name.
#[derive(Debug)]
pub(super) struct ProgramFacts {
    /// The name of the settings table, such as `format`.
    kind: &'static str,
    /// The files that it is for.
    files: String,
    command: Vec<String>,
    /// The path at which it was found.
    found: Option<PathBuf>,
}

/// Looks for the programs that the settings name.
pub(super) fn inspect(settings: &Settings) -> Vec<ProgramFacts> {
    let formatters = settings.formatters().into_iter();
    let formatters = formatters.map(|formatter| ProgramFacts {
        kind: "format",
        files: formatter.files.join(", "),
        found: program_on_path(formatter.command.first().map_or("", String::as_str)),
        command: formatter.command,
    });
    let hooks = settings.hooks().into_iter().map(|hook| ProgramFacts {
        kind: "hooks",
        files: format!("{} {}", hook.on.as_str(), hook.rule),
        found: program_on_path(hook.command.first().map_or("", String::as_str)),
        command: hook.command,
    });
    formatters.chain(hooks).collect()
}

impl ProgramFacts {
    pub(super) fn describe(&self) -> String {
        let found = match &self.found {
            Some(path) => format!("found, {}", path.display()),
            None => "not found: install it, or correct its entry".to_owned(),
        };
        let command = self.command.join(" ");
        format!("{} {}: {command} ({found})", self.kind, self.files)
    }

    pub(super) fn facts_json(&self) -> Value {
        json!({ "kind": self.kind, "files": self.files, "run": self.command, "found": self.found })
    }
}
