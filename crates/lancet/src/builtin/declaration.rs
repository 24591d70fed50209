//! What is told of a tool, of a built-in one and of a host's own alike: name, prompt, schemas, annotations and limits.

use std::borrow::Cow;

use serde_json::Value;

/// Longest answer of a tool in the library, in characters; programs that serve the tools set their own.
pub const ANSWER_LIMIT: usize = 100_000;
/// Longest answer of a tool over MCP, in characters: agents cut longer ones in the middle.
pub const ANSWER_LIMIT_MCP: usize = 32_000;

/// One tool as agents, hosts and people are told of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Declaration {
    /// The name models call it by.
    pub name: Cow<'static, str>,
    /// The name people see.
    pub title: Cow<'static, str>,
    /// What it does, in one sentence.
    pub summary: Cow<'static, str>,
    /// The short form of the prompt, for lists that must stay small; its first sentence is the summary.
    pub description: Cow<'static, str>,
    /// The whole prompt, Markdown.
    pub prompt: Cow<'static, str>,
    /// What it takes: a strict JSON schema in which every field is described.
    pub input_schema: Value,
    /// What its data looks like, where it is offered as structured content at all.
    pub output_schema: Option<Value>,
    /// It changes no file.
    pub read_only: bool,
    /// It may replace or remove what is there.
    pub destructive: bool,
    /// The same call again changes nothing further.
    pub idempotent: bool,
    /// It may run beside other calls.
    pub concurrent: bool,
    /// Words by which clients that load tools on demand find it.
    pub search_hint: Cow<'static, str>,
    /// Clients that load tools on demand should have it from the start.
    pub always_load: bool,
    /// Longest answer in the library, in characters.
    pub answer_limit_library: usize,
    /// Longest answer over MCP, in characters.
    pub answer_limit_mcp: usize,
}

impl Declaration {
    /// A host's own tool: its name, what it does, and the JSON schema of its arguments (an object schema). It counts as
    /// one that may change files and runs alone, until [`reading_only`](Self::reading_only) says otherwise; the other fields
    /// are set on the value.
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
        }
    }

    /// Says that the tool changes no file: it is offered in plan mode and may run beside other calls.
    #[must_use]
    pub fn reading_only(mut self) -> Self {
        self.read_only = true;
        self.destructive = false;
        self.idempotent = true;
        self.concurrent = true;
        self
    }
}
