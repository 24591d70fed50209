//! The list of tools for clients, built from the tools' declarations, and rebuilt only when the settings change. Order
//! and text are fixed, because a changed list invalidates every client's cached prompt.

use std::sync::{Arc, PoisonError, RwLock};

use lancet::Lancet;
use lancet::tools::{Declaration, DescriptionLength, mcp_tool};
use rmcp::model::Tool;
use serde_json::Value;

use crate::options::{AnswerFormat, Options};

/// The list of tools, cached with the declarations that it was built from. It is built when it is first needed, so that
/// it does not delay the answer to `initialize`.
#[derive(Default)]
pub(crate) struct ToolList(RwLock<Option<BuiltList>>);

struct BuiltList {
    declared: Arc<[Declaration]>,
    tools: Arc<[Tool]>,
}

impl ToolList {
    /// Returns the list as it was last built.
    pub(crate) fn cached_list(&self, lancet: &Lancet, options: &Options) -> Arc<[Tool]> {
        let made = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*made {
            return Arc::clone(&made.tools);
        }
        drop(made);
        self.current_list(lancet, options)
    }

    /// Returns the list for the present settings; it is rebuilt if the declarations changed.
    pub(crate) fn current_list(&self, lancet: &Lancet, options: &Options) -> Arc<[Tool]> {
        let mut made = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match &mut *made {
            Some(made) if Arc::ptr_eq(&made.declared, &lancet.tools()) => Arc::clone(&made.tools),
            made => Arc::clone(&made.insert(BuiltList::new(lancet, options)).tools),
        }
    }
}

impl BuiltList {
    fn new(lancet: &Lancet, options: &Options) -> Self {
        let declared = lancet.tools();
        let prefix = lancet.tool_prefix();
        let prefixed: Vec<Declaration> = declared
            .iter()
            .map(|declaration| prefix.prefix_declaration(declaration))
            .collect();
        Self {
            tools: convert_declarations(&prefixed, lancet.answer_limit(), options.answers).into(),
            declared,
        }
    }
}

/// Converts the declarations in their order. `limit` is the longest answer that applies, in characters.
fn convert_declarations(
    declarations: &[Declaration],
    limit: usize,
    answers: AnswerFormat,
) -> Vec<Tool> {
    declarations
        .iter()
        .filter_map(|declaration| convert_declaration(declaration, limit, answers))
        .collect()
}

fn convert_declaration(
    declaration: &Declaration,
    limit: usize,
    answers: AnswerFormat,
) -> Option<Tool> {
    let limit = limit.min(declaration.answer_limit_mcp);
    let mut tool: Tool =
        serde_json::from_value(mcp_tool(declaration, DescriptionLength::Short, limit)).ok()?;
    if answers == AnswerFormat::Structured
        && let Some(Value::Object(schema)) = &declaration.output_schema
    {
        tool.output_schema = Some(Arc::new(schema.clone()));
    }
    Some(tool)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lancet::tools::{declarations, is_default};
    use serde_json::json;

    fn listing_json(answers: AnswerFormat) -> Value {
        serde_json::to_value(convert_declarations(declarations(), 32_000, answers)).expect("JSON")
    }

    #[test]
    fn tool_list_is_ordered_and_small() {
        let default: Vec<Declaration> = declarations()
            .iter()
            .filter(|declaration| is_default(&declaration.name))
            .cloned()
            .collect();
        let list = serde_json::to_value(convert_declarations(&default, 32_000, AnswerFormat::Text))
            .expect("JSON");
        let names: Vec<_> = list
            .as_array()
            .expect("a list")
            .iter()
            .map(|tool| tool["name"].clone())
            .collect();
        assert_eq!(
            names,
            [
                "Read",
                "Edit",
                "MultiEdit",
                "Write",
                "NotebookEdit",
                "Glob",
                "Grep"
            ]
        );
        let size = list.to_string().len();
        assert!(size <= 10_000, "{size} bytes");
    }

    #[test]
    fn tools_have_annotations() {
        let list = listing_json(AnswerFormat::Text);
        let tools = list.as_array().expect("a list");
        assert_eq!(tools.len(), declarations().len());
        for (tool, declaration) in tools.iter().zip(declarations()) {
            let wanted = json!({
                "readOnlyHint": declaration.read_only, "destructiveHint": declaration.destructive,
                "idempotentHint": declaration.idempotent, "openWorldHint": false,
            });
            assert_eq!(tool["annotations"], wanted, "{}", tool["name"]);
            assert!(tool["title"].is_string() && tool["inputSchema"]["type"] == "object");
            let hints = &tool["_meta"];
            assert_eq!(hints["anthropic/maxResultSizeChars"], 32_000);
            assert!(hints["anthropic/searchHint"].is_string());
            assert_eq!(
                hints.get("anthropic/alwaysLoad") == Some(&json!(true)),
                declaration.always_load,
                "{}",
                tool["name"]
            );
        }
    }

    #[test]
    fn lists_output_schemas_only_for_structured_answers() {
        for (answers, wanted) in [
            (AnswerFormat::Text, false),
            (AnswerFormat::Structured, true),
        ] {
            let list = listing_json(answers);
            for (tool, declaration) in list.as_array().expect("a list").iter().zip(declarations()) {
                let has = tool.get("outputSchema").is_some();
                let declared = declaration.output_schema.is_some();
                assert_eq!(has, wanted && declared, "{}", tool["name"]);
            }
        }
        let read = declarations().iter().find(|tool| tool.name == "Read");
        assert!(read.is_some_and(|read| read.output_schema.is_none()));
    }

    #[test]
    fn lists_configured_answer_limit() {
        let list = convert_declarations(declarations(), 9_000, AnswerFormat::Text);
        for tool in serde_json::to_value(list)
            .expect("JSON")
            .as_array()
            .expect("a list")
        {
            assert_eq!(tool["_meta"]["anthropic/maxResultSizeChars"], 9_000);
        }
    }
}
