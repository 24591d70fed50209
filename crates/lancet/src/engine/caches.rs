//! The caches of an engine. Nothing in them decides what is written.

use lancet_search::PatternCache;

use super::plain_texts::PlainTexts;
use super::recent_hashes::RecentHashes;
use super::surveys::Surveys;

/// The caches of an engine; each bounds itself.
#[derive(Default)]
pub(crate) struct Caches {
    pub(crate) surveys: Surveys,
    pub(crate) plain_texts: PlainTexts,
    pub(crate) recent_hashes: RecentHashes,
    /// The patterns of the last searches, compiled.
    pub(crate) patterns: PatternCache,
}
