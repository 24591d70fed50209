//! Why an engine could not be opened.

/// Why a [`Lancet`](crate::Lancet) could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A root is not an existing folder, or cannot be opened.
    #[error(transparent)]
    Roots(#[from] lancet_workspace::OpenError),
    /// No root was given.
    #[error("no root was given: name at least one folder that lancet may work in")]
    NoRoots,
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
