//! The declaration of `Grep`.

use crate::arguments::{GrepArguments, strict_schema};

use super::{ANSWER_LIMIT, ANSWER_LIMIT_MCP, Declaration, output};

pub(super) fn declaration() -> Declaration {
    Declaration {
        name: "Grep".into(),
        title: "Search in files".into(),
        summary: "Searches files for a regular expression, as ripgrep does.".into(),
        description: "Searches files for a regular expression, as ripgrep does. Use it rather than grep or rg. \
            The answer says what was not searched."
            .into(),
        prompt: include_str!("prompts/grep.md").into(),
        input_schema: strict_schema::<GrepArguments>(),
        output_schema: Some(output::search()),
        read_only: true,
        destructive: false,
        idempotent: true,
        concurrent: true,
        search_hint: "search text in files grep ripgrep regex".into(),
        always_load: true,
        answer_limit_library: ANSWER_LIMIT,
        answer_limit_mcp: ANSWER_LIMIT_MCP,
    }
}
