//! What a proof looks at, one name for each question, and the form of its result.

use crate::commit::Guarantee;
use crate::write_promise::WritePromise;

/// A question that is put to a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Check {
    /// Whether an exchange of two names exchanges them.
    Exchange,
    /// Whether a rename that must not replace a file does not.
    RenameNoReplace,
    /// Whether a hard link never replaces a file.
    LinkNoReplace,
    /// Whether a lock keeps another process out.
    Locks,
    /// Whether readers find a whole file at every moment while it is replaced by a rename.
    RenameReaders,
    /// The same, while lancet edits it.
    EditReaders,
    /// Whether the kernel tells watchers of changes.
    Watchers,
    /// Whether names that differ in case alone are different names.
    Case,
    /// Whether the characters of a name stay those that were given.
    Unicode,
    /// Whether permission bits are kept.
    Permissions,
    /// Whether there are symbolic links.
    SymbolicLinks,
    /// Whether there are hard links.
    HardLinks,
    /// Whether extended attributes are kept.
    Attributes,
    /// How finely modification times are kept.
    Times,
    /// Whether a process that is killed while it writes leaves the old file or the new one.
    Kills,
    /// How long an edit takes.
    Speed,
}

impl Check {
    /// Every check, in the order in which they are made.
    pub const ALL: [Check; 16] = [
        Check::Exchange,
        Check::RenameNoReplace,
        Check::LinkNoReplace,
        Check::Locks,
        Check::RenameReaders,
        Check::EditReaders,
        Check::Watchers,
        Check::Case,
        Check::Unicode,
        Check::Permissions,
        Check::SymbolicLinks,
        Check::HardLinks,
        Check::Attributes,
        Check::Times,
        Check::Speed,
        Check::Kills,
    ];

    /// The stable name, for programs.
    pub fn name(self) -> &'static str {
        match self {
            Check::Exchange => "exchange",
            Check::RenameNoReplace => "rename-no-replace",
            Check::LinkNoReplace => "link-no-replace",
            Check::Locks => "locks",
            Check::RenameReaders => "rename-readers",
            Check::EditReaders => "edit-readers",
            Check::Watchers => "watchers",
            Check::Case => "case",
            Check::Unicode => "unicode",
            Check::Permissions => "permissions",
            Check::SymbolicLinks => "symbolic-links",
            Check::HardLinks => "hard-links",
            Check::Attributes => "attributes",
            Check::Times => "times",
            Check::Kills => "kills",
            Check::Speed => "speed",
        }
    }

    /// What a "yes" says.
    pub fn statement(self) -> &'static str {
        match self {
            Check::Exchange => "an exchange of two names exchanges them",
            Check::RenameNoReplace => "a rename that must not replace does not",
            Check::LinkNoReplace => "a hard link does not replace",
            Check::Locks => "a lock keeps another process out",
            Check::RenameReaders => "readers find a whole file while it is renamed over",
            Check::EditReaders => "readers find a whole file while lancet edits it",
            Check::Watchers => "watchers see changes",
            Check::Case => "names that differ in case are two names",
            Check::Unicode => "names keep the characters they were given",
            Check::Permissions => "permission bits are kept",
            Check::SymbolicLinks => "there are symbolic links",
            Check::HardLinks => "there are hard links",
            Check::Attributes => "extended attributes are kept",
            Check::Times => "times are kept finer than a second",
            Check::Kills => "a killed writer leaves the old file or the new one",
            Check::Speed => "edits can be made and flushed",
        }
    }
}

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckAnswer {
    /// The statement of the check holds.
    Yes,
    /// It does not hold.
    No,
    /// It could not be tried here.
    Unknown,
}

impl CheckAnswer {
    /// The stable name, for programs.
    pub fn name(self) -> &'static str {
        match self {
            CheckAnswer::Yes => "yes",
            CheckAnswer::No => "no",
            CheckAnswer::Unknown => "unknown",
        }
    }
}

impl From<bool> for CheckAnswer {
    fn from(holds: bool) -> CheckAnswer {
        match holds {
            true => CheckAnswer::Yes,
            false => CheckAnswer::No,
        }
    }
}

/// The result of a check.
#[derive(Clone, Debug)]
pub struct CheckResult {
    /// The check.
    pub check: Check,
    /// Whether its statement holds.
    pub answer: CheckAnswer,
    /// What was seen, as a sentence without its full stop.
    pub seen: String,
    /// What follows from it for lancet, likewise.
    pub meaning: String,
    /// Why this contradicts what lancet relies on here; none where it does not.
    pub contradiction: Option<String>,
    /// Numbers that were counted or measured, by name.
    pub figures: Vec<(&'static str, f64)>,
}

impl CheckResult {
    pub(super) fn new(
        check: Check,
        answer: impl Into<CheckAnswer>,
        seen: impl Into<String>,
        meaning: impl Into<String>,
    ) -> CheckResult {
        CheckResult {
            check,
            answer: answer.into(),
            seen: seen.into(),
            meaning: meaning.into(),
            contradiction: None,
            figures: Vec::new(),
        }
    }

    /// Adds why the result contradicts what lancet relies on, where it does.
    pub(super) fn contradicting(mut self, does: bool, why: &str) -> CheckResult {
        if does {
            self.contradiction = Some(why.to_owned());
        }
        self
    }

    pub(super) fn with_figures(mut self, figures: Vec<(&'static str, f64)>) -> CheckResult {
        self.figures = figures;
        self
    }
}

/// Whether a file that is replaced keeps its name at every moment.
pub(super) fn keeps_the_name(promise: &WritePromise) -> bool {
    matches!(
        promise.replaced,
        Guarantee::ExchangeLeased | Guarantee::Exchange
    )
}
