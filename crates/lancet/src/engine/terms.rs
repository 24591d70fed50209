//! The terms that calls go by: what the settings decide. Made when the engine is opened, and anew when somebody changes a
//! settings file: the next call goes by what it says. A file that no longer loads leaves the terms as they were, and every
//! answer of a writing tool says so.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use lancet_workspace::Workspace;

use super::OpenError;
use super::permissions::{Permissions, Wishes};
use super::selection::select;
use crate::builtin::{ANSWER_LIMIT, Declaration};
use crate::host_tool::HostTool;
use crate::settings::{Mode, Settings};

/// What the words about settings that do not load may take of an answer.
pub(crate) const TROUBLE_ROOM: usize = 700;

/// Says when somebody has changed the settings. Asked before every call, so it must be quick where nothing has changed.
pub trait SettingsSource: Send + Sync {
    /// What has become of the settings since it was asked last.
    fn look(&self) -> Settled;
}

/// What has become of the settings.
#[non_exhaustive]
pub enum Settled {
    /// They are as they were.
    Unchanged,
    /// They were changed, and read again.
    Changed(Box<Reread>),
    /// They were changed and do not load: file, line, what is wrong and the closest right form. The ones before stay in
    /// force until this is mended.
    Broken(String),
}

/// Settings that were read again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reread {
    /// All of them.
    pub settings: Settings,
    /// The mode, where it is not the one that the engine was opened in.
    pub mode: Option<Mode>,
    /// The longest answer in characters, where it is not the one that the engine was opened with.
    pub answer_limit: Option<usize>,
}

impl From<Settings> for Reread {
    fn from(settings: Settings) -> Self {
        Reread {
            settings,
            mode: None,
            answer_limit: None,
        }
    }
}

/// What was handed in when the engine was opened and does not change.
pub(super) struct Fixed {
    pub(super) roots: Vec<PathBuf>,
    pub(super) wishes: Wishes,
    pub(super) mode: Option<Mode>,
    pub(super) answer_limit: Option<usize>,
    pub(super) home: Option<PathBuf>,
    pub(super) host_tools: Vec<Arc<dyn HostTool>>,
}

impl Fixed {
    /// Roots and read roots.
    pub(super) fn folders(&self, settings: &Settings) -> Vec<PathBuf> {
        let read_roots = self.wishes.read_roots(settings, self.home.as_deref());
        [self.roots.as_slice(), &read_roots].concat()
    }
}

/// The terms in force.
#[derive(Clone)]
pub(crate) struct EffectiveSettings {
    pub(crate) settings: Arc<Settings>,
    pub(crate) mode: Mode,
    pub(crate) permissions: Arc<Permissions>,
    pub(crate) declarations: Arc<[Declaration]>,
    pub(crate) answer_limit: usize,
    /// All roots and read roots.
    pub(super) workspace: Arc<Workspace>,
    folders: Vec<PathBuf>,
    /// Why the settings as they stand are not in force.
    pub(crate) trouble: Option<Arc<str>>,
}

impl EffectiveSettings {
    pub(super) fn new(
        fixed: &Fixed,
        workspace: Arc<Workspace>,
        reread: Reread,
    ) -> Result<EffectiveSettings, OpenError> {
        let settings = reread.settings;
        let mode = reread
            .mode
            .or(fixed.mode)
            .or(settings.mode)
            .unwrap_or_default();
        let permissions = Permissions::new(
            &fixed.wishes,
            workspace.roots(),
            &fixed.roots,
            (&settings, mode),
            fixed.home.as_deref(),
        )?;
        let answer_limit = reread.answer_limit.or(fixed.answer_limit);
        let answer_limit = answer_limit
            .unwrap_or(ANSWER_LIMIT)
            .min(settings.read.max_chars.unwrap_or(usize::MAX));
        Ok(EffectiveSettings {
            mode,
            permissions: Arc::new(permissions),
            declarations: select(&settings, mode, &fixed.host_tools)?.into(),
            answer_limit,
            workspace,
            folders: fixed.folders(&settings),
            settings: Arc::new(settings),
            trouble: None,
        })
    }

    /// All folders, and how many of them are roots.
    pub(super) fn place(&self) -> (Arc<Workspace>, usize) {
        (Arc::clone(&self.workspace), self.permissions.roots)
    }

    /// The terms that changed settings make of these.
    fn renewed(&self, fixed: &Fixed, reread: Reread) -> Result<EffectiveSettings, OpenError> {
        let folders = fixed.folders(&reread.settings);
        let workspace = if folders == self.folders {
            Arc::clone(&self.workspace)
        } else {
            Arc::new(self.workspace.over(&folders).map_err(OpenError::roots)?)
        };
        EffectiveSettings::new(fixed, workspace, reread)
    }

    /// These terms, and why they are not what the settings say.
    fn troubled(&self, why: String) -> EffectiveSettings {
        let spared = match self.trouble {
            None => self.answer_limit / 4,
            Some(_) => 0,
        };
        EffectiveSettings {
            // The words about it are part of the answer.
            answer_limit: self.answer_limit - spared.min(TROUBLE_ROOM),
            trouble: Some(why.into()),
            ..self.clone()
        }
    }
}

/// The terms in force, and who says that they are no longer.
pub(super) struct Live {
    terms: RwLock<Arc<EffectiveSettings>>,
    /// Held from the look until what it says is in force: nobody goes on by the old terms meanwhile.
    source: Option<Mutex<Box<dyn SettingsSource>>>,
}

impl Live {
    pub(super) fn new(terms: EffectiveSettings, source: Option<Box<dyn SettingsSource>>) -> Live {
        Live {
            terms: RwLock::new(Arc::new(terms)),
            source: source.map(Mutex::new),
        }
    }

    /// The terms as they are known.
    pub(super) fn terms(&self) -> Arc<EffectiveSettings> {
        Arc::clone(&self.terms.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The terms by the settings as they stand.
    pub(super) fn current(&self, fixed: &Fixed) -> Arc<EffectiveSettings> {
        let Some(source) = &self.source else {
            return self.terms();
        };
        let source = source.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.terms();
        let after = match source.look() {
            Settled::Unchanged => return before,
            Settled::Broken(why) => before.troubled(why),
            Settled::Changed(reread) => match before.renewed(fixed, *reread) {
                Ok(terms) => terms,
                Err(error) => before.troubled(error.to_string()),
            },
        };
        let after = Arc::new(after);
        let mut terms = self.terms.write().unwrap_or_else(PoisonError::into_inner);
        *terms = Arc::clone(&after);
        after
    }
}
