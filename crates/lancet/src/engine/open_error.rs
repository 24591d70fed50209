//! Why an engine could not be opened.

use std::path::PathBuf;

use lancet_policy::RuleError;

/// Why a [`Lancet`](crate::Lancet) could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A root is not an existing folder, or cannot be opened.
    #[error("the root {path} cannot be opened: {source}", path = path.display())]
    Root {
        /// The folder as given.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// No root was given.
    #[error("no root was given: name at least one folder that lancet may work in")]
    NoRoots,
    /// A rule that [`Builder::allow`](crate::Builder::allow), [`ask`](crate::Builder::ask) or
    /// [`deny`](crate::Builder::deny) was given cannot serve.
    #[error("the rule {rule:?}: {source}{}", source.suggestion.as_ref().map(|meant| format!("; did you mean {meant:?}?")).unwrap_or_default())]
    Rule {
        /// The rule as given.
        rule: String,
        /// What is wrong with it.
        source: RuleError,
    },
    /// Two tools have one name: a call could mean either.
    #[error("there are two tools `{name}`: give the host's own tool another name")]
    ToolTwice {
        /// The name.
        name: String,
    },
    /// `tools` names a tool that does not exist.
    #[error("there is no tool `{name}`{}", suggestion.as_ref().map(|s| format!("; did you mean `{s}`?")).unwrap_or_default())]
    UnknownTool {
        /// The name as given.
        name: String,
        /// The closest one there is.
        suggestion: Option<String>,
    },
}

impl OpenError {
    /// The error of the workspace in terms of the library.
    pub(super) fn roots(error: lancet_workspace::OpenError) -> Self {
        match error {
            lancet_workspace::OpenError::NoRoots => Self::NoRoots,
            lancet_workspace::OpenError::Root { path, source } => Self::Root { path, source },
        }
    }
}
