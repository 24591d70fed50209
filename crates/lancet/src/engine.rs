//! The engine: roots, settings, tools and observers, opened once and shared by all sessions of a process.

mod permissions;
mod selection;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lancet_history::{LedgerStore, OperationStore, SessionName, Store};
use lancet_workspace::{Disk, RealDisk, Workspace, resolved_folder};

use crate::approver::Approver;
use crate::declare::{ANSWER_LIMIT, Declaration};
use crate::history::History;
use crate::host_tool::HostTool;
use crate::journal::Joined;
use crate::observe::{Event, Observer};
use crate::order::Order;
use crate::session::Session;
use crate::settings::{Mode, Settings};

pub(crate) use permissions::Permissions;
use permissions::Wishes;
use selection::select;

/// How many named sessions are kept ready: each may hold 25 MB of what its model has seen.
const SESSIONS_READY: usize = 32;

/// lancet, opened on its roots. Cheap to clone; all clones are one engine.
#[derive(Clone)]
pub struct Lancet {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) workspace: Workspace,
    pub(crate) settings: Settings,
    pub(crate) mode: Mode,
    pub(crate) permissions: Permissions,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) observers: Vec<Arc<dyn Observer>>,
    pub(crate) declarations: Vec<Declaration>,
    pub(crate) host_tools: Vec<Arc<dyn HostTool>>,
    pub(crate) home: Option<PathBuf>,
    pub(crate) answer_limit: usize,
    /// Whether old and new bytes are at hand when a reply is made.
    pub(crate) keep_contents: bool,
    /// Whether a reply carries them.
    pub(crate) give_contents: bool,
    pub(crate) order: Order,
    pub(crate) surveys: crate::rooms::examine::large::Surveys,
    /// What other processes left, and what is still open of changes that were made.
    pub(crate) aftermath: crate::rooms::heal::Aftermath,
    state_dir: Option<PathBuf>,
    state_spelled: OnceLock<Option<PathBuf>>,
    pub(crate) disk: Arc<dyn Disk>,
    unkept: OnceLock<Option<Workspace>>,
    store: Option<Stores>,
    sessions: Mutex<Vec<Session>>,
}

/// The one store of the state folder, as keeper of ledgers and of operations.
struct Stores {
    ledgers: Arc<dyn LedgerStore>,
    operations: Arc<dyn OperationStore>,
}

/// Opens a [`Lancet`]. Everything that the surroundings decide is handed in here: the library reads neither
/// environment nor home folder.
#[derive(Default)]
pub struct Builder {
    roots: Vec<PathBuf>,
    state_dir: Option<PathBuf>,
    home: Option<PathBuf>,
    settings: Settings,
    mode: Option<Mode>,
    wishes: Wishes,
    approver: Option<Arc<dyn Approver>>,
    observers: Vec<Arc<dyn Observer>>,
    host_tools: Vec<Arc<dyn HostTool>>,
    answer_limit: Option<usize>,
    keep_contents: bool,
    disk: Option<Arc<dyn Disk>>,
}

/// Why a [`Lancet`] could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A root is not an existing folder, or cannot be opened.
    #[error(transparent)]
    Roots(#[from] lancet_workspace::OpenError),
    /// No root was given.
    #[error("no root was given: name at least one folder that lancet may work in")]
    NoRoots,
    /// `tools` names a tool that does not exist.
    #[error("there is no tool `{name}`{}", suggestion.as_ref().map(|s| format!("; did you mean `{s}`?")).unwrap_or_default())]
    UnknownTool {
        /// The name as given.
        name: String,
        /// The closest one there is.
        suggestion: Option<String>,
    },
}

impl Builder {
    /// Adds a folder that lancet may work in. Paths outside all roots are refused.
    #[must_use]
    pub fn root(mut self, root: impl Into<PathBuf>) -> Self {
        self.roots.push(root.into());
        self
    }

    /// The folder for what lancet keeps: ledgers of named sessions, locks, displaced bytes. Without one nothing is kept.
    #[must_use]
    pub fn state_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.state_dir = Some(folder.into());
        self
    }

    /// What `~` stands for. Without it `~` is not expanded.
    #[must_use]
    pub fn home(mut self, folder: impl Into<PathBuf>) -> Self {
        self.home = Some(folder.into());
        self
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// The mode; without it the settings' mode, else [`Mode::Ask`].
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Who is asked before a write.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// Hears of every read, change and refusal.
    #[must_use]
    pub fn observer(mut self, observer: impl Observer + 'static) -> Self {
        self.observers.push(Arc::new(observer));
        self
    }

    /// Adds a tool of the host's own.
    #[must_use]
    pub fn tool(mut self, tool: impl HostTool + 'static) -> Self {
        self.host_tools.push(Arc::new(tool));
        self
    }

    /// The longest answer, in characters.
    #[must_use]
    pub fn answer_limit(mut self, characters: usize) -> Self {
        self.answer_limit = Some(characters);
        self
    }

    /// Lets replies carry the whole old and new content of the file that was changed.
    #[must_use]
    pub fn keep_contents(mut self) -> Self {
        self.keep_contents = true;
        self
    }

    /// Another disk than the real one; for tests that make it fail.
    #[must_use]
    pub fn disk(mut self, disk: Arc<dyn Disk>) -> Self {
        self.disk = Some(disk);
        self
    }

    /// Opens the engine.
    ///
    /// # Errors
    /// A root that is no folder, no root at all, or a tool selection that names an unknown tool.
    pub fn open(self) -> Result<Lancet, OpenError> {
        if self.roots.is_empty() {
            return Err(OpenError::NoRoots);
        }
        let disk = self.disk.unwrap_or_else(|| Arc::new(RealDisk));
        let mode = self.mode.or(self.settings.mode).unwrap_or_default();
        let read_roots = self.wishes.read_roots(&self.settings, self.home.as_deref());
        let folders = [self.roots.as_slice(), &read_roots].concat();
        let mut workspace = Workspace::open(&folders, Arc::clone(&disk), self.state_dir.clone())?;
        let store = self.state_dir.as_ref().map(|folder| {
            let store = Arc::new(Store::new(folder));
            (folder.join("journal"), store)
        });
        if let Some((files, store)) = &store {
            let joined = Joined::new(Arc::clone(store), Arc::clone(&disk), files.clone());
            workspace = workspace.with_journal(Arc::new(joined));
        }
        let store = store.map(|(_, store)| Stores {
            ledgers: Arc::<Store>::clone(&store),
            operations: store,
        });
        let permissions = Permissions::new(
            self.wishes,
            workspace.roots(),
            &self.roots,
            (&self.settings, mode),
            self.home.as_deref(),
        );
        let declarations = select(&self.settings, mode, &self.host_tools)?;
        let answer_limit = self
            .answer_limit
            .unwrap_or(ANSWER_LIMIT)
            .min(self.settings.read.max_chars.unwrap_or(usize::MAX));
        let git_diff = self.settings.write.git_diff;
        Ok(Lancet {
            inner: Arc::new(Inner {
                workspace,
                settings: self.settings,
                mode,
                permissions,
                approver: self.approver,
                observers: self.observers,
                declarations,
                host_tools: self.host_tools,
                home: self.home,
                answer_limit,
                keep_contents: self.keep_contents || git_diff,
                give_contents: self.keep_contents,
                order: Order::default(),
                surveys: Default::default(),
                aftermath: Default::default(),
                state_dir: self.state_dir,
                state_spelled: OnceLock::new(),
                disk,
                unkept: OnceLock::new(),
                store,
                sessions: Mutex::default(),
            }),
        })
    }
}

/// Keeps a session ready, and lets go of the oldest that nobody holds.
fn ready(sessions: &mut Vec<Session>, session: Session) {
    sessions.push(session);
    if sessions.len() > SESSIONS_READY
        && let Some(at) = sessions.iter().position(Session::is_idle)
    {
        sessions.remove(at);
    }
}

impl Lancet {
    /// Begins to open an engine.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The tools in force, in their fixed order.
    pub fn tools(&self) -> &[Declaration] {
        &self.inner.declarations
    }

    /// The roots, resolved.
    pub fn roots(&self) -> &[PathBuf] {
        self.inner.roots()
    }

    /// The folders that may be read and are never written, resolved.
    pub fn read_roots(&self) -> &[PathBuf] {
        &self.inner.workspace.roots()[self.inner.roots().len()..]
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    /// The mode in force.
    pub fn mode(&self) -> Mode {
        self.inner.mode
    }

    /// The longest answer, in characters.
    pub fn answer_limit(&self) -> usize {
        self.inner.answer_limit
    }

    /// The state folder, where one was given.
    pub fn state_dir(&self) -> Option<&Path> {
        self.inner.state_dir.as_deref()
    }

    /// The history of changes; none where there is no state folder.
    pub fn history(&self) -> Option<History> {
        History::new(&self.inner)
    }

    /// The session of that name: the same one for the same name, its ledger kept in the state folder. Of the sessions
    /// that nobody holds any more the latest are kept ready; an older one begins again with what the state folder has.
    pub fn session(&self, name: &SessionName) -> Session {
        let mut sessions = self
            .inner
            .sessions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = sessions
            .iter()
            .position(|session| session.name() == Some(name))
        {
            let session = sessions.remove(at);
            sessions.push(session.clone());
            return session;
        }
        let session = Session::named(Arc::clone(&self.inner), name.clone());
        ready(&mut sessions, session.clone());
        session
    }

    /// A session without a name, which ends with its last clone.
    pub fn unnamed_session(&self) -> Session {
        Session::unnamed(Arc::clone(&self.inner))
    }
}

impl Inner {
    /// The roots: what may be read and, where policy lets it, written.
    pub(crate) fn roots(&self) -> &[PathBuf] {
        &self.workspace.roots()[..self.permissions.roots]
    }

    /// The store of named ledgers, opened at its first use; `None` where there is no state folder: then sessions last
    /// as long as the process.
    pub(crate) fn store(&self) -> Option<&Arc<dyn LedgerStore>> {
        Some(&self.store.as_ref()?.ledgers)
    }

    /// The history, under the same terms; without a state folder nothing can be taken back.
    pub(crate) fn history(&self) -> Option<&Arc<dyn OperationStore>> {
        Some(&self.store.as_ref()?.operations)
    }

    /// The same roots without a state folder: for changes that are to go on though it takes no bytes.
    pub(crate) fn without_state(&self) -> &Workspace {
        let open = || {
            let roots = self.workspace.roots().to_vec();
            Workspace::open(&roots, Arc::clone(&self.disk), None).ok()
        };
        self.unkept
            .get_or_init(open)
            .as_ref()
            .unwrap_or(&self.workspace)
    }

    /// The state folder as paths that were opened spell it.
    pub(crate) fn state_folder(&self) -> Option<&Path> {
        let spell = || Some(resolved_folder(self.state_dir.as_deref()?));
        self.state_spelled.get_or_init(spell).as_deref()
    }

    /// Makes a named session the one that its name stands for.
    pub(crate) fn remember(&self, session: &Session) {
        if session.name().is_some() {
            let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
            sessions.retain(|known| known.name() != session.name());
            ready(&mut sessions, session.clone());
        }
    }

    pub(crate) fn tell(&self, event: &Event) {
        for observer in &self.observers {
            observer.observe(event);
        }
    }

    pub(crate) fn declaration(&self, tool: &str) -> Option<&Declaration> {
        self.declarations
            .iter()
            .find(|declaration| declaration.name == tool)
    }
}
