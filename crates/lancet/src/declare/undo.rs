//! The declaration of `Undo`.

use crate::arguments::{UndoArguments, strict_schema};

use super::{ANSWER_LIMIT, ANSWER_LIMIT_MCP, Declaration, output};

pub(super) fn declaration() -> Declaration {
    Declaration {
        name: "Undo".into(),
        title: "Take a change back".into(),
        summary: "Takes back a change that this session made.".into(),
        description: "Takes back a change that this session made. Without operation the newest; again, the one before. \
            Refused where the file was changed since."
            .into(),
        prompt: include_str!("prompts/undo.md").into(),
        input_schema: strict_schema::<UndoArguments>(),
        output_schema: Some(output::change_of_files()),
        read_only: false,
        destructive: true,
        // Sent again it takes back the change before.
        idempotent: false,
        concurrent: false,
        search_hint: "undo revert take back change".into(),
        always_load: false,
        answer_limit_library: ANSWER_LIMIT,
        answer_limit_mcp: ANSWER_LIMIT_MCP,
    }
}
