//! The guarantees of the library for programs that embed it: types that cross threads, errors that can be passed on,
//! rules in code, undo in one call, and calls as futures.

use std::error::Error;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use lancet::approval::{Answer, Question};
use lancet::call::SeenAs;
use lancet::tools::{EditArguments, ReadArguments, WriteArguments};
use lancet::{Builder, CallFuture, Lancet, Mode, OpenError, RawCall, RefusalKind, Session};
use lancet_testing::TestFolder;
use serde_json::json;

fn opened(change: impl FnOnce(Builder) -> Builder) -> (TestFolder, TestFolder, Lancet) {
    let (folder, state) = (TestFolder::new(), TestFolder::new());
    folder.put("a.txt", "one\ntwo\n");
    let builder = Lancet::builder()
        .root(folder.path())
        .state_dir(state.path())
        .mode(Mode::AcceptEdits);
    let lancet = change(builder).open().expect("opened");
    (folder, state, lancet)
}

#[test]
fn engine_and_session_cross_threads_and_show_themselves() {
    fn crosses<T: Send + Sync + 'static>() {}
    crosses::<Lancet>();
    crosses::<Session>();
    fn moves<T: Send + 'static>() {}
    moves::<CallFuture>();
    let (_folder, _state, lancet) = opened(|builder| builder);
    assert!(format!("{lancet:?}").starts_with("Lancet { roots: ["));
    assert!(format!("{:?}", lancet.new_session()).starts_with("Session { key: \"unnamed-"));
}

#[test]
fn a_refusal_is_an_error_that_can_be_passed_on() {
    let (folder, _state, lancet) = opened(|builder| builder);
    let look = || -> Result<(), Box<dyn Error>> {
        lancet.new_session().note_seen(folder.join("none"), "x")?;
        Ok(())
    };
    let error = look().expect_err("refused");
    let refusal = error.downcast_ref::<lancet::Refusal>().expect("a refusal");
    assert_eq!(refusal.kind(), RefusalKind::Missing);
    assert_eq!(refusal.kind().to_string(), "missing");
    assert_eq!(error.to_string(), refusal.text());
}

#[test]
fn rules_in_code_count_beside_those_of_settings() {
    let (folder, _state, lancet) = opened(|builder| {
        builder
            .deny("Edit(a.txt)")
            .mode(Mode::Ask)
            .allow("Edit(new/**)")
    });
    let session = lancet.new_session();
    session.read(ReadArguments::new(folder.join("a.txt")));
    let edit = EditArguments::new(folder.join("a.txt"), "one", "1");
    assert_eq!(session.edit(edit).refusal(), Some(RefusalKind::Denied));
    let write = WriteArguments::new(folder.join("new/b.txt"), "b\n");
    assert!(!session.write(write).is_error());
    let write = WriteArguments::new(folder.join("c.txt"), "c\n");
    assert_eq!(session.write(write).refusal(), Some(RefusalKind::Declined));
    let why = lancet.explain("a.txt", "Edit").expect("explained").because;
    assert!(why.contains("host, Builder::deny"), "{why}");
}

#[test]
fn a_rule_that_cannot_serve_is_named_when_the_engine_is_opened() {
    let folder = TestFolder::new();
    let opened = Lancet::builder().root(folder.path()).allow("Edit(").open();
    match opened {
        Err(OpenError::Rule { rule, .. }) => assert_eq!(rule, "Edit("),
        other => panic!("{other:?}"),
    }
}

#[test]
fn undo_takes_back_the_newest_and_undo_all_the_whole_session() {
    let (folder, _state, lancet) = opened(|builder| builder);
    let (session, other) = (lancet.new_session(), lancet.new_session());
    let write = |session: &Session, name: &str| {
        let reply = session.write(WriteArguments::new(folder.join(name), "text\n"));
        assert!(!reply.is_error(), "{}", reply.text());
        reply.data()["operation"]
            .as_str()
            .expect("an id")
            .to_owned()
    };
    let there = || ["x", "y", "z"].map(|name| folder.join(name).exists());
    write(&session, "x");
    write(&session, "y");
    let id = write(&other, "z");
    assert!(!session.undo().is_error());
    assert_eq!(there(), [true, false, true], "the session's own newest");
    write(&session, "y");
    let reply = session.undo_all();
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(there(), [false, false, true]);
    assert!(session.undo().is_error(), "nothing of this session is left");
    assert!(!session.undo_operation(&id).is_error());
    assert_eq!(there(), [false, false, false]);
}

#[test]
fn what_a_host_showed_is_counted_and_said() {
    let (folder, _state, lancet) = opened(|builder| builder);
    let path = folder.join("a.txt");
    let session = lancet.new_session();
    let seen = |text| session.note_seen(&path, text).expect("taken in");
    assert_eq!(seen("tw"), SeenAs::PartialView);
    assert_eq!(seen("two\n"), SeenAs::WholeLines);
    assert_eq!(seen("o"), SeenAs::NothingNew);
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<T>(mut future: Pin<&mut impl Future<Output = T>>) -> T {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(answer) => return answer,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[test]
fn a_call_is_a_future_that_answers_like_the_call() {
    let (folder, _state, lancet) = opened(|builder| builder);
    let arguments = json!({ "file_path": folder.join("a.txt") });
    let call = RawCall::new("Read", arguments.clone());
    let reply = block_on(pin!(lancet.new_session().call_async(call)));
    let same = lancet.new_session().call(RawCall::new("Read", arguments));
    assert_eq!(reply.text(), same.text());
}

#[test]
fn a_future_that_is_dropped_cancels_its_call() {
    let (folder, _state, lancet) = opened(|builder| builder);
    let call = RawCall::new("Read", json!({ "file_path": folder.join("a.txt") }));
    let cancel = call.cancel.clone();
    drop(lancet.new_session().call_async(call.clone()));
    assert!(cancel.stopped().is_none(), "a call that never began");
    let mut future = Box::pin(lancet.new_session().call_async(call));
    let _ = future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()));
    drop(future);
    assert_eq!(cancel.stopped(), Some(lancet::call::Stopped::Cancelled));
}

#[test]
fn typed_calls_are_futures_too() {
    let (folder, _state, lancet) = opened(|builder| builder);
    let session = lancet.new_session();
    let path = folder.join("a.txt");
    let read = block_on(pin!(session.read_async(ReadArguments::new(&path))));
    assert!(read.text().starts_with("1→one\n"), "{}", read.text());
    let edit = EditArguments::new(&path, "one", "1");
    assert!(!block_on(pin!(session.edit_async(edit))).is_error());
    let write = WriteArguments::new(folder.join("b.txt"), "b\n");
    assert!(!block_on(pin!(session.write_async(write))).is_error());
    assert_eq!(folder.text("a.txt"), "1\ntwo\n");
    assert!(!block_on(pin!(session.undo_all_async())).is_error());
    assert_eq!(folder.text("a.txt"), "one\ntwo\n");
    assert!(!folder.join("b.txt").exists());
}

#[test]
fn a_typed_future_that_is_dropped_cancels_its_call() {
    let (folder, _state, lancet) = opened(|builder| builder);
    let (begun, begins) = std::sync::mpsc::channel();
    let (go, goes) = std::sync::mpsc::channel::<()>();
    let path = folder.join("a.txt");
    let session = lancet.new_session();
    session.read(ReadArguments::new(&path));
    let (done, ends) = std::sync::mpsc::channel();
    let mut future = Box::pin(session.run_async(move |session| {
        begun.send(()).expect("sent");
        goes.recv().expect("received");
        let reply = session.edit(EditArguments::new(&path, "one", "1"));
        done.send(reply.refusal()).expect("sent");
        reply
    }));
    let _ = future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()));
    begins.recv().expect("it has begun");
    drop(future);
    go.send(()).expect("sent");
    assert_eq!(
        ends.recv().expect("it has ended"),
        Some(RefusalKind::Declined)
    );
    assert_eq!(folder.text("a.txt"), "one\ntwo\n");
}

#[test]
fn a_program_that_declines_is_named() {
    let decide = |_: &Question| Answer::NoByProgram {
        by: "policy".to_owned(),
        words: Some("not on Fridays".to_owned()),
    };
    let (folder, _state, lancet) = opened(|builder| builder.mode(Mode::Ask).approver(decide));
    let write = WriteArguments::new(folder.join("b.txt"), "b\n");
    let reply = lancet.new_session().write(write);
    assert_eq!(reply.refusal(), Some(RefusalKind::Declined));
    let text = reply.text();
    assert!(
        text.contains("The program policy declined this change of"),
        "{text}"
    );
    assert!(text.contains("not on Fridays"), "{text}");
    assert!(!folder.join("b.txt").exists());
}

#[tokio::test]
async fn an_approver_in_the_same_runtime_answers_a_typed_call() {
    type Asked = (String, std::sync::mpsc::Sender<Answer>);
    let (asking, mut asked) = tokio::sync::mpsc::unbounded_channel::<Asked>();
    let approver = move |question: &Question| {
        let (answer, answered) = std::sync::mpsc::channel();
        let name = question.files[0].path.display().to_string();
        asking.send((name, answer)).expect("sent");
        answered.recv().expect("an answer")
    };
    let (folder, _state, lancet) = opened(|builder| builder.mode(Mode::Ask).approver(approver));
    // The runtime has one thread: only a call that does not block it can be answered here.
    let person = tokio::spawn(async move {
        let (name, answer) = asked.recv().await.expect("a question");
        answer.send(Answer::Yes).expect("sent");
        name
    });
    let session = lancet.new_session();
    let path = folder.join("a.txt");
    session.read_async(ReadArguments::new(&path)).await;
    let reply = session
        .edit_async(EditArguments::new(&path, "one", "1"))
        .await;
    assert!(!reply.is_error(), "{}", reply.text());
    assert!(person.await.expect("it ended").ends_with("a.txt"));
    assert_eq!(folder.text("a.txt"), "1\ntwo\n");
}
