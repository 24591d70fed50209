//! The policy of an open engine: built from the settings and the roots when the engine is opened, and extended by one
//! rule when a person answers "always".

mod flaws;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};
use std::time::Duration;

use lancet_policy::{LayeredRule, Locations, Policy, Rule, RuleEffect, RuleLayer, Scope};
use lancet_workspace::{all_names_through_links, resolve_folder};

use super::OpenError;
use crate::programs::{CommandFiles, ProgramPlaces};
use crate::settings::{Mode, Settings};

/// How long a question waits for a person by default.
const DEFAULT_WAIT_LIMIT: Duration = Duration::from_secs(10 * 60);

/// The readers of the answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Readers {
    /// Models, through tools.
    #[default]
    Models,
    /// The person who typed a command.
    Person,
}

/// The permission options that the builder collected.
#[derive(Default)]
pub(super) struct PermissionOptions {
    pub(super) read_roots: Vec<PathBuf>,
    pub(super) user_settings: Option<PathBuf>,
    pub(super) wait_limit: Option<Duration>,
    pub(super) settings_files: Vec<PathBuf>,
    /// Whether answers are for models or for the person who typed a command.
    pub(super) readers: Readers,
    pub(super) program_places: ProgramPlaces,
    /// Rules in the host's own code, as text.
    pub(super) rules: Vec<(RuleEffect, String)>,
}

impl PermissionOptions {
    /// Parses the host's rules.
    fn parse_rules(&self) -> Result<Vec<LayeredRule>, OpenError> {
        let entry = |(effect, text): &(RuleEffect, String)| {
            let rule = Rule::parse(text).map_err(|source| OpenError::Rule {
                rule: text.clone(),
                source,
            })?;
            Ok(LayeredRule {
                effect: *effect,
                rule,
                layer: RuleLayer::Host,
                source: format!("Builder::{}", effect.as_str()),
                stands_for: None,
            })
        };
        self.rules.iter().map(entry).collect()
    }

    /// Returns the files that the programs of the settings are started from, under every name that leads to them. They
    /// are searched for when they are first needed.
    fn program_files(&self, settings: &Settings, roots: &[PathBuf]) -> ProgramFiles {
        let given = &self.program_places;
        let places = ProgramPlaces {
            path: given.path.clone(),
            working: [given.working.as_slice(), roots].concat(),
        };
        let commands = settings.commands();
        Arc::new(LazyLock::new(Box::new(move || {
            let files = commands
                .iter()
                .map(|command| CommandFiles::for_command(command, &places));
            let files: BTreeSet<PathBuf> = files
                .flat_map(|files| files.all().map(Path::to_path_buf).collect::<Vec<_>>())
                .collect();
            all_names_through_links(&files).into_iter().collect()
        })))
    }

    /// Lists the read roots: those of the builder, and those of the settings that exist.
    pub(super) fn read_roots(&self, settings: &Settings, home: Option<&Path>) -> Vec<PathBuf> {
        let expanded =
            settings
                .read_roots
                .iter()
                .map(|folder| match (folder.strip_prefix("~"), home) {
                    (Ok(rest), Some(home)) => home.join(rest),
                    _ => folder.clone(),
                });
        let there = expanded.filter(|folder| folder.is_dir());
        self.read_roots.iter().cloned().chain(there).collect()
    }
}

/// The files that the programs of the settings are started from.
type ProgramFiles = Arc<LazyLock<Vec<PathBuf>, Box<dyn FnOnce() -> Vec<PathBuf> + Send>>>;

/// Returns the function with which a policy fetches the files when it needs them.
fn file_lister(files: &ProgramFiles) -> Box<dyn FnOnce() -> Vec<PathBuf> + Send> {
    let files = Arc::clone(files);
    Box::new(move || files.to_vec())
}

/// The policy in force, and the values it was built from.
pub(crate) struct Permissions {
    /// How many of the workspace's folders are roots; the rest are read roots.
    pub(super) roots: usize,
    pub(crate) user_settings: Option<PathBuf>,
    pub(crate) wait_limit: Duration,
    policy: RwLock<Arc<Policy>>,
    scopes: Vec<Scope>,
    guards: Vec<String>,
    files: Vec<PathBuf>,
    /// The files that the programs of the settings are started from.
    program_files: ProgramFiles,
}

impl Permissions {
    pub(super) fn new(
        permission_options: &PermissionOptions,
        folders: &[PathBuf],
        roots: &[PathBuf],
        (settings, mode): (&Settings, Mode),
        home: Option<&Path>,
    ) -> Result<Permissions, OpenError> {
        let distinct: BTreeSet<PathBuf> = roots.iter().map(|root| resolve_folder(root)).collect();
        let roots = distinct.len().min(folders.len());
        let ground = Locations {
            roots: folders[..roots].to_vec(),
            read_roots: folders[roots..].to_vec(),
            home: home.map(Path::to_path_buf),
        };
        let policy = Policy::new(
            ground,
            mode.into(),
            [
                settings.rules.as_slice(),
                &permission_options.parse_rules()?,
                &flaws::rules(&settings.flaws, permission_options.readers),
            ]
            .concat(),
            settings.open.clone(),
            &resolve_folder,
        )
        .with_guards(&settings.guards, &resolve_folder);
        let files: Vec<PathBuf> = permission_options
            .settings_files
            .iter()
            .chain(&permission_options.user_settings)
            .cloned()
            .collect();
        let program_files = permission_options.program_files(settings, &folders[..roots]);
        let policy = policy
            .with_settings_files(&files, &resolve_folder)
            .with_program_list(file_lister(&program_files));
        Ok(Permissions {
            roots,
            user_settings: permission_options.user_settings.clone(),
            wait_limit: permission_options.wait_limit.unwrap_or(DEFAULT_WAIT_LIMIT),
            policy: RwLock::new(Arc::new(policy)),
            scopes: settings.open.clone(),
            guards: settings.guards.clone(),
            files,
            program_files,
        })
    }

    /// Returns the policy in force.
    pub(crate) fn policy(&self) -> Arc<Policy> {
        Arc::clone(&self.policy.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds one rule to the policy in force.
    pub(crate) fn add(&self, entry: LayeredRule) {
        let mut policy = self.policy.write().unwrap_or_else(PoisonError::into_inner);
        let mut entries = policy.layered_rules().to_vec();
        entries.push(entry);
        let more = Policy::new(
            policy.locations().clone(),
            policy.mode(),
            entries,
            self.scopes.clone(),
            &resolve_folder,
        );
        let more = more.with_guards(&self.guards, &resolve_folder);
        let more = more.with_settings_files(&self.files, &resolve_folder);
        *policy = Arc::new(more.with_program_list(file_lister(&self.program_files)));
    }
}
