//! The reader of the answers, which decides how answers name files and next steps: a model, which calls tools, or a
//! person at the shell, who types commands. No other file distinguishes the two.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use lancet_history::SessionName;
use serde_json::{Value, json};

use crate::message::Term;
use crate::page_range::PageRange;
use crate::path_names::{
    is_plain_relative, name_from_working_folder, quote_shell_argument, relative_to,
};
use crate::tool_names::TEXT_EDITOR;
use crate::tool_prefix::ToolPrefix;
use crate::wording::{QuotedPath, format_call, on_one_line, quote_path, truncate};

/// The longest call, in bytes, that an answer repeats in full to name the next page.
const MAX_CALL_LENGTH: usize = 1_500;

/// The reader of the answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// A model: files are named from the first root, next steps are calls of tools.
    Tools {
        /// The prefix of the tools' names.
        prefix: ToolPrefix,
        /// The folder that the paths in sentences are relative to; none if they are absolute.
        names_from: Option<PathBuf>,
    },
    /// A person at the shell: files are named so that a command typed in the working folder finds them, next steps are
    /// commands.
    Shell {
        /// The working folder, symbolic links resolved.
        working: PathBuf,
    },
}

impl Default for Audience {
    fn default() -> Self {
        Audience::with_prefix(ToolPrefix::default())
    }
}

/// The tool whose terms an answer to a model uses for fields and next steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Vocabulary {
    /// Those of Read and Edit: `old_string`, `new_string`.
    #[default]
    Edit,
    /// Those of `str_replace_based_edit_tool`: `view`, `old_str`, `new_str`.
    TextEditor,
    /// Those of the command line: `--old`, `--new`.
    Shell,
}

impl Vocabulary {
    /// Returns the name of the option that replaces every occurrence of a text in one call, if the tool has one.
    pub fn replace_all(self) -> Option<&'static str> {
        match self {
            Vocabulary::Edit => Some("replace_all: true"),
            Vocabulary::TextEditor => None,
            Vocabulary::Shell => Some("--replace-all"),
        }
    }

    /// Returns the name of the text that an edit replaces. [`explain_field_names`](Self::explain_field_names) has the names of the text editor.
    pub fn old_name(self) -> &'static str {
        match self {
            Vocabulary::Edit | Vocabulary::TextEditor => "old_string",
            Vocabulary::Shell => "--old",
        }
    }

    /// Returns the name of the replacement text of an edit.
    pub fn new_name(self) -> &'static str {
        match self {
            Vocabulary::Edit | Vocabulary::TextEditor => "new_string",
            Vocabulary::Shell => "--new",
        }
    }

    /// Returns the instruction for passing a text.
    pub fn send_verb(self) -> &'static str {
        match self {
            Vocabulary::Edit | Vocabulary::TextEditor => "Send",
            Vocabulary::Shell => "Give",
        }
    }

    /// Returns an explanation of the field names that a text uses, if the tool has other names.
    pub fn explain_field_names(self, text: &str) -> Option<&'static str> {
        let is_foreign = || text.contains("old_string") || text.contains("new_string");
        (self == Vocabulary::TextEditor && is_foreign()).then_some(
            "[lancet: in this tool old_string is called old_str, and new_string new_str]",
        )
    }
}

impl Audience {
    /// Returns a model that calls the tools by names with a prefix.
    #[doc(hidden)]
    pub fn with_prefix(prefix: ToolPrefix) -> Self {
        Audience::Tools {
            prefix,
            names_from: None,
        }
    }

    /// Returns the same reader; a model's answers then name files relative to this folder, unless another was set.
    #[doc(hidden)]
    #[must_use]
    pub fn with_base_folder(&self, folder: Option<&PathBuf>) -> Self {
        let mut reader = self.clone();
        if let Audience::Tools { names_from, .. } = &mut reader
            && names_from.is_none()
        {
            *names_from = folder.cloned();
        }
        reader
    }

    /// Returns whether answers go to the person who typed a command.
    #[doc(hidden)]
    pub fn is_person(&self) -> bool {
        matches!(self, Audience::Shell { .. })
    }

    /// Returns the prefix of the tools' names; none for a person at the shell.
    #[doc(hidden)]
    pub fn prefix(&self) -> Option<&ToolPrefix> {
        match self {
            Audience::Tools { prefix, .. } => Some(prefix),
            Audience::Shell { .. } => None,
        }
    }

    /// Returns a term in the reader's wording.
    #[doc(hidden)]
    pub fn term(&self, term: Term) -> &'static str {
        match self {
            Audience::Tools { .. } => term.tools,
            Audience::Shell { .. } => term.shell,
        }
    }

    /// Names a path in a sentence: relative to the first root for a model, and as a person in the working folder types
    /// it.
    #[doc(hidden)]
    pub fn path_name(&self, path: &QuotedPath) -> String {
        match self {
            Audience::Tools { names_from, .. } => {
                let whole = Path::new(path.as_str());
                let rest = names_from
                    .as_deref()
                    .and_then(|root| relative_to(whole, root));
                match rest.filter(|rest| is_plain_relative(rest)) {
                    Some(rest) => quote_path(rest).to_string(),
                    None => path.to_string(),
                }
            }
            Audience::Shell { working } => on_one_line(&name_from_working_folder(
                Path::new(path.as_str()),
                Some(working),
            )),
        }
    }

    /// Names a tool as the reader calls it.
    #[doc(hidden)]
    pub fn tool(&self, name: &str) -> String {
        self.prefix()
            .map_or_else(|| name.to_owned(), |prefix| prefix.listed_name(name))
    }

    /// Shortens a path for an answer: relative to the folder that the reader's relative paths start from, where the
    /// path is below it.
    #[doc(hidden)]
    pub fn shorten_path<'p>(&self, path: &'p Path, first_root: &Path) -> &'p Path {
        let from = match self {
            Audience::Tools { .. } => first_root,
            Audience::Shell { working } => working,
        };
        relative_to(path, from).unwrap_or(path)
    }

    /// Returns the terms of an answer to a call of a tool with its own terms.
    #[doc(hidden)]
    pub fn vocabulary(&self, tool: Vocabulary) -> Vocabulary {
        match self {
            Audience::Tools { .. } => tool,
            Audience::Shell { .. } => Vocabulary::Shell,
        }
    }

    /// Returns the call or command that shows lines of a file, ready to be sent.
    #[doc(hidden)]
    pub fn read_call(
        &self,
        vocabulary: Vocabulary,
        lines: &ReadLines<'_>,
        session: Option<&SessionName>,
    ) -> String {
        let Audience::Shell { working } = self else {
            return match vocabulary {
                Vocabulary::Edit | Vocabulary::Shell => {
                    format_call(&self.tool("Read"), &lines.read_arguments())
                }
                Vocabulary::TextEditor => {
                    format_call(&self.tool(TEXT_EDITOR), &lines.view_arguments())
                }
            };
        };
        let mut command = format!("lancet read {}", quote_shell_argument(lines.path, working));
        for (flag, number) in [
            ("--offset", lines.offset),
            ("--limit", lines.limit),
            ("--column", lines.column),
        ] {
            command.extend(number.map(|number| format!(" {flag} {number}")));
        }
        command.extend(lines.pages.map(|pages| format!(" --pages {pages}")));
        // Without the session's name the command would be another session, which has not seen the file.
        command.extend(session.map(|name| format!(" --session {name}")));
        command
    }

    /// Returns the call or command that lists everything below a folder.
    #[doc(hidden)]
    pub fn list_call(&self, folder: &Path) -> String {
        match self {
            Audience::Tools { .. } => {
                let call = json!({ "pattern": "**", "path": quote_path(folder) });
                let glob = self.tool("Glob");
                let call = format_call(&glob, &call);
                format!("{call} lists everything below it, where the {glob} tool is on.")
            }
            Audience::Shell { working } => {
                let folder = quote_shell_argument(folder, working);
                format!("lancet glob '**' {folder} lists everything below it.")
            }
        }
    }

    /// Returns the call or command that shows the next page of a search, in at most `most` bytes.
    #[doc(hidden)]
    pub fn next_page_call(&self, tool: &str, call: &Value, most: usize) -> String {
        let offset = &call["offset"];
        if let Audience::Shell { .. } = self {
            return format!("the same command with --offset {offset}");
        }
        let spelled = format_call(&self.tool(tool), call);
        // A pattern that is too long to be repeated is left out: the caller knows it.
        if spelled.len() > MAX_CALL_LENGTH.min(most) {
            return format!("the same call with offset {offset}");
        }
        truncate(&spelled, MAX_CALL_LENGTH)
    }

    /// Names the field or flag that includes ignored files.
    #[doc(hidden)]
    pub fn include_ignored_option(&self) -> &'static str {
        match self {
            Audience::Tools { .. } => "include_ignored: true",
            Audience::Shell { .. } => "--no-ignore",
        }
    }

    /// Explains what to do about a secret file. The file is named only if the caller already knows its name.
    #[doc(hidden)]
    pub fn secret_file_advice(&self, name: Option<&OsStr>) -> String {
        if let Audience::Tools { .. } = self {
            return "Work without it, or ask the user for the part that is needed.".to_owned();
        }
        let name = name.map(|name| on_one_line(&name.to_string_lossy()));
        let rule = name.map_or_else(String::new, |name| format!(", allow = [\"Read({name})\"]"));
        format!(
            "Only a rule under [permissions] in your user settings (not the project's) lifts that{rule}; no --yes does."
        )
    }

    /// Returns whether a dry run mentions that a person would be asked for this reason. A person at the shell knows
    /// that writes need consent.
    #[doc(hidden)]
    pub fn mentions_question(&self, reason: &str) -> bool {
        matches!(self, Audience::Tools { .. }) || !reason.starts_with("the mode is ")
    }

    /// Names the field or flag that lets a match span lines.
    #[doc(hidden)]
    pub fn multiline_option(&self) -> &'static str {
        match self {
            Audience::Tools { .. } => "Set multiline: true",
            Audience::Shell { .. } => "Give -U",
        }
    }
}

/// The lines of a file that a next step is to show; all lines where no field is set.
#[derive(Clone, Copy, Debug)]
pub struct ReadLines<'p> {
    /// The file.
    pub path: &'p Path,
    /// The first line.
    pub offset: Option<usize>,
    /// How many lines.
    pub limit: Option<usize>,
    /// The character of the first line at which to begin.
    pub column: Option<usize>,
    /// The pages of a PDF, in place of lines.
    pub pages: Option<PageRange>,
}

impl ReadLines<'_> {
    /// Returns the arguments of Read.
    #[doc(hidden)]
    pub fn read_arguments(&self) -> Value {
        let mut arguments = json!({ "file_path": quote_path(self.path) });
        for (field, number) in [
            ("offset", self.offset),
            ("limit", self.limit),
            ("column", self.column),
        ] {
            if let Some(number) = number {
                arguments[field] = json!(number);
            }
        }
        if let Some(pages) = self.pages {
            arguments["pages"] = json!(pages.to_string());
        }
        arguments
    }

    /// Returns the same as a view of `str_replace_based_edit_tool`.
    #[doc(hidden)]
    pub fn view_arguments(&self) -> Value {
        let mut arguments = json!({ "command": "view", "path": quote_path(self.path) });
        if self.offset.is_some() || self.limit.is_some() || self.column.is_some() {
            let first = self.offset.unwrap_or(1);
            let last = self.limit.map_or(json!(-1), |limit| {
                json!(first.saturating_add(limit).saturating_sub(1))
            });
            arguments["view_range"] = json!([first, last]);
        }
        if let Some(column) = self.column {
            arguments["column"] = json!(column);
        }
        if let Some(pages) = self.pages {
            let last = pages.last.map_or(-1, i64::from);
            arguments["view_range"] = json!([pages.first, last]);
        }
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell_audience() -> Audience {
        Audience::Shell {
            working: "/w".into(),
        }
    }

    #[test]
    fn shortens_path_to_root_only_below_root() {
        let told = |path: &'static str, root: &str| -> String {
            let audience = Audience::default();
            let told = audience.shorten_path(Path::new(path), Path::new(root));
            told.to_string_lossy().into_owned()
        };
        assert_eq!(told("/w/a/b", "/w"), "a/b");
        assert_eq!(told("/w", "/w"), "");
        assert_eq!(told("/wider/a", "/w"), "/wider/a");
        assert_eq!(told("/w/a", "/"), "w/a");
    }

    #[test]
    fn renders_next_step_as_call_or_command() {
        let lines = ReadLines {
            path: Path::new("/w/a b"),
            offset: Some(3),
            limit: None,
            column: None,
            pages: None,
        };
        let name: SessionName = "s".parse().expect("a name");
        assert_eq!(
            Audience::default().read_call(Vocabulary::Edit, &lines, Some(&name)),
            r#"Read {"file_path": "/w/a b", "offset": 3}"#
        );
        assert_eq!(
            shell_audience().read_call(Vocabulary::TextEditor, &lines, Some(&name)),
            "lancet read 'a b' --offset 3 --session s"
        );
        assert_eq!(
            Audience::default().read_call(Vocabulary::TextEditor, &lines, Some(&name)),
            r#"str_replace_based_edit_tool {"command": "view", "path": "/w/a b", "view_range": [3,-1]}"#
        );
        let call = json!({ "pattern": "x", "offset": 7 });
        assert_eq!(
            shell_audience().next_page_call("Grep", &call, 9_999),
            "the same command with --offset 7"
        );
        assert_eq!(
            Audience::default().next_page_call("Grep", &call, 9_999),
            r#"Grep {"pattern": "x", "offset": 7}"#
        );
    }

    #[test]
    fn next_step_uses_listed_tool_name() {
        let prefixed = Audience::Tools {
            prefix: ToolPrefix::new("lancet_").expect("a prefix"),
            names_from: None,
        };
        let call = json!({ "pattern": "x", "offset": 7 });
        assert_eq!(
            prefixed.next_page_call("Grep", &call, 9_999),
            r#"lancet_Grep {"pattern": "x", "offset": 7}"#
        );
        assert!(
            prefixed
                .list_call(Path::new("/w"))
                .contains("the lancet_Glob tool")
        );
    }
}
