//! `lancet tools`: the tools' definitions for a model API.

use lancet::tools::ANSWER_LIMIT;
use lancet::tools::{Format, Length, tool_list};
use lancet_mcp::Level;

use crate::arguments::{ToolFormat, ToolsArguments};
use crate::failure::{Exit, Failure};
use crate::opening::{Lasts, Offer, Whom, Wish};
use crate::surroundings::{Reach, Surroundings};
use crate::terminal::print;

/// Prints them.
pub(super) fn run(arguments: &ToolsArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let wish = Wish {
        place: &arguments.place,
        reach: Reach::Nothing,
        mode: arguments.mode,
        unasked_mode: lancet::Mode::AcceptEdits,
        offer: Offer::Chosen(&arguments.choice.tools),
        whom: Whom::Nobody,
        answer_limit: ANSWER_LIMIT,
        unasked_log: Level::Error,
        lasts: Lasts::OneCall,
    };
    let lancet = wish.open_to_look(around)?.lancet;
    let format = match arguments.format {
        ToolFormat::Mcp => Format::Mcp,
        ToolFormat::Anthropic => Format::Anthropic,
        ToolFormat::OpenAi => Format::OpenAi,
        ToolFormat::Gemini => Format::Gemini,
    };
    let length = if arguments.long {
        Length::Long
    } else {
        Length::Short
    };
    print(&format!(
        "{:#}\n",
        tool_list(lancet.tools().iter(), format, length)
    ))?;
    Ok(Exit::Done)
}
