//! Questions, their decisions, and the announcements that use them up.

use lancet_history::{
    AnnounceConflict, AskOutcome, DecideOutcome, HistoryError, OperationAuthor, OperationDraft,
    QuestionDraft, QuestionState,
};

use super::Records;
use super::drafts::{begin, draft, file, whole};

fn question<'a>(id: &'a str, call: u8, plan: u8) -> QuestionDraft<'a> {
    QuestionDraft {
        id,
        call: [call; 32],
        plan: [plan; 32],
        workspace: None,
        event: "{}",
        author: OperationAuthor {
            session: "talk",
            ..OperationAuthor::default()
        },
        tool: "Edit",
        arguments: b"arguments",
        shown: b"shown",
        files: Vec::new(),
        renews: None,
    }
}

fn ask(store: &dyn Records, draft: &QuestionDraft<'_>) {
    assert_eq!(
        store.record_question(draft).expect("asked"),
        AskOutcome::Recorded
    );
}

fn decide(store: &dyn Records, id: &str, approves: bool) -> DecideOutcome {
    let decided = store.record_decision(id, approves, b"words", "a person", "{}");
    decided.expect("decided")
}

fn state(store: &dyn Records, id: &str) -> QuestionState {
    let found = store.find_question(id).expect("read");
    found.expect("there").state
}

fn answering<'a>(id: &'a str, question: &'a str) -> OperationDraft<'a> {
    OperationDraft {
        question: Some(question),
        ..draft(id, vec![file("/p/a", whole(b"0"), whole(b"1"))])
    }
}

pub(crate) fn a_question_is_decided_once(store: &dyn Records) {
    ask(store, &question("q1", 1, 1));
    assert_eq!(store.open_question_ids(&[]).expect("read"), ["q1"]);
    assert_eq!(
        store.call_arguments("q1").expect("read"),
        Some(b"arguments".to_vec())
    );
    assert_eq!(decide(store, "q1", true), DecideOutcome::Counts);
    let late = DecideOutcome::TooLate(QuestionState::Approved);
    assert_eq!(decide(store, "q1", false), late);
    assert_eq!(decide(store, "none", true), DecideOutcome::Unknown);
    assert_eq!(state(store, "q1"), QuestionState::Approved);
    let record = store.find_question_of_call(&[1; 32]).expect("read");
    let decision = record.and_then(|record| record.decision).expect("decided");
    assert_eq!(
        (decision.words.as_slice(), decision.by.as_str()),
        (&b"words"[..], "a person")
    );
    let closed = store.closed_questions(&["q1".to_owned()]);
    assert_eq!(closed.expect("read"), ["q1"]);
}

pub(crate) fn a_yes_is_used_up_by_the_announcement_and_given_back_with_it(store: &dyn Records) {
    ask(store, &question("q1", 1, 1));
    decide(store, "q1", true);
    begin(store, &answering("one", "q1"));
    assert_eq!(state(store, "q1"), QuestionState::Used);
    let used_up = |id| {
        let begun = store.begin(&answering(id, "q1"));
        matches!(begun, Err(HistoryError::Conflict(AnnounceConflict::UsedUp(question))) if question == "q1")
    };
    assert!(used_up("two"), "it was for one write");
    assert_eq!(
        store
            .remove_not_carried_out("one")
            .expect("abandoned")
            .len(),
        0
    );
    assert_eq!(state(store, "q1"), QuestionState::Approved);
    begin(store, &answering("three", "q1"));
    let _ = store.finish(&answering("three", "q1")).expect("finished");
    assert!(used_up("four"));
    let record = store.find_question("q1").expect("read").expect("there");
    assert_eq!(record.followed_by.as_deref(), Some("three"));
}

pub(crate) fn a_refused_announcement_uses_no_yes_up(store: &dyn Records) {
    ask(store, &question("q1", 1, 1));
    let begun = store.begin(&answering("one", "q1"));
    assert!(
        matches!(
            begun,
            Err(HistoryError::Conflict(AnnounceConflict::UsedUp(_)))
        ),
        "nobody has said yes"
    );
    decide(store, "q1", true);
    begin(
        store,
        &draft("taken", vec![file("/p/b", None, whole(b"1"))]),
    );
    let begun = store.begin(&answering("taken", "q1"));
    assert!(matches!(
        begun,
        Err(HistoryError::Conflict(AnnounceConflict::Taken(_)))
    ));
    assert_eq!(state(store, "q1"), QuestionState::Approved);
    assert!(store.stop_session("talk", "a person", None).expect("set"));
    let begun = store.begin(&answering("one", "q1"));
    assert!(matches!(
        begun,
        Err(HistoryError::Conflict(AnnounceConflict::Stopped(_)))
    ));
    assert_eq!(state(store, "q1"), QuestionState::Approved);
}

pub(crate) fn the_same_question_is_asked_once_and_a_renewed_one_takes_its_place(
    store: &dyn Records,
) {
    ask(store, &question("q1", 1, 1));
    let again = store.record_question(&question("q2", 1, 1)).expect("asked");
    assert_eq!(again, AskOutcome::Known("q1".to_owned()));
    let taken = store.record_question(&question("q1", 1, 2)).expect("asked");
    assert_eq!(taken, AskOutcome::Taken);
    let renewed = QuestionDraft {
        renews: Some("q1"),
        ..question("q2", 1, 2)
    };
    ask(store, &renewed);
    assert_eq!(state(store, "q1"), QuestionState::Superseded);
    assert_eq!(store.open_question_ids(&[]).expect("read"), ["q2"]);
    store.withdraw_question("q2").expect("withdrawn");
    assert_eq!(state(store, "q2"), QuestionState::Superseded);
}

pub(crate) fn a_no_is_told_once_and_amended_before(store: &dyn Records) {
    ask(store, &question("q1", 1, 1));
    assert!(
        !store.amend_rejection("q1", b"more").expect("asked"),
        "still open"
    );
    decide(store, "q1", false);
    assert!(store.amend_rejection("q1", b"more").expect("amended"));
    assert!(store.mark_rejection_delivered("q1").expect("delivered"));
    assert!(!store.mark_rejection_delivered("q1").expect("asked"));
    assert!(!store.amend_rejection("q1", b"too late").expect("asked"));
    let record = store.find_question("q1").expect("read").expect("there");
    assert_eq!(record.decision.expect("decided").words, b"more");
}
