//! `lancet doctor`: reports what lancet finds here and what is wrong with it. It makes no lasting change.

mod agents;
mod file_system;
mod language;
mod programs;
mod proof;
mod search;
mod state;
mod words;

use lancet::settings::{IgnoredLine, ValueInForce};
use lancet_serving::wall::Confinement;
use serde_json::{Value, json};

use crate::arguments::{DoctorArguments, WorkArguments};
use crate::failure::{Exit, Failure};
use crate::opening::{FlawHandling, Offer, OpenRequest, WriteAuthor};
use crate::surroundings::{
    AgentRoots, Flags, RootHint, SettingsFile, Surroundings, load_settings, resolve_roots,
    settings_files,
};
use crate::terminal::{Colour, columns, print, stdout_is_terminal, wrap_lines};
use agents::AgentFacts;
use file_system::RootFacts;
use language::LanguageFacts;
use programs::ProgramFacts;
use search::SearchFacts;
use state::StateFacts;

/// A problem that the doctor found.
#[derive(Clone, Debug)]
struct Problem {
    /// The kind of the problem, which becomes the exit code.
    exit: Exit,
    /// A description of the problem.
    words: String,
    /// The command that repairs it.
    mend: Option<String>,
}

/// Everything that the doctor found.
#[derive(Debug)]
struct Report {
    roots: Vec<RootFacts>,
    /// A description of where the roots come from.
    roots_from: Option<String>,
    state: Option<StateFacts>,
    agents: Vec<AgentFacts>,
    files: Vec<SettingsFile>,
    in_force: Vec<ValueInForce>,
    ignored: Vec<IgnoredLine>,
    programs: Vec<ProgramFacts>,
    wall: Option<Confinement>,
    mode: Option<&'static str>,
    tools: Vec<String>,
    language: Option<LanguageFacts>,
    search: Option<SearchFacts>,
    colour: Colour,
    terminal: bool,
    problems: Vec<Problem>,
}

/// Runs `lancet doctor`.
pub(super) fn run(arguments: &DoctorArguments, around: &Surroundings) -> Result<Exit, Failure> {
    if let Some(folder) = &arguments.prove {
        return proof::run(folder, arguments, around);
    }
    let report = inspect(arguments, around);
    let exit = report
        .problems
        .iter()
        .map(|problem| problem.exit)
        .max_by_key(|exit| exit.exit_code());
    let text = words::format_report(
        &report,
        if arguments.json {
            Colour::Off
        } else {
            report.colour
        },
    );
    if arguments.json {
        let mut object = report_json(&report);
        object["text"] = json!(text);
        print(&format!("{object}\n"))?;
    } else {
        let columns = match report.terminal {
            true => columns(std::io::stdout()),
            false => 0,
        };
        print(&wrap_lines(&text, columns))?;
    }
    Ok(exit.unwrap_or(Exit::Done))
}

fn inspect(arguments: &DoctorArguments, around: &Surroundings) -> Report {
    let mut place = arguments.place.clone();
    let terminal = stdout_is_terminal();
    let mut report = Report {
        roots: Vec::new(),
        roots_from: None,
        state: None,
        agents: Vec::new(),
        files: Vec::new(),
        in_force: Vec::new(),
        ignored: Vec::new(),
        programs: Vec::new(),
        wall: None,
        mode: None,
        tools: Vec::new(),
        language: None,
        search: None,
        colour: around.colour(terminal),
        terminal,
        problems: Vec::new(),
    };
    let from = report.record_failure(AgentRoots::detect(&place.root, around));
    let is_wide = matches!(from, Some(AgentRoots::TooWide { .. }));
    report.roots_from = from.map(|from| words::describe_roots_origin(&from));
    if is_wide {
        place.root.extend(AgentRoots::widest_client_root(around));
    }
    let place = &place;
    let roots = report
        .record_failure(resolve_roots(&place.root, RootHint::Project, around))
        .unwrap_or_default();
    for root in roots.iter().filter(|_| !is_wide) {
        report.roots.push(file_system::inspect(root));
    }
    let found = report.record_failure(around.state_dir(place.state_dir.as_deref()));
    if let Some(folder) = found.flatten() {
        let (facts, problems) = state::inspect(&folder);
        report.state = Some(facts);
        report.search = Some(search::inspect(&folder));
        report.agents = agents::inspect(&folder);
        report.problems.extend(problems);
        let gone = super::install::gone_programs(&folder).into_iter();
        report.problems.extend(gone.map(|gone| Problem {
            exit: Exit::Usage,
            words: format!(
                "{} starts lancet as {}, which is not there any more",
                gone.title, gone.command
            ),
            mend: Some(format!("lancet install {}", gone.agent)),
        }));
    }
    if let Some(first) = roots.first() {
        report.inspect_settings(arguments, place, first, around);
    }
    report
}

impl Report {
    /// Returns a result, or records the failure as a problem.
    fn record_failure<T>(&mut self, found: Result<T, Failure>) -> Option<T> {
        match found {
            Ok(found) => Some(found),
            Err(failure) => {
                let problem = Problem {
                    exit: failure.exit,
                    words: failure.message,
                    mend: None,
                };
                // Opening the engine may report a problem that is already recorded.
                if !self.problems.iter().any(|told| told.words == problem.words) {
                    self.problems.push(problem);
                }
                None
            }
        }
    }

    fn inspect_settings(
        &mut self,
        arguments: &DoctorArguments,
        place: &WorkArguments,
        first: &std::path::Path,
        around: &Surroundings,
    ) {
        let Some(files) = self.record_failure(settings_files(around, first, place)) else {
            return;
        };
        let flags = Flags {
            tools: &arguments.choice.tools,
            mode: arguments.mode,
            diagnostics: None,
        };
        if let Some(settings) = self.record_failure(load_settings(&files, flags)) {
            self.in_force = settings.in_force();
            self.language = Some(language::inspect(&settings, first, place, around));
            self.programs = programs::inspect(&settings);
            for flaw in &settings.flaws {
                self.problems.push(Problem {
                    exit: Exit::Usage,
                    words: flaw.to_string(),
                    mend: None,
                });
            }
            self.ignored = settings.ignored;
        }
        self.files = files;
        let request = OpenRequest {
            mode: arguments.mode,
            offer: Offer::Chosen(&arguments.choice.tools),
            answer_limit: lancet::tools::ANSWER_LIMIT_MCP,
            flaw_use: FlawHandling::Shown,
            ..OpenRequest::for_command(
                place,
                RootHint::Project,
                WriteAuthor::Agent(lancet::Mode::AcceptEdits),
            )
        };
        if let Some(opened) = self.record_failure(request.open_to_inspect(around)) {
            self.wall = Some(opened.wall);
            self.mode = Some(opened.lancet.mode().as_str());
            self.tools = opened
                .lancet
                .tools()
                .iter()
                .map(|tool| tool.name.to_string())
                .collect();
        }
    }
}

/// Returns the report as JSON.
fn report_json(report: &Report) -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "rootsFrom": report.roots_from,
        "roots": report.roots.iter().map(RootFacts::object).collect::<Vec<_>>(),
        "stateFolder": report.state.as_ref().map(StateFacts::facts_json),
        "agents": report.agents.iter().map(AgentFacts::facts_json).collect::<Vec<_>>(),
        "landlock": report.wall.and_then(Confinement::landlock_version),
        "mode": report.mode,
        "tools": report.tools,
        "language": report.language.as_ref().map(LanguageFacts::facts_json),
        "searchIndexes": report.search.as_ref().map(SearchFacts::facts_json),
        "settingsFiles": report.files.iter().map(|file| json!({
            "path": file.path, "origin": file.origin.name(), "exists": file.text.is_some(),
        })).collect::<Vec<_>>(),
        "settings": report.in_force.iter().map(|setting| json!({
            "key": setting.key, "value": setting.value, "origin": setting.origin.name(),
        })).collect::<Vec<_>>(),
        "ignored": report.ignored.iter().map(|ignored| json!({
            "path": ignored.path, "line": ignored.line, "key": ignored.key,
        })).collect::<Vec<_>>(),
        "programs": report.programs.iter().map(ProgramFacts::facts_json).collect::<Vec<_>>(),
        "terminal": { "standardOutput": report.terminal, "colour": report.colour == Colour::On },
        "problems": report.problems.iter().map(|problem| json!({
            "message": problem.words, "mend": problem.mend,
        })).collect::<Vec<_>>(),
    })
}
