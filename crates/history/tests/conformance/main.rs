//! The requirements for every store of records, as functions over the traits. Each runs on the store in SQLite and on
//! the one in memory; a new store is added by a line in `on_every_store`.

mod drafts;
mod events;
mod operations;
mod questions;

use lancet_history::memory::MemoryHistory;
use lancet_history::{
    ActivityStore, ContentStore, EventStore, MarkStore, QuestionStore, RecordStore, Store,
};
use lancet_testing::TestFolder;

/// A store of records as these tests see it.
pub(crate) trait Records:
    RecordStore + ContentStore + QuestionStore + EventStore + ActivityStore + MarkStore
{
}

impl<S> Records for S where
    S: RecordStore + ContentStore + QuestionStore + EventStore + ActivityStore + MarkStore
{
}

/// Runs a test function on an empty store of each kind.
fn on_every_store(law: fn(&dyn Records)) {
    let folder = TestFolder::new();
    law(&Store::new(folder.path()));
    law(&MemoryHistory::new());
}

/// Generates a test for each of these functions.
macro_rules! laws {
    ($($module:ident :: $law:ident,)*) => {
        $(
            #[test]
            fn $law() {
                on_every_store($module::$law);
            }
        )*
    };
}

laws! {
    operations::an_operation_is_in_the_log_once_it_is_finished,
    operations::a_content_is_found_by_its_hash_whole_or_as_an_edit,
    operations::a_displaced_file_becomes_the_content_that_was_announced,
    operations::an_id_that_is_taken_overwrites_nothing,
    operations::a_change_of_two_projects_is_listed_in_each_if_one_file_is_enough,
    operations::an_abandoned_operation_leaves_nothing_behind,
    operations::undo_redo_and_undo_again_change_what_can_be_reversed,
    operations::a_folder_is_removed_with_the_last_change_that_has_a_file_in_it,
    operations::the_log_is_filtered_and_an_id_is_found_by_either_end,
    operations::an_operation_that_was_not_announced_is_inserted_when_it_is_finished,
    questions::a_question_is_decided_once,
    questions::a_yes_is_used_up_by_the_announcement_and_given_back_with_it,
    questions::a_refused_announcement_uses_no_yes_up,
    questions::the_same_question_is_asked_once_and_a_renewed_one_takes_its_place,
    questions::a_no_is_told_once_and_amended_before,
    events::events_are_numbered_in_the_order_in_which_facts_are_recorded,
    events::a_reader_that_has_seen_a_number_has_seen_all_smaller_ones,
    events::a_stop_holds_at_the_announcement_and_for_the_session_that_asked,
    events::a_session_that_is_begun_twice_ends_with_the_last,
    events::a_mark_has_the_number_of_the_newest_operation,
}

#[test]
fn what_an_ended_process_announced_is_unfinished_for_the_others() {
    // Processes of the store in SQLite are real ones, which tests/operations.rs and tests/processes.rs test.
    let store = MemoryHistory::new();
    let ended = store.as_other_process();
    let files = vec![drafts::file(
        "/p/a",
        drafts::whole(b"0"),
        drafts::whole(b"1"),
    )];
    drafts::begin(&ended, &drafts::draft("one", files));
    assert_eq!(store.unfinished_operations().expect("read"), []);
    drop(ended);
    let left = store.unfinished_operations().expect("read");
    assert_eq!(left.len(), 1);
    let settled = store.settle_unfinished(&left[0], lancet_history::OperationState::Done, &[0]);
    assert!(settled.expect("settled").is_empty());
    assert_eq!(drafts::log(&store), ["one"]);
}
