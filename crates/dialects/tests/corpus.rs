//! Replays everything that the fuzz targets of the formats have learned, on stable.

#[path = "../../../fuzz/checks/dialects.rs"]
mod dialects;

use lancet_dialects::Dialect;

fn replay(target: &str, format: Option<Dialect>) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let mut replayed = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus is there") {
        let data = std::fs::read(entry.expect("an entry").path()).expect("a file");
        dialects::check(format, &data);
        dialects::check(None, &data);
        replayed += 1;
    }
    assert!(replayed > 10, "only {replayed} files");
}

#[test]
fn the_corpus_of_search_replace_holds() {
    replay("search_replace", Some(Dialect::SearchReplace));
}

#[test]
fn the_corpus_of_v4a_holds() {
    replay("v4a", Some(Dialect::V4a));
}

#[test]
fn the_corpus_of_unified_holds() {
    replay("unified", Some(Dialect::Unified));
}

#[test]
fn the_corpus_of_whole_holds() {
    replay("whole", Some(Dialect::Whole));
}

#[test]
fn the_corpus_of_detection_holds() {
    replay("detect", None);
}
