//! The launcher of this program: the process that starts pager, editor and the programs of the settings outside the
//! confinement by Landlock (`crates/serving`). It is another process of this program, and reads settings and
//! environment itself.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lancet::Settings;
use lancet::language::ServerEntry;
use lancet::settings::Origin::{Project, TrustedProject};
use lancet_serving::{
    CONFINED_ARGUMENT, LIMITED_ARGUMENT, LaunchRequest, Launcher, Programs, RunningProgram, Streams,
};

use crate::arguments::WorkArguments;
use crate::failure::Exit;
use crate::language;
use crate::surroundings::trusted_programs::TrustCheck;
use crate::surroundings::{Flags, SettingsFile, Surroundings, load_settings, settings_files};
use crate::terminal::print_error;

/// The argument that makes this program the launcher. The first root, the state folder and the value of `--config`
/// follow, which are empty where they are not given.
const WORD: &str = "--launcher";

/// Whether a command may show something to a person at the terminal, or prompt there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TerminalUse {
    /// The command may use the terminal.
    Possible,
    /// The command never uses the terminal.
    None,
}

/// The launcher of this process; unset before the process is confined.
static LAUNCHER: OnceLock<Launcher> = OnceLock::new();

/// Reports whether this program was started to be the launcher, or to become a program that the launcher starts.
pub(crate) fn is_wanted(typed: &[OsString]) -> bool {
    let word = typed.get(1);
    word.is_some_and(|word| {
        let words = [WORD, CONFINED_ARGUMENT, LIMITED_ARGUMENT];
        words.iter().any(|own| word == OsStr::new(own))
    })
}

/// Runs the launcher, or becomes a program that it starts.
pub(crate) fn run_launcher(typed: &[OsString]) -> Exit {
    match typed {
        [_, word, other @ ..]
            if word == OsStr::new(CONFINED_ARGUMENT) || word == OsStr::new(LIMITED_ARGUMENT) =>
        {
            let error = match word == OsStr::new(CONFINED_ARGUMENT) {
                true => lancet_serving::exec_confined(other),
                false => lancet_serving::exec_limited(other),
            };
            let program = other.get(1).map(|name| name.to_string_lossy());
            let program = program.unwrap_or_default();
            print_error(&format!("{program} could not be started: {error}\n"));
            Exit::System
        }
        [_, _, root, state, config] => {
            let place = WorkArguments {
                config: non_empty_path(config),
                state_dir: non_empty_path(state),
                ..WorkArguments::default()
            };
            let (programs, check) = load_programs(Path::new(root), &place);
            let passes = |command: &[String]| check.is_trusted(command);
            let connection = io::stdin().as_fd().try_clone_to_owned();
            match connection
                .and_then(|line| lancet_serving::serve_launcher(line, &programs, &passes))
            {
                Ok(()) => Exit::Done,
                Err(_) => Exit::System,
            }
        }
        _ => Exit::Usage,
    }
}

fn non_empty_path(given: &OsStr) -> Option<PathBuf> {
    (!given.is_empty()).then(|| given.into())
}

/// Returns the programs that the environment and the settings name, and the check that they are the ones that the user
/// trusts. Settings that do not load contribute no programs.
fn load_programs(first_root: &Path, place: &WorkArguments) -> (Programs, TrustCheck) {
    let around = Surroundings::from_environment();
    let files = settings_files(&around, first_root, place).unwrap_or_default();
    let settings = load_settings(&files, Flags::default()).ok();
    let mut programs = known_programs(&around, settings.as_ref());
    if let Some(settings) = &settings
        && language::are_servers_trusted(&around, first_root, place)
    {
        programs.servers =
            language::server_programs(settings, &language::available_servers(settings));
        programs.servers_below = Some(first_root.to_path_buf());
    }
    let state = around.state_dir(place.state_dir.as_deref()).ok().flatten();
    let mut of_project = commands_of_project(files, settings.as_ref());
    // Servers are started for a trusted project only, whatever names them.
    of_project.extend(programs.servers.iter().map(|server| server.run.clone()));
    let places = around.program_places();
    let check = TrustCheck::new(state, first_root, places, of_project);
    (programs, check)
}

/// Returns the commands that the project's own settings name, and no other layer.
fn commands_of_project(files: Vec<SettingsFile>, settings: Option<&Settings>) -> Vec<Vec<String>> {
    let others = files.into_iter();
    let others = others.filter(|file| !matches!(file.origin, Project | TrustedProject));
    let others = load_settings(&others.collect::<Vec<_>>(), Flags::default());
    let own = others.map(|settings| settings.commands());
    let own = own.unwrap_or_default();
    let mut commands = settings.map(Settings::commands).unwrap_or_default();
    commands.retain(|command| !own.contains(command));
    commands
}

fn known_programs(around: &Surroundings, settings: Option<&Settings>) -> Programs {
    Programs {
        editor: Some(around.editor.clone().unwrap_or_else(|| "vi".to_owned())),
        pager: around.pager.clone(),
        converters: settings.map_or_else(Vec::new, Settings::converters),
        notify: settings.map_or_else(Vec::new, |settings| settings.ask.notify.clone()),
        formatters: settings.map_or_else(Vec::new, Settings::formatters),
        hooks: settings.map_or_else(Vec::new, Settings::hooks),
        servers: Vec::new(),
        servers_below: None,
    }
}

/// Starts the launcher, once, if this process may have to start programs: if it has a terminal to prompt or show
/// something on, or the settings name a program. It has to be started before the process is confined. Returns the
/// launcher for the programs of the settings, and for the language servers if the project may have some.
pub(crate) fn start_launcher(
    around: &Surroundings,
    settings: &Settings,
    first_root: &Path,
    place: &WorkArguments,
    terminal: TerminalUse,
    servers: &[ServerEntry],
) -> Option<Launcher> {
    let programs = known_programs(around, Some(settings));
    let has_terminal = || {
        let terminal = std::fs::OpenOptions::new().write(true).open("/dev/tty");
        terminal.is_ok()
    };
    let is_needed = !programs.converters.is_empty()
        || !programs.formatters.is_empty()
        || !programs.hooks.is_empty()
        || !programs.notify.is_empty()
        || !servers.is_empty()
        || (terminal == TerminalUse::Possible && has_terminal());
    if !cfg!(target_os = "linux") || !is_needed {
        return None;
    }
    let given = |path: &Option<PathBuf>| path.clone().unwrap_or_default().into_os_string();
    let arguments = [
        WORD.into(),
        first_root.into(),
        given(&place.state_dir),
        given(&place.config),
    ];
    let launcher = LAUNCHER.get_or_init(|| {
        Launcher::begin(OsStr::new("/proc/self/exe"), &arguments, programs.clone())
            .unwrap_or_else(|_| Launcher::without_launcher(programs))
    });
    Some(launcher.clone())
}

/// Passes a line to the program of `ask.notify`, and does not wait for it. Without a launcher no program is started.
pub(crate) fn notify(line: String) {
    let Some(launcher) = LAUNCHER.get() else {
        return;
    };
    let launcher = launcher.clone();
    // The thread waits for the end of the program, which the launcher bounds.
    std::thread::spawn(move || {
        let told = || -> io::Result<()> {
            let (input, mut writer) = io::pipe()?;
            let nowhere = || std::fs::OpenOptions::new().write(true).open("/dev/null");
            let streams = Streams {
                input: input.into(),
                output: nowhere()?.into(),
                error: nowhere()?.into(),
            };
            let running = launcher.start_program(&LaunchRequest::Notify, streams)?;
            // A program that does not read its input is no error.
            let _ = writer.write_all(line.as_bytes());
            drop(writer);
            running.wait().map(|_| ())
        };
        if let Err(error) = told() {
            print_error(&format!("lancet: the program of ask.notify: {error}\n"));
        }
    });
}

/// Starts the user's editor or pager. Without a launcher this process starts it, and it is confined as this process is.
pub(crate) fn start_program(
    launch: &LaunchRequest,
    streams: Streams,
) -> io::Result<RunningProgram> {
    let own = || {
        let around = Surroundings::from_environment();
        Launcher::without_launcher(known_programs(&around, None))
    };
    LAUNCHER.get_or_init(own).start_program(launch, streams)
}
