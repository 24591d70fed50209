//! The declaration of `MultiEdit`.

use crate::arguments::{MultiEditArguments, strict_schema};

use super::{ANSWER_LIMIT, ANSWER_LIMIT_MCP, Declaration, output};

pub(super) fn declaration() -> Declaration {
    Declaration {
        name: "MultiEdit".into(),
        title: "Edit several places".into(),
        summary: "Makes several edits in one or more files, all or none.".into(),
        description: "Makes several edits in one or more files, all or none. Each works as in Edit, on the result of those \
            before it."
            .into(),
        prompt: include_str!("prompts/multi_edit.md").into(),
        input_schema: strict_schema::<MultiEditArguments>(),
        output_schema: Some(output::change_of_files()),
        read_only: false,
        destructive: true,
        idempotent: false,
        concurrent: false,
        search_hint: "several edits at once".into(),
        always_load: false,
        answer_limit_library: ANSWER_LIMIT,
        answer_limit_mcp: ANSWER_LIMIT_MCP,
    }
}
