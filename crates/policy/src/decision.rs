//! A decision about a file, with its cause. The wording for people is here, so that questions, refusals and `explain`
//! say the same.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use crate::rule::{Rule, RuleEffect};

/// The result of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The access is allowed.
    Allow,
    /// A person must consent first.
    Ask,
    /// The access is refused.
    Deny,
}

/// The default decision for writes that no rule or table decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Every write needs a person's consent.
    #[default]
    Ask,
    /// Writes inside the roots are allowed.
    AcceptEdits,
    /// Every write is refused, whatever the rules say.
    Plan,
    /// Writes are allowed and ask rules are ignored. Protected names and secret files still need consent.
    Bypass,
}

impl Mode {
    /// Returns the name of the mode in settings and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Ask => "ask",
            Mode::AcceptEdits => "accept-edits",
            Mode::Plan => "plan",
            Mode::Bypass => "bypass",
        }
    }
}

/// The source of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleLayer {
    /// The rule is from the user's settings.
    User,
    /// The rule is from the project's settings.
    Project,
    /// The rule is from the command line, which counts as the user's own.
    CommandLine,
    /// The program that embeds the library; counts as the user's own.
    Host,
}

impl RuleLayer {
    /// Returns the name of the layer in messages.
    pub fn name(self) -> &'static str {
        match self {
            RuleLayer::User => "user",
            RuleLayer::Project => "project",
            RuleLayer::CommandLine => "command line",
            RuleLayer::Host => "host",
        }
    }

    /// Returns whether the rules of the layer are the user's own: only such an allow rule permits reading a secret
    /// file.
    pub fn is_users_own(self) -> bool {
        self != RuleLayer::Project
    }
}

/// A rule in force, with its effect and source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayeredRule {
    /// Whether the rule allows, asks or denies.
    pub effect: RuleEffect,
    /// The access and the files that the rule is about.
    pub rule: Rule,
    /// The layer of settings that the rule is from.
    pub layer: RuleLayer,
    /// The file and line of the rule, for messages.
    pub source: String,
    /// What is wrong with the settings line, if this rule replaces one that may be a rule but cannot be parsed.
    pub stands_for: Option<String>,
}

impl fmt::Display for LayeredRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} {} ({}, {})",
            self.effect.as_str(),
            self.rule,
            self.layer.name(),
            self.source
        )
    }
}

/// The reason for a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecisionCause<'p> {
    /// A rule decided.
    Rule(&'p LayeredRule),
    /// The name of the file, or of a folder above it, is protected.
    Protected {
        /// The protected name in the built-in table.
        name: &'static str,
    },
    /// The file is a secret file: one that holds keys or passwords.
    Secret {
        /// The pattern that the name matches, such as `*.pem`.
        pattern: Cow<'static, str>,
    },
    /// The file is below a read root.
    ReadRoot(&'p PathBuf),
    /// The mode decided.
    Mode(Mode),
    /// No rule denies reading the file.
    Nothing,
}

impl fmt::Display for DecisionCause<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecisionCause::Rule(entry) => write!(formatter, "the rule `{entry}`"),
            DecisionCause::Protected { name } => {
                write!(formatter, "the name `{name}` is protected")
            }
            DecisionCause::Secret { pattern } => {
                write!(formatter, "it is a secret file (`{pattern}`)")
            }
            DecisionCause::ReadRoot(root) => {
                write!(formatter, "{} is a folder for reading only", root.display())
            }
            DecisionCause::Mode(mode) => write!(formatter, "the mode is {}", mode.as_str()),
            DecisionCause::Nothing => formatter.write_str("no rule denies reading it"),
        }
    }
}

/// A decision about one access to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision<'p> {
    /// Whether the access is allowed, needs consent or is denied.
    pub outcome: Outcome,
    /// What decided.
    pub cause: DecisionCause<'p>,
}

impl<'p> Decision<'p> {
    pub(crate) fn new(outcome: Outcome, cause: DecisionCause<'p>) -> Self {
        Decision { outcome, cause }
    }

    /// Returns whether the access is allowed.
    pub fn is_allowed(&self) -> bool {
        self.outcome == Outcome::Allow
    }

    /// Returns whether the access is denied.
    pub fn is_denied(&self) -> bool {
        self.outcome == Outcome::Deny
    }
}
