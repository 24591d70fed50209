//! An engine whose records are in another store than the database of its state folder.

use lancet::history::LogQuery;
use lancet::tools::{EditArguments, WriteArguments};
use lancet::undo::{Selection, UndoRequest};
use lancet::{Caller, Lancet, Mode};
use lancet_history::{LogQuery as StoreQuery, RecordStore as _, Store};
use lancet_testing::TestFolder;

#[test]
fn records_go_to_the_store_that_was_handed_in_and_an_undo_finds_them_there() {
    let (folder, state, elsewhere) = (TestFolder::new(), TestFolder::new(), TestFolder::new());
    let lancet = Lancet::builder()
        .root(folder.path())
        .state_dir(state.path())
        .history(Store::new(elsewhere.path()))
        .mode(Mode::AcceptEdits)
        .open()
        .expect("opened");
    let session = lancet.new_session();
    let file = folder.path().join("a.txt");
    session.write(WriteArguments::new(&file, "old\n"));
    session.edit(EditArguments::new(&file, "old", "new"));
    assert_eq!(std::fs::read(&file).expect("there"), b"new\n");
    let recorded = |at: &TestFolder| {
        let found = Store::new(at.path()).query_log(&StoreQuery::default());
        found.expect("read").len()
    };
    assert_eq!((recorded(&elsewhere), recorded(&state)), (2, 0));
    session.undo_or_redo(UndoRequest::undo(Selection::Newest), Caller::default());
    assert_eq!(std::fs::read(&file).expect("there"), b"old\n");
    let history = lancet.history().expect("there");
    assert_eq!(history.log(&LogQuery::default()).expect("read").len(), 3);
}
