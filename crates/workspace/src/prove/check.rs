//! The checks of a proof, one name for each, and the form of their results.

use crate::commit::WriteGuarantee;
use crate::write_promise::WritePromise;

/// A property of a file system that is tested.
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
    /// Whether the kernel notifies watchers of changes.
    Watchers,
    /// Whether names that differ only in case are different names.
    Case,
    /// Whether a name keeps the characters that were given.
    Unicode,
    /// Whether permission bits are stored.
    Permissions,
    /// Whether there are symbolic links.
    SymbolicLinks,
    /// Whether there are hard links.
    HardLinks,
    /// Whether extended attributes are stored.
    Attributes,
    /// The precision of stored modification times.
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

    /// Returns the stable name, for programs.
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

    /// Returns the statement that a "yes" confirms.
    pub fn confirmed_statement(self) -> &'static str {
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

/// The answer of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckAnswer {
    /// The statement of the check holds.
    Yes,
    /// It does not hold.
    No,
    /// It could not be tested here.
    Unknown,
}

impl CheckAnswer {
    /// Returns the stable name, for programs.
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
    /// The observation, as a sentence without its full stop.
    pub seen: String,
    /// What it means for lancet, also without a full stop.
    pub meaning: String,
    /// Why this contradicts what lancet relies on here; none if it does not.
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

    /// Adds why the result contradicts what lancet relies on, if it does.
    pub(super) fn with_contradiction(mut self, does: bool, why: &str) -> CheckResult {
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

/// Returns whether a file that is replaced has its name at every moment.
pub(super) fn replaced_file_keeps_name(promise: &WritePromise) -> bool {
    matches!(
        promise.replaced,
        WriteGuarantee::ExchangeLeased | WriteGuarantee::Exchange
    )
}
