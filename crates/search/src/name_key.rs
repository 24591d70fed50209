//! A filter by name alone, such as `*.rs` or `**/Cargo.toml`, for which an index has a list.

/// Which names a list has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum NameKey {
    /// Names that end in these bytes.
    Suffix(Box<[u8]>),
    /// Exactly this name.
    Whole(Box<[u8]>),
}

impl NameKey {
    /// Returns the names that a glob such as `*.rs` or `**/Cargo.toml` matches; `None` where it has another form.
    pub(crate) fn from_glob(glob: &str) -> Option<Self> {
        let last = glob.strip_prefix("**/").unwrap_or(glob);
        let (end, is_suffix) = match last.strip_prefix('*') {
            Some(end) => (end, true),
            None => (last, false),
        };
        // A gitignore line that begins with `#` is a comment, and a blank at its end is dropped.
        let plain = |character: char| character.is_alphanumeric() || "._-+@".contains(character);
        if end.is_empty() || !end.chars().all(plain) {
            return None;
        }
        let end = end.as_bytes().into();
        Some(match is_suffix {
            true => NameKey::Suffix(end),
            false => NameKey::Whole(end),
        })
    }

    /// Returns whether a name is one of them.
    pub(crate) fn matches_name(&self, name: &[u8]) -> bool {
        match self {
            NameKey::Suffix(end) => name.ends_with(end),
            NameKey::Whole(whole) => *name == **whole,
        }
    }
}
