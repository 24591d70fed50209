//! The options of a change.

/// Whether text that looks like display text or a placeholder is written nevertheless.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Insist {
    /// Such text is written.
    Yes,
    /// Such text is refused as `leaked`.
    #[default]
    No,
}

/// Whether a change is only shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DryRun {
    /// The answer shows the patch; nothing is written.
    Yes,
    /// The change is carried out.
    #[default]
    No,
}

impl From<bool> for Insist {
    fn from(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}

impl From<bool> for DryRun {
    fn from(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}
