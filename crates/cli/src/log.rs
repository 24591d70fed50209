//! The program's own log on standard error. Its lines contain paths and names, but never a file's content.

use std::io::Write as _;

use lancet::events::{Event, Observer};
use lancet_serving::Level;

use crate::arguments::LogLevel;
use crate::failure::Failure;

/// Writes log lines to standard error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Log {
    level: Level,
}

impl Log {
    /// Makes the log. The flag decides the level, else the variable `LANCET_LOG`, else the command's default
    /// `default_level`.
    pub(crate) fn new(
        flag: Option<LogLevel>,
        variable: Option<&str>,
        default_level: Level,
    ) -> Result<Self, Failure> {
        let level = match (flag, variable) {
            (Some(LogLevel::Error), _) => Level::Error,
            (Some(LogLevel::Warn), _) => Level::Warn,
            (Some(LogLevel::Info), _) => Level::Info,
            (Some(LogLevel::Debug), _) => Level::Debug,
            (None, None) => default_level,
            (None, Some(word)) => from_word(word)?,
        };
        Ok(Self { level })
    }

    /// Logs a line, which is built only if its level is enabled.
    pub(crate) fn log(self, level: Level, line: impl FnOnce() -> String) {
        if level <= self.level {
            write_line(level, &line());
        }
    }

    /// Returns the same log for the MCP server.
    pub(crate) fn for_agents(self) -> lancet_serving::Log {
        lancet_serving::Log::new(self.level, write_line)
    }
}

fn from_word(word: &str) -> Result<Level, Failure> {
    match word {
        "error" => Ok(Level::Error),
        "warn" => Ok(Level::Warn),
        "info" => Ok(Level::Info),
        "debug" => Ok(Level::Debug),
        _ => Err(Failure::usage(format!(
            "LANCET_LOG is {word:?}; the levels are error, warn, info and debug"
        ))),
    }
}

fn write_line(level: Level, line: &str) {
    let word = match level {
        Level::Error => "error",
        Level::Warn => "warn",
        Level::Info => "info",
        Level::Debug => "debug",
    };
    // If standard error is closed, the line cannot be reported.
    let _ = writeln!(std::io::stderr(), "lancet: {word}: {line}");
}

impl Observer for Log {
    fn observe(&self, event: &Event) {
        // The history's database was damaged, and changes may be missing from it, so the user has to be informed. Every
        // level includes errors, so every command shows this line.
        if let Event::SetAside { words, .. } = event {
            return self.log(Level::Error, || words.clone());
        }
        self.log(Level::Debug, || match event {
            Event::Read { path, lines, .. } => {
                format!(
                    "read {}, lines {} to {}",
                    path.display(),
                    lines.start,
                    lines.end.saturating_sub(1)
                )
            }
            Event::Searched { tool, found, .. } => format!("{tool} found {} files", found.len()),
            Event::Changed {
                path,
                tool,
                operation,
                ..
            } => format!("{tool} changed {} ({operation})", path.display()),
            Event::Refused {
                path, tool, kind, ..
            } => {
                let path = path
                    .as_ref()
                    .map(|path| format!(" {}", path.display()))
                    .unwrap_or_default();
                format!("{tool} refused{path}: {}", kind.name())
            }
            Event::Decided {
                path,
                allowed,
                reason,
                ..
            } => {
                let word = if *allowed { "allowed" } else { "declined" };
                format!("{word} {}: {reason}", path.display())
            }
            _ => "something happened that this log has no words for".to_owned(),
        });
    }
}
