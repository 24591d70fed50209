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
use lancet::settings::{ClaudeSettings, has_writer};
use lancet::settings::{ReloadedSettings, SettingsChange, SettingsSource};
use lancet_serving::Level;

use crate::arguments::{DiagnosticsOption, Mode, WorkArguments};
use crate::failure::Failure;
use crate::log::Log;
use crate::surroundings::{
    Flags, SettingsFile, Surroundings, claude_settings, git_surroundings, load_settings,
    open_settings, settings_files, trusted_file,
};

/// A file that was changed more recently than this may still be in the middle of being written, and its stat may not
/// distinguish the next change from this one.
const QUIET: Duration = Duration::from_millis(50);
/// How often the files are read until one read is undisturbed: no file changed meanwhile, and none has a writer. Each
/// attempt waits for up to [`QUIET`].
const ATTEMPTS: usize = 10;

/// The inputs from which the settings of an engine are made.
#[derive(Clone)]
pub(crate) struct Recipe {
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
    pub(crate) writes: Writes,
    /// The longest answer in characters, where the settings name none.
    pub(crate) answer_limit: usize,
    pub(crate) log: Log,
}

/// The author of a command's writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writes {
    /// An agent writes. Its mode is that of the settings; this one applies where they name none.
    Agent(lancet::Mode),
    /// The person who typed the command writes, and is prompted first.
    Person,
}

impl Writes {
    /// Returns the mode that applies. The key `mode` is for agents: a person is prompted whatever its value is, unless
    /// the settings have `shell.confirm = false`. Only the value `plan`, and the flag `--mode`, apply to a person's
    /// command as well. The settings already contain the flag's value; `flag` says whether it was given.
    fn mode(self, settings: &Settings, flag: Option<Mode>) -> lancet::Mode {
        match (self, settings.mode) {
            (Writes::Agent(default), mode) => mode.unwrap_or(default),
            (Writes::Person, Some(mode)) if flag.is_some() => mode,
            (Writes::Person, Some(lancet::Mode::Plan)) => lancet::Mode::Plan,
            (Writes::Person, _) if settings.shell.confirm => lancet::Mode::Ask,
            (Writes::Person, _) => lancet::Mode::AcceptEdits,
        }
    }
}

/// Fails with the first mistake in the user's own settings files, if there is one.
pub(crate) fn refuse_own_flaws(settings: &Settings) -> Result<(), Failure> {
    match settings.flaws.iter().find(|flaw| flaw.is_users_own()) {
        Some(flaw) => Err(Failure::usage(flaw.to_string())),
        None => Ok(()),
    }
}

/// The contents of the settings files.
struct Texts {
    files: Vec<SettingsFile>,
    claude: Option<ClaudeSettings>,
}

impl Recipe {
    /// Loads the settings from the files as they are now.
    pub(crate) fn load(&self) -> Result<ReloadedSettings, Failure> {
        self.made_of(self.read()?)
    }

    fn read(&self) -> Result<Texts, Failure> {
        Ok(Texts {
            files: settings_files(&self.around, &self.first_root, &self.place)?,
            claude: claude_settings(&self.around, self.place.settings.as_deref())?,
        })
    }

    fn made_of(&self, texts: Texts) -> Result<ReloadedSettings, Failure> {
        let flags = Flags {
            tools: &self.tools,
            mode: self.mode,
            diagnostics: self.diagnostics,
        };
        let mut settings = load_settings(&texts.files, flags)?;
        if let Some(claude) = &texts.claude {
            settings.take_in(claude);
            for left in &claude.left {
                self.log.say(Level::Warn, || {
                    format!("--settings: {} was not taken over: {}", left.what, left.why)
                });
            }
        }
        settings.search.excludes = lancet::doors::excludes_path();
        if settings.write.git_diff {
            settings.write.git = git_surroundings(&self.around);
        }
        for ignored in &settings.ignored {
            self.log.say(Level::Warn, || {
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
            self.log.say(Level::Warn, || flaw.to_string());
        }
    }

    /// Returns the files that the settings are read from.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let watched = self.watched();
        [vec![watched.project], watched.others].concat()
    }

    /// Returns every file that influences the settings, whether or not it exists.
    fn watched(&self) -> Watched {
        let place = &self.place;
        let given = [&place.config, &place.settings].into_iter().flatten();
        let given = given.filter_map(|path| self.around.absolute(path).ok());
        Watched {
            project: self.first_root.join(lancet::settings::NAME),
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

impl Texts {
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
struct Watched {
    project: PathBuf,
    /// The file that lists the projects that the user trusts.
    trusted: Option<PathBuf>,
    others: Vec<PathBuf>,
}

impl Watched {
    fn stamps(&self) -> Vec<Stamp> {
        let stamp_of = |path: &PathBuf| stamp(std::fs::metadata(path));
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

impl Watched {
    /// Reports whether a process has a settings file open for writing. The list of trusted projects is not examined: it
    /// is appended to in one write.
    fn have_writers(&self) -> bool {
        let all = self.others.iter().chain([&self.project]);
        all.filter_map(|path| open_settings(path).ok())
            .any(|file| has_writer(file.as_fd()))
    }
}

/// The stat of a file, which distinguishes its versions, or the reason why the file cannot be examined.
type Stamp = Result<[i64; 7], io::ErrorKind>;

fn stamp(found: io::Result<Metadata>) -> Stamp {
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
pub(crate) struct Live {
    recipe: Recipe,
    watched: Watched,
    known: Mutex<LoadedState>,
}

/// The settings files as they were last read, whether or not they loaded.
struct LoadedState {
    stamps: Vec<Stamp>,
    /// The fingerprint of their content, if they load.
    fingerprint: Option<String>,
}

impl Live {
    /// Loads the settings, and starts to watch the files.
    pub(crate) fn begin(recipe: Recipe) -> Result<(ReloadedSettings, Live), Failure> {
        let watched = recipe.watched();
        let stamps = watched.stamps();
        let texts = recipe.read()?;
        // A file that was changed just now may change again under the same stat. Without stamps the first call reads
        // the files again.
        let settled = stamps.iter().all(is_quiet);
        let known = LoadedState {
            stamps: if settled { stamps } else { Vec::new() },
            fingerprint: Some(texts.fingerprint()),
        };
        let settings = recipe.made_of(texts)?;
        recipe.log_flaws(&settings.settings);
        let live = Live {
            recipe,
            watched,
            known: Mutex::new(known),
        };
        Ok((settings, live))
    }

    /// Reads the files at a moment when no process is writing one; none where there is no such moment.
    fn read_quietly(&self, mut stamps: Vec<Stamp>) -> Option<(Vec<Stamp>, Result<Texts, Failure>)> {
        for _ in 0..ATTEMPTS {
            let youngest = stamps.iter().filter_map(age).min().unwrap_or(QUIET);
            sleep(QUIET.saturating_sub(youngest));
            let texts = self.recipe.read();
            let writers = self.watched.have_writers();
            let after = self.watched.stamps();
            if !writers && after == stamps && after.iter().all(is_quiet) {
                return Some((after, texts));
            }
            stamps = after;
        }
        None
    }

    /// Returns the settings, if their content has changed.
    fn reload(
        &self,
        texts: Texts,
        known: &mut LoadedState,
    ) -> Result<Option<ReloadedSettings>, Failure> {
        let fingerprint = texts.fingerprint();
        if known.fingerprint.as_ref() == Some(&fingerprint) {
            return Ok(None);
        }
        let reloaded = self.recipe.made_of(texts)?;
        // Where the user's own files are wrong, the last good settings remain in effect.
        refuse_own_flaws(&reloaded.settings)?;
        self.recipe.log_flaws(&reloaded.settings);
        known.fingerprint = Some(fingerprint);
        Ok(Some(reloaded))
    }
}

/// Reports whether the last change of a file is at least [`QUIET`] ago. A file without a known age is not waited for.
fn is_quiet(stamp: &Stamp) -> bool {
    age(stamp).is_none_or(|age| age >= QUIET)
}

impl SettingsSource for Live {
    fn poll(&self) -> SettingsChange {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let stamps = self.watched.stamps();
        if stamps == known.stamps {
            return SettingsChange::Unchanged;
        }
        let log = self.recipe.log;
        let read = match self.read_quietly(stamps) {
            Some((quiet, texts)) => {
                known.stamps = quiet;
                texts.and_then(|texts| self.reload(texts, &mut known))
            }
            None => Err(Failure::usage("a settings file is still being written")),
        };
        match read {
            Ok(None) => SettingsChange::Unchanged,
            Ok(Some(reloaded)) => {
                log.say(Level::Info, || {
                    "the settings were changed and count from now on".to_owned()
                });
                SettingsChange::Changed(Box::new(reloaded))
            }
            Err(failure) => {
                // The engine reports the failure until settings are loaded, so even the previous content counts as a
                // change when it comes back.
                known.fingerprint = None;
                log.say(Level::Warn, || {
                    format!("the settings were changed and do not load, the ones before stay in force: {failure}")
                });
                SettingsChange::Broken(failure.message)
            }
        }
    }
}
