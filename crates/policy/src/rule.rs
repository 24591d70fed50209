//! A rule such as `Edit(src/**)`: the access it is about and the files it covers. Its effect (allow, ask or deny) is
//! given by the list of the settings that contains it.

use std::fmt;

use crate::pattern::{Pattern, PatternError};

/// The kinds of access that rules distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// The tool shows the text or the name of a file.
    Read,
    /// The tool changes a file.
    Write,
}

impl Access {
    /// Returns the access that a tool needs; none if there is no such tool.
    pub fn for_tool(tool: &str) -> Option<Access> {
        let known = |names: &[&str]| names.contains(&tool);
        if known(READING_TOOLS) {
            Some(Access::Read)
        } else if known(WRITING_TOOLS) {
            Some(Access::Write)
        } else {
            None
        }
    }

    /// Returns the tool name that rules for this access are usually written with.
    pub fn tool_name(self) -> &'static str {
        match self {
            Access::Read => "Read",
            Access::Write => "Edit",
        }
    }
}

/// The tools that read. A rule for one of them covers all.
const READING_TOOLS: &[&str] = &["Read", "Glob", "Grep", "Diagnostics"];

/// The tools that write. A rule for one of them covers all.
const WRITING_TOOLS: &[&str] = &[
    "Edit",
    "MultiEdit",
    "Write",
    "NotebookEdit",
    "InsertBefore",
    "InsertAfter",
    "ReplaceLines",
    "DeleteLines",
    "MoveLines",
    "MoveFile",
    "Rename",
    "DeleteFile",
    "ApplyPatch",
    "Undo",
    "str_replace_based_edit_tool",
];

/// The effect of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleEffect {
    /// The access is refused, whatever other rules say.
    Deny,
    /// The access needs a person's consent.
    Ask,
    /// The access is allowed where the mode would ask.
    Allow,
}

impl RuleEffect {
    /// Returns the name of the effect's list in the settings.
    pub fn as_str(self) -> &'static str {
        match self {
            RuleEffect::Deny => "deny",
            RuleEffect::Ask => "ask",
            RuleEffect::Allow => "allow",
        }
    }
}

/// A parsed rule: an access and a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    text: String,
    access: Access,
    pattern: Pattern,
}

/// Why a rule is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    /// What is wrong.
    pub message: String,
    /// The rule that was probably meant.
    pub suggestion: Option<String>,
}

impl fmt::Display for RuleError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for RuleError {}

impl Rule {
    /// Parses a rule: a tool's name, and in parentheses the files; without them all files.
    ///
    /// # Errors
    /// There is no such tool, or the pattern can never match.
    pub fn parse(text: &str) -> Result<Rule, RuleError> {
        let trimmed = text.trim();
        let (tool, pattern) = match trimmed.split_once('(') {
            None => (trimmed, "**"),
            Some((tool, rest)) => match rest.strip_suffix(')') {
                Some(pattern) => (tool, pattern),
                None => {
                    return Err(RuleError {
                        message: format!("the rule {} is not closed", quote_setting(text)),
                        suggestion: Some(format!("{trimmed})")),
                    });
                }
            },
        };
        let access =
            Access::for_tool(tool).ok_or_else(|| unknown_tool_error(text, tool, pattern))?;
        let pattern = Pattern::parse(pattern).map_err(
            |PatternError {
                 message,
                 suggestion,
             }| {
                RuleError {
                    message: format!("the pattern of {} {message}", quote_setting(text)),
                    suggestion: suggestion.map(|meant| format!("{tool}({meant})")),
                }
            },
        )?;
        Ok(Rule {
            text: trimmed.to_owned(),
            access,
            pattern,
        })
    }

    /// Returns the text of the narrowest rule for one file, which contains its absolute path.
    pub fn for_file(access: Access, path: &str) -> String {
        let escaped = crate::pattern::escape_path(path);
        format!("{}(/{escaped})", access.tool_name())
    }

    /// Returns the text of the rule as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the access that the rule is about.
    pub fn access(&self) -> Access {
        self.access
    }

    pub(crate) fn pattern(&self) -> &Pattern {
        &self.pattern
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

fn unknown_tool_error(text: &str, tool: &str, pattern: &str) -> RuleError {
    if tool.trim().is_empty() || tool.contains(['/', '*', '.']) {
        let files = if tool.trim().is_empty() {
            pattern
        } else {
            text
        };
        return RuleError {
            message: format!("the rule {} names no tool", quote_setting(text)),
            suggestion: Some(format!("Edit({})", files.trim()))
                .filter(|_| !files.trim().is_empty()),
        };
    }
    let known = READING_TOOLS.iter().chain(WRITING_TOOLS).copied();
    let closest = lancet_text::closest_names(tool.trim(), known, 1);
    RuleError {
        message: format!(
            "there is no tool {} to write a rule for",
            quote_setting(tool)
        ),
        suggestion: closest.first().map(|meant| match text.split_once('(') {
            Some((_, rest)) => format!("{meant}({rest}"),
            None => (*meant).to_owned(),
        }),
    }
}

/// Quotes a text of the settings, cut to a length that fits into a message.
fn quote_setting(text: &str) -> String {
    format!("{:?}", text.chars().take(80).collect::<String>())
}
