//! Changes whose ids are nearly a typed one, for the message that there is no such change.

use lancet_history::{HistoryError, LogQuery, Operation};
use lancet_text::closest_names;

use super::History;

/// How many of the newest changes are compared.
const MAX_COMPARED: usize = 1_000;

impl History {
    /// Returns up to `most` of the newest changes whose ids have nearly this ending, the nearest first.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn with_similar_ids(
        &self,
        typed: &str,
        most: usize,
    ) -> Result<Vec<Operation>, HistoryError> {
        let operations = self.log(&LogQuery {
            limit: Some(MAX_COMPARED),
            ..LogQuery::default()
        })?;
        let ids = operations.iter().map(|operation| operation.id.as_str());
        let endings = ids.map(|id| {
            let start = id.len().saturating_sub(typed.len());
            id.get(start..).unwrap_or_default()
        });
        let endings: Vec<&str> = endings.collect();
        let closest = closest_names(typed, endings.iter().copied(), most);
        let places = closest
            .into_iter()
            .filter_map(|name| endings.iter().position(|ending| *ending == name));
        Ok(places.map(|at| operations[at].clone()).collect())
    }
}
