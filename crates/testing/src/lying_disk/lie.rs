//! The ways in which a file system does not keep its word.

/// One way in which a file system does not keep its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// Every rename replaces, whatever its flags say, and reports success.
    IgnoresFlags,
    /// An exchange works; a rename that must not replace does.
    IgnoresNoReplace,
    /// An exchange reports success and does nothing.
    ExchangesNothing,
    /// The first exchange works; from then on every rename replaces, whatever its flags say.
    ExchangesOnce,
    /// Flags are refused. This is no lie, and most file systems in user space do it.
    RefusesFlags,
    /// A rename has a moment in which both names lead to the file, and one in which the replaced file is gone.
    RenamesInSteps,
    /// A listing shows a folder as it was a second ago.
    ListsLate,
    /// The number of a file is that of its name: it changes when the file gets another.
    NumbersNames,
    /// Times are kept in whole seconds.
    WholeSeconds,
    /// Names that differ in case alone are one name.
    FoldsCase,
    /// There are no hard links.
    LacksLinks,
    /// The first flush of a file fails, and what was written is gone.
    LosesOneFlush,
    /// A flush succeeds at once; that what was written could not be kept is told when the file is closed, once.
    FailsOneClose,
    /// A lock is granted to everybody.
    LocksNobodyOut,
    /// The kernel may trust names and sizes for an hour, although another mount changes them.
    CachedForAnHour,
}
