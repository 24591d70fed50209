//! The list of file types, in ripgrep's form.

use lancet::doors::type_definitions;

use crate::failure::{Exit, Failure};

/// Prints the file types and their globs.
pub(super) fn print_types() -> Result<Exit, Failure> {
    let lines = type_definitions()
        .into_iter()
        .map(|(name, globs)| format!("{name}: {}\n", globs.join(", ")));
    crate::terminal::print(&lines.collect::<String>())?;
    Ok(Exit::Done)
}
