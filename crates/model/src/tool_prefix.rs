//! The prefix of the tools' names, for clients that put the tools of several servers into one list and whose own tools
//! are called Read, Edit and Write as well.

mod validate;

use std::fmt;
use std::str::FromStr;

/// The prefix of the tools' names; empty by default. It has at most 24 letters, digits, underscores and dashes, and
/// begins with a letter or an underscore, so that every API accepts the prefixed names, even if a client prefixes them
/// once more. With the prefix, no tool has the name of another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolPrefix(pub String);

/// Why a text cannot be a prefix of the tools' names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPrefix {
    /// The text is longer than [`ToolPrefix::LONGEST`].
    #[error("a prefix has at most {longest} characters, this one has {0}", longest = ToolPrefix::LONGEST)]
    TooLong(usize),
    /// The text begins with a character that no tool's name may begin with.
    #[error("a prefix begins with a letter or an underscore, not with {0:?}")]
    Beginning(char),
    /// The text has a character that is not allowed.
    #[error("a prefix is made of A-Z a-z 0-9 _ - and cannot hold {0:?}")]
    Character(char),
    /// With this prefix, one tool would have the name of another.
    #[error(
        "with this prefix {tool} would be listed as {listed}, which is the name of another tool"
    )]
    Taken {
        /// The tool's own name.
        tool: &'static str,
        /// Its name with the prefix.
        listed: String,
    },
}

impl ToolPrefix {
    /// The largest number of characters in a prefix.
    pub const LONGEST: usize = 24;

    /// Returns the prefix as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name of a tool as it is listed.
    #[must_use]
    pub fn listed_name(&self, tool: &str) -> String {
        format!("{}{tool}", self.0)
    }

    /// Returns the tool's own name for a listed name in a call; none if the name does not begin with the prefix.
    #[doc(hidden)]
    pub fn strip_from<'n>(&self, listed: &'n str) -> Option<&'n str> {
        let own = listed.strip_prefix(&self.0)?;
        (!self.0.is_empty()).then_some(own)
    }
}

impl FromStr for ToolPrefix {
    type Err = InvalidPrefix;

    fn from_str(prefix: &str) -> Result<Self, Self::Err> {
        Self::new(prefix)
    }
}

impl fmt::Display for ToolPrefix {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
