//! The arguments of the command that receives the reports of an agent's hooks.

use clap::Args;

use super::{WorkArguments, examples};

/// Take in what an agent tells by its hooks (agents call this)
///
/// Reads one JSON object from standard input. After a change by lancet's tools the diff is shown in the agent; what the
/// agent's own reading tool showed counts as read; at each prompt a mark is set, to which `lancet undo --to-prompt` goes
/// back. What the agent's own shell and writing tools changed is recorded: the project's files are looked at before and
/// after each call, at each prompt and at the end of a turn. An event that it does not know is passed over. The exit
/// code is always 0: an agent takes any other for a veto.
#[derive(Debug, Args)]
#[command(after_long_help = examples::HOOK)]
pub(crate) struct HookArguments {
    /// The agent: claude, codex, gemini, qwen, copilot or opencode
    pub(crate) agent: String,
    /// Give up without an answer after so many milliseconds, because the agent waits; what is recorded at a prompt or a
    /// session's start is waited for, up to 3 seconds. A look at the files is waited for up to 2 seconds, and goes on afterwards
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 180)]
    pub(crate) within: u64,
    /// The agent's plugin calls this: where `lancet install` has put hooks into the same agent, these do the work, and the
    /// person is warned at the start of a session that lancet is installed twice
    #[arg(long)]
    pub(crate) plugin: bool,
    /// Looks at the files in a process of its own, for the agent's process of this name
    #[arg(long, hide = true, value_name = "PROCESS")]
    pub(crate) detached: Option<String>,
    /// Watches the project in a process of its own, for the agent's process of this name
    #[arg(long, hide = true, value_name = "PROCESS")]
    pub(crate) recorder: Option<String>,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}
