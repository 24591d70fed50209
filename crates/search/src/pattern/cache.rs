//! A cache of the patterns that were used last, so that a repeated search does not compile its pattern again.

use std::sync::{Mutex, PoisonError};

use super::options::PatternOptions;
use super::source::LineEnds;
use super::{Pattern, PatternError};

/// The most patterns in the cache.
const MAX_PATTERNS: usize = 64;
/// The most memory that they may take together, by the upper bound of each.
const MAX_BYTES: usize = 16 << 20;

/// The patterns that were used last.
#[derive(Debug, Default)]
pub struct PatternCache {
    /// The pattern that was used last is the last.
    patterns: Mutex<Vec<Pattern>>,
}

impl PatternCache {
    /// Returns the pattern of an expression, as [`Pattern::with_options`] compiles it.
    pub fn get(&self, expression: &str, options: PatternOptions) -> Result<Pattern, PatternError> {
        self.get_or_build(expression, options, LineEnds::Lf)
    }

    /// Returns the pattern of an expression that also accepts CRLF as a line end, as [`Pattern::with_crlf`] compiles
    /// it.
    pub fn get_with_crlf(
        &self,
        expression: &str,
        options: PatternOptions,
    ) -> Result<Pattern, PatternError> {
        self.get_or_build(expression, options, LineEnds::Crlf)
    }

    /// Removes all patterns.
    pub fn clear(&self) {
        let mut patterns = self.patterns.lock().unwrap_or_else(PoisonError::into_inner);
        patterns.clear();
    }

    fn get_or_build(
        &self,
        expression: &str,
        options: PatternOptions,
        ends: LineEnds,
    ) -> Result<Pattern, PatternError> {
        let known = {
            let mut patterns = self.patterns.lock().unwrap_or_else(PoisonError::into_inner);
            let is_it = |pattern: &Pattern| pattern.source.is_made_from(expression, options, ends);
            let at = patterns.iter().position(is_it);
            at.map(|at| {
                let pattern = patterns.remove(at);
                patterns.push(pattern.clone());
                pattern
            })
        };
        if let Some(pattern) = known {
            return Ok(pattern.clone_for_new_search());
        }
        // This is done without holding the lock, since it may take long.
        let pattern = Pattern::build_pattern(expression, options, ends)?;
        let mut patterns = self.patterns.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have built the same one meanwhile.
        patterns.retain(|one| *one != pattern);
        patterns.push(pattern.clone_for_new_search());
        // The oldest patterns are dropped, and this one, too, where it is too large by itself.
        let mut size = 0_usize;
        let kept = patterns.iter().rev().take(MAX_PATTERNS).take_while(|one| {
            size = size.saturating_add(one.source.size());
            size <= MAX_BYTES
        });
        let dropped = patterns.len() - kept.count();
        patterns.drain(..dropped);
        Ok(pattern)
    }
}
