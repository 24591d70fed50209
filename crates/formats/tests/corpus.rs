//! Replays the collected corpus of the fuzz targets `notebook` and `picture`, on stable.

#[path = "../../../fuzz/checks/notebook.rs"]
mod notebook;
#[path = "../../../fuzz/checks/picture.rs"]
mod picture;

use lancet_testing::corpus::replay;

#[test]
fn the_corpus_of_notebooks_holds() {
    replay("notebook", notebook::check);
}

#[test]
fn the_corpus_of_pictures_holds() {
    replay("picture", picture::check);
}
