//! On whose behalf a change is made.

/// On whose behalf a change is made, which decides which lines count as seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AppliedBy {
    /// The session's model: only lines that it has seen may be changed.
    #[default]
    Model,
    /// A person, as with a command of the shell: the files count as read. An edit that meets a change of another program
    /// looks at the file again for some seconds.
    Person,
}
