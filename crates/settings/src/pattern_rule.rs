//! The rule of a setting that applies to files by pattern.

use super::by_path::PathRule;
use super::error::SettingsError;
use super::layer::Layer;

/// Creates a rule, or returns the error with its position.
pub(super) fn pattern_rule<T>(
    layer: &Layer,
    key_at: usize,
    key: &str,
    pattern: String,
    word: String,
    value: T,
) -> Result<PathRule<T>, SettingsError> {
    PathRule::new(pattern.clone(), word, value, layer.origin).map_err(|reason| {
        let message = format!("{key}.{pattern:?} is not a file pattern: {reason}");
        SettingsError::at(layer, key_at, message)
    })
}
