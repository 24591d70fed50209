//! Exit codes, and the errors that end a command before a tool has answered.

use std::fmt;
use std::process::ExitCode;

/// How the program ends; each variant has its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The command was carried out.
    Done,
    /// A tool refused the call, or the requested thing does not exist.
    Refused,
    /// The command requires a person, and was not shown to come from one.
    Denied,
    /// A search found nothing.
    NothingFound,
    /// The command line or the settings are wrong.
    Usage,
    /// The operating system refused, or lancet itself failed.
    System,
    /// A command that lancet ran ended with this code.
    Command(u8),
}

impl Exit {
    /// Returns the exit code for the shell.
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Refused | Exit::Denied | Exit::NothingFound => 1,
            Exit::Usage => 2,
            Exit::System => 3,
            Exit::Command(code) => code,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.exit_code())
    }
}

/// Why a command ended before a tool's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The kind of failure, which decides the exit code.
    pub(crate) exit: Exit,
    /// What is wrong, and what to do about it.
    pub(crate) message: String,
}

impl Failure {
    /// Makes the failure for a wrong command line or wrong settings.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            message: message.into(),
        }
    }

    /// Makes the failure for something that does not exist or may not be shown.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Refused,
            message: message.into(),
        }
    }

    /// Makes the failure for a command that requires a person.
    pub(crate) fn denied(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Denied,
            message: message.into(),
        }
    }

    /// Makes the failure for an error of the operating system.
    pub(crate) fn system(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::System,
            message: message.into(),
        }
    }

    /// Returns the stable name in the JSON.
    pub(crate) fn name(&self) -> &'static str {
        match self.exit {
            Exit::System => "system",
            Exit::Refused => "not_found",
            Exit::Denied => "denied",
            _ => "usage",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}
