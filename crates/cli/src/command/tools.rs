//! `lancet tools`: prints the definitions of the tools that the flags and settings offer, for MCP or for a model's API.
//! The engine is opened only to list them.

use lancet::tools::{DescriptionLength, Format, ListForm, Strictness, tool_list};

use crate::arguments::{ToolFormat, ToolsArguments};
use crate::failure::{Exit, Failure};
use crate::opening::{Offer, OpenRequest, WriteAuthor};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::print;

/// Runs `lancet tools`.
pub(super) fn run(arguments: &ToolsArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let request = OpenRequest {
        mode: arguments.mode,
        offer: Offer::Chosen(&arguments.choice.tools),
        ..OpenRequest::for_command(
            &arguments.place,
            RootHint::Nothing,
            WriteAuthor::Agent(lancet::Mode::AcceptEdits),
        )
    };
    let lancet = request.open_to_inspect(around)?.lancet;
    let format = match arguments.format {
        ToolFormat::Mcp => Format::Mcp,
        ToolFormat::Anthropic => Format::Anthropic,
        ToolFormat::OpenAi => Format::OpenAi,
        ToolFormat::Responses => Format::Responses,
        ToolFormat::Gemini => Format::Gemini,
    };
    let mut form = ListForm::new(format);
    if arguments.long {
        form.length = DescriptionLength::Long;
    }
    if arguments.strict {
        form.strictness = Strictness::Strict;
    }
    form.prefix = arguments.prefix.clone().unwrap_or_default();
    print(&format!("{:#}\n", tool_list(lancet.tools().iter(), &form)))?;
    Ok(Exit::Done)
}
