//! The declaration of `Read`.

use crate::arguments::{ReadArguments, strict_schema};

use super::{ANSWER_LIMIT, ANSWER_LIMIT_MCP, Declaration};

pub(super) fn declaration() -> Declaration {
    Declaration {
        name: "Read".into(),
        title: "Read a file".into(),
        summary: "Shows a text file with line numbers.".into(),
        description: "Shows a text file with line numbers. Needed before changing a file. \
            Use offset and limit only for large files; read several files at once where useful."
            .into(),
        prompt: include_str!("prompts/read.md").into(),
        input_schema: strict_schema::<ReadArguments>(),
        // Several agents show the model structured content instead of the text.
        output_schema: None,
        read_only: true,
        destructive: false,
        idempotent: true,
        concurrent: true,
        search_hint: "read view show file text lines".into(),
        always_load: true,
        answer_limit_library: ANSWER_LIMIT,
        answer_limit_mcp: ANSWER_LIMIT_MCP,
    }
}
