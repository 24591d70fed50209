//! The declaration of `Edit`.

use crate::arguments::{EditArguments, strict_schema};

use super::{ANSWER_LIMIT, ANSWER_LIMIT_MCP, Declaration, output};

pub(super) fn declaration() -> Declaration {
    Declaration {
        name: "Edit".into(),
        title: "Edit a file".into(),
        summary: "Replaces text in a file.".into(),
        description: "Replaces text in a file. Read it first. old_string must be unique: add whole lines, or set \
            replace_all. Keep the indentation exactly; leave line numbers out."
            .into(),
        prompt: include_str!("prompts/edit.md").into(),
        input_schema: strict_schema::<EditArguments>(),
        output_schema: Some(output::change_of_one_file()),
        read_only: false,
        destructive: true,
        idempotent: false,
        concurrent: false,
        search_hint: "edit change replace text in file".into(),
        always_load: true,
        answer_limit_library: ANSWER_LIMIT,
        answer_limit_mcp: ANSWER_LIMIT_MCP,
    }
}
