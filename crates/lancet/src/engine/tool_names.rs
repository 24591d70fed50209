//! The names under which calls reach the tools of an engine.

use super::EngineView;
use crate::builtin::Declaration;
use crate::receive::canonical_tool;

impl EngineView {
    /// The own name of the tool that a call names with the prefix; any other name stays as it is.
    pub(crate) fn own_tool_name<'n>(&self, called: &'n str) -> &'n str {
        let prefix = self.audience().prefix();
        let own = prefix.and_then(|prefix| prefix.without(called));
        let is_tool =
            |name: &&str| self.declaration(name).is_some() || canonical_tool(name).is_some();
        own.filter(is_tool).unwrap_or(called)
    }

    pub(crate) fn declaration(&self, tool: &str) -> Option<&Declaration> {
        self.declarations
            .iter()
            .find(|declaration| declaration.name == tool)
    }
}
