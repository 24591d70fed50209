//! Finds and reads the settings files, and turns flags into settings. The library interprets the settings.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use lancet::Settings;
use lancet::settings::{ClaudeSettings, Layer, Origin, SETTINGS_FILE_NAME, import_claude_settings};

use super::{Surroundings, trust};
use crate::arguments::{DiagnosticsOption, Mode, WorkArguments};
use crate::failure::Failure;

/// The longest settings file that is read, in bytes. A project's file may come from a stranger, so it needs a limit.
const MAX_SETTINGS_BYTES: u64 = 1024 * 1024;

/// Flags that have the same meaning as settings.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flags<'a> {
    /// The values of `--tools`.
    pub(crate) tools: &'a [String],
    /// The value of `--mode`.
    pub(crate) mode: Option<Mode>,
    /// The value of `--diagnostics`.
    pub(crate) diagnostics: Option<DiagnosticsOption>,
}

/// A settings file that applies, whether or not it exists.
#[derive(Clone, Debug)]
pub(crate) struct SettingsFile {
    /// The layer of the file.
    pub(crate) origin: Origin,
    /// The path of the file.
    pub(crate) path: PathBuf,
    /// The content of the file; none where it does not exist or cannot be read.
    pub(crate) text: Option<String>,
    /// Why the file cannot be read, although it exists.
    pub(crate) unreadable: Option<String>,
}

/// Reads the settings files that apply.
pub(crate) fn read_settings_files(
    around: &Surroundings,
    first_root: &Path,
    place: &WorkArguments,
) -> Result<Vec<SettingsFile>, Failure> {
    let config = place.config.as_deref();
    let mut files = Vec::new();
    let user = around.user_settings();
    if let Some(path) = user.clone() {
        files.push(read_settings_file(Origin::User, path)?);
    }
    let project = first_root.join(SETTINGS_FILE_NAME);
    // If the user's settings folder is itself the project, its file is listed once.
    if user
        .and_then(|path| path.canonicalize().ok())
        .is_none_or(|user| project.canonicalize().ok() != Some(user))
    {
        let mut file = read_settings_file(Origin::Project, project)?;
        let state = around.state_dir(place.state_dir.as_deref())?;
        if let (Some(text), Some(state)) = (&file.text, state)
            && trust::is_trusted(&state, &file.path, text)
        {
            file.origin = Origin::TrustedProject;
        }
        files.push(file);
    }
    if let Some(given) = config {
        let file = read_settings_file(Origin::CommandLine, around.absolute(given)?)?;
        if let Some(why) = &file.unreadable {
            return Err(Failure::usage(format!(
                "{}: the settings cannot be read: {why}",
                file.path.display()
            )));
        }
        if file.text.is_none() {
            return Err(Failure::usage(format!(
                "--config {}: there is no such file",
                given.display()
            )));
        }
        files.push(file);
    }
    Ok(files)
}

/// Reads the permissions of Claude Code, if they were requested.
pub(crate) fn read_claude_permissions(
    around: &Surroundings,
    given: Option<&Path>,
) -> Result<Option<ClaudeSettings>, Failure> {
    let Some(given) = given else {
        return Ok(None);
    };
    let wrong = |why: String| Failure::usage(format!("--settings {}: {why}", given.display()));
    let path = around.absolute(given)?;
    let text =
        read_settings_text(&path).map_err(|error| wrong(format!("it cannot be read: {error}")))?;
    let settings = import_claude_settings(&text, &path);
    settings.map(Some).map_err(|error| wrong(error.to_string()))
}

/// Loads the settings that apply. Unusable parts of files are flaws of the settings; a wrong flag is a failure.
pub(crate) fn load_settings(files: &[SettingsFile], flags: Flags<'_>) -> Result<Settings, Failure> {
    let mut layers: Vec<Layer> = files
        .iter()
        .filter_map(|file| {
            Some(Layer {
                origin: file.origin,
                path: file.path.clone(),
                text: file.text.clone()?,
            })
        })
        .collect();
    let mut flag_layers = Vec::new();
    if !flags.tools.is_empty() {
        flag_layers.push(layer_from_flag("--tools", "tools", &flags.tools.join(",")));
    }
    if let Some(mode) = flags.mode {
        let word = match mode {
            Mode::Ask => "ask",
            Mode::AcceptEdits => "accept-edits",
            Mode::Plan => "plan",
            Mode::Bypass => "bypass",
        };
        flag_layers.push(layer_from_flag("--mode", "mode", word));
    }
    if let Some(diagnostics) = flags.diagnostics {
        let word = match diagnostics {
            DiagnosticsOption::AfterEdit => "after-edit",
            DiagnosticsOption::OnRead => "on-read",
            DiagnosticsOption::Off => "off",
        };
        flag_layers.push(layer_from_flag(
            "--diagnostics",
            "language.diagnostics",
            word,
        ));
    }
    Settings::load(&flag_layers).map_err(|error| {
        // A flag has no line number.
        let place = error.path.display();
        let hint = error
            .suggestion
            .map(|suggestion| format!("; did you mean {suggestion}?"))
            .unwrap_or_default();
        Failure::usage(format!("{place}: {}{hint}", error.message))
    })?;
    layers.extend(flag_layers);
    let mut settings = Settings::load_usable(&layers, &[]);
    for file in files {
        if let Some(why) = &file.unreadable {
            settings.note_unreadable(file.origin, &file.path, why);
        }
    }
    Ok(settings)
}

/// Writes a flag as a settings file of one line, so that one table defines every value.
fn layer_from_flag(name: &str, key: &str, value: &str) -> Layer {
    // A JSON string is also a TOML string.
    let text = format!("{key} = {}\n", serde_json::Value::from(value));
    Layer {
        origin: Origin::CommandLine,
        path: PathBuf::from(name),
        text,
    }
}

pub(super) fn read_settings_file(origin: Origin, path: PathBuf) -> Result<SettingsFile, Failure> {
    let (text, unreadable) = match read_settings_text(&path) {
        Ok(text) => (Some(text), None),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            (None, None)
        }
        Err(error) => {
            refuse_inaccessible_folder(&path, &error)?;
            (None, Some(error.to_string()))
        }
    };
    Ok(SettingsFile {
        origin,
        path,
        text,
        unreadable,
    })
}

/// Fails if even the folder of a settings file cannot be entered: it is then unknown whether there are any settings.
fn refuse_inaccessible_folder(path: &Path, error: &io::Error) -> Result<(), Failure> {
    if error.kind() == io::ErrorKind::PermissionDenied
        && let Some(folder) = path.parent()
        && path.symlink_metadata().is_err()
    {
        return Err(Failure::system(format!(
            "{}: the folder cannot be entered: {error}; nothing below it can be read or written by this user",
            folder.display()
        )));
    }
    Ok(())
}

/// Opens a settings file, of whatever type.
pub(crate) fn open_settings_file(path: &Path) -> io::Result<File> {
    // Non-blocking, because a named pipe would otherwise block the program.
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    OpenOptions::new()
        .read(true)
        .custom_flags(nonblocking)
        .open(path)
}

fn read_settings_text(path: &Path) -> io::Result<String> {
    let mut file = open_settings_file(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("this is not a regular file"));
    }
    let mut text = String::new();
    if (&mut file)
        .take(MAX_SETTINGS_BYTES + 1)
        .read_to_string(&mut text)? as u64
        > MAX_SETTINGS_BYTES
    {
        return Err(io::Error::other("longer than 1 MiB"));
    }
    Ok(text)
}
