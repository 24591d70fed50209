//! Which changes are to be reviewed, and what counts as seen.

use lancet::history::{ChangeKind, LogQuery, MarkQuery};
use lancet::review::{PAGE_CLIENT, ReviewTally, ReviewText, SHELL_CLIENT, grouped};
use lancet::undo::{Selection, TakeBack};
use lancet::{Caller, Mode, RawCall};
use serde_json::json;

use crate::ground::{Ground, call, edit, hunk, hunks, lines, named, read, write};

#[test]
fn several_operations_are_one_difference_by_session_and_prompt() {
    let ground = Ground::new();
    let path = ground.put("a.txt", lines());
    let lancet = ground.engine();
    let history = lancet.history().expect("kept");
    let (one, two) = (named(&lancet, "one"), named(&lancet, "two"));
    history.mark("one", "change the fifth line").expect("kept");
    edit(&one, &path, "line 5.\n", "LINE 5.\n");
    history.mark("one", "and the rest").expect("kept");
    edit(&one, &path, "line 20.\n", "LINE 20.\n");
    write(&two, &ground.path("new.txt"), "new\n");
    edit(&two, &path, "line 35.\n", "LINE 35.\n");

    let list = ground.review().list(10).expect("read");
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
    let groups = grouped(&list.files);
    assert_eq!(groups.len(), 1);
    assert_eq!((groups[0].session, groups[0].files.len()), ("two", 2));
    assert_eq!(list.files[1].kind, ChangeKind::Create);
    assert!(history.marks(&MarkQuery::default()).expect("read").len() == 2);
}

#[test]
fn the_look_moves_to_exactly_what_was_shown() {
    let ground = Ground::new();
    let path = ground.put("a.txt", lines());
    let session = named(&ground.engine(), "agent");
    edit(&session, &path, "line 5.\n", "LINE 5.\n");
    let shown = ground.only();
    // Something newer is written before the click.
    edit(&session, &path, "line 30.\n", "LINE 30.\n");
    assert!(
        ground
            .review()
            .mark_seen(&path, &shown.operation)
            .expect("kept")
    );
    let left = ground.only();
    assert_eq!(hunks(&left), 1);
    assert_eq!(left.before, shown.after);
    // An older look of another window changes nothing.
    ground
        .review()
        .mark_seen(&path, &left.operation)
        .expect("kept");
    ground
        .review()
        .mark_seen(&path, &shown.operation)
        .expect("kept");
    assert!(ground.is_all_seen());
    // No file of the operation, or no operation.
    let other = ground.path("b.txt");
    assert!(
        !ground
            .review()
            .mark_seen(&other, &left.operation)
            .expect("read")
    );
    assert!(!ground.review().mark_seen(&path, "zz").expect("read"));
}

#[test]
fn all_is_seen_up_to_what_was_listed() {
    let ground = Ground::new();
    let session = named(&ground.engine(), "agent");
    for name in ["a.txt", "b.txt", "c.txt"] {
        write(&session, &ground.path(name), "text\n");
    }
    let list = ground.review().list(1).expect("read");
    assert_eq!((list.files.len(), list.others.len()), (1, 2));
    write(&session, &ground.path("d.txt"), "later\n");
    assert_eq!(ground.review().mark_all_seen(list.upto).expect("kept"), 3);
    assert_eq!(ground.only().path, ground.path("d.txt"));
}

#[test]
fn what_is_as_it_was_needs_no_look() {
    let ground = Ground::new();
    let path = ground.put("a.txt", lines());
    let lancet = ground.engine();
    let session = named(&lancet, "agent");
    edit(&session, &path, "line 5.\n", "LINE 5.\n");
    edit(&session, &path, "LINE 5.\n", "line 5.\n");
    assert!(ground.review().list(10).expect("read").files.is_empty());
    let mut tally = ReviewTally::default();
    let mut count = || ground.review().count(&mut tally).expect("read");
    assert_eq!(count(), 0);
    // Another window's look at what was written in between changes the difference.
    let first = &lancet.history().expect("kept").log(&LogQuery::default());
    let first = &first.as_ref().expect("read")[1].id;
    ground.review().mark_seen(&path, first).expect("kept");
    assert_eq!(count(), 1);
    ground
        .review()
        .mark_seen(&path, &ground.only().operation)
        .expect("kept");
    assert_eq!(count(), 0);
    // Nor does what a person has undone at the shell.
    edit(&session, &path, "line 6.\n", "LINE 6.\n");
    assert_eq!((count(), count()), (1, 1));
    let shell = Caller::client("lancet", "1");
    let reply = lancet
        .new_session()
        .take_back(TakeBack::undo(Selection::Newest), shell);
    assert!(!reply.is_error(), "{}", reply.text());
    assert!(ground.review().list(10).expect("read").files.is_empty());
    assert_eq!(count(), 0);
    edit(&session, &path, "line 7.\n", "LINE 7.\n");
    assert_eq!((count(), hunks(&ground.only())), (1, 1));
}

#[test]
fn a_hunk_taken_back_leaves_nothing_to_count() {
    let ground = Ground::new();
    let path = ground.put("a.txt", lines());
    edit(
        &named(&ground.engine(), "agent"),
        &path,
        "line 5.\n",
        "LINE 5.\n",
    );
    let reply = ground.review().take_back(hunk(&ground.only(), 0));
    assert!(!reply.is_error(), "{}", reply.text());
    assert!(ground.is_all_seen());
    let count = ground.review().count(&mut ReviewTally::default());
    assert_eq!(count.expect("read"), 0);
}

#[test]
fn a_program_cannot_name_itself_like_a_persons_own_changes() {
    let ground = Ground::new();
    let lancet = ground.engine();
    for name in [PAGE_CLIENT, SHELL_CLIENT] {
        let path = ground.path(&format!("{name}.txt"));
        let arguments = json!({ "file_path": path, "content": "text\n" });
        let caller = Caller::self_named(name, "1");
        let reply = lancet
            .new_session()
            .call(RawCall::new("Write", arguments).with_caller(caller.clone()));
        assert!(!reply.is_error(), "{}", reply.text());
        let written = ground.only();
        assert!(!written.contributions[0].is_a_persons);
        ground
            .review()
            .mark_seen(&path, &written.operation)
            .expect("kept");
        // Undo is what counts as a person's at the shell.
        let undo = TakeBack::undo(Selection::Newest);
        let reply = lancet.new_session().take_back(undo, caller);
        assert!(!reply.is_error(), "{}", reply.text());
        let undone = ground.only();
        assert_eq!(undone.kind, ChangeKind::Delete);
        ground
            .review()
            .mark_seen(&path, &undone.operation)
            .expect("kept");
    }
}

#[test]
fn a_persons_own_undo_is_the_new_ground_of_the_review() {
    let ground = Ground::new();
    let path = ground.put("a.txt", lines());
    let lancet = ground.engine();
    let session = named(&lancet, "agent");
    edit(&session, &path, "line 5.\n", "LINE 5.\n");
    let seen = ground.only();
    ground
        .review()
        .mark_seen(&path, &seen.operation)
        .expect("kept");
    let undo = TakeBack::undo(Selection::Newest);
    lancet
        .new_session()
        .take_back(undo, Caller::client("lancet page", "1"));
    assert!(ground.is_all_seen());
    edit(&session, &path, "line 30.\n", "LINE 30.\n");
    assert_eq!(hunks(&ground.only()), 1);
    // An edit at the shell may be an agent's.
    let command = lancet.new_session();
    read(&command, &path);
    ground
        .review()
        .mark_seen(&path, &ground.only().operation)
        .expect("kept");
    edit(&command, &path, "line 31.\n", "LINE 31.\n");
    assert_eq!(hunks(&ground.only()), 1);
}

#[test]
fn created_deleted_moved_and_binary_files_have_their_entries() {
    let ground = Ground::new();
    let gone = ground.put("gone.txt", "one\ntwo\n");
    let old = ground.put("old.txt", lines());
    let lancet = lancet::Lancet::builder()
        .root(ground.root())
        .state_dir(ground.state.path())
        .mode(Mode::AcceptEdits)
        .tools(["all"])
        .open()
        .expect("opened");
    let all = named(&lancet, "agent");
    read(&all, &gone);
    let deleted = call(&all, "DeleteFile", json!({ "file_path": gone }));
    assert!(!deleted.is_error(), "{}", deleted.text());
    edit(&all, &old, "line 5.\n", "LINE 5.\n");
    let new = ground.path("new.txt");
    let moved = call(
        &all,
        "MoveFile",
        json!({ "from_path": old, "to_path": new }),
    );
    assert!(!moved.is_error(), "{}", moved.text());
    edit(&all, &new, "line 30.\n", "LINE 30.\n");

    let list = ground.review().list(10).expect("read");
    let kinds: Vec<_> = list.files.iter().map(|file| file.kind).collect();
    assert_eq!(kinds, [ChangeKind::Move, ChangeKind::Delete]);
    let moved = &list.files[0];
    assert_eq!(moved.moved_from.as_deref(), Some("old.txt".as_ref()));
    assert_eq!(hunks(moved), 2);
    ground
        .review()
        .mark_seen(&moved.path, &moved.operation)
        .expect("kept");
    let left = ground.only();
    assert_eq!((left.kind, hunks(&left)), (ChangeKind::Delete, 1));
}

#[test]
fn what_rules_forbid_to_show_is_named_alone() {
    let ground = Ground::new();
    write(
        &named(&ground.engine(), "agent"),
        &ground.path("a.note"),
        "word\n",
    );
    let strict = lancet::Lancet::builder()
        .root(ground.root())
        .state_dir(ground.state.path())
        .deny("Read(**/*.note)")
        .open()
        .expect("opened");
    let list = strict.review().expect("kept").list(10).expect("read");
    assert!(matches!(list.files[0].text, ReviewText::Withheld));
    assert!(!format!("{list:?}").contains("word"));
}

#[test]
fn where_the_last_look_is_not_kept_the_operations_are_shown() {
    let ground = Ground::new();
    let path = ground.put("a.txt", lines());
    let session = named(&ground.engine(), "agent");
    edit(&session, &path, "line 5.\n", "LINE 5.\n");
    let seen = ground.only();
    ground
        .review()
        .mark_seen(&path, &seen.operation)
        .expect("kept");
    let between: String = lines().replace("line 5.", "line five.");
    ground.put("a.txt", &between);
    edit(&session, &path, "line 30.\n", "LINE 30.\n");
    // The operation that left the seen content is removed, and with it the content.
    drop(session);
    let database = ground.database();
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
    let ReviewText::ByOperation(patches) = ground.only().text else {
        panic!("{:?}", ground.only().text);
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
