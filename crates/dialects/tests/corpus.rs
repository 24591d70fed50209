//! Replays the collected corpus of the formats' fuzz targets, on stable.

#[path = "../../../fuzz/checks/dialects.rs"]
mod dialects;

use lancet_dialects::Dialect;
use lancet_testing::corpus::replay;

/// Checks each input in the format of its target, and with automatic detection of the format.
fn replay_as(target: &str, format: Option<Dialect>) {
    replay(target, |data| {
        dialects::check(format, data);
        dialects::check(None, data);
    });
}

#[test]
fn the_corpus_of_search_replace_holds() {
    replay_as("search_replace", Some(Dialect::SearchReplace));
}

#[test]
fn the_corpus_of_v4a_holds() {
    replay_as("v4a", Some(Dialect::V4a));
}

#[test]
fn the_corpus_of_unified_holds() {
    replay_as("unified", Some(Dialect::Unified));
}

#[test]
fn the_corpus_of_whole_holds() {
    replay_as("whole", Some(Dialect::Whole));
}

#[test]
fn the_corpus_of_detection_holds() {
    replay_as("detect", None);
}
