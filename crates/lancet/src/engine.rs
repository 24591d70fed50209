//! The engine: roots, settings, tools and observers, opened once and shared by all sessions of a process. The parts
//! that may change while it is open (the settings, and the folders that a client narrows the roots to) are looked up
//! once for each call.

mod builder;
mod caches;
mod handed_in;
pub(crate) mod moved_files;
mod moved_roots;
mod narrow;
mod open_error;
mod others;
mod permissions;
mod plain_texts;
mod recent_hashes;
mod recovery;
mod resident;
mod selection;
mod stores;
mod surveys;
mod terms;
mod tool_names;

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, Weak};

use lancet_history::{LedgerStore, OperationStore};
use lancet_language::LanguageServers;
use lancet_local_state::LocalState;
use lancet_model::path_names::{is_below_any, relative_to};
use lancet_policy::Policy;
use lancet_workspace::{Disk, Workspace, resolve_folder};

use crate::approval::Approver;
use crate::audience::Audience;
use crate::convert::FileConverter;
use crate::events::{Event, Observer};
use crate::order::WriteTurns;
use crate::pdf::PdfReader;
use crate::programs::ProgramRunner;
use crate::session::SessionInner;
use crate::settings::{Mode, Settings};
use crate::syntax::SyntaxReader;
use crate::tool_prefix::ToolPrefix;
use crate::write_scope::WriteScope;

pub use builder::Builder;
use caches::Caches;
pub use open_error::OpenError;
pub(crate) use others::{OtherWorkspaces, is_removal_recorded, recorded_workspace};
pub(crate) use recovery::{LateNotice, PendingRecovery, ReportedDatabases};
pub(crate) use resident::{BuildOrder, RefillOrder, ResidentRoots, RulesInForce};
use stores::Stores;
pub(crate) use surveys::FileSurvey;
pub(crate) use terms::MAX_SETTINGS_NOTICE;
use terms::{EffectiveSettings, FixedOptions, LiveSettings};
pub use terms::{ReloadedSettings, SettingsChange, SettingsSource};

/// lancet, opened on its roots. Cloning is cheap; all clones share one engine.
#[derive(Clone)]
pub struct Lancet {
    view: Arc<ClientView>,
}

/// The engine as one client sees it: on all roots, or narrowed to some folders.
struct ClientView {
    base: Arc<EngineState>,
    /// The folders that the client narrowed the roots to, resolved; none where the client has all roots.
    narrowed: Option<Vec<PathBuf>>,
    /// The scope in which the client lets its tools write; none where it sets no limit.
    scope: Option<Arc<WriteScope>>,
    engine: RwLock<Arc<EngineView>>,
}

/// The state that lives as long as the engine is open and is shared by all views of it.
pub(crate) struct EngineState {
    fixed: FixedOptions,
    live: LiveSettings,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) observers: Vec<Arc<dyn Observer>>,
    /// Whether a reply carries the old and new bytes of the file.
    pub(crate) give_contents: bool,
    pub(crate) order: WriteTurns,
    audience: Audience,
    pdf_reader: Option<Arc<dyn PdfReader>>,
    syntax_reader: Option<Arc<dyn SyntaxReader>>,
    file_converter: Option<Arc<dyn FileConverter>>,
    language: Option<Arc<LanguageServers>>,
    program_runner: Option<Arc<dyn ProgramRunner>>,
    pub(crate) caches: Caches,
    /// The roots that are resident for searches.
    pub(crate) resident: ResidentRoots,
    /// Recovery after earlier processes, and displaced files that may still be written to.
    pub(crate) pending_recovery: PendingRecovery,
    originals: moved_roots::Originals,
    state_dir: Option<PathBuf>,
    state_spelled: OnceLock<Option<PathBuf>>,
    pub(crate) disk: Arc<dyn Disk>,
    stores: Stores,
    sessions: Mutex<Vec<Arc<SessionInner>>>,
}

/// The engine during one call: a snapshot of settings and folders.
pub(crate) struct EngineView {
    base: Arc<EngineState>,
    terms: Arc<EffectiveSettings>,
    /// The folders that may be read, roots first.
    pub(crate) workspace: Arc<Workspace>,
    /// How many of the workspace's folders are roots; the rest are read roots.
    roots: usize,
    /// The scope in which the client lets its tools write; none where it sets no limit.
    scope: Option<Arc<WriteScope>>,
    /// Unique per snapshot; part of the key under which search pages are cached.
    pub(crate) id: u64,
    /// The reader of the answers; it names files from the first root.
    audience: Audience,
    unkept: OnceLock<Option<Workspace>>,
}

impl Lancet {
    fn with_all_roots(base: Arc<EngineState>) -> Lancet {
        let terms = base.live.effective_settings();
        let place = terms.workspace_and_root_count();
        let engine = EngineView::new(&base, terms, place, None);
        Lancet {
            view: Arc::new(ClientView {
                engine: RwLock::new(Arc::new(engine)),
                base,
                narrowed: None,
                scope: None,
            }),
        }
    }

    /// Returns the prefix of the tools' names in the lists of this engine.
    pub fn tool_prefix(&self) -> ToolPrefix {
        self.base().audience.prefix().cloned().unwrap_or_default()
    }

    /// Returns the own name of the tool that a call names, either as it is listed, with the prefix, or by its own name.
    pub fn own_tool_name(&self, called: &str) -> String {
        let prefix = self.base().audience.prefix();
        match prefix.and_then(|prefix| prefix.strip_from(called)) {
            Some(_) => self.engine().own_tool_name(called).to_owned(),
            // A name without the prefix is not a listed name, whatever the settings say.
            None => called.to_owned(),
        }
    }

    /// Returns the roots, with symbolic links resolved.
    pub fn roots(&self) -> Vec<PathBuf> {
        self.engine().roots().to_vec()
    }

    /// Returns the folders that may be read but never written, with symbolic links resolved.
    pub fn read_roots(&self) -> Vec<PathBuf> {
        let engine = self.engine();
        engine.workspace.roots()[engine.roots..].to_vec()
    }

    /// Returns whether both are the same view of the same engine.
    pub fn is_same_view(&self, other: &Lancet) -> bool {
        Arc::ptr_eq(&self.view, &other.view)
    }

    /// Returns the settings in force.
    pub fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.engine().settings)
    }

    /// Returns the mode in force.
    pub fn mode(&self) -> Mode {
        self.engine().mode
    }

    /// Returns the policy in force, which decides which files may be touched, and why.
    #[doc(hidden)]
    pub fn policy(&self) -> Arc<Policy> {
        self.engine().permissions.policy()
    }

    /// Returns the longest answer, in characters.
    pub fn answer_limit(&self) -> usize {
        self.engine().answer_limit
    }

    /// Returns the state folder; none where the builder was given none.
    pub fn state_dir(&self) -> Option<&Path> {
        self.view.base.state_dir.as_deref()
    }

    pub(crate) fn base(&self) -> &EngineState {
        &self.view.base
    }

    /// Takes a snapshot of the engine for a call, with the settings as they are now.
    pub(crate) fn engine(&self) -> Arc<EngineView> {
        let view = &self.view;
        let terms = view.base.live.current(&view.base.fixed);
        let known = || view.engine.read().unwrap_or_else(PoisonError::into_inner);
        let engine = Arc::clone(&known());
        if Arc::ptr_eq(&engine.terms, &terms) {
            return engine;
        }
        let place = match &view.narrowed {
            None => terms.workspace_and_root_count(),
            // If none of the folders exists any more, the old handles stay in use: nothing can be found through them.
            Some(folders) => narrow::open_workspace(&terms, folders)
                .unwrap_or_else(|| (Arc::clone(&engine.workspace), engine.roots)),
        };
        let scope = view.scope.clone();
        let fresh = Arc::new(EngineView::new(&view.base, terms, place, scope));
        let mut engine = view.engine.write().unwrap_or_else(PoisonError::into_inner);
        *engine = Arc::clone(&fresh);
        fresh
    }
}

impl std::fmt::Debug for Lancet {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = formatter.debug_struct("Lancet");
        shown
            .field("roots", &self.roots())
            .field("mode", &self.mode());
        shown.finish_non_exhaustive()
    }
}

impl EngineState {
    pub(crate) fn store(&self) -> Option<&Arc<dyn LedgerStore>> {
        self.stores.ledgers()
    }

    pub(crate) fn history(&self) -> Option<&Arc<dyn OperationStore>> {
        self.stores.operations()
    }

    pub(crate) fn local(&self) -> Option<&Arc<dyn LocalState>> {
        self.stores.local()
    }

    pub(crate) fn sessions(&self) -> std::sync::MutexGuard<'_, Vec<Arc<SessionInner>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn host_tools(&self) -> &[Arc<dyn crate::host_tool::HostTool>] {
        &self.fixed.host_tools
    }

    /// Returns the home folder, to which `~` expands.
    pub(crate) fn home(&self) -> Option<&Path> {
        self.fixed.home.as_deref()
    }

    /// Returns the state folder, spelled as in the paths of opened files.
    pub(crate) fn state_folder(&self) -> Option<&Path> {
        let spell = || Some(resolve_folder(self.state_dir.as_deref()?));
        self.state_spelled.get_or_init(spell).as_deref()
    }

    /// Notifies the observers of an event. The event is made only if there are observers, because the event of a search
    /// has every path of its page.
    pub(crate) fn notify_observers(&self, event: impl FnOnce() -> Event) {
        if self.observers.is_empty() {
            return;
        }
        let event = event();
        for observer in &self.observers {
            observer.observe(&event);
        }
    }
}

impl EngineView {
    fn new(
        base: &Arc<EngineState>,
        terms: Arc<EffectiveSettings>,
        place: (Arc<Workspace>, usize),
        scope: Option<Arc<WriteScope>>,
    ) -> EngineView {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        let (workspace, roots) = place;
        let audience = base.audience.with_base_folder(workspace.roots().first());
        EngineView {
            base: Arc::clone(base),
            audience,
            terms,
            workspace,
            roots,
            scope,
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            unkept: OnceLock::new(),
        }
    }

    /// Returns the roots. Files below them may be read and, where the policy allows it, written.
    pub(crate) fn roots(&self) -> &[PathBuf] {
        &self.workspace.roots()[..self.roots]
    }

    /// Returns the workspace over all roots and read roots that lancet was opened on. A client that narrows its roots
    /// never gets beyond it, and rules are always applied to it.
    pub(crate) fn full_workspace(&self) -> &Workspace {
        &self.terms.workspace
    }

    /// Returns a weak reference to the state of the engine, for work that must not keep it open.
    pub(crate) fn weak_base(&self) -> Weak<EngineState> {
        Arc::downgrade(&self.base)
    }

    /// Returns the rules and settings that decide which files a search meets.
    pub(crate) fn rules_in_force(&self) -> RulesInForce {
        RulesInForce {
            policy: self.permissions.policy(),
            settings: Arc::clone(&self.settings),
        }
    }

    /// Returns the roots that lancet was opened on, whatever a client narrowed them to.
    pub(crate) fn all_roots(&self) -> &[PathBuf] {
        &self.full_workspace().roots()[..self.permissions.roots]
    }

    /// Returns whether a path is below a folder that this view may touch.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        is_below_any(path, self.workspace.roots())
    }

    /// Returns the client's write scope if it forbids this path.
    pub(crate) fn forbidding_scope(&self, path: &Path) -> Option<&WriteScope> {
        let scope = self.scope.as_deref();
        scope.filter(|scope| !scope.allows(path))
    }

    /// Returns whether a path is below a root. The policy alone cannot decide this: it does not know to which folders a
    /// client has narrowed the roots.
    pub(crate) fn is_writable(&self, path: &Path) -> bool {
        is_below_any(path, self.roots())
    }

    /// Returns a path relative to the innermost of the roots that lancet was opened on. Patterns in the settings are
    /// matched against it.
    pub(crate) fn relative_to_root<'p>(&self, path: &'p Path) -> &'p Path {
        let roots = self.full_workspace().roots().iter();
        roots
            .filter_map(|root| relative_to(path, root))
            .min_by_key(|rest| rest.as_os_str().len())
            .unwrap_or(path)
    }

    pub(crate) fn base(&self) -> &EngineState {
        &self.base
    }

    /// Opens the same roots without a state folder, for changes that continue although the state folder cannot be
    /// written.
    pub(crate) fn stateless_workspace(&self) -> &Workspace {
        let open = || {
            let roots = self.workspace.roots().to_vec();
            Workspace::open(&roots, Arc::clone(&self.base.disk), None).ok()
        };
        self.unkept
            .get_or_init(open)
            .as_ref()
            .unwrap_or(&self.workspace)
    }

    /// Returns whether the old and new bytes of a file are retained until the reply is made.
    pub(crate) fn retains_contents(&self, path: &Path) -> bool {
        let is_served = || {
            self.language()
                .is_some_and(|language| language.serves_file(path))
        };
        self.base.give_contents || self.settings.write.git_diff || is_served()
    }

    pub(crate) fn history(&self) -> Option<&Arc<dyn OperationStore>> {
        self.base.history()
    }

    pub(crate) fn local(&self) -> Option<&Arc<dyn LocalState>> {
        self.base.local()
    }

    pub(crate) fn notify_observers(&self, event: impl FnOnce() -> Event) {
        self.base.notify_observers(event);
    }
}

impl Deref for EngineView {
    type Target = EffectiveSettings;

    fn deref(&self) -> &EffectiveSettings {
        &self.terms
    }
}
