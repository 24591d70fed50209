//! Replays everything that the fuzz target `receive` has learned, on stable.

#[path = "../../../fuzz/checks/receive.rs"]
mod receive;

#[test]
fn the_corpus_of_receive_holds() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/receive");
    let mut replayed = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus is there") {
        receive::check(&std::fs::read(entry.expect("an entry").path()).expect("a file"));
        replayed += 1;
    }
    assert!(replayed > 10, "only {replayed} files");
}
