//! Replays everything that the fuzz targets `encoding` and `ladder` have learned, on stable.

#[path = "../../../fuzz/checks/encoding.rs"]
mod encoding;
#[path = "../../../fuzz/checks/ladder.rs"]
mod ladder;

fn replay(target: &str, check: fn(&[u8])) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let mut replayed = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus is there") {
        check(&std::fs::read(entry.expect("an entry").path()).expect("a file"));
        replayed += 1;
    }
    assert!(replayed > 10, "only {replayed} files");
}

#[test]
fn the_corpus_of_encoding_holds() {
    replay("encoding", encoding::check);
}

#[test]
fn the_corpus_of_ladder_holds() {
    replay("ladder", ladder::check);
}
