//! Events: what happened in a state folder, as readers get it.

/// What an event tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// A file was changed.
    Changed,
    /// A question waits for a person.
    Waiting,
    /// A question was decided.
    Decided,
    /// A session began, ended or was stopped.
    Session,
}

impl EventKind {
    /// The word for this value in JSON output.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Waiting => "waiting",
            Self::Decided => "decided",
            Self::Session => "session",
        }
    }

    pub(crate) fn number(self) -> i64 {
        self as i64
    }

    /// The kind with this number in the database; none for a number of a newer lancet.
    #[allow(dead_code, reason = "only changes of files are events so far")]
    pub(crate) fn of(number: i64) -> Option<Self> {
        match number {
            0 => Some(Self::Changed),
            1 => Some(Self::Waiting),
            2 => Some(Self::Decided),
            3 => Some(Self::Session),
            _ => None,
        }
    }
}
