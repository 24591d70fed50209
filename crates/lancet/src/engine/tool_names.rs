//! The names under which calls reach the tools of an engine, and under which answers name them and files.

use std::sync::Arc;

use super::{EngineView, Lancet};
use crate::audience::Audience;
use crate::builtin::Declaration;
use crate::receive::canonical_tool;

impl Lancet {
    /// Returns the offered tools, in their fixed order.
    pub fn tools(&self) -> Arc<[Declaration]> {
        Arc::clone(self.engine().tools.declarations())
    }

    /// Returns whether a tool with exactly this name is offered and changes no file. The schemas of the other tools are
    /// not made.
    pub fn only_reads(&self, tool: &str) -> bool {
        let engine = self.engine();
        engine.declaration(tool).is_some_and(|tool| tool.read_only)
    }

    /// Returns whether a tool with exactly this name is offered. The schemas of [`tools`](Self::tools) are not made.
    pub fn offers(&self, tool: &str) -> bool {
        self.engine().tools.has_tool(tool)
    }
}

impl EngineView {
    /// Returns the reader of the answers, a model or a person at the shell.
    pub(crate) fn audience(&self) -> &Audience {
        &self.audience
    }

    /// Returns the own name of the tool that a call names with the prefix. Any other name is returned as it is.
    pub(crate) fn own_tool_name<'n>(&self, called: &'n str) -> &'n str {
        let prefix = self.audience().prefix();
        let own = prefix.and_then(|prefix| prefix.strip_from(called));
        let is_tool = |name: &&str| self.tools.has_tool(name) || canonical_tool(name).is_some();
        own.filter(is_tool).unwrap_or(called)
    }

    pub(crate) fn declaration(&self, tool: &str) -> Option<&Declaration> {
        self.tools.declaration(tool)
    }
}
