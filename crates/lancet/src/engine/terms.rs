//! The effective settings: what the settings and the builder together decide for a call. They are computed when the
//! engine is opened, and again when a settings file changes, so that the next call follows the new content. If changed
//! settings do not load or cannot be applied, the previous ones stay in force, and every answer of a writing tool says
//! so.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use lancet_workspace::Workspace;

use super::OpenError;
use super::permissions::{PermissionOptions, Permissions};
use super::selection::{OfferedTools, select};
use crate::builtin::ANSWER_LIMIT;
use crate::host_tool::HostTool;
use crate::settings::{Mode, Settings};

/// The most characters of an answer that the notice about settings that do not load may take.
pub(crate) const MAX_SETTINGS_NOTICE: usize = 700;

/// Reports changes of the settings. It is polled before every call, so it must be fast where nothing has changed.
pub trait SettingsSource: Send + Sync {
    /// Returns whether and how the settings have changed since the last call of this function.
    fn poll(&self) -> SettingsChange;
}

/// The change of the settings since the source was last polled.
#[non_exhaustive]
pub enum SettingsChange {
    /// The settings have not changed.
    Unchanged,
    /// The settings were changed and have been loaded again.
    Changed(Box<ReloadedSettings>),
    /// The settings were changed and do not load. The text names file, line, what is wrong and the closest valid form.
    /// The previous settings stay in force until the file is corrected.
    Broken(String),
}

/// Settings that were loaded again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReloadedSettings {
    /// The new settings.
    pub settings: Settings,
    /// The mode in force. Without it: that of the builder, else that of `settings`, else the default.
    pub mode: Option<Mode>,
    /// The longest answer in characters. Without it: that of the builder, else the default.
    pub answer_limit: Option<usize>,
}

impl From<Settings> for ReloadedSettings {
    fn from(settings: Settings) -> Self {
        ReloadedSettings {
            settings,
            mode: None,
            answer_limit: None,
        }
    }
}

/// The values that were passed in when the engine was opened; they do not change.
pub(super) struct FixedOptions {
    pub(super) roots: Vec<PathBuf>,
    pub(super) permission_options: PermissionOptions,
    pub(super) mode: Option<Mode>,
    pub(super) tools: Option<Vec<String>>,
    pub(super) answer_limit: Option<usize>,
    pub(super) home: Option<PathBuf>,
    pub(super) host_tools: Vec<Arc<dyn HostTool>>,
}

impl FixedOptions {
    /// Lists roots and read roots.
    pub(super) fn folders(&self, settings: &Settings) -> Vec<PathBuf> {
        let read_roots = self
            .permission_options
            .read_roots(settings, self.home.as_deref());
        [self.roots.as_slice(), &read_roots].concat()
    }
}

/// The settings in force for a call, with what is computed from them.
#[derive(Clone)]
pub(crate) struct EffectiveSettings {
    pub(crate) settings: Arc<Settings>,
    pub(crate) mode: Mode,
    pub(crate) permissions: Arc<Permissions>,
    pub(crate) tools: Arc<OfferedTools>,
    pub(crate) answer_limit: usize,
    /// The workspace over all roots and read roots.
    pub(super) workspace: Arc<Workspace>,
    folders: Vec<PathBuf>,
    /// Why the settings in the files are not in force; none where they are in force.
    pub(crate) trouble: Option<Arc<str>>,
}

impl EffectiveSettings {
    pub(super) fn new(
        fixed: &FixedOptions,
        workspace: Arc<Workspace>,
        reloaded: ReloadedSettings,
    ) -> Result<EffectiveSettings, OpenError> {
        let settings = reloaded.settings;
        let mode = reloaded
            .mode
            .or(fixed.mode)
            .or(settings.mode)
            .unwrap_or_default();
        let permissions = Permissions::new(
            &fixed.permission_options,
            workspace.roots(),
            &fixed.roots,
            (&settings, mode),
            fixed.home.as_deref(),
        )?;
        let tools = fixed.tools.as_deref().or(settings.tools.as_deref());
        let tools = Arc::new(select(tools, mode, &fixed.host_tools)?);
        let answer_limit = reloaded.answer_limit.or(fixed.answer_limit);
        let answer_limit = answer_limit
            .unwrap_or(ANSWER_LIMIT)
            .min(settings.read.max_chars.unwrap_or(usize::MAX));
        Ok(EffectiveSettings {
            mode,
            permissions: Arc::new(permissions),
            tools,
            answer_limit,
            workspace,
            folders: fixed.folders(&settings),
            settings: Arc::new(settings),
            trouble: None,
        })
    }

    /// Returns the workspace of all folders, and the number of roots among them; the roots come first.
    pub(super) fn workspace_and_root_count(&self) -> (Arc<Workspace>, usize) {
        (Arc::clone(&self.workspace), self.permissions.roots)
    }

    /// Computes the effective settings from changed settings.
    fn with_reloaded_settings(
        &self,
        fixed: &FixedOptions,
        reloaded: ReloadedSettings,
    ) -> Result<EffectiveSettings, OpenError> {
        let folders = fixed.folders(&reloaded.settings);
        let workspace = if folders == self.folders {
            Arc::clone(&self.workspace)
        } else {
            Arc::new(
                self.workspace
                    .open_other_roots(&folders)
                    .map_err(OpenError::from_workspace_error)?,
            )
        };
        EffectiveSettings::new(fixed, workspace, reloaded)
    }

    /// Retains these settings and records why the changed ones are not in force.
    fn with_load_error(&self, why: String) -> EffectiveSettings {
        let spared = match self.trouble {
            None => self.answer_limit / 4,
            Some(_) => 0,
        };
        EffectiveSettings {
            // The notice about the settings is part of the answer, so its length is subtracted from the answer's limit.
            answer_limit: self.answer_limit - spared.min(MAX_SETTINGS_NOTICE),
            trouble: Some(why.into()),
            ..self.clone()
        }
    }
}

/// The settings in force, and the source that reports changes.
pub(super) struct LiveSettings {
    terms: RwLock<Arc<EffectiveSettings>>,
    /// Locked from polling the source until the new settings are in force, so that no other call goes on with the old
    /// ones meanwhile.
    source: Option<Mutex<Box<dyn SettingsSource>>>,
}

impl LiveSettings {
    pub(super) fn new(
        terms: EffectiveSettings,
        source: Option<Box<dyn SettingsSource>>,
    ) -> LiveSettings {
        LiveSettings {
            terms: RwLock::new(Arc::new(terms)),
            source: source.map(Mutex::new),
        }
    }

    /// Returns the settings in force, without polling the source.
    pub(super) fn effective_settings(&self) -> Arc<EffectiveSettings> {
        Arc::clone(&self.terms.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the settings in force after polling the source for changes.
    pub(super) fn current(&self, fixed: &FixedOptions) -> Arc<EffectiveSettings> {
        let Some(source) = &self.source else {
            return self.effective_settings();
        };
        let source = source.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.effective_settings();
        let after = match source.poll() {
            SettingsChange::Unchanged => return before,
            SettingsChange::Broken(why) => before.with_load_error(why),
            SettingsChange::Changed(reloaded) => {
                match before.with_reloaded_settings(fixed, *reloaded) {
                    Ok(terms) => terms,
                    Err(error) => before.with_load_error(error.to_string()),
                }
            }
        };
        let after = Arc::new(after);
        let mut terms = self.terms.write().unwrap_or_else(PoisonError::into_inner);
        *terms = Arc::clone(&after);
        after
    }
}
