//! Who a change is made for.

/// Who a change is made for, which decides which lines count as seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AppliedBy {
    /// The session's model: only lines that it has seen may be changed.
    #[default]
    Model,
    /// A person, as with a shell command: the files count as read. If an edit conflicts with a change by another
    /// program, the file is checked again for some seconds.
    Person,
}
