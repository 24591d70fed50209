//! A folder with an engine on it, whose questions a test answers.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use lancet::approval::{Answer, Question};
use lancet::{Builder, Lancet, Mode, RawCall, Reply, Session};
use lancet_testing::TestFolder;
use serde_json::{Value, json};

type Answering = Box<dyn Fn(&Question) -> Answer + Send>;

pub(crate) struct Place {
    folder: TestFolder,
    lancet: Lancet,
    answering: Arc<Mutex<Answering>>,
    asked: Arc<AtomicUsize>,
}

impl Place {
    pub(crate) fn new(mode: Mode, answer: impl Fn(&Question) -> Answer + Send + 'static) -> Self {
        Self::with(|builder| builder.mode(mode), answer)
    }

    pub(crate) fn with(
        build: impl FnOnce(Builder) -> Builder,
        answer: impl Fn(&Question) -> Answer + Send + 'static,
    ) -> Self {
        let folder = TestFolder::in_memory();
        for name in ["root", "state"] {
            fs::create_dir(folder.path().join(name)).expect("made");
        }
        let answering: Arc<Mutex<Answering>> = Arc::new(Mutex::new(Box::new(answer)));
        let asked = Arc::new(AtomicUsize::new(0));
        let (answers, count) = (Arc::clone(&answering), Arc::clone(&asked));
        let builder = Lancet::builder()
            .root(folder.path().join("root"))
            .state_dir(folder.path().join("state"))
            .approver(move |question: &Question| {
                count.fetch_add(1, Ordering::Relaxed);
                answers.lock().expect("free")(question)
            });
        let lancet = build(builder).open().expect("opened");
        Self {
            folder,
            lancet,
            answering,
            asked,
        }
    }

    /// Sets how questions are answered from now on.
    pub(crate) fn answer(&self, answer: impl Fn(&Question) -> Answer + Send + 'static) {
        *self.answering.lock().expect("free") = Box::new(answer);
    }

    /// Returns how many questions were raised.
    pub(crate) fn question_count(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    pub(crate) fn count(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.asked)
    }

    pub(crate) fn session(&self) -> Session {
        self.lancet.new_session()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        let root = self.folder.path().canonicalize().expect("there");
        root.join("root").join(name)
    }

    pub(crate) fn put(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).expect("written");
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("there")
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("UTF-8")
    }

    pub(crate) fn call(&self, session: &Session, tool: &str, arguments: Value) -> Reply {
        session.call(RawCall::new(tool, arguments))
    }

    pub(crate) fn read(&self, session: &Session, name: &str) {
        let reply = self.call(session, "Read", json!({ "file_path": self.path(name) }));
        assert!(!reply.is_error(), "{}", reply.text());
    }

    /// Returns who approved the latest change, according to the history.
    pub(crate) fn approved(&self) -> String {
        let history = self.lancet.history().expect("a history");
        let log = history.log(&Default::default()).expect("a log");
        log.first()
            .and_then(|one| one.approved.clone())
            .unwrap_or_default()
    }
}
