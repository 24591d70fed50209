//! Brackets that are open at a place.

/// How many brackets may be open at a place.
pub(super) const MAX_OPEN_BRACKETS: usize = 500;

/// A bracket that waits for its partner.
#[derive(Clone, Copy)]
pub(super) struct OpenBracket {
    pub(super) bracket: u8,
    pub(super) at: usize,
    /// The indentation of its line.
    pub(super) indentation: usize,
}
