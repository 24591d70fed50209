//! Arguments of the searching tools.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Arguments of `Glob`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct GlobArguments {
    /// As src/**/*.{ts,tsx}; without a slash at any depth
    pub pattern: String,
    /// Folder to look in; without it all roots
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// At most this many, 100 by default
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Pass over this many
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub offset: Option<u64>,
    /// Ignored files too
    #[serde(default)]
    pub include_ignored: bool,
}

/// What `Grep` answers with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OutputMode {
    /// The files.
    #[default]
    FilesWithMatches,
    /// The lines.
    Content,
    /// How many lines of each file.
    Count,
}

/// Arguments of `Grep`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct GrepArguments {
    /// Regular expression, ripgrep's syntax
    pub pattern: String,
    /// File or folder; without it all roots
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only such files, as *.{ts,tsx}
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub glob: Option<String>,
    /// Only this type: rust, py, js
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Files (default), lines or counts
    #[serde(default)]
    pub output_mode: OutputMode,
    /// Lines after each match
    #[serde(default, rename = "-A", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub after: Option<u64>,
    /// Lines before
    #[serde(default, rename = "-B", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub before: Option<u64>,
    /// Lines around
    #[serde(default, rename = "-C", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub context: Option<u64>,
    /// Line numbers, on by default
    #[serde(default, rename = "-n", skip_serializing_if = "Option::is_none")]
    pub numbers: Option<bool>,
    /// Ignore case
    #[serde(default, rename = "-i")]
    pub ignore_case: bool,
    /// Matches may span lines, dot too
    #[serde(default)]
    pub multiline: bool,
    /// At most this many files, or matching lines; 250 by default
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub head_limit: Option<u64>,
    /// Pass over this many
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub offset: Option<u64>,
    /// Ignored files too
    #[serde(default)]
    pub include_ignored: bool,
}
