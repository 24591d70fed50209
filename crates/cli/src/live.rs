//! Reloads the settings of an open engine when a settings file changes. The check runs before every call and costs one
//! `stat` per file while nothing changes.

use std::fs::Metadata;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lancet::Settings;
use lancet::settings::{ClaudeSettings, is_open_for_writing};
use lancet::settings::{ReloadedSettings, SettingsChange, SettingsSource};
use lancet_serving::Level;

use crate::arguments::{DiagnosticsOption, Mode, WorkArguments};
use crate::failure::Failure;
use crate::log::Log;
use crate::surroundings::{
    Flags, SettingsFile, Surroundings, claude_settings, excludes_file, git_surroundings,
    load_settings, open_settings, settings_files, trusted_file,
};

/// A file that was changed more recently than this may still be in the middle of being written, and its stat may not
/// distinguish the next change from this one.
const SETTLE_TIME: Duration = Duration::from_millis(50);
/// How often the files are read until one read is undisturbed: no file changed meanwhile, and none has a writer. Each
/// attempt waits for up to [`SETTLE_TIME`].
const ATTEMPTS: usize = 10;

/// The inputs from which the settings of an engine are made.
#[derive(Clone)]
pub(crate) struct SettingsInputs {
    pub(crate) around: Surroundings,
    pub(crate) place: WorkArguments,
    /// The first root, where the project's settings file is.
    pub(crate) first_root: PathBuf,
    /// The value of `--tools`, or the tools that the command has.
    pub(crate) tools: Vec<String>,
    /// The value of `--mode`.
    pub(crate) mode: Option<Mode>,
    /// The value of `--diagnostics`.
    pub(crate) diagnostics: Option<DiagnosticsOption>,
    /// Whether an agent or a person writes, which decides the mode.
    pub(crate) writes: WriteAuthor,
    /// The longest answer in characters, where the settings name none.
    pub(crate) answer_limit: usize,
    pub(crate) log: Log,
}

/// The author of a command's writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteAuthor {
    /// An agent writes. Its mode is that of the settings; this one applies where they name none.
    Agent(lancet::Mode),
    /// The person who typed the command writes, and is prompted first.
    Person,
}

impl WriteAuthor {
    /// Returns the mode that applies. The key `mode` is for agents: a person is prompted whatever its value is, unless
    /// the settings have `shell.confirm = false`. Only the value `plan`, and the flag `--mode`, apply to a person's
    /// command as well. The settings already contain the flag's value; `flag` says whether it was given.
    fn mode(self, settings: &Settings, flag: Option<Mode>) -> lancet::Mode {
        match (self, settings.mode) {
            (WriteAuthor::Agent(default), mode) => mode.unwrap_or(default),
            (WriteAuthor::Person, Some(mode)) if flag.is_some() => mode,
            (WriteAuthor::Person, Some(lancet::Mode::Plan)) => lancet::Mode::Plan,
            (WriteAuthor::Person, _) if settings.shell.confirm => lancet::Mode::Ask,
            (WriteAuthor::Person, _) => lancet::Mode::AcceptEdits,
        }
    }
}

/// Fails with the first mistake in the user's own settings files, if there is one.
pub(crate) fn refuse_own_flaws(settings: &Settings) -> Result<(), Failure> {
    match settings.flaws.iter().find(|flaw| flaw.is_in_user_file()) {
        Some(flaw) => Err(Failure::usage(flaw.to_string())),
        None => Ok(()),
    }
}

/// The contents of the settings files.
struct SettingsTexts {
    files: Vec<SettingsFile>,
    claude: Option<ClaudeSettings>,
}

impl SettingsInputs {
    /// Loads the settings from the files as they are now.
    pub(crate) fn load(&self) -> Result<ReloadedSettings, Failure> {
        self.build_settings(self.read()?)
    }

    fn read(&self) -> Result<SettingsTexts, Failure> {
        Ok(SettingsTexts {
            files: settings_files(&self.around, &self.first_root, &self.place)?,
            claude: claude_settings(&self.around, self.place.settings.as_deref())?,
        })
    }

    fn build_settings(&self, texts: SettingsTexts) -> Result<ReloadedSettings, Failure> {
        let flags = Flags {
            tools: &self.tools,
            mode: self.mode,
            diagnostics: self.diagnostics,
        };
        let mut settings = load_settings(&texts.files, flags)?;
        if let Some(claude) = &texts.claude {
            settings.add_claude_settings(claude);
            for left in &claude.left {
                self.log.log(Level::Warn, || {
                    format!("--settings: {} was not taken over: {}", left.what, left.why)
                });
            }
        }
        settings.search.excludes = excludes_file();
        if settings.write.git_diff {
            settings.write.git = git_surroundings(&self.around);
        }
        for ignored in &settings.ignored {
            self.log.log(Level::Warn, || {
                let path = ignored.path.display();
                format!(
                    "{path}:{}: {} is not applied: a project's settings may only tighten",
                    ignored.line, ignored.key
                )
            });
        }
        let mode = self.writes.mode(&settings, self.mode);
        let answer_limit = settings.read.max_chars.unwrap_or(self.answer_limit);
        let mut reloaded = ReloadedSettings::from(settings);
        reloaded.mode = Some(mode);
        reloaded.answer_limit = Some(answer_limit);
        Ok(reloaded)
    }

    fn log_flaws(&self, settings: &Settings) {
        for flaw in &settings.flaws {
            self.log.log(Level::Warn, || flaw.to_string());
        }
    }

    /// Returns the files that the settings are read from.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let watched = self.watched();
        [vec![watched.project], watched.others].concat()
    }

    /// Returns every file that influences the settings, whether or not it exists.
    fn watched(&self) -> WatchedFiles {
        let place = &self.place;
        let given = [&place.config, &place.settings].into_iter().flatten();
        let given = given.filter_map(|path| self.around.absolute(path).ok());
        WatchedFiles {
            project: self.first_root.join(lancet::settings::SETTINGS_FILE_NAME),
            trusted: trusted_file(&self.around, place.state_dir.as_deref()),
            others: self
                .around
                .user_settings()
                .into_iter()
                .chain(given)
                .collect(),
        }
    }
}

impl SettingsTexts {
    /// Returns a hash of the files' contents and of the origin of each (a trusted project or not): equal hashes need no
    /// reload.
    fn fingerprint(&self) -> String {
        let files: Vec<_> = self
            .files
            .iter()
            .map(|file| (file.origin, &file.text, &file.unreadable))
            .collect();
        Settings::fingerprint(&format!("{files:?} {:?}", self.claude))
    }
}

/// The files that influence the settings.
struct WatchedFiles {
    project: PathBuf,
    /// The file that lists the projects that the user trusts.
    trusted: Option<PathBuf>,
    others: Vec<PathBuf>,
}

impl WatchedFiles {
    fn stamps(&self) -> Vec<Stamp> {
        let stamp_of = |path: &PathBuf| stamp_from_metadata(std::fs::metadata(path));
        let mut stamps: Vec<Stamp> = self.others.iter().map(stamp_of).collect();
        let project = stamp_of(&self.project);
        // Trust matters only if the project has a settings file.
        if project.is_ok() {
            stamps.extend(self.trusted.iter().map(stamp_of));
        }
        stamps.push(project);
        stamps
    }
}

impl WatchedFiles {
    /// Reports whether a process has a settings file open for writing. The list of trusted projects is not examined: it
    /// is appended to in one write.
    fn are_open_for_writing(&self) -> bool {
        let all = self.others.iter().chain([&self.project]);
        all.filter_map(|path| open_settings(path).ok())
            .any(|file| is_open_for_writing(file.as_fd()))
    }
}

/// The stat of a file, which distinguishes its versions, or the reason why the file cannot be examined.
type Stamp = Result<[i64; 7], io::ErrorKind>;

fn stamp_from_metadata(found: io::Result<Metadata>) -> Stamp {
    let found = found.map_err(|error| error.kind())?;
    Ok([
        found.dev().cast_signed(),
        found.ino().cast_signed(),
        found.size().cast_signed(),
        found.mtime(),
        found.mtime_nsec(),
        found.ctime(),
        found.ctime_nsec(),
    ])
}

/// Returns the time since a file was changed, by its ctime, the last two numbers of the stamp. It is none where the
/// ctime is in the future or the file cannot be examined.
fn age(stamp: &Stamp) -> Option<Duration> {
    let [.., seconds, nanoseconds] = stamp.as_ref().ok()?;
    let seconds = Duration::from_secs(u64::try_from(*seconds).ok()?);
    let changed = seconds + Duration::from_nanos(u64::try_from(*nanoseconds).ok()?);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    now.checked_sub(changed)
}

/// The settings of an open engine, checked for changes before every call.
pub(crate) struct LiveSettings {
    recipe: SettingsInputs,
    watched: WatchedFiles,
    known: Mutex<LoadedState>,
}

/// The settings files as they were last read, whether or not they loaded.
struct LoadedState {
    stamps: Vec<Stamp>,
    /// The fingerprint of their content, if they load.
    fingerprint: Option<String>,
}

impl LiveSettings {
    /// Loads the settings, and starts to watch the files.
    pub(crate) fn begin(
        recipe: SettingsInputs,
    ) -> Result<(ReloadedSettings, LiveSettings), Failure> {
        let watched = recipe.watched();
        let stamps = watched.stamps();
        let texts = recipe.read()?;
        // A file that was changed just now may change again under the same stat. Without stamps the first call reads
        // the files again.
        let settled = stamps.iter().all(is_settled);
        let known = LoadedState {
            stamps: if settled { stamps } else { Vec::new() },
            fingerprint: Some(texts.fingerprint()),
        };
        let settings = recipe.build_settings(texts)?;
        recipe.log_flaws(&settings.settings);
        let live = LiveSettings {
            recipe,
            watched,
            known: Mutex::new(known),
        };
        Ok((settings, live))
    }

    /// Reads the files at a moment when no process is writing one; none where there is no such moment.
    fn read_undisturbed(
        &self,
        mut stamps: Vec<Stamp>,
    ) -> Option<(Vec<Stamp>, Result<SettingsTexts, Failure>)> {
        for _ in 0..ATTEMPTS {
            let youngest = stamps.iter().filter_map(age).min().unwrap_or(SETTLE_TIME);
            sleep(SETTLE_TIME.saturating_sub(youngest));
            let texts = self.recipe.read();
            let writers = self.watched.are_open_for_writing();
            let after = self.watched.stamps();
            if !writers && after == stamps && after.iter().all(is_settled) {
                return Some((after, texts));
            }
            stamps = after;
        }
        None
    }

    /// Returns the settings, if their content has changed.
    fn reload(
        &self,
        texts: SettingsTexts,
        known: &mut LoadedState,
    ) -> Result<Option<ReloadedSettings>, Failure> {
        let fingerprint = texts.fingerprint();
        if known.fingerprint.as_ref() == Some(&fingerprint) {
            return Ok(None);
        }
        let reloaded = self.recipe.build_settings(texts)?;
        // Where the user's own files are wrong, the last good settings remain in effect.
        refuse_own_flaws(&reloaded.settings)?;
        self.recipe.log_flaws(&reloaded.settings);
        known.fingerprint = Some(fingerprint);
        Ok(Some(reloaded))
    }
}

/// Reports whether the last change of a file is at least [`SETTLE_TIME`] ago. A file without a known age is not waited for.
fn is_settled(stamp: &Stamp) -> bool {
    age(stamp).is_none_or(|age| age >= SETTLE_TIME)
}

impl SettingsSource for LiveSettings {
    fn poll(&self) -> SettingsChange {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let stamps = self.watched.stamps();
        if stamps == known.stamps {
            return SettingsChange::Unchanged;
        }
        let log = self.recipe.log;
        let read = match self.read_undisturbed(stamps) {
            Some((quiet, texts)) => {
                known.stamps = quiet;
                texts.and_then(|texts| self.reload(texts, &mut known))
            }
            None => Err(Failure::usage("a settings file is still being written")),
        };
        match read {
            Ok(None) => SettingsChange::Unchanged,
            Ok(Some(reloaded)) => {
                log.log(Level::Info, || {
                    "the settings were changed and count from now on".to_owned()
                });
                SettingsChange::Changed(Box::new(reloaded))
            }
            Err(failure) => {
                // The engine reports the failure until settings are loaded, so even the previous content counts as a
                // change when it comes back.
                known.fingerprint = None;
                log.log(Level::Warn, || {
                    format!("the settings were changed and do not load, the ones before stay in force: {failure}")
                });
                SettingsChange::Broken(failure.message)
            }
        }
    }
}
