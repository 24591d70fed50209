//! A project whose questions a test answers, and what these tests ask of it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use lancet::approval::{Answer, Approver, Question, Wait};
use lancet::{Builder, Mode, Session};
use lancet_testing::replies::done;
use lancet_testing::{TestFolder, TestProject, project};

type Answering = Box<dyn Fn(&Question) -> Answer + Send>;

/// Answers questions as a test wants, and counts them.
#[derive(Clone)]
pub(crate) struct Answers {
    answering: Arc<Mutex<Answering>>,
    asked: Arc<AtomicUsize>,
}

impl Answers {
    fn new(answer: impl Fn(&Question) -> Answer + Send + 'static) -> Answers {
        Answers {
            answering: Arc::new(Mutex::new(Box::new(answer))),
            asked: Arc::default(),
        }
    }

    /// Sets how questions are answered from now on.
    pub(crate) fn set(&self, answer: impl Fn(&Question) -> Answer + Send + 'static) {
        *self.answering.lock().expect("free") = Box::new(answer);
    }

    /// Returns how many questions were raised.
    pub(crate) fn question_count(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    pub(crate) fn count(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.asked)
    }
}

impl Approver for Answers {
    fn ask(&self, question: &Question, _: &Wait) -> Answer {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.answering.lock().expect("free")(question)
    }
}

/// Opens a project whose questions are answered in this way.
pub(crate) fn project(
    mode: Mode,
    answer: impl Fn(&Question) -> Answer + Send + 'static,
) -> (TestProject, Answers) {
    project_with(|builder| builder.mode(mode), answer)
}

pub(crate) fn project_with(
    change: impl FnOnce(Builder) -> Builder,
    answer: impl Fn(&Question) -> Answer + Send + 'static,
) -> (TestProject, Answers) {
    let answers = Answers::new(answer);
    let project = TestProject::inside(TestFolder::in_memory(), |builder, around| {
        change(
            builder
                .state_dir(around.join("state"))
                .approver(answers.clone()),
        )
    });
    (project, answers)
}

/// Reads a file.
pub(crate) fn read(project: &TestProject, session: &Session, name: &str) {
    done(&project::read(session, &project.path(name)));
}

/// Returns who approved the latest change, according to the history.
pub(crate) fn approved(project: &TestProject) -> String {
    let history = project.lancet.history().expect("a history");
    let log = history.log(&Default::default()).expect("a log");
    log.first()
        .and_then(|one| one.approved.clone())
        .unwrap_or_default()
}
