//! How the program ends: its exit codes, and what stops a command before a tool has answered.

use std::fmt;
use std::process::ExitCode;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It was done.
    Done,
    /// A tool refused.
    Refused,
    /// The command line or the settings are wrong.
    Usage,
    /// The system refused, or lancet has a fault.
    System,
}

impl Exit {
    /// The number for the shell.
    pub(crate) fn number(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Refused => 1,
            Exit::Usage => 2,
            Exit::System => 3,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.number())
    }
}

/// Why a command did not come to a tool's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// Whose fault.
    pub(crate) exit: Exit,
    /// What is the case, and the next step.
    pub(crate) message: String,
}

impl Failure {
    /// The command line or the settings are wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            message: message.into(),
        }
    }

    /// What was asked for is not to be had.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Refused,
            message: message.into(),
        }
    }

    /// The system refused.
    pub(crate) fn system(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::System,
            message: message.into(),
        }
    }

    /// The stable name in the data for programs.
    pub(crate) fn name(&self) -> &'static str {
        match self.exit {
            Exit::System => "system",
            Exit::Refused => "not_found",
            _ => "usage",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}
