//! A session: one conversation of one model, with its ledger of what the model has seen. Calls come in here.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lancet_history::{Ledger, LedgerStore, SessionName};

use crate::arguments::{
    EditArguments, GlobArguments, GrepArguments, MultiEditArguments, ReadArguments, WriteArguments,
};
use crate::call::{Caller, RawCall};
use crate::engine::Lancet;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::rooms;
use crate::rooms::examine::search::Pages;
use crate::undo::{Restore, TakeBack};

/// One conversation. Cheap to clone; all clones share one ledger.
#[derive(Clone)]
pub struct Session {
    pub(crate) inner: Arc<SessionInner>,
    /// The engine, as far as this conversation may see it.
    pub(crate) lancet: Lancet,
    reader: Reader,
}

/// Who sees what is read and answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// The model: what is shown counts as seen.
    Model,
    /// The host alone: the ledger stays as it is.
    Host,
}

pub(crate) struct SessionInner {
    pub(crate) name: Option<SessionName>,
    /// What the history calls it.
    key: String,
    ledger: Mutex<Ledger>,
    /// What a person allowed for the rest of it.
    pub(crate) grants: rooms::approve::Grants,
    pages: Mutex<Pages>,
    /// Which damaged databases it was told of.
    pub(crate) told: rooms::aside::Told,
}

/// What a call would come to, without any effect.
#[derive(Clone, Debug)]
pub enum Check {
    /// It would go through.
    Passes,
    /// A person would be asked, for this reason.
    Asks {
        /// Why.
        reason: String,
    },
    /// It would be refused.
    Refused(Box<Refusal>),
}

impl SessionInner {
    pub(crate) fn named(name: SessionName) -> Self {
        Self {
            key: name.as_str().to_owned(),
            name: Some(name),
            ledger: Mutex::default(),
            grants: Default::default(),
            pages: Mutex::default(),
            told: Default::default(),
        }
    }

    pub(crate) fn unnamed() -> Self {
        Self {
            key: unnamed(),
            name: None,
            ledger: Mutex::default(),
            grants: Default::default(),
            pages: Mutex::default(),
            told: Default::default(),
        }
    }
}

impl Session {
    pub(crate) fn new(lancet: Lancet, inner: Arc<SessionInner>) -> Self {
        Self {
            inner,
            lancet,
            reader: Reader::Model,
        }
    }

    /// The same conversation for the host's own use: what is read through it, and the answers of changes made through it,
    /// do not count as seen by the model, and a Read always answers with text. A host tool is given such a session; what it
    /// passes on to the model it says with [`seen`](Self::seen).
    #[must_use]
    pub fn apart(&self) -> Session {
        Session {
            reader: Reader::Host,
            ..self.clone()
        }
    }

    /// The same conversation over another view of the engine.
    pub(crate) fn over(&self, lancet: Lancet) -> Session {
        Session {
            lancet,
            ..self.clone()
        }
    }

    /// Whether the model does not see what is answered.
    pub(crate) fn is_apart(&self) -> bool {
        self.reader == Reader::Host
    }

    /// Reads a file for the host itself: under the same rules, but the ledger is left alone, so that it does not count as
    /// seen by the model.
    pub fn peek(&self, arguments: ReadArguments) -> Reply {
        self.apart().read(arguments)
    }

    /// Carries out one call and answers it. Never panics on any arguments; a refusal is an answer, too.
    pub fn call(&self, call: RawCall) -> Reply {
        rooms::run(self, call)
    }

    /// What a call would come to; nothing is written and the ledger stays as it is.
    pub fn check(&self, call: RawCall) -> Check {
        rooms::check(self, call)
    }

    /// Reads a file.
    pub fn read(&self, arguments: ReadArguments) -> Reply {
        self.call(RawCall::new("Read", to_value(&arguments)))
    }

    /// Edits a file.
    pub fn edit(&self, arguments: EditArguments) -> Reply {
        self.call(RawCall::new("Edit", to_value(&arguments)))
    }

    /// Edits one or several files, all or nothing.
    pub fn multi_edit(&self, arguments: MultiEditArguments) -> Reply {
        self.call(RawCall::new("MultiEdit", to_value(&arguments)))
    }

    /// Writes a file.
    pub fn write(&self, arguments: WriteArguments) -> Reply {
        self.call(RawCall::new("Write", to_value(&arguments)))
    }

    /// Lists files by a pattern of names.
    pub fn glob(&self, arguments: GlobArguments) -> Reply {
        self.call(RawCall::new("Glob", to_value(&arguments)))
    }

    /// Searches files for a regular expression.
    pub fn grep(&self, arguments: GrepArguments) -> Reply {
        self.call(RawCall::new("Grep", to_value(&arguments)))
    }

    /// Takes changes back, or does them again. All below the roots may be meant, whoever made them: this is for a person
    /// or a host; models have the tool Undo for the session's own.
    pub fn take_back(&self, asked: TakeBack, caller: Caller) -> Reply {
        rooms::request::take_back(self, asked, caller)
    }

    /// Brings one file back to a state that the history has.
    pub fn restore(&self, asked: Restore, caller: Caller) -> Reply {
        rooms::request::restore(self, asked, caller)
    }

    /// Says what the host put before the model by itself. Text equal to the file's, or to whole lines of it, counts as
    /// a read of those lines; any other is a partial view, which does not allow an edit.
    ///
    /// # Errors
    /// A file that is not there, not text, or not below a root.
    pub fn seen(&self, path: &Path, text: &str) -> Result<(), Refusal> {
        rooms::note_seen(self, path, text)
    }

    /// Says that the host shortened the conversation: what was seen still counts, but the next Read of each file
    /// answers with text.
    pub fn shortened(&self) {
        self.ledger().shortened();
    }

    /// A child conversation that begins with a copy of this one's ledger.
    pub fn fork(&self, name: Option<SessionName>) -> Session {
        self.refresh();
        // What was allowed to the parent was not allowed to the child.
        let new = name.map_or_else(SessionInner::unnamed, SessionInner::named);
        let inner = SessionInner {
            ledger: Mutex::new(self.ledger().fork()),
            told: rooms::aside::Told::like(&self.inner.told),
            ..new
        };
        let child = Session::new(self.lancet.clone(), Arc::new(inner));
        child.keep_all();
        self.lancet.base().remember(&child.inner);
        child
    }

    /// The session's name, where it has one.
    pub fn name(&self) -> Option<&SessionName> {
        self.inner.name.as_ref()
    }

    /// What the history calls this session: its name, else one of its own.
    pub fn key(&self) -> &str {
        &self.inner.key
    }

    /// The ledger.
    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.inner
            .ledger
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// What was found by the searches of this session, for their later pages.
    pub(crate) fn pages(&self) -> MutexGuard<'_, Pages> {
        self.inner
            .pages
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what the store has of a named session: all of it at the first call, later what other processes of the
    /// same session have seen meanwhile. A store that cannot be read costs a Read, never a file.
    pub(crate) fn refresh(&self) {
        let Some((name, store)) = self.kept() else {
            return;
        };
        let mut ledger = self.ledger();
        if let Ok(loaded) = store.load(name, ledger.turn()) {
            ledger.take_in(loaded.rows, loaded.turn);
        }
    }

    /// Keeps one file's entry in the store, where this session has a name. The same holds for a store that cannot be
    /// written.
    pub(crate) fn keep(&self, path: &Path) {
        let Some((name, store)) = self.kept() else {
            return;
        };
        let ledger = self.ledger();
        if let Some(entry) = ledger.peek(path) {
            let _ = store.save(name, &[(path, entry)]);
        }
    }

    /// Forgets a file in the store as well.
    pub(crate) fn forget(&self, path: &Path) {
        if let Some((name, store)) = self.kept() {
            let _ = store.forget(name, path);
        }
    }

    fn keep_all(&self) {
        let Some((name, store)) = self.kept() else {
            return;
        };
        let ledger = self.ledger();
        let entries: Vec<_> = ledger.entries().collect();
        let _ = store.save(name, &entries);
    }

    fn kept(&self) -> Option<(&SessionName, &Arc<dyn LedgerStore>)> {
        Some((self.inner.name.as_ref()?, self.lancet.base().store()?))
    }
}

/// A name for a session that was given none; it counts in the history only.
fn unnamed() -> String {
    format!("{UNNAMED}{}", crate::operation::new_id())
}

/// Whether the history's name of a session is such a one.
pub(crate) fn is_unnamed(key: &str) -> bool {
    key.starts_with(UNNAMED)
}

const UNNAMED: &str = "unnamed-";

fn to_value(arguments: &impl serde::Serialize) -> serde_json::Value {
    serde_json::to_value(arguments).unwrap_or_default()
}
