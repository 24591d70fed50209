//! The arguments for the offered tools: `lancet tools`, and the choice of tools that several commands share.

use clap::{Args, ValueEnum};
use lancet::tools::ToolPrefix;
use lancet_mcp::{AnswerFormat, DataExtent};

use super::{Mode, WorkArguments, examples};

/// Print the tools' definitions, to paste into an API call
///
/// The JSON is the value of the API's `tools` field: names, descriptions and argument schemas.
#[derive(Debug, Args)]
#[command(after_long_help = examples::TOOLS)]
pub(crate) struct ToolsArguments {
    /// Whose shape
    #[arg(long, value_name = "FORMAT", default_value = "mcp")]
    pub(crate) format: ToolFormat,
    /// In the form that the API enforces while its model writes a call: every field is required, null means an absent
    /// one
    #[arg(long)]
    pub(crate) strict: bool,
    /// The whole prompt of each tool instead of its short description
    #[arg(long)]
    pub(crate) long: bool,
    /// With `plan`: the reading tools alone
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<Mode>,
    #[command(flatten)]
    pub(crate) choice: ToolChoice,
    /// Put this before every tool's name
    #[arg(long, value_name = "PREFIX")]
    pub(crate) prefix: Option<ToolPrefix>,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

/// Which tools are offered.
#[derive(Clone, Debug, Args)]
pub(crate) struct ToolChoice {
    /// The tools on offer: names, and the presets `default`, `all`, `claude`, `codex`, `text-editor`; a minus takes away (`default,-MultiEdit`)
    #[arg(long, value_name = "TOOLS", allow_hyphen_values = true)]
    pub(crate) tools: Vec<String>,
}

/// What agents are offered, and in which form they are answered.
#[derive(Clone, Debug, Args)]
pub(crate) struct OfferArguments {
    #[command(flatten)]
    pub(crate) choice: ToolChoice,
    /// Put this before every tool's name, where the agent's own tools have the same names
    #[arg(long, value_name = "PREFIX")]
    pub(crate) prefix: Option<ToolPrefix>,
    /// Add structured content and output schemas for clients that want them
    #[arg(long)]
    pub(crate) structured: bool,
    /// How much data answers carry for programs, in `_meta` [default: by the client; all of it where it is known to keep that from its model]
    #[arg(long, value_name = "EXTENT")]
    pub(crate) data: Option<DataOption>,
    /// When to report problems that language servers find after a change [default: the settings' language.diagnostics]
    ///
    /// Servers are started for trusted projects only (`lancet trust`).
    #[arg(long, value_name = "WHEN")]
    pub(crate) diagnostics: Option<DiagnosticsOption>,
}

impl OfferArguments {
    /// Returns the form of answers.
    pub(crate) fn answers(&self) -> AnswerFormat {
        match self.structured {
            true => AnswerFormat::Structured,
            false => AnswerFormat::Text,
        }
    }

    /// Returns how much data answers contain.
    pub(crate) fn data_extent(&self) -> DataExtent {
        match self.data {
            None => DataExtent::ByClient,
            Some(DataOption::Full) => DataExtent::Full,
            Some(DataOption::Brief) => DataExtent::Brief,
        }
    }
}

/// How much data an answer has besides its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DataOption {
    /// All of it: patches, lists, the nearest text of a refusal
    Full,
    /// What the text does not say: revision, operation, error, counts
    Brief,
}

/// When problems that a change caused are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiagnosticsOption {
    /// In the answer to the change
    AfterEdit,
    /// With the next reading call
    OnRead,
    /// Never; no language server is started
    Off,
}

/// Whose shape a list of tools has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolFormat {
    /// The Model Context Protocol
    Mcp,
    /// Anthropic's Messages API
    Anthropic,
    /// OpenAI's Chat Completions API and those like it
    #[value(name = "openai")]
    OpenAi,
    /// OpenAI's Responses API
    Responses,
    /// Google's Gemini API
    Gemini,
}
