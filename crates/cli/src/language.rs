//! The language servers of a project: which of them may be started, if the user trusts the project.

use std::path::Path;
use std::time::Duration;

use lancet::Settings;
use lancet::language::{
    LanguageOptions, LanguageServers, ServerEntry, Severity, built_in, choose_entries,
    is_matching_program,
};
use lancet::settings::{self, Origin};
use lancet_serving::{Launcher, ServerProgram};

use crate::arguments::WorkArguments;
use crate::surroundings::{Surroundings, program_on_path, settings_files, trust};

/// Reports whether the user trusts the project to run language servers: by its settings file, or as a folder.
pub(crate) fn are_servers_trusted(
    around: &Surroundings,
    first_root: &Path,
    place: &WorkArguments,
) -> bool {
    let files = settings_files(around, first_root, place);
    let by_file = files.is_ok_and(|files| {
        let mut files = files.iter();
        files.any(|file| file.origin == Origin::TrustedProject)
    });
    let state = around.state_dir(place.state_dir.as_deref());
    let by_folder = || {
        let state = state.ok().flatten();
        state.is_some_and(|state| trust::is_folder_trusted(&state, first_root))
    };
    by_file || by_folder()
}

/// Returns the servers that would be started for files of their languages: those of the settings, then those of the
/// table, if they are installed.
pub(crate) fn available_servers(settings: &Settings) -> Vec<ServerEntry> {
    let own = settings.servers().into_iter();
    choose_entries(own.chain(built_in()), &|entry| {
        let program = entry.program().and_then(program_on_path);
        program.is_some_and(|program| is_matching_program(entry, &program))
    })
}

/// Returns the parts of the server entries that the launcher needs.
pub(crate) fn server_programs(settings: &Settings, entries: &[ServerEntry]) -> Vec<ServerProgram> {
    let program = |entry: &ServerEntry| ServerProgram {
        name: entry.name.clone(),
        run: entry.run.clone(),
        memory: settings.language.memory,
    };
    entries.iter().map(program).collect()
}

/// Makes the servers for an engine on this root, which the launcher starts.
pub(crate) fn new_language(
    settings: &Settings,
    entries: Vec<ServerEntry>,
    root: &Path,
    launcher: Launcher,
) -> LanguageServers {
    let mut options = LanguageOptions::new(entries, vec![root.to_path_buf()]);
    options.wait = Duration::from_millis(settings.language.wait);
    options.most = settings.language.most;
    options.severity = match settings.language.severity {
        settings::Severity::Warning => Severity::Warning,
        settings::Severity::Information => Severity::Information,
        settings::Severity::Hint => Severity::Hint,
        _ => Severity::Error,
    };
    LanguageServers::new(options, std::sync::Arc::new(launcher))
}
