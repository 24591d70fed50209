//! The declaration of `Glob`.

use crate::arguments::{GlobArguments, strict_schema};

use super::{ANSWER_LIMIT, ANSWER_LIMIT_MCP, Declaration, output};

pub(super) fn declaration() -> Declaration {
    Declaration {
        name: "Glob".into(),
        title: "Find files".into(),
        summary: "Lists files by name pattern, newest first.".into(),
        description: "Lists files by name pattern, newest first. Use it rather than find or ls. \
            Hidden and ignored files are left out and counted; name them literally to see them."
            .into(),
        prompt: include_str!("prompts/glob.md").into(),
        input_schema: strict_schema::<GlobArguments>(),
        output_schema: Some(output::search()),
        read_only: true,
        destructive: false,
        idempotent: true,
        concurrent: true,
        search_hint: "find list files by name pattern glob".into(),
        always_load: true,
        answer_limit_library: ANSWER_LIMIT,
        answer_limit_mcp: ANSWER_LIMIT_MCP,
    }
}
