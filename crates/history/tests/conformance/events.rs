//! Tests of events, stopped and open sessions, and marks.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use lancet_history::{
    AnnounceConflict, EventKind, HistoryError, MarkQuery, OperationKind, QuestionDraft,
    RecordedFact, SessionBegin,
};

use super::Records;
use super::drafts::{begin, draft, file, record, whole};

/// Returns the events after a number: operation and path of a change, otherwise the name of the kind.
fn events(store: &dyn Records, since: i64) -> Vec<String> {
    let page = store.events(since, 100).expect("read");
    let events = page.events.into_iter().map(|event| match event.fact {
        RecordedFact::Changed { operation, file } => {
            format!("{} {}", operation.id, operation.files[file].path.display())
        }
        RecordedFact::Other(kind, _) => kind.as_str().to_owned(),
        _ => "unknown".to_owned(),
    });
    events.collect()
}

pub(crate) fn events_are_numbered_in_the_order_in_which_facts_are_recorded(store: &dyn Records) {
    let two = vec![
        file("/p/b", None, whole(b"b")),
        file("/p/a", None, whole(b"a")),
    ];
    let (one, other) = (
        draft("one", two),
        draft("other", vec![file("/p/c", None, whole(b"c"))]),
    );
    let mut late = draft("late", vec![file("/p/d", None, whole(b"d"))]);
    late.kind = OperationKind::Late;
    for announced in [&one, &other, &late] {
        begin(store, announced);
    }
    assert_eq!(events(store, 0), [] as [&str; 0], "nothing was carried out");
    for finished in [&other, &late, &one] {
        let _ = store.finish(finished).expect("finished");
    }
    assert_eq!(events(store, 0), ["other /p/c", "one /p/b", "one /p/a"]);
    assert_eq!(events(store, 2), ["one /p/a"]);
    let page = store.events(1, 1).expect("read");
    assert_eq!((page.events.len(), page.newest), (1, 3));
    assert_eq!(page.events[0].seq, 2);
    assert_eq!(store.last_event_of_operation("one").expect("read"), Some(3));
    assert_eq!(store.last_event_of_operation("late").expect("read"), None);
}

pub(crate) fn a_reader_that_has_seen_a_number_has_seen_all_smaller_ones(store: &dyn Records) {
    const WRITERS: usize = 4;
    const EACH: usize = 20;
    let is_done = AtomicBool::new(false);
    let seen = thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let (mut seen, mut since) = (Vec::new(), 0);
            loop {
                let is_last = is_done.load(Ordering::Acquire);
                let page = store.events(since, 7).expect("read");
                seen.extend(page.events.iter().map(|event| event.seq));
                since = page.events.last().map_or(since, |event| event.seq);
                if is_last && page.events.is_empty() {
                    return seen;
                }
            }
        });
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                scope.spawn(move || {
                    for number in 0..EACH {
                        let id = format!("{writer}-{number}");
                        let files = vec![file("/p/a", whole(b"0"), whole(b"1"))];
                        record(store, &draft(&id, files));
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().expect("written");
        }
        is_done.store(true, Ordering::Release);
        reader.join().expect("read")
    });
    let expected: Vec<i64> = (1..=(WRITERS * EACH) as i64).collect();
    assert_eq!(seen, expected);
    let found = store.query_log(&lancet_history::LogQuery::default());
    let found = found.expect("read");
    let numbers: BTreeSet<i64> = found.iter().map(|operation| operation.sequence).collect();
    assert_eq!(numbers.len(), WRITERS * EACH, "no number is given twice");
    let newest_first = found.windows(2);
    let mut ordered = newest_first.map(|pair| pair[0].sequence > pair[1].sequence);
    assert!(ordered.all(|is_ordered| is_ordered));
}

pub(crate) fn a_stop_holds_at_the_announcement_and_for_the_session_that_asked(store: &dyn Records) {
    let asked = store.record_question(&QuestionDraft {
        id: "q1",
        call: [1; 32],
        plan: [1; 32],
        workspace: None,
        event: "{}",
        author: lancet_history::OperationAuthor {
            session: "asker",
            ..lancet_history::OperationAuthor::default()
        },
        tool: "Edit",
        arguments: b"",
        shown: b"",
        files: Vec::new(),
        renews: None,
    });
    assert_eq!(asked.expect("asked"), lancet_history::AskOutcome::Recorded);
    let _ = store
        .record_decision("q1", true, b"", "a person", "{}")
        .expect("decided");
    assert!(
        store
            .stop_session("asker", "a person", Some("wait"))
            .expect("stopped")
    );
    assert!(
        !store
            .stop_session("asker", "another", None)
            .expect("stopped")
    );
    let stop = store.session_stop("asker").expect("read").expect("stopped");
    assert_eq!(
        (stop.by.as_str(), stop.words.as_deref()),
        ("a person", Some("wait"))
    );
    let mut change = draft("one", vec![file("/p/a", None, whole(b"1"))]);
    change.question = Some("q1");
    let begun = store.begin(&change);
    assert!(matches!(
        begun,
        Err(HistoryError::Conflict(AnnounceConflict::Stopped(stop))) if stop.session == "asker"
    ));
    change.kind = OperationKind::Late;
    change.question = None;
    change.author.session = "asker";
    record(store, &change);
    assert!(store.resume_session("asker", "a person").expect("resumed"));
    assert!(!store.resume_session("asker", "a person").expect("resumed"));
    let mut change = draft("two", vec![file("/p/a", None, whole(b"1"))]);
    change.author.session = "asker";
    record(store, &change);
    assert_eq!(store.all_stops().expect("read"), []);
}

pub(crate) fn a_session_that_is_begun_twice_ends_with_the_last(store: &dyn Records) {
    let begin = SessionBegin {
        session: "talk",
        client: Some("agent"),
        version: None,
        workspace: None,
        body: "{}",
    };
    let sessions = || {
        let open = store.open_sessions().expect("read");
        open.into_iter().any(|open| open.session == "talk")
    };
    let told = || {
        let page = store.events(0, 100).expect("read");
        let facts = page.events.into_iter().map(|event| event.fact);
        facts
            .filter(|fact| matches!(fact, RecordedFact::Other(EventKind::Session, _)))
            .count()
    };
    store.begin_session(&begin).expect("begun");
    store.begin_session(&begin).expect("begun");
    assert_eq!((sessions(), told()), (true, 1));
    store.end_session("talk").expect("ended");
    assert_eq!((sessions(), told()), (true, 1));
    store.end_session("talk").expect("ended");
    assert_eq!((sessions(), told()), (false, 2));
    store.end_sessions_of_ended_processes().expect("looked");
    assert_eq!(told(), 2);
}

pub(crate) fn a_mark_has_the_number_of_the_newest_operation(store: &dyn Records) {
    store
        .record_prompt("talk", "first\nprompt")
        .expect("marked");
    record(store, &draft("one", vec![file("/p/a", None, whole(b"1"))]));
    store.record_prompt("talk", "second").expect("marked");
    store.record_prompt("other", "third").expect("marked");
    let newest = store.query_log(&lancet_history::LogQuery::default());
    let newest = newest.expect("read")[0].sequence;
    let marks = |query: MarkQuery| {
        let found = store.prompt_marks(&query).expect("read").into_iter();
        found
            .map(|mark| (mark.prompt, mark.sequence))
            .collect::<Vec<_>>()
    };
    let of_talk = MarkQuery {
        session: Some("talk".into()),
        ..MarkQuery::default()
    };
    let expected = [("second".to_owned(), newest), ("first".to_owned(), 0)];
    assert_eq!(marks(of_talk), expected);
    let below = MarkQuery {
        below: vec!["/p".into()],
        ..MarkQuery::default()
    };
    assert_eq!(marks(below), expected, "the other session changed nothing");
    store.report_session("7:1", "talk").expect("reported");
    let reported = store.reported_session("7:1").expect("read");
    assert_eq!(reported.as_deref(), Some("talk"));
}
