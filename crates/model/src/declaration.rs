//! The declaration of a tool, built-in or of the host: name, prompt, schemas, annotations and limits.

use crate::non_exhaustive::NonExhaustive;
use std::borrow::Cow;

use serde_json::Value;

/// The longest answer of a tool in the library, in characters; programs that serve the tools set their own limit.
pub const ANSWER_LIMIT: usize = 100_000;
/// The longest answer of a tool over MCP, in characters: agents cut longer ones in the middle.
pub const ANSWER_LIMIT_MCP: usize = 32_000;

/// One tool as it is described to agents, hosts and people.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// The name by which models call the tool.
    pub name: Cow<'static, str>,
    /// The name that people see.
    pub title: Cow<'static, str>,
    /// What the tool does, in one sentence.
    pub summary: Cow<'static, str>,
    /// The short form of the prompt, for lists that must stay small; its first sentence is the summary.
    pub description: Cow<'static, str>,
    /// The whole prompt, in Markdown.
    pub prompt: Cow<'static, str>,
    /// The JSON schema of the arguments; it is strict, and every field has a description.
    pub input_schema: Value,
    /// The JSON schema of the answer's data; none if the data is not offered as structured content.
    pub output_schema: Option<Value>,
    /// Whether the tool changes no file.
    pub read_only: bool,
    /// Whether the tool may replace or remove existing content.
    pub destructive: bool,
    /// Whether the same call, sent again, changes nothing further.
    pub idempotent: bool,
    /// Whether the tool may run concurrently with other calls.
    pub concurrent: bool,
    /// Keywords by which clients that load tools on demand find the tool.
    pub search_hint: Cow<'static, str>,
    /// Whether clients that load tools on demand should load this tool from the start.
    pub always_load: bool,
    /// The longest answer in the library, in characters.
    pub answer_limit_library: usize,
    /// The longest answer over MCP, in characters.
    pub answer_limit_mcp: usize,
    #[doc(hidden)]
    pub non_exhaustive: NonExhaustive,
}

impl Declaration {
    /// Declares a tool, built-in or of the host: its name, what it does (the first sentence becomes the summary), and
    /// the JSON schema of its arguments (an object schema). The tool counts as one that may change files and runs
    /// alone, unless [`as_read_only`](Self::as_read_only) is called; the other fields are set on the value.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
        input_schema: Value,
    ) -> Self {
        let (name, description) = (name.into(), description.into());
        let summary = match description.split_once(". ") {
            Some((first, _)) => Cow::Owned(format!("{first}.")),
            None => description.clone(),
        };
        Self {
            title: name.clone(),
            name,
            summary,
            prompt: description.clone(),
            description,
            input_schema,
            output_schema: None,
            read_only: false,
            destructive: true,
            idempotent: false,
            concurrent: false,
            search_hint: Cow::Borrowed(""),
            always_load: false,
            answer_limit_library: ANSWER_LIMIT,
            answer_limit_mcp: ANSWER_LIMIT_MCP,
            non_exhaustive: NonExhaustive,
        }
    }

    /// Declares that the tool changes no file: it is offered in plan mode and may run concurrently with other calls.
    #[must_use]
    pub fn as_read_only(mut self) -> Self {
        self.read_only = true;
        self.destructive = false;
        self.idempotent = true;
        self.concurrent = true;
        self
    }
}
