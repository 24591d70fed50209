//! The error for settings that do not load: where, why, and the closest correct form.

use std::fmt;
use std::path::PathBuf;

use super::Layer;

/// A settings file that cannot be used. It displays as `FILE:LINE:COLUMN: what is wrong; did you mean …?`
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SettingsError {
    /// The path of the settings file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What was probably meant.
    pub suggestion: Option<String>,
}

impl SettingsError {
    pub(super) fn at(layer: &Layer, offset: usize, message: String) -> Self {
        let (line, column) = line_and_column(&layer.text, offset);
        SettingsError {
            path: layer.path.clone(),
            line,
            column,
            message,
            suggestion: None,
        }
    }

    pub(super) fn with_suggestion(mut self, suggestion: Option<&str>) -> Self {
        self.suggestion = suggestion.map(str::to_owned);
        self
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}:{}:{}: {}",
            self.path.display(),
            self.line,
            self.column,
            self.message
        )?;
        match &self.suggestion {
            Some(suggestion) => write!(formatter, "; did you mean {suggestion}?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for SettingsError {}

/// Converts a byte offset to line and character, both from 1.
pub(super) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    (line, before[line_start..].chars().count() + 1)
}
