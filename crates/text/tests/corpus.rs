//! Replays the inputs that the fuzz targets `encoding` and `ladder` have collected, on stable.

#[path = "../../../fuzz/checks/encoding.rs"]
mod encoding;
#[path = "../../../fuzz/checks/ladder.rs"]
mod ladder;

use lancet_testing::corpus::replay;

#[test]
fn the_corpus_of_encoding_holds() {
    replay("encoding", encoding::check);
}

#[test]
fn the_corpus_of_ladder_holds() {
    replay("ladder", ladder::check);
}
