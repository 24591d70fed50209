//! What was decided about a file, and by what. Words for people are made here, so that questions, refusals and `explain`
//! say the same.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use crate::rule::{Effect, Rule};

/// What happens to an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It goes through.
    Allow,
    /// A person is asked.
    Ask,
    /// It is refused.
    Deny,
}

/// What happens to writes that nothing else decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Every write asks.
    #[default]
    Ask,
    /// Writes inside the roots go through.
    AcceptEdits,
    /// No write, whatever the rules say.
    Plan,
    /// Asks nothing but what may not be bypassed.
    Bypass,
}

impl Mode {
    /// As settings and the command line write it.
    pub fn word(self) -> &'static str {
        match self {
            Mode::Ask => "ask",
            Mode::AcceptEdits => "accept-edits",
            Mode::Plan => "plan",
            Mode::Bypass => "bypass",
        }
    }
}

/// Where a rule comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// The user's settings.
    User,
    /// The project's settings.
    Project,
    /// The command line; counts as the user's own.
    CommandLine,
    /// The program that embeds the library; counts as the user's own.
    Host,
}

impl Layer {
    /// As messages name it.
    pub fn name(self) -> &'static str {
        match self {
            Layer::User => "user",
            Layer::Project => "project",
            Layer::CommandLine => "command line",
            Layer::Host => "host",
        }
    }

    /// Whether it speaks for the user: only such an allow rule lifts the denial of secret files.
    pub fn is_users_own(self) -> bool {
        self != Layer::Project
    }
}

/// A rule in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it does.
    pub effect: Effect,
    /// The rule.
    pub rule: Rule,
    /// Whose it is.
    pub layer: Layer,
    /// The file and line it stands in, for messages.
    pub source: String,
}

impl fmt::Display for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} {} ({}, {})",
            self.effect.word(),
            self.rule,
            self.layer.name(),
            self.source
        )
    }
}

/// What decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause<'p> {
    /// A rule.
    Rule(&'p Entry),
    /// The name, or a name above it, is protected.
    Protected {
        /// The name of the table.
        name: &'static str,
    },
    /// The file is one that holds keys or passwords.
    Secret {
        /// Its pattern, `*.pem`.
        pattern: Cow<'static, str>,
    },
    /// It is below a folder that is only for reading.
    ReadRoot(&'p PathBuf),
    /// The mode.
    Mode(Mode),
    /// Nothing forbids reading it.
    Nothing,
}

impl fmt::Display for Cause<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Rule(entry) => write!(formatter, "the rule `{entry}`"),
            Cause::Protected { name } => write!(formatter, "the name `{name}` is protected"),
            Cause::Secret { pattern } => write!(formatter, "it is a secret file (`{pattern}`)"),
            Cause::ReadRoot(root) => {
                write!(formatter, "{} is a folder for reading only", root.display())
            }
            Cause::Mode(mode) => write!(formatter, "the mode is {}", mode.word()),
            Cause::Nothing => formatter.write_str("no rule denies reading it"),
        }
    }
}

/// A decision about one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision<'p> {
    /// What happens.
    pub outcome: Outcome,
    /// Why.
    pub cause: Cause<'p>,
}

impl<'p> Decision<'p> {
    pub(crate) fn new(outcome: Outcome, cause: Cause<'p>) -> Self {
        Decision { outcome, cause }
    }

    /// Whether it goes through.
    pub fn is_allowed(&self) -> bool {
        self.outcome == Outcome::Allow
    }

    /// Whether it is refused.
    pub fn is_denied(&self) -> bool {
        self.outcome == Outcome::Deny
    }
}
