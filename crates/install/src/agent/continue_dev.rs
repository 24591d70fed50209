//! Continue: a server in a separate file in `mcpServers`. Its built-in tools are also called Read, Edit and Write,
//! and it adds no prefix to a server's tool names, so lancet's names get one.

use super::{
    Agent, AgentFolders, InstallRequest, InstallScope, Installation, OwnTools, WriteConsent,
    no_plugin,
};
use crate::entry::{Entry, Form};
use crate::yaml;

/// The prefix of the names of lancet's tools.
const TOOL_PREFIX: &str = "lancet_";

pub(super) const AGENT: Agent = Agent {
    name: "continue",
    title: "Continue",
    other_names: &["continue-dev", "cn"],
    program: Some("cn"),
    marks: |place| vec![place.home.join(".continue")],
    plan,
    plugin: no_plugin,
};

fn plan(request: &InstallRequest, place: &AgentFolders<'_>) -> Result<Installation, String> {
    let folder = match request.scope {
        InstallScope::User => place.home.join(".continue"),
        InstallScope::Project => place.project.join(".continue"),
    };
    let launch = request.launch.with_arguments(&["--prefix", TOOL_PREFIX]);
    let words: Vec<_> = launch
        .arguments
        .iter()
        .map(|word| yaml::format_scalar(word))
        .collect();
    let text = format!(
        "# Written by `lancet install`; `lancet uninstall continue` removes it.\nname: lancet\nversion: 0.0.1\nschema: v1\nmcpServers:\n  - name: lancet\n    command: {}\n    args: [{}]\n",
        yaml::format_scalar(&launch.command),
        words.join(", ")
    );
    let mut plan = Installation::default();
    let server = vec![Entry::Whole { text }];
    plan.add_file(folder.join("mcpServers/lancet.yaml"), Form::Text, server);
    plan.plan_memory_file(request, folder.join("rules/lancet.md"), "", TOOL_PREFIX);
    if request.writes == WriteConsent::Allow {
        plan.add_note("In Continue tools are set to automatic in its window, or with `cn --auto`.");
    }
    if request.own_tools == OwnTools::Off {
        plan.add_note(
            "In Continue its own tools are switched off in its window, or with `cn --exclude`.",
        );
    }
    Ok(plan)
}
