//! The ways in which the file system misbehaves.

/// One way in which the file system misbehaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// Every rename replaces, whatever its flags say, and reports success.
    IgnoresFlags,
    /// An exchange works; a rename that must not replace does so anyway.
    IgnoresNoReplace,
    /// An exchange reports success and does nothing.
    ExchangesNothing,
    /// The first exchange works; from then on every rename replaces, whatever its flags say.
    ExchangesOnce,
    /// Flags are refused. This is correct behaviour, and most file systems in user space do it.
    RefusesFlags,
    /// There is a moment in a rename in which both names lead to the file, and one in which the replaced file is gone.
    RenamesInSteps,
    /// A listing shows a folder as it was a second ago.
    ListsLate,
    /// The inode number of a file depends on its name: it changes when the file is renamed.
    NumbersNames,
    /// Times are stored in whole seconds.
    WholeSeconds,
    /// Names that differ in case alone are one name.
    FoldsCase,
    /// There are no hard links.
    LacksLinks,
    /// The first flush of a file fails, and the written data is lost.
    LosesOneFlush,
    /// A flush succeeds at once; that the written data is lost is reported when the file is closed, once.
    FailsOneClose,
    /// A lock is granted to every process.
    LocksNobodyOut,
    /// The kernel may cache names and sizes for an hour, although another mount changes them.
    CachedForAnHour,
}
