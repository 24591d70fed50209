//! How a finished change reached the disk, and what that guarantees against concurrent writers. The methods of
//! replacing content come first, from the strongest to the weakest; creating, removing and moving a file have no rank.

use std::fmt;

/// How a file was written, and what that guarantees against concurrent writers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WriteGuarantee {
    /// The new file was exchanged with the old one while a lease was held: no concurrent write is lost, and every
    /// concurrent writer is noticed.
    ExchangeLeased,
    /// The new file was exchanged with the old one without a lease: no concurrent write is lost, but a writer that had
    /// the old file open is noticed only later.
    Exchange,
    /// The old file was moved aside before the new one took its name: as safe as an exchange, but the name was missing
    /// for a moment.
    Aside,
    /// The file itself was rewritten while a lease kept other writers away.
    InPlaceLeased,
    /// The file itself was rewritten without a lease: a concurrent write may be lost or mixed with this one.
    InPlace,
    /// The new file was renamed over the old one after a check, because the file system offers nothing better. A write
    /// between the check and the rename is lost.
    Weak,
    /// A new file was created; the name was free.
    Create,
    /// The file was removed.
    Remove,
    /// The file was moved to another name.
    Move,
}

impl WriteGuarantee {
    /// Returns the stable name that answers use, such as `exchange+lease`.
    pub fn name(self) -> &'static str {
        match self {
            WriteGuarantee::ExchangeLeased => "exchange+lease",
            WriteGuarantee::Exchange => "exchange",
            WriteGuarantee::Aside => "aside",
            WriteGuarantee::InPlaceLeased => "in-place-leased",
            WriteGuarantee::InPlace => "in-place",
            WriteGuarantee::Weak => "weak",
            WriteGuarantee::Create => "create",
            WriteGuarantee::Remove => "remove",
            WriteGuarantee::Move => "move",
        }
    }
}

impl fmt::Display for WriteGuarantee {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
