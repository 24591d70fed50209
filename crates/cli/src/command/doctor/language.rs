//! Which language servers report the problems that a change caused, and why none does.

use std::path::Path;

use lancet::Settings;
use lancet::language::ServerEntry;
use lancet::settings::Diagnostics;
use serde_json::{Value, json};

use crate::arguments::WorkArguments;
use crate::language;
use crate::surroundings::Surroundings;

/// The language servers of a project.
#[derive(Debug)]
pub(super) struct LanguageFacts {
    /// Whether the user trusts the project to run servers.
    trusted: bool,
    /// When problems are reported.
    diagnostics: Diagnostics,
    /// The servers that are installed.
    servers: Vec<ServerEntry>,
}

/// Looks for the servers of a project.
pub(super) fn inspect(
    settings: &Settings,
    root: &Path,
    place: &WorkArguments,
    around: &Surroundings,
) -> LanguageFacts {
    let wanted = settings.language.diagnostics;
    LanguageFacts {
        trusted: language::are_servers_trusted(around, root, place),
        diagnostics: wanted.unwrap_or(Diagnostics::AfterEdit),
        servers: language::available_servers(settings),
    }
}

impl LanguageFacts {
    /// Returns the lines of the report.
    pub(super) fn report_lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.servers.iter().map(describe_server).collect();
        lines.push(match (self.diagnostics, self.servers.is_empty()) {
            (Diagnostics::Off, _) => "none is started: language.diagnostics is off".to_owned(),
            (_, true) => "none of the built-in table or the settings is on the PATH".to_owned(),
            (_, false) if !self.trusted => {
                "none is started until this project is trusted: lancet trust".to_owned()
            }
            (Diagnostics::OnRead, false) => {
                "new problems are reported with the next reading call".to_owned()
            }
            (_, false) => "new problems are reported in the answer to a change".to_owned(),
        });
        lines
    }

    /// Returns the facts as JSON.
    pub(super) fn facts_json(&self) -> Value {
        json!({
            "trusted": self.trusted,
            "diagnostics": self.diagnostics.as_str(),
            "servers": self.servers.iter().map(|server| json!({
                "name": server.name, "files": server.files, "run": server.run,
            })).collect::<Vec<_>>(),
        })
    }
}

fn describe_server(server: &ServerEntry) -> String {
    format!(
        "{}: {} ({})",
        server.name,
        server.run.join(" "),
        server.files.join(" ")
    )
}
