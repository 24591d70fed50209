//! The programs that may be started, and the requests to start them.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use lancet::programs::{Formatter, Hook};
use lancet_formats::convert::Converter;

/// The programs that the settings and the user's environment name. The launcher reads them when it starts; an entry
/// that is added later is available after its next start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Programs {
    /// The user's editor, with arguments, as a shell reads it.
    pub editor: Option<String>,
    /// The user's pager, with arguments, as a shell reads it.
    pub pager: Option<String>,
    /// The programs that convert files to text.
    pub converters: Vec<Converter>,
    /// The programs that format the new text of files.
    pub formatters: Vec<Formatter>,
    /// The programs that are notified of changes.
    pub hooks: Vec<Hook>,
    /// The notification program for questions that begin to wait for the user, with its arguments; empty if there is
    /// none.
    pub notify: Vec<String>,
    /// The language servers; none if the project is not trusted.
    pub servers: Vec<ServerProgram>,
    /// The folder below which language servers may be started.
    pub servers_below: Option<PathBuf>,
}

impl Programs {
    /// Returns the command in the settings for a request; none for programs of the user's environment, or if there is
    /// no such entry.
    pub(crate) fn command_for_request(&self, launch: &LaunchRequest) -> Option<&[String]> {
        let command = match launch {
            LaunchRequest::Editor { .. } | LaunchRequest::Pager => return None,
            LaunchRequest::Notify => &self.notify,
            LaunchRequest::Converter { pattern, .. } => {
                // The last entry of a pattern is the one in force.
                let mut entries = self.converters.iter().rev();
                &entries.find(|entry| entry.pattern == *pattern)?.command
            }
            LaunchRequest::Formatter { entry, .. } => {
                let mut entries = self.formatters.iter();
                &entries.find(|formatter| formatter.id() == *entry)?.command
            }
            LaunchRequest::Hook { entry } => {
                let mut entries = self.hooks.iter();
                &entries.find(|hook| hook.id() == *entry)?.command
            }
            LaunchRequest::Server { name, .. } => {
                let mut entries = self.servers.iter();
                &entries.find(|server| server.name == *name)?.run
            }
        };
        Some(command)
    }
}

/// A language server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerProgram {
    /// The name of its entry.
    pub name: String,
    /// The program and its arguments.
    pub run: Vec<String>,
    /// The most memory that it may use, in bytes.
    pub memory: u64,
}

/// A request to the launcher: a kind of program, the entry if there are several, and the data that the program works
/// on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchRequest {
    /// Opens a file in the user's editor.
    Editor {
        /// The file.
        file: PathBuf,
        /// The line to begin at, from 1.
        line: usize,
    },
    /// Shows the standard input in the user's pager.
    Pager,
    /// Passes the standard input to the notification program.
    Notify,
    /// Converts the file on standard input to text.
    Converter {
        /// The pattern of the entry.
        pattern: String,
        /// The name of the file, without folders.
        name: OsString,
    },
    /// Formats the text on standard input.
    Formatter {
        /// The name of the entry, [`Formatter::id`].
        entry: String,
        /// The path of the file that the text is for.
        path: PathBuf,
    },
    /// Notifies a hook of a change, on standard input.
    Hook {
        /// The name of the entry, [`Hook::id`].
        entry: String,
    },
    /// Runs a language server, which talks over its standard streams until they are closed.
    Server {
        /// The name of the entry.
        name: String,
        /// The folder that the server works in.
        folder: PathBuf,
    },
}

/// The standard streams of a program.
#[derive(Debug)]
pub struct Streams {
    /// Its standard input.
    pub input: OwnedFd,
    /// Its standard output.
    pub output: OwnedFd,
    /// Its standard error.
    pub error: OwnedFd,
}

impl Streams {
    /// Returns the streams of a program that uses the terminal itself, such as an editor.
    ///
    /// # Errors
    /// The process has no terminal.
    pub fn inherit_terminal() -> io::Result<Self> {
        let terminal = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open("/dev/tty")?;
        Ok(Self {
            input: terminal.try_clone()?.into(),
            output: terminal.try_clone()?.into(),
            error: terminal.into(),
        })
    }
}

/// Returns the arguments of the shell that opens a file in an editor. The variable may contain arguments, so a shell
/// splits it, as is usual for this variable.
pub(crate) fn editor_arguments(editor: &str, file: &Path, line: usize) -> Vec<OsString> {
    let script = format!("{editor} \"$@\"");
    let mut arguments: Vec<OsString> = vec!["-c".into(), script.into(), "editor".into()];
    arguments.extend(arguments_at_line(editor, file, line));
    arguments
}

/// Returns the arguments of the shell that shows a text in a pager. `less` is set to quit if everything fits and to
/// pass colours through, unless the user has set its options.
pub(crate) fn pager_arguments(pager: &str) -> Vec<OsString> {
    let script = format!("LESS=${{LESS-FRX}}; export LESS; {pager}");
    vec!["-c".into(), script.into()]
}

/// Returns the arguments that open a file at a line, in the syntax of the editor; for an unknown editor only the
/// file.
fn arguments_at_line(editor: &str, file: &Path, line: usize) -> Vec<OsString> {
    let program = editor.split_whitespace().next().unwrap_or_default();
    let program = Path::new(program).file_name().unwrap_or_default();
    let joined = || {
        let mut place = file.as_os_str().to_owned();
        place.push(format!(":{line}"));
        place
    };
    match program.to_str().unwrap_or_default() {
        "vi" | "vim" | "nvim" | "vim.basic" | "vim.tiny" | "gvim" | "nano" | "pico" | "emacs"
        | "emacsclient" | "micro" | "kak" | "joe" | "jed" | "mg" | "ne" => {
            vec![format!("+{line}").into(), file.into()]
        }
        "hx" | "helix" | "subl" | "zed" => vec![joined()],
        "code" | "code-insiders" | "codium" | "cursor" | "windsurf" => {
            vec!["--goto".into(), joined()]
        }
        _ => vec![file.into()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editors_have_their_own_line_syntax() {
        let shown = |editor| arguments_at_line(editor, Path::new("/d/a.rs"), 7);
        assert_eq!(shown("/usr/bin/vim -n"), ["+7", "/d/a.rs"]);
        assert_eq!(shown("code --wait"), ["--goto", "/d/a.rs:7"]);
        assert_eq!(shown("hx"), ["/d/a.rs:7"]);
        assert_eq!(shown("my-editor"), ["/d/a.rs"]);
    }
}
