//! The layers of the settings: the files, and their precedence.

use std::path::PathBuf;

/// The layer that a value comes from. Later layers win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Origin {
    /// The built-in default.
    BuiltIn,
    /// The user's `lancet.toml`.
    User,
    /// The `lancet.toml` at the project's root, which may only make settings stricter.
    Project,
    /// The `lancet.toml` at the root of a project that the user trusts.
    TrustedProject,
    /// `--config` or a flag; it counts as the user's own.
    CommandLine,
}

impl Origin {
    /// Returns the name that `doctor` shows.
    pub fn name(self) -> &'static str {
        match self {
            Origin::BuiltIn => "built in",
            Origin::User => "user",
            Origin::Project => "project",
            Origin::TrustedProject => "project, trusted",
            Origin::CommandLine => "command line",
        }
    }

    /// Returns whether the file is a project's.
    pub fn is_project(self) -> bool {
        matches!(self, Origin::Project | Origin::TrustedProject)
    }
}

/// One settings file, read by the program that found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// The layer of the file.
    pub origin: Origin,
    /// The path of the file, for messages.
    pub path: PathBuf,
    /// The content of the file.
    pub text: String,
}
