//! Gemini CLI: servers in `~/.gemini/settings.json`, permissions in files of `~/.gemini/policies`.

use serde_json::{Value, json};

use super::hooks::{self, HookedEvent, Timeout};
use super::{
    Agent, AgentFolders, InstallRequest, InstallScope, Installation, OwnTools, PluginMark,
    WriteConsent,
};
use crate::entry::{Entry, Form};

/// Its own tools for files.
const OWN_FILE_TOOLS: [&str; 6] = [
    "replace",
    "write_file",
    "read_file",
    "read_many_files",
    "grep_search",
    "glob",
];

/// The events that Gemini CLI's hooks report. In the names of a server's tools its documentation has two underscores
/// but recordings have one, so the pattern matches both.
const EVENTS: [HookedEvent; 6] = [
    hooks::hooked_event("SessionStart"),
    hooks::hooked_event("BeforeAgent"),
    hooks::hooked_event("AfterAgent"),
    hooks::hooked_event("SessionEnd"),
    hooks::for_tools("BeforeTool", "^(run_shell_command|replace|write_file)$"),
    hooks::for_tools(
        "AfterTool",
        "^(?!.*_(Read|Glob|Grep)$)((read_file|run_shell_command|replace|write_file)$|mcp_+lancet_)",
    ),
];

/// A policy rule that allows the three reading tools.
const READ_POLICY: &str = "\
# Written by `lancet install`; `lancet uninstall gemini` removes it.
[[rule]]
mcpName = \"lancet\"
toolName = [\"Read\", \"Glob\", \"Grep\"]
decision = \"allow\"
priority = 100
";

pub(super) const AGENT: Agent = Agent {
    name: "gemini",
    title: "Gemini CLI",
    other_names: &["gemini-cli"],
    program: Some("gemini"),
    marks: |place| {
        vec![
            place.home.join(".gemini/settings.json"),
            place.home.join(".gemini/projects.json"),
        ]
    },
    plan,
    plugin: |place| {
        vec![PluginMark::There(
            place.home.join(".gemini/extensions/lancet"),
        )]
    },
};

fn plan(request: &InstallRequest, place: &AgentFolders<'_>) -> Result<Installation, String> {
    let (folder, memory) = match request.scope {
        InstallScope::User => (
            place.home.join(".gemini"),
            place.home.join(".gemini/GEMINI.md"),
        ),
        InstallScope::Project => (
            place.project.join(".gemini"),
            place.project.join("GEMINI.md"),
        ),
    };
    let mut entry = request.launch.command_members();
    if request.writes == WriteConsent::Allow {
        entry.insert("trust".to_owned(), json!(true));
    }
    let mut entries = vec![Entry::member(
        &["mcpServers", "lancet"],
        Value::Object(entry),
    )];
    if request.own_tools == OwnTools::Off {
        entries.extend(OWN_FILE_TOOLS.map(|name| Entry::item(&["tools", "exclude"], name)));
    }
    let mut plan = Installation::default();
    entries.extend(hooks::hook_entries(
        request,
        "gemini",
        Timeout::Milliseconds,
        &EVENTS,
    ));
    plan.add_file(folder.join("settings.json"), Form::Json, entries);
    if request.writes == WriteConsent::Ask && request.scope == InstallScope::User {
        let text = READ_POLICY.to_owned();
        plan.add_file(
            folder.join("policies/lancet.toml"),
            Form::Text,
            vec![Entry::Whole { text }],
        );
    }
    plan.plan_memory_lines(request, memory, "mcp_lancet_");
    plan.add_note("Gemini CLI starts no server in a folder that it does not trust.");
    Ok(plan)
}
