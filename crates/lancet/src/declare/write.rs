//! The declaration of `Write`.

use crate::arguments::{WriteArguments, strict_schema};

use super::{ANSWER_LIMIT, ANSWER_LIMIT_MCP, Declaration, output};

pub(super) fn declaration() -> Declaration {
    Declaration {
        name: "Write".into(),
        title: "Write a file".into(),
        summary: "Creates a file or replaces all of it.".into(),
        description: "Creates a file or replaces all of it. Read an existing file first; for small changes use Edit. \
            Send the content in full, with no placeholder for what stays."
            .into(),
        prompt: include_str!("prompts/write.md").into(),
        input_schema: strict_schema::<WriteArguments>(),
        output_schema: Some(output::change_of_one_file()),
        read_only: false,
        destructive: true,
        // An append is not.
        idempotent: false,
        concurrent: false,
        search_hint: "write create overwrite append file".into(),
        always_load: true,
        answer_limit_library: ANSWER_LIMIT,
        answer_limit_mcp: ANSWER_LIMIT_MCP,
    }
}
