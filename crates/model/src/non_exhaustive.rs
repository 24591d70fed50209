//! The hidden field of structs that will get more fields.

/// Does for a struct what `#[non_exhaustive]` does, but not to the crates of this workspace: a host cannot name all
/// fields of the struct, while these crates can, so that a new field is an error wherever they build one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NonExhaustive;
