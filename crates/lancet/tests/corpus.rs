//! Replays everything that the fuzz target `receive` has learned, on stable.

#[path = "../../../fuzz/checks/receive.rs"]
mod receive;

#[test]
fn the_corpus_of_receive_holds() {
    lancet_testing::corpus::replay("receive", receive::check);
}
