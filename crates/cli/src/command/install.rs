//! `lancet install` and `lancet uninstall`: add lancet to an agent's own settings and take it out again.

mod change;
mod disk;
mod launch;
mod list;
mod receipt;
mod show;
mod turn;
mod work;

use std::path::{Path, PathBuf};

use lancet_install::{
    Agent, AgentFolders, InstallRequest, InstallScope, InstalledParts, LaunchCommand, MemoryUse,
    OwnTools, WriteConsent, all_agents, find_agent,
};

use crate::arguments::{
    InstallArguments, ScopeArguments, UninstallArguments, WorkArguments, WritesOption,
};
use crate::failure::{Exit, Failure};
use crate::surroundings::{RootHint, Surroundings, folder_variable, resolve_roots};
use crate::terminal::confirm_at_terminal;
use show::ReportOptions;
use work::Job;

/// A program that an agent's settings start but that no longer exists.
#[derive(Debug)]
pub(super) struct GoneProgram {
    /// The name of the agent on the command line.
    pub(super) agent: String,
    /// Its name in sentences.
    pub(super) title: String,
    /// The program.
    pub(super) command: String,
}

/// Returns the agents whose settings start a lancet that no longer exists.
pub(super) fn gone_programs(state: &Path) -> Vec<GoneProgram> {
    let receipts = receipt::load_all(state).into_iter();
    receipts
        .filter(|receipt| !launch::program_exists(&receipt.command))
        .map(|receipt| GoneProgram {
            title: find_agent(&receipt.agent)
                .map_or(receipt.agent.as_str(), |agent| agent.title)
                .to_owned(),
            agent: receipt.agent,
            command: receipt.command,
        })
        .collect()
}

/// Returns the agents that `lancet install` has installed lancet in, each once.
pub(super) fn installed_agents(state: &Path) -> Vec<&'static Agent> {
    let mut found: Vec<&'static Agent> = Vec::new();
    for receipt in receipt::load_all(state) {
        if let Some(agent) = find_agent(&receipt.agent)
            && found.iter().all(|known| known.name != agent.name)
        {
            found.push(agent);
        }
    }
    found
}

/// Reports whether `lancet install` has installed lancet in an agent, for the user or for the project of a folder.
pub(super) fn is_installed(state: &Path, agent: &Agent, folder: &Path) -> bool {
    let of_user = receipt::receipt_path(state, agent.name, InstallScope::User, folder);
    let is_for = |file: &Path| {
        let mut folders = file.ancestors().skip(1);
        // The settings of a project are in its folder, or in a hidden folder below it.
        let is_hidden = |name: &Path| {
            name.file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
        };
        folders
            .find(|place| !is_hidden(place))
            .is_some_and(|project| folder.starts_with(project))
    };
    let of_project = |known: receipt::Receipt| {
        known.agent == agent.name && known.files.iter().any(|file| is_for(&file.path))
    };
    receipt::load(&of_user).is_some() || receipt::load_all(state).into_iter().any(of_project)
}

/// The folders and options that both commands use.
struct InstallContext<'a> {
    folders: AgentFolders<'a>,
    state: PathBuf,
    scope: InstallScope,
}

impl InstallContext<'_> {
    fn new(
        whose: &ScopeArguments,
        place: &WorkArguments,
        around: &Surroundings,
    ) -> Result<Self, Failure> {
        let without = || Failure::system("there is no home folder; set HOME");
        let home = around.home.clone().ok_or_else(without)?;
        let config = around.config_folder().ok_or_else(without)?;
        let roots = resolve_roots(&place.root, RootHint::Folder, around);
        let project = match (roots, &around.working) {
            (Ok(roots), _) if !roots.is_empty() => roots[0].clone(),
            (Err(failure), _) if whose.project || !place.root.is_empty() => return Err(failure),
            (_, Some(working)) => working.clone(),
            (_, None) => home.clone(),
        };
        let state = around.state_dir(place.state_dir.as_deref())?;
        Ok(Self {
            folders: AgentFolders {
                applications: match cfg!(target_os = "macos") {
                    true => home.join("Library/Application Support"),
                    false => config.clone(),
                },
                home,
                config,
                project,
                variable: &folder_variable,
                exists: &|path| path.exists(),
            },
            state: state.ok_or_else(without)?,
            scope: match whose.project {
                true => InstallScope::Project,
                false => InstallScope::User,
            },
        })
    }

    /// Returns the file of an agent's receipt.
    fn receipt_path(&self, agent: &Agent) -> PathBuf {
        receipt::receipt_path(&self.state, agent.name, self.scope, &self.folders.project)
    }
}

/// Runs `lancet install`.
pub(super) fn install(
    arguments: &InstallArguments,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let here = InstallContext::new(&arguments.whose, &arguments.place, around)?;
    let mut launch = launch::launch_of_this_program()?;
    if !arguments.choice.tools.is_empty() {
        let tools = arguments.choice.tools.join(",");
        launch.arguments.extend(["--tools".to_owned(), tools]);
    }
    if arguments.agents.is_empty() {
        return list::list_agents(
            &here,
            &install_request(arguments, &here, launch, WriteConsent::Ask),
            arguments.whose.json,
        );
    }
    let chosen = parse_agent_names(&arguments.agents)?;
    // Hooks alone write nothing that would have to be allowed.
    let asks = !arguments.whose.yes && !arguments.dry_run && !arguments.observe;
    let writes = match arguments.writes {
        Some(WritesOption::Allow) => WriteConsent::Allow,
        Some(WritesOption::Ask) => WriteConsent::Ask,
        None if asks => {
            match confirm_at_terminal("May lancet write without a question in these agents? [y/N]")
            {
                Some(true) => WriteConsent::Allow,
                _ => WriteConsent::Ask,
            }
        }
        None => WriteConsent::Ask,
    };
    let request = install_request(arguments, &here, launch, writes);
    let turn = (!arguments.dry_run).then(|| turn::acquire_lock(&here.state));
    let _turn = turn.transpose()?;
    let jobs: Vec<Job> = chosen
        .into_iter()
        .map(|agent| Job::plan_installation(agent, &request, &here))
        .collect();
    let how = ReportOptions::from_arguments(&arguments.whose, arguments.dry_run);
    show::confirm_and_write(jobs, &here, how, around)
}

/// Runs `lancet uninstall`.
pub(super) fn uninstall(
    arguments: &UninstallArguments,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let here = InstallContext::new(&arguments.whose, &arguments.place, around)?;
    let turn = (!arguments.dry_run).then(|| turn::acquire_lock(&here.state));
    let _turn = turn.transpose()?;
    let jobs: Vec<Job> = parse_agent_names(&arguments.agents)?
        .into_iter()
        .map(|agent| Job::plan_uninstallation(agent, &here))
        .collect();
    let how = ReportOptions::from_arguments(&arguments.whose, arguments.dry_run);
    show::confirm_and_write(jobs, &here, how, around)
}

fn install_request(
    arguments: &InstallArguments,
    here: &InstallContext<'_>,
    launch: LaunchCommand,
    writes: WriteConsent,
) -> InstallRequest {
    InstallRequest {
        scope: here.scope,
        writes,
        own_tools: match arguments.only {
            true => OwnTools::Off,
            false => OwnTools::Keep,
        },
        memory: match arguments.no_memory {
            true => MemoryUse::Leave,
            false => MemoryUse::Write,
        },
        parts: match arguments.observe {
            true => InstalledParts::Hooks,
            false => InstalledParts::All,
        },
        launch,
    }
}

/// Returns the agents with the names on the command line, each once.
fn parse_agent_names(names: &[String]) -> Result<Vec<&'static Agent>, Failure> {
    let mut chosen: Vec<&'static Agent> = Vec::new();
    for name in names {
        let agent = find_agent(name).ok_or_else(|| {
            let known: Vec<_> = all_agents().iter().map(|agent| agent.name).collect();
            let is_meant = |known: &&&str| known.starts_with(name) || name.starts_with(**known);
            let meant: Vec<&str> = known.iter().filter(is_meant).copied().collect();
            let meant = match meant.is_empty() {
                true => format!("; it knows {}", known.join(", ")),
                false => format!("; did you mean {}?", meant.join(" or ")),
            };
            Failure::usage(format!("{name} is no agent that lancet knows{meant}"))
        })?;
        if chosen.iter().all(|known| known.name != agent.name) {
            chosen.push(agent);
        }
    }
    Ok(chosen)
}
