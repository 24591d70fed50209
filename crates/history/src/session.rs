//! The name of a session, validated when it is created.

use std::fmt;
use std::str::FromStr;

/// The name of a session: 1 to 64 characters of `A-Z a-z 0-9 . _ -`. The ledger of a named session (which parts of
/// which files it has read) is stored. The ledger of an unnamed session is lost when its process ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionName(String);

/// The reason why a text is not a valid session name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionNameError {
    /// The text is empty.
    #[error("a session name has at least one character")]
    Empty,
    /// The text is longer than [`SessionName::MAX_LENGTH`].
    #[error("a session name has at most {longest} characters, this one has {0}", longest = SessionName::MAX_LENGTH)]
    TooLong(usize),
    /// The text has a character that is not allowed.
    #[error("a session name is made of A-Z a-z 0-9 . _ - and cannot hold {0:?}")]
    Character(char),
}

impl SessionName {
    /// The largest number of characters in a name.
    pub const MAX_LENGTH: usize = 64;

    /// Validates a name.
    ///
    /// # Errors
    /// The name is empty, too long, or has a character that is not allowed.
    pub fn new(name: impl Into<String>) -> Result<Self, SessionNameError> {
        let name = name.into();
        let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if let Some(character) = name.chars().find(|c| !allowed(c)) {
            return Err(SessionNameError::Character(character));
        }
        // All characters are ASCII here, so the number of bytes is the number of characters.
        match name.len() {
            0 => Err(SessionNameError::Empty),
            1..=Self::MAX_LENGTH => Ok(Self(name)),
            length => Err(SessionNameError::TooLong(length)),
        }
    }

    /// Returns the name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SessionName {
    type Err = SessionNameError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::new(name)
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_valid_session_names() {
        for name in ["a", "evening", "claude-code.2026_01", &"x".repeat(64)] {
            assert_eq!(
                SessionName::new(name).map(|name| name.to_string()),
                Ok(name.to_owned())
            );
        }
    }

    #[test]
    fn invalid_session_names_report_reason() {
        assert_eq!(SessionName::new(""), Err(SessionNameError::Empty));
        assert_eq!(
            SessionName::new("x".repeat(65)),
            Err(SessionNameError::TooLong(65))
        );
        for (name, character) in [
            ("a/b", '/'),
            ("a b", ' '),
            ("é", 'é'),
            ("a\n", '\n'),
            ("a\0", '\0'),
        ] {
            assert_eq!(
                SessionName::new(name),
                Err(SessionNameError::Character(character))
            );
        }
    }
}
