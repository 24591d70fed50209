//! The agents as `install` sees them: where their files are, and which entries they must have. Each agent is declared
//! in a separate file.

mod claude_code;
mod claude_desktop;
mod cline;
mod codex;
mod continue_dev;
mod copilot;
mod cursor;
mod declaration;
mod gemini;
mod goose;
mod hooks;
mod kilo;
mod kimi;
mod opencode;
mod qwen;
mod vibe;
mod vscode;
mod windsurf;
mod zed;

pub use declaration::{
    Agent, AgentFolders, FileChange, InstallRequest, InstallScope, Installation, InstalledParts,
    LaunchCommand, MemoryUse, OwnTools, PluginMark, WriteConsent,
};

use declaration::{READING_TOOLS, WRITING_TOOLS, no_plugin};

/// Returns all agents that are known.
pub fn all_agents() -> &'static [Agent] {
    const AGENTS: [Agent; 17] = [
        claude_code::AGENT,
        codex::AGENT,
        opencode::AGENT,
        gemini::AGENT,
        qwen::AGENT,
        goose::AGENT,
        copilot::AGENT,
        cline::AGENT,
        cursor::AGENT,
        vscode::AGENT,
        zed::AGENT,
        windsurf::AGENT,
        claude_desktop::AGENT,
        continue_dev::AGENT,
        kimi::AGENT,
        kilo::AGENT,
        vibe::AGENT,
    ];
    &AGENTS
}

/// Returns the agent of a name.
pub fn find_agent(name: &str) -> Option<&'static Agent> {
    let name = name.to_ascii_lowercase().replace([' ', '_'], "-");
    all_agents().iter().find(|agent| agent.is_called(&name))
}
