//! Replays everything that the fuzz targets `notebook` and `picture` have learned, on stable.

#[path = "../../../fuzz/checks/notebook.rs"]
mod notebook;
#[path = "../../../fuzz/checks/picture.rs"]
mod picture;

fn replay(target: &str, check: fn(&[u8])) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let mut replayed = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus is there") {
        let data = std::fs::read(entry.expect("an entry").path()).expect("a file");
        check(&data);
        replayed += 1;
    }
    assert!(replayed > 10, "only {replayed} files");
}

#[test]
fn the_corpus_of_notebooks_holds() {
    replay("notebook", notebook::check);
}

#[test]
fn the_corpus_of_pictures_holds() {
    replay("picture", picture::check);
}
