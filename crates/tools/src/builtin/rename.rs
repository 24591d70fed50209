//! `Rename`: renames a symbol and all references to it, as a language server plans it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::output;
use super::schema::strict_schema;
use super::tool::{Availability, OtherName, Tool, check_path, deserialize_arguments, non_empty};
use crate::asked::ToolRequest;
use crate::receive::InvalidArguments;
use lancet_model::declaration::Declaration;
use lancet_model::outcome::Layout;
use lancet_model::request::{Change, SymbolRename};

/// The longest name, in bytes.
const MAX_NAME_LENGTH: usize = 1_000;

/// Arguments of `Rename`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RenameArguments {
    /// Absolute path of a file that contains the symbol
    pub file_path: String,
    /// Number of a line that contains it, as Read shows it
    pub line: u64,
    /// The symbol as it is there, its name alone
    pub symbol: String,
    /// Its new name
    pub new_name: String,
    /// Refuse unless at this revision
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// No effect here
    #[serde(default)]
    pub insist: bool,
    /// Show the change, write nothing
    #[serde(default)]
    pub dry_run: bool,
}

impl RenameArguments {
    /// Converts the arguments to a request.
    fn into_request(self) -> Result<ToolRequest, InvalidArguments> {
        check_path("Rename", "file_path", &self.file_path)?;
        check_name("symbol", &self.symbol)?;
        check_name("new_name", &self.new_name)?;
        if self.symbol == self.new_name {
            let words = "Rename: symbol and new_name are the same. Send the name that was meant.";
            return Err(InvalidArguments::new(Some("new_name"), words.to_owned()));
        }
        // Not every server refuses an invalid name.
        if is_identifier(&self.symbol) && !is_identifier(&self.new_name) {
            let words = format!(
                "Rename: new_name `{}` is no name: letters, digits, `_` and `$`, not a digit first.",
                self.new_name
            );
            return Err(InvalidArguments::new(Some("new_name"), words));
        }
        let rename = SymbolRename {
            path: self.file_path,
            line: self.line,
            symbol: self.symbol,
            new_name: self.new_name,
            revision: non_empty(self.revision),
            dry_run: self.dry_run.into(),
        };
        Ok(ToolRequest::Change(Change::Rename(rename)))
    }
}

/// Refuses a text that cannot be a name on one line.
fn check_name(field: &str, name: &str) -> Result<(), InvalidArguments> {
    let wrong = if name.is_empty() {
        "is empty; give a name"
    } else if name
        .chars()
        .any(|one| one.is_whitespace() || one.is_control())
    {
        "has blanks or control characters; give the name alone"
    } else if name.len() > MAX_NAME_LENGTH {
        "is too long for a name; give the name alone"
    } else {
        return Ok(());
    };
    Err(InvalidArguments::new(
        Some(field),
        format!("Rename: {field} {wrong}."),
    ))
}

/// Returns whether a text is an identifier in most languages.
fn is_identifier(name: &str) -> bool {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let begins = |one: char| one.is_alphabetic() || one == '_' || one == '$';
    name.starts_with(begins) && name.chars().all(|one| begins(one) || one.is_alphanumeric())
}

/// The built-in tool `Rename`.
pub struct Rename;

impl Tool for Rename {
    fn name(&self) -> &'static str {
        "Rename"
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            title: "Rename a symbol".into(),
            prompt: include_str!("prompts/rename.md").into(),
            output_schema: Some(output::file_list_change_schema()),
            search_hint: "rename symbol function class variable refactor".into(),
            ..Declaration::new(
                self.name(),
                "Renames a symbol in every file where it means the same, as a language server plans it. All files \
                    are changed or none; nothing is renamed by text alone. Read the line first.",
                strict_schema::<RenameArguments>(),
            )
        }
    }

    fn receive(&self, fields: Map<String, Value>) -> Result<ToolRequest, InvalidArguments> {
        deserialize_arguments::<RenameArguments>(self.name(), fields)?.into_request()
    }

    fn other_names(&self) -> &'static [OtherName] {
        const NAMES: &[OtherName] = &[OtherName::unconditional("rename_symbol")];
        NAMES
    }

    fn availability(&self) -> Availability {
        Availability::WhenNamed
    }

    fn layout(&self) -> Layout {
        Layout::Files
    }
}
