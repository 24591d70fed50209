//! The program's own log: lines on standard error up to a level, with paths and names but never a file's contents.

use std::io::Write as _;

use lancet::events::{Event, Observer};
use lancet_mcp::Level;

use crate::arguments::LogLevel;
use crate::failure::Failure;

/// Says lines on standard error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Log {
    level: Level,
}

impl Log {
    /// The log that was asked for: by flag, else by `LANCET_LOG`, else `unasked`.
    pub(crate) fn new(
        flag: Option<LogLevel>,
        variable: Option<&str>,
        unasked: Level,
    ) -> Result<Self, Failure> {
        let level = match (flag, variable) {
            (Some(LogLevel::Error), _) => Level::Error,
            (Some(LogLevel::Warn), _) => Level::Warn,
            (Some(LogLevel::Info), _) => Level::Info,
            (Some(LogLevel::Debug), _) => Level::Debug,
            (None, None) => unasked,
            (None, Some(word)) => from_word(word)?,
        };
        Ok(Self { level })
    }

    /// Says a line, built only where it is heard.
    pub(crate) fn say(self, level: Level, line: impl FnOnce() -> String) {
        if level <= self.level {
            write_line(level, &line());
        }
    }

    /// The same log for the door for agents.
    pub(crate) fn for_agents(self) -> lancet_mcp::Log {
        lancet_mcp::Log::new(self.level, write_line)
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
    // Nobody is left to hear that standard error is closed.
    let _ = writeln!(std::io::stderr(), "lancet: {word}: {line}");
}

impl Observer for Log {
    fn observe(&self, event: &Event) {
        // Whatever the command is and however its answer is read: changes may be missing from the history.
        if let Event::SetAside { words, .. } = event {
            return self.say(Level::Error, || words.clone());
        }
        self.say(Level::Debug, || match event {
            Event::Read { path, lines, .. } => {
                format!(
                    "read {}, lines {} to {}",
                    path.display(),
                    lines.start,
                    lines.end.saturating_sub(1)
                )
            }
            Event::Searched { tool, found, .. } => format!("{tool} told of {} files", found.len()),
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
