//! The errors of opening an engine.

use std::path::PathBuf;

use lancet_policy::RuleError;

/// Why a [`Lancet`](crate::Lancet) could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A root is not an existing folder, or cannot be opened.
    #[error("the root {path} cannot be opened: {source}", path = path.display())]
    Root {
        /// The root as given.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// No root was given.
    #[error("no root was given: name at least one folder that lancet may work in")]
    NoRoots,
    /// A rule passed to [`Builder::allow`](crate::Builder::allow), [`ask`](crate::Builder::ask) or
    /// [`deny`](crate::Builder::deny) cannot be parsed.
    #[error("the rule {rule:?}: {source}{}", source.suggestion.as_ref().map(|meant| format!("; did you mean {meant:?}?")).unwrap_or_default())]
    Rule {
        /// The rule as given.
        rule: String,
        /// What is wrong with the rule.
        source: RuleError,
    },
    /// Two tools have the same name, so a call could mean either.
    #[error("there are two tools `{name}`: give the host's own tool another name")]
    ToolTwice {
        /// The name that both tools have.
        name: String,
    },
    /// `tools` names a tool that does not exist.
    #[error("there is no tool `{name}`{}", suggestion.as_ref().map(|s| format!("; did you mean `{s}`?")).unwrap_or_default())]
    UnknownTool {
        /// The name as given.
        name: String,
        /// The closest existing name.
        suggestion: Option<String>,
    },
}

impl OpenError {
    /// Converts the workspace's error.
    pub(super) fn from_workspace_error(error: lancet_workspace::OpenError) -> Self {
        match error {
            lancet_workspace::OpenError::NoRoots => Self::NoRoots,
            lancet_workspace::OpenError::Root { path, source } => Self::Root { path, source },
        }
    }
}
