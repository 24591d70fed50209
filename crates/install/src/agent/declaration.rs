//! The declaration of an agent: its names, the places of its files, and how the entries that they must have are
//! planned.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::entry::{Entry, Form};

/// The tools that change nothing.
pub(super) const READING_TOOLS: [&str; 3] = ["Read", "Glob", "Grep"];
/// The tools that change files.
pub(super) const WRITING_TOOLS: [&str; 4] = ["Edit", "MultiEdit", "Write", "NotebookEdit"];

/// The hooks file of Copilot CLI, in its folder.
pub(super) const COPILOT_HOOKS: &str = "hooks/lancet.json";
/// The plugin of opencode, in its folder.
pub(super) const OPENCODE_PLUGIN: &str = "plugins/lancet.js";

/// The owner of the settings that are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallScope {
    /// The settings of the user, for all projects.
    User,
    /// The settings of the project.
    Project,
}

/// Whether the user is asked before lancet writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteConsent {
    /// Writes go through without a question.
    Allow,
    /// The agent asks, or lancet does.
    Ask,
}

/// The treatment of the agent's own file tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnTools {
    /// They stay.
    Keep,
    /// They are switched off.
    Off,
}

/// Whether the agent's memory file names lancet's tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryUse {
    /// The memory file gets a few lines.
    Write,
    /// The memory file stays as it is.
    Leave,
}

/// The parts of an installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstalledParts {
    /// The server, its permissions, the memory and the hooks.
    All,
    /// The hooks alone: the agent keeps its own tools, and what they change is recorded.
    Hooks,
}

/// How an agent starts lancet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchCommand {
    /// The program.
    pub command: String,
    /// Its arguments, with `mcp` and what follows it.
    pub arguments: Vec<String>,
    /// The program in the cache of npx or uvx, if one of these starts it. It may disappear from the cache.
    pub cached: Option<String>,
}

impl LaunchCommand {
    /// Returns a copy with further arguments.
    pub(super) fn with_arguments(&self, more: &[&str]) -> Self {
        let mut launch = self.clone();
        launch
            .arguments
            .extend(more.iter().map(|word| (*word).to_owned()));
        launch
    }

    /// Returns the members that nearly all agents have: `command` and `args`.
    pub(super) fn command_members(&self) -> Map<String, Value> {
        Map::from_iter([
            ("command".to_owned(), json!(self.command)),
            ("args".to_owned(), json!(self.arguments)),
        ])
    }
}

/// The user's choices for an installation.
#[derive(Clone, Debug)]
pub struct InstallRequest {
    /// The owner of the settings that are changed.
    pub scope: InstallScope,
    /// Whether the user is asked before writes.
    pub writes: WriteConsent,
    /// The treatment of the agent's own tools.
    pub own_tools: OwnTools,
    /// Whether the memory file is written.
    pub memory: MemoryUse,
    /// The parts that are installed.
    pub parts: InstalledParts,
    /// How lancet is started.
    pub launch: LaunchCommand,
}

/// The folders with the agents' files.
pub struct AgentFolders<'a> {
    /// The home folder.
    pub home: PathBuf,
    /// The folder of settings: `$XDG_CONFIG_HOME`, else `~/.config`.
    pub config: PathBuf,
    /// The folder where graphical programs keep their settings: `~/Library/Application Support` on macOS, otherwise
    /// `config`.
    pub applications: PathBuf,
    /// The project.
    pub project: PathBuf,
    /// Looks up an environment variable that names a folder.
    pub variable: &'a dyn Fn(&str) -> Option<PathBuf>,
    /// Whether a file or folder exists.
    pub exists: &'a dyn Fn(&Path) -> bool,
}

impl fmt::Debug for AgentFolders<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("AgentFolders")
            .field("home", &self.home)
            .field("project", &self.project)
            .finish_non_exhaustive()
    }
}

impl AgentFolders<'_> {
    /// Returns the folder that a variable names, otherwise one in the home folder.
    pub(super) fn folder_from_variable(&self, variable: &str, name: &str) -> PathBuf {
        (self.variable)(variable).unwrap_or_else(|| self.home.join(name))
    }
}

/// One file and the entries that it must have.
#[derive(Clone, Debug, PartialEq)]
pub struct FileChange {
    /// The path of the file.
    pub path: PathBuf,
    /// The format of the file.
    pub form: Form,
    /// The entries.
    pub entries: Vec<Entry>,
}

impl FileChange {
    pub(super) fn new(path: PathBuf, form: Form, entries: Vec<Entry>) -> Self {
        Self {
            path,
            form,
            entries,
        }
    }
}

/// All changes that one agent needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Installation {
    /// The files; the first one has the entry that starts lancet.
    pub files: Vec<FileChange>,
    /// Steps for the user that no file can do.
    pub notes: Vec<String>,
}

impl Installation {
    pub(super) fn add_file(&mut self, path: PathBuf, form: Form, entries: Vec<Entry>) {
        if !entries.is_empty() {
            self.files.push(FileChange::new(path, form, entries));
        }
    }

    /// Returns the hooks of the plan, with the notes about them; none if it has no hooks.
    fn hooks_alone(self) -> Option<Self> {
        let files = self.files.into_iter().filter_map(|file| {
            let is_hooks_file =
                file.path.ends_with(COPILOT_HOOKS) || file.path.ends_with(OPENCODE_PLUGIN);
            let is_hook = |entry: &Entry| match entry {
                Entry::Item { path, .. } => path.first().is_some_and(|name| name == "hooks"),
                Entry::Whole { .. } => is_hooks_file,
                Entry::Member { .. } | Entry::Block { .. } => false,
            };
            let entries: Vec<Entry> = file.entries.into_iter().filter(is_hook).collect();
            (!entries.is_empty()).then(|| FileChange::new(file.path, file.form, entries))
        });
        let files: Vec<FileChange> = files.collect();
        let notes = self.notes.into_iter();
        (!files.is_empty()).then(|| Self {
            files,
            notes: notes.filter(|note| note.contains("hooks")).collect(),
        })
    }

    pub(super) fn add_note(&mut self, words: &str) {
        self.notes.push(words.to_owned());
    }

    /// Plans lines in a memory file that name the tools as the agent shows them to its model.
    pub(super) fn plan_memory_lines(
        &mut self,
        request: &InstallRequest,
        path: PathBuf,
        prefix: &str,
    ) {
        if request.memory == MemoryUse::Write {
            let text = memory_text(prefix);
            self.add_file(path, Form::Text, vec![Entry::Block { text }]);
        }
    }

    /// Plans a memory file that only lancet writes.
    pub(super) fn plan_memory_file(
        &mut self,
        request: &InstallRequest,
        path: PathBuf,
        head: &str,
        prefix: &str,
    ) {
        if request.memory == MemoryUse::Write {
            let text = format!("{head}{}\n", memory_text(prefix));
            self.add_file(path, Form::Text, vec![Entry::Whole { text }]);
        }
    }
}

/// Returns the sentence that names the tools to a model.
fn memory_text(prefix: &str) -> String {
    let names = |names: &[&str]| {
        let names: Vec<_> = names
            .iter()
            .map(|name| format!("`{prefix}{name}`"))
            .collect();
        names.join(", ")
    };
    format!(
        "Read and search files with {}, and change them with {}, the tools of the MCP server lancet, instead of apply_patch, sed, cat or other file tools.",
        names(&READING_TOOLS),
        names(&WRITING_TOOLS)
    )
}

/// A sign that lancet is installed already as a plugin or extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginMark {
    /// A file or folder.
    There(PathBuf),
    /// A key that begins with `lancet@`, of an object in a JSON file.
    Key {
        /// The file.
        file: PathBuf,
        /// The name of the object at its top.
        object: &'static str,
    },
}

/// An agent.
#[derive(Clone, Copy)]
pub struct Agent {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name in sentences.
    pub title: &'static str,
    /// Other names on the command line.
    pub other_names: &'static [&'static str],
    /// The program by which the agent is detected, if it has one.
    pub program: Option<&'static str>,
    /// Files or folders by which the agent is detected.
    pub(super) marks: fn(&AgentFolders<'_>) -> Vec<PathBuf>,
    /// Plans the changes to the agent's files that make it use lancet.
    pub(super) plan: fn(&InstallRequest, &AgentFolders<'_>) -> Result<Installation, String>,
    /// Signs of a plugin.
    pub(super) plugin: fn(&AgentFolders<'_>) -> Vec<PluginMark>,
}

impl fmt::Debug for Agent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Agent")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Agent {
    /// Returns the files or folders by which the agent is detected.
    pub fn detection_marks(&self, place: &AgentFolders<'_>) -> Vec<PathBuf> {
        (self.marks)(place)
    }

    /// Returns the changes needed to use lancet in this agent.
    ///
    /// # Errors
    /// The agent has no such settings; the message says what it has.
    pub fn plan(
        &self,
        request: &InstallRequest,
        place: &AgentFolders<'_>,
    ) -> Result<Installation, String> {
        let plan = (self.plan)(request, place)?;
        match request.parts {
            InstalledParts::All => Ok(plan),
            InstalledParts::Hooks => plan.hooks_alone().ok_or_else(|| {
                format!(
                    "{} has no hooks that lancet knows; leave --observe out",
                    self.title
                )
            }),
        }
    }

    /// Returns the signs that lancet is installed as a plugin.
    pub fn plugin_marks(&self, place: &AgentFolders<'_>) -> Vec<PluginMark> {
        (self.plugin)(place)
    }

    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.other_names.contains(&name)
    }
}

/// Returns the plugin marks of an agent that has no plugins: none.
pub(super) fn no_plugin(_: &AgentFolders<'_>) -> Vec<PluginMark> {
    Vec::new()
}
