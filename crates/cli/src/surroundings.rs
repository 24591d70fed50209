//! The environment of the process: variables, working folder and home folder, read once. No other file of the program
//! reads them.

mod agents;
mod browser;
mod git;
mod other_projects;
mod pictures;
mod roots;
mod settings;
pub(crate) mod trust;
pub(crate) mod trusted_programs;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub(crate) use agents::RunningAgent;
pub(crate) use git::{excludes_file, read_git_surroundings as git_surroundings};
pub(crate) use other_projects::{add_rules_of_projects, files_of_projects};
pub(crate) use pictures::PictureProtocol;
pub(crate) use roots::{
    AgentRoots, RootHint, resolve as resolve_roots, resolve_read_roots, wide_working_folder,
};
pub(crate) use settings::{
    Flags, SettingsFile, load_settings, open_settings_file as open_settings,
    read_claude_permissions as claude_settings, read_settings_files as settings_files,
};

pub(crate) use trust::trust_file as trusted_file;

use lancet::doors::{Audience, name_from_working_folder};
use lancet::programs::ProgramPlaces;
use lancet_serving::conversation::SESSION_VARIABLES;

use crate::arguments::ColorWhen;
use crate::failure::Failure;
use crate::terminal::Colour;

/// The environment of the process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surroundings {
    /// The working folder; none where it was removed.
    pub(crate) working: Option<PathBuf>,
    /// The home folder.
    pub(crate) home: Option<PathBuf>,
    /// The value of `--color`.
    pub(crate) color: ColorWhen,
    /// Whether this command runs another one (`--exec`), so that the process stays without the kernel's sandbox.
    pub(crate) runs_another: bool,
    /// Whether colours are unwanted: `NO_COLOR` is set, or `TERM` is `dumb`.
    plain: bool,
    /// `FORCE_COLOR` or `CLICOLOR_FORCE` is set, and not to 0.
    colour_forced: bool,
    /// Whether the locale is set to one without UTF-8.
    pub(crate) is_ascii: bool,
    /// Whether the terminal is known to show hyperlinks (OSC 8).
    pub(crate) shows_links: bool,
    /// The terminal's protocol for pictures; none where it is not known to have one.
    pub(crate) pictures: Option<PictureProtocol>,
    /// The value of `LANCET_LOG`.
    pub(crate) log: Option<String>,
    /// The value of `VISUAL`, else of `EDITOR`.
    pub(crate) editor: Option<String>,
    /// The pager for long texts: `LANCET_PAGER`, else `PAGER`, else less. None where the variable is empty or `cat`, as
    /// in git.
    pub(crate) pager: Option<String>,
    /// The command that opens a file in a browser, in shell syntax; none where there is no screen or no browser.
    pub(crate) browser: Option<String>,
    /// The ids that agents gave the conversation, by the variable that contains each.
    pub(crate) agent_sessions: Vec<(String, String)>,
    /// The agent that runs this command, by the variables that agents set.
    pub(crate) agent: Option<RunningAgent>,
    /// The value of `LANCET_TOKEN`.
    pub(crate) token: Option<String>,
    /// The user's name: `USER`, else `LOGNAME`.
    pub(crate) user: Option<String>,
    state_dir: Option<PathBuf>,
    state_home: Option<PathBuf>,
    config_home: Option<PathBuf>,
}

impl Surroundings {
    /// Reads the environment.
    pub(crate) fn from_environment() -> Self {
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        // By the rules for XDG variables a relative path counts as unset.
        let folder = |name: &str| {
            set(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let dumb = set("TERM").is_some_and(|name| name == "dumb");
        Self {
            working: env::current_dir().ok(),
            color: ColorWhen::Auto,
            runs_another: false,
            is_ascii: is_ascii(&set),
            home: env::home_dir().filter(|path| path.is_absolute()),
            plain: dumb
                || set("NO_COLOR").is_some()
                || set("CLICOLOR").is_some_and(|value| value == "0"),
            colour_forced: set("NO_COLOR").is_none()
                && ["FORCE_COLOR", "CLICOLOR_FORCE"]
                    .iter()
                    .any(|name| set(name).is_some_and(|value| value != "0")),
            shows_links: !dumb && shows_links(&set),
            pictures: pictures::detect_protocol(&set),
            log: set("LANCET_LOG").map(|value| value.to_string_lossy().into_owned()),
            editor: set("VISUAL")
                .or_else(|| set("EDITOR"))
                .map(|value| value.to_string_lossy().into_owned()),
            pager: pager_command(["LANCET_PAGER", "PAGER"].into_iter().find_map(env::var_os)),
            browser: browser::find_browser_command(&set),
            agent_sessions: SESSION_VARIABLES
                .iter()
                .filter_map(|name| Some(((*name).to_owned(), set(name)?.into_string().ok()?)))
                .collect(),
            agent: agents::detect_in(&set),
            token: set("LANCET_TOKEN").map(|value| value.to_string_lossy().into_owned()),
            user: ["USER", "LOGNAME"]
                .into_iter()
                .find_map(set)
                .map(|value| value.to_string_lossy().into_owned()),
            state_dir: set("LANCET_STATE_DIR").map(PathBuf::from),
            state_home: folder("XDG_STATE_HOME"),
            config_home: folder("XDG_CONFIG_HOME"),
        }
    }

    /// Returns the id of the conversation that the environment of an agent's hook names, for agents whose events do not
    /// contain it.
    pub(crate) fn session_of_agent(&self, agent: &str) -> Option<String> {
        let variable = match agent {
            "claude" => "CLAUDE_CODE_SESSION_ID",
            "copilot" => "COPILOT_AGENT_SESSION_ID",
            _ => return None,
        };
        let mut known = self.agent_sessions.iter();
        let (_, id) = known.find(|(name, _)| name == variable)?;
        Some(id.clone())
    }

    /// Reports whether a stream gets colours.
    pub(crate) fn colour(&self, is_terminal: bool) -> Colour {
        let on = match self.color {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => self.colour_forced || (is_terminal && !self.plain),
        };
        match on {
            true => Colour::On,
            false => Colour::Off,
        }
    }

    /// Returns the state folder; none where there is not even a home folder.
    pub(crate) fn state_dir(&self, given: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
        if let Some(chosen) = given.or(self.state_dir.as_deref()) {
            return self.absolute(chosen).map(Some);
        }
        let home = self.home.as_ref().map(|home| home.join(".local/state"));
        Ok(self
            .state_home
            .clone()
            .or(home)
            .map(|folder| folder.join("lancet")))
    }

    /// Returns the path of the user's settings file, whether or not it exists.
    pub(crate) fn user_settings(&self) -> Option<PathBuf> {
        Some(self.config_folder()?.join("lancet").join("lancet.toml"))
    }

    /// Returns the folder in which programs store the user's settings.
    pub(crate) fn config_folder(&self) -> Option<PathBuf> {
        let home = self.home.as_ref().map(|home| home.join(".config"));
        self.config_home.clone().or(home)
    }

    /// Returns the folders in which the programs of the settings are looked for and started.
    pub(crate) fn program_places(&self) -> ProgramPlaces {
        let path = env::var_os("PATH").unwrap_or_default();
        ProgramPlaces {
            path: env::split_paths(&path).collect(),
            working: self.working.iter().cloned().collect(),
        }
    }

    /// Makes a path absolute. `~` is expanded here as well, because no shell does that in `--root=~/x` or in the
    /// arguments that an agent's settings list.
    pub(crate) fn absolute(&self, path: &Path) -> Result<PathBuf, Failure> {
        if let (Ok(rest), Some(home)) = (path.strip_prefix("~"), &self.home) {
            return Ok(if rest.as_os_str().is_empty() {
                home.clone()
            } else {
                home.join(rest)
            });
        }
        if path.is_absolute() {
            return Ok(path.to_path_buf());
        }
        let gone = || {
            Failure::system("the working folder is gone; go to another one, or give absolute paths")
        };
        Ok(self.working.as_ref().ok_or_else(gone)?.join(path))
    }

    /// Returns the reader of printed output: a person in the working folder.
    pub(crate) fn audience(&self) -> Audience {
        self.working
            .clone()
            .map_or_else(Audience::default, |working| Audience::Shell { working })
    }

    /// Returns an absolute path as a person in the working folder types it.
    pub(crate) fn relative(&self, path: &Path) -> String {
        name_from_working_folder(path, self.working.as_deref())
    }
}

/// Returns the absolute path that a variable of another program names.
pub(crate) fn folder_variable(name: &str) -> Option<PathBuf> {
    env::var_os(name)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}

/// Returns the path by which the shell finds a program, or the path in its name; none where it does not exist.
pub(crate) fn program_on_path(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|file| file.is_file());
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// Reports whether the locale is set to one without UTF-8. Where none is set, most terminals have UTF-8 all the same.
fn is_ascii(set: &dyn Fn(&str) -> Option<OsString>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
    locale.is_some_and(|locale| {
        let locale = locale.to_string_lossy().to_lowercase();
        !locale.contains("utf-8") && !locale.contains("utf8")
    })
}

/// Reports whether the environment names a terminal that shows hyperlinks. Other terminals print parts of the escape
/// sequence.
fn shows_links(set: &dyn Fn(&str) -> Option<OsString>) -> bool {
    let text = |name: &str| set(name).map(|value| value.to_string_lossy().into_owned());
    let number = |name: &str| text(name).and_then(|value| value.parse::<u64>().ok());
    let programs = [
        "iTerm.app",
        "WezTerm",
        "vscode",
        "ghostty",
        "Hyper",
        "Tabby",
        "rio",
        "mintty",
        "WarpTerminal",
    ];
    let terminals = [
        "xterm-kitty",
        "xterm-ghostty",
        "alacritty",
        "foot",
        "wezterm",
    ];
    text("TERM_PROGRAM").is_some_and(|name| programs.contains(&&*name))
        || text("TERM").is_some_and(|name| terminals.iter().any(|known| name.starts_with(known)))
        // The first versions of VTE that showed links could crash over them.
        || number("VTE_VERSION").is_some_and(|version| version >= 5_002)
        || number("KONSOLE_VERSION").is_some_and(|version| version >= 201_200)
        || set("WT_SESSION").is_some()
}

/// Returns the pager that the environment names.
fn pager_command(named: Option<OsString>) -> Option<String> {
    let command = named.map_or_else(
        || "less".into(),
        |named| named.to_string_lossy().into_owned(),
    );
    let command = command.trim();
    (!command.is_empty() && command != "cat").then(|| command.to_owned())
}

/// Returns a path as text for JSON arguments.
pub(crate) fn as_text(path: &Path) -> Result<String, Failure> {
    let text = |path: &Path| path.as_os_str().to_os_string().into_string();
    text(path).map_err(|name: OsString| {
        Failure::usage(format!(
            "{} is not UTF-8; lancet names files by UTF-8 paths only",
            name.to_string_lossy()
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surroundings() -> Surroundings {
        Surroundings {
            working: Some("/work".into()),
            home: Some("/home/me".into()),
            ..Surroundings::default()
        }
    }

    #[test]
    fn state_folder_prefers_flag_over_environment() {
        let mut around = surroundings();
        let found =
            |around: &Surroundings, given: Option<&str>| around.state_dir(given.map(Path::new));
        assert_eq!(
            found(&around, None),
            Ok(Some("/home/me/.local/state/lancet".into()))
        );
        around.state_home = Some("/xdg".into());
        assert_eq!(found(&around, None), Ok(Some("/xdg/lancet".into())));
        around.state_dir = Some("mine".into());
        assert_eq!(found(&around, None), Ok(Some("/work/mine".into())));
        assert_eq!(
            found(&around, Some("~/given")),
            Ok(Some("/home/me/given".into()))
        );
        assert_eq!(found(&Surroundings::default(), None), Ok(None));
    }

    #[test]
    fn user_settings_are_in_configuration_folder() {
        let mut around = surroundings();
        assert_eq!(
            around.user_settings(),
            Some("/home/me/.config/lancet/lancet.toml".into())
        );
        around.config_home = Some("/xdg".into());
        assert_eq!(
            around.user_settings(),
            Some("/xdg/lancet/lancet.toml".into())
        );
    }

    #[test]
    fn empty_pager_and_cat_disable_the_pager() {
        assert_eq!(pager_command(None).as_deref(), Some("less"));
        assert_eq!(
            pager_command(Some("most -s".into())).as_deref(),
            Some("most -s")
        );
        assert_eq!(pager_command(Some("".into())), None);
        assert_eq!(pager_command(Some("cat".into())), None);
    }

    #[test]
    fn expands_only_a_leading_tilde() {
        let around = surroundings();
        assert_eq!(around.absolute(Path::new("~")), Ok("/home/me".into()));
        assert_eq!(around.absolute(Path::new("a~/b")), Ok("/work/a~/b".into()));
        assert_eq!(
            around.absolute(Path::new("~user/b")),
            Ok("/work/~user/b".into())
        );
    }
}
