//! Which changes are to be reviewed, and what counts as seen.

use lancet::history::{ChangeKind, LogQuery, MarkQuery};
use lancet::review::{
    PAGE_CLIENT, ReviewTally, ReviewText, ReviewedFile, SHELL_CLIENT, group_files,
};
use lancet::undo::{Selection, UndoRequest};
use lancet::{Caller, Mode, RawCall};
use serde_json::json;

use crate::project::{
    call, database, edit, engine, hunk, hunks, is_all_seen, lines, named, only, project, read,
    reviews, write,
};

#[test]
fn several_operations_are_one_difference_by_session_and_prompt() {
    let project = project();
    let path = project.put("a.txt", lines());
    let lancet = engine(&project);
    let history = lancet.history().expect("kept");
    let (one, two) = (named(&lancet, "one"), named(&lancet, "two"));
    history
        .record_prompt("one", "change the fifth line")
        .expect("kept");
    edit(&one, &path, "line 5.\n", "LINE 5.\n");
    history.record_prompt("one", "and the rest").expect("kept");
    edit(&one, &path, "line 20.\n", "LINE 20.\n");
    write(&two, &project.path("new.txt"), "new\n");
    edit(&two, &path, "line 35.\n", "LINE 35.\n");

    let list = reviews(&project).list(10).expect("read");
    assert_eq!(list.files.len(), 2);
    let file = &list.files[0];
    assert_eq!((file.path.as_path(), hunks(file)), (path.as_path(), 3));
    assert_eq!(file.kind, ChangeKind::Update);
    let prompts: Vec<_> = file
        .contributions
        .iter()
        .map(|one| one.prompt.as_ref().map(|mark| mark.prompt.as_str()))
        .collect();
    assert_eq!(
        prompts,
        [None, Some("and the rest"), Some("change the fifth line")]
    );
    let groups = group_files(&list.files);
    assert_eq!(groups.len(), 1);
    assert_eq!((groups[0].session, groups[0].files.len()), ("two", 2));
    assert_eq!(list.files[1].kind, ChangeKind::Create);
    assert!(
        history
            .recorded_prompts(&MarkQuery::default())
            .expect("read")
            .len()
            == 2
    );
}

#[test]
fn the_look_moves_to_exactly_what_was_shown() {
    let project = project();
    let path = project.put("a.txt", lines());
    let session = named(&engine(&project), "agent");
    edit(&session, &path, "line 5.\n", "LINE 5.\n");
    let shown = only(&project);
    // Something newer is written before the click.
    edit(&session, &path, "line 30.\n", "LINE 30.\n");
    assert!(
        reviews(&project)
            .mark_seen(&path, &shown.operation)
            .expect("kept")
    );
    let left = only(&project);
    assert_eq!(hunks(&left), 1);
    assert_eq!(left.before, shown.after);
    // An older look of another window changes nothing.
    reviews(&project)
        .mark_seen(&path, &left.operation)
        .expect("kept");
    reviews(&project)
        .mark_seen(&path, &shown.operation)
        .expect("kept");
    assert!(is_all_seen(&project));
    // No file of the operation, or no operation.
    let other = project.path("b.txt");
    assert!(
        !reviews(&project)
            .mark_seen(&other, &left.operation)
            .expect("read")
    );
    assert!(!reviews(&project).mark_seen(&path, "zz").expect("read"));
}

#[test]
fn all_is_seen_up_to_what_was_listed() {
    let project = project();
    let session = named(&engine(&project), "agent");
    for name in ["a.txt", "b.txt", "c.txt"] {
        write(&session, &project.path(name), "text\n");
    }
    let list = reviews(&project).list(1).expect("read");
    assert_eq!((list.files.len(), list.others.len()), (1, 2));
    write(&session, &project.path("d.txt"), "later\n");
    let marked = reviews(&project).mark_all_seen(list.upto).expect("kept");
    assert_eq!(marked.files, 3);
    assert_eq!(only(&project).path, project.path("d.txt"));
}

#[test]
fn a_look_can_be_taken_back() {
    let project = project();
    let path = project.put("a.txt", lines());
    let session = named(&engine(&project), "agent");
    edit(&session, &path, "line 5.\n", "LINE 5.\n");
    let first = only(&project);
    let of = |shown: &ReviewedFile| [(path.clone(), shown.operation.clone())];
    let review = reviews(&project);
    let never_before = review.mark_each_seen(&of(&first)).expect("kept");
    assert_eq!(never_before.files, 1);
    edit(&session, &path, "line 30.\n", "LINE 30.\n");
    let second = review.mark_each_seen(&of(&only(&project))).expect("kept");
    assert!(is_all_seen(&project));
    // An older mark is no longer the last one.
    assert_eq!(review.mark_unseen(&never_before).expect("read"), 0);
    assert_eq!(review.mark_unseen(&second).expect("kept"), 1);
    assert_eq!(only(&project).before, first.after);
    assert_eq!(review.mark_unseen(&second).expect("read"), 0);
    assert_eq!(review.mark_unseen(&never_before).expect("kept"), 1);
    assert_eq!(hunks(&only(&project)), 2);
}

#[test]
fn what_was_read_before_it_was_written_is_seen_unless_there_is_more() {
    let project = project();
    let path = project.put("a.txt", lines());
    let lancet = engine(&project);
    let session = named(&lancet, "agent");
    edit(&session, &path, "line 5.\n", "LINE 5.\n");
    let newest = || {
        let history = lancet.history().expect("kept");
        history.log(&LogQuery::default()).expect("read").remove(0)
    };
    let review = reviews(&project);
    assert_eq!(
        review.mark_read_operation(&newest()).expect("kept").files,
        1
    );
    assert!(is_all_seen(&project));
    // Of two changes the person has read the second alone.
    edit(&session, &path, "line 30.\n", "LINE 30.\n");
    edit(&session, &path, "line 39.\n", "LINE 39.\n");
    assert_eq!(
        review.mark_read_operation(&newest()).expect("read").files,
        0
    );
    assert_eq!(hunks(&only(&project)), 2);
}

#[test]
fn what_is_as_it_was_needs_no_look() {
    let project = project();
    let path = project.put("a.txt", lines());
    let lancet = engine(&project);
    let session = named(&lancet, "agent");
    edit(&session, &path, "line 5.\n", "LINE 5.\n");
    edit(&session, &path, "LINE 5.\n", "line 5.\n");
    assert!(reviews(&project).list(10).expect("read").files.is_empty());
    let mut tally = ReviewTally::default();
    let mut count = || {
        reviews(&project)
            .count_files_to_review(&mut tally)
            .expect("read")
    };
    assert_eq!(count(), 0);
    // Another window's look at what was written in between changes the difference.
    let first = &lancet.history().expect("kept").log(&LogQuery::default());
    let first = &first.as_ref().expect("read")[1].id;
    reviews(&project).mark_seen(&path, first).expect("kept");
    assert_eq!(count(), 1);
    reviews(&project)
        .mark_seen(&path, &only(&project).operation)
        .expect("kept");
    assert_eq!(count(), 0);
    // Nor does what a person has undone at the shell.
    edit(&session, &path, "line 6.\n", "LINE 6.\n");
    assert_eq!((count(), count()), (1, 1));
    let shell = Caller::client("lancet", "1");
    let reply = lancet
        .new_session()
        .undo_or_redo(UndoRequest::undo(Selection::Newest), shell);
    assert!(!reply.is_error(), "{}", reply.text());
    assert!(reviews(&project).list(10).expect("read").files.is_empty());
    assert_eq!(count(), 0);
    edit(&session, &path, "line 7.\n", "LINE 7.\n");
    assert_eq!((count(), hunks(&only(&project))), (1, 1));
}

#[test]
fn a_hunk_taken_back_leaves_nothing_to_count() {
    let project = project();
    let path = project.put("a.txt", lines());
    edit(
        &named(&engine(&project), "agent"),
        &path,
        "line 5.\n",
        "LINE 5.\n",
    );
    let reply = reviews(&project).undo_hunk(hunk(&only(&project), 0));
    assert!(!reply.is_error(), "{}", reply.text());
    assert!(is_all_seen(&project));
    let count = reviews(&project).count_files_to_review(&mut ReviewTally::default());
    assert_eq!(count.expect("read"), 0);
}

#[test]
fn a_program_cannot_name_itself_like_a_persons_own_changes() {
    let project = project();
    let lancet = engine(&project);
    for name in [PAGE_CLIENT, SHELL_CLIENT] {
        let path = project.path(format!("{name}.txt"));
        let arguments = json!({ "file_path": path, "content": "text\n" });
        let caller = Caller::from_self_reported(name, "1");
        let reply = lancet
            .new_session()
            .call(RawCall::new("Write", arguments).with_caller(caller.clone()));
        assert!(!reply.is_error(), "{}", reply.text());
        let written = only(&project);
        assert!(!written.contributions[0].is_a_persons);
        reviews(&project)
            .mark_seen(&path, &written.operation)
            .expect("kept");
        // Undo is what counts as a person's at the shell.
        let undo = UndoRequest::undo(Selection::Newest);
        let reply = lancet.new_session().undo_or_redo(undo, caller);
        assert!(!reply.is_error(), "{}", reply.text());
        let undone = only(&project);
        assert_eq!(undone.kind, ChangeKind::Delete);
        reviews(&project)
            .mark_seen(&path, &undone.operation)
            .expect("kept");
    }
}

#[test]
fn a_persons_own_undo_is_the_new_ground_of_the_review() {
    let project = project();
    let path = project.put("a.txt", lines());
    let lancet = engine(&project);
    let session = named(&lancet, "agent");
    edit(&session, &path, "line 5.\n", "LINE 5.\n");
    let seen = only(&project);
    reviews(&project)
        .mark_seen(&path, &seen.operation)
        .expect("kept");
    let undo = UndoRequest::undo(Selection::Newest);
    lancet
        .new_session()
        .undo_or_redo(undo, Caller::client("lancet page", "1"));
    assert!(is_all_seen(&project));
    edit(&session, &path, "line 30.\n", "LINE 30.\n");
    assert_eq!(hunks(&only(&project)), 1);
    // An edit at the shell may be an agent's.
    let command = lancet.new_session();
    read(&command, &path);
    reviews(&project)
        .mark_seen(&path, &only(&project).operation)
        .expect("kept");
    edit(&command, &path, "line 31.\n", "LINE 31.\n");
    assert_eq!(hunks(&only(&project)), 1);
}

#[test]
fn created_deleted_moved_and_binary_files_have_their_entries() {
    let project = project();
    let gone = project.put("gone.txt", "one\ntwo\n");
    let old = project.put("old.txt", lines());
    let lancet = lancet::Lancet::builder()
        .root(&project.root)
        .state_dir(&project.state)
        .mode(Mode::AcceptEdits)
        .tools(["all"])
        .open()
        .expect("opened");
    let all = named(&lancet, "agent");
    read(&all, &gone);
    let deleted = call(&all, "DeleteFile", json!({ "file_path": gone }));
    assert!(!deleted.is_error(), "{}", deleted.text());
    edit(&all, &old, "line 5.\n", "LINE 5.\n");
    let new = project.path("new.txt");
    let moved = call(
        &all,
        "MoveFile",
        json!({ "from_path": old, "to_path": new }),
    );
    assert!(!moved.is_error(), "{}", moved.text());
    edit(&all, &new, "line 30.\n", "LINE 30.\n");

    let list = reviews(&project).list(10).expect("read");
    let kinds: Vec<_> = list.files.iter().map(|file| file.kind).collect();
    assert_eq!(kinds, [ChangeKind::Move, ChangeKind::Delete]);
    let moved = &list.files[0];
    assert_eq!(moved.moved_from.as_deref(), Some("old.txt".as_ref()));
    assert_eq!(hunks(moved), 2);
    reviews(&project)
        .mark_seen(&moved.path, &moved.operation)
        .expect("kept");
    let left = only(&project);
    assert_eq!((left.kind, hunks(&left)), (ChangeKind::Delete, 1));
}

#[test]
fn what_rules_forbid_to_show_is_named_alone() {
    let project = project();
    write(
        &named(&engine(&project), "agent"),
        &project.path("a.note"),
        "word\n",
    );
    let strict = lancet::Lancet::builder()
        .root(&project.root)
        .state_dir(&project.state)
        .deny("Read(**/*.note)")
        .open()
        .expect("opened");
    let list = strict.review().expect("kept").list(10).expect("read");
    assert!(matches!(list.files[0].text, ReviewText::Withheld));
    assert!(!format!("{list:?}").contains("word"));
}

#[test]
fn where_the_last_look_is_not_kept_the_operations_are_shown() {
    let project = project();
    let path = project.put("a.txt", lines());
    let session = named(&engine(&project), "agent");
    edit(&session, &path, "line 5.\n", "LINE 5.\n");
    let seen = only(&project);
    reviews(&project)
        .mark_seen(&path, &seen.operation)
        .expect("kept");
    let between: String = lines().replace("line 5.", "line five.");
    project.put("a.txt", &between);
    edit(&session, &path, "line 30.\n", "LINE 30.\n");
    // The operation that left the seen content is removed, and with it the content.
    drop(session);
    let database = database(&project);
    database
        .execute("DELETE FROM operations WHERE id = ?1", [&seen.operation])
        .expect("removed");
    database
        .execute(
            "DELETE FROM contents WHERE revision = ?1",
            [seen.after.expect("a revision")],
        )
        .expect("removed");
    drop(database);
    let ReviewText::ByOperation(patches) = only(&project).text else {
        panic!("{:?}", only(&project).text);
    };
    assert_eq!(patches.len(), 1);
    assert!(
        patches[0]
            .1
            .as_ref()
            .is_some_and(|patch| patch.contains("+LINE 30.")),
        "{patches:?}"
    );
}
