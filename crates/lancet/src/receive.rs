//! The first room: arguments as a model sends them become a typed call. Slips of notation are repaired and named; what
//! cannot be read for sure is refused with the field and its right form. Nothing later sees raw JSON.

mod clean;
mod invalid;
mod names;
mod scalar;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use crate::arguments::Arguments;
use crate::declare;

pub(crate) use clean::clean;
pub use invalid::{InvalidArguments, Repair};
pub use names::{canonical_tool, closest_tool};

/// Reads the arguments of a call of one of the built-in tools, also under one of its other names.
pub fn receive(tool: &str, arguments: Value) -> Result<(Arguments, Vec<Repair>), InvalidArguments> {
    let mut repairs = Vec::new();
    let mut fields = clean::object(tool, arguments, &mut repairs)?;
    let Some(name) = names::resolve(tool, &fields) else {
        return Err(InvalidArguments::unknown_tool(tool, closest_tool(tool)));
    };
    names::rename_fields(tool, &mut fields);
    if name == "Read" {
        take_read_kinds(&mut fields)?;
    }
    let Some(declaration) = declare::declaration(name) else {
        return Err(InvalidArguments::unknown_tool(tool, closest_tool(tool)));
    };
    let fields = clean::fields(name, &declaration.input_schema, fields, &mut repairs)?;
    let arguments = typed(name, fields)?;
    check(&arguments)?;
    Ok((arguments, repairs))
}

fn typed(name: &str, fields: Map<String, Value>) -> Result<Arguments, InvalidArguments> {
    let fields = Value::Object(fields);
    let read = match name {
        "Read" => serde_json::from_value(fields).map(Arguments::Read),
        "Edit" => serde_json::from_value(fields).map(Arguments::Edit),
        "MultiEdit" => serde_json::from_value(fields).map(Arguments::MultiEdit),
        "Glob" => serde_json::from_value(fields).map(Arguments::Glob),
        "Grep" => serde_json::from_value(fields).map(Arguments::Grep),
        "Undo" => serde_json::from_value(fields).map(Arguments::Undo),
        _ => serde_json::from_value(fields).map(Arguments::Write),
    };
    // The schema has been checked already, so this says something only where schema and type disagree.
    read.map_err(|error| InvalidArguments::new(None, format!("{name}: {error}")))
}

/// `pages` and `mode` belong to kinds of file that this version does not show; they are not in the schema, but agents
/// that know them from elsewhere send them.
fn take_read_kinds(fields: &mut Map<String, Value>) -> Result<(), InvalidArguments> {
    match fields.shift_remove("mode") {
        None | Some(Value::Null) => {}
        Some(Value::String(mode)) if mode.is_empty() || mode == "text" => {}
        Some(_) => {
            return Err(InvalidArguments::new(
                Some("mode"),
                "Read: mode can only be \"text\" in this version; leave it out.".into(),
            ));
        }
    }
    match fields.shift_remove("pages") {
        None | Some(Value::Null) => Ok(()),
        Some(Value::String(pages)) if pages.is_empty() => Ok(()),
        Some(_) => Err(InvalidArguments::new(
            Some("pages"),
            "Read: pages is for PDFs, which this version does not read; a text file is paged with offset and limit.".into(),
        )),
    }
}

/// What a schema cannot say.
fn check(arguments: &Arguments) -> Result<(), InvalidArguments> {
    match arguments {
        Arguments::Read(read) => check_path("Read", "file_path", &read.file_path),
        Arguments::Edit(edit) => check_path("Edit", "file_path", &edit.file_path),
        Arguments::Write(write) => check_path("Write", "file_path", &write.file_path),
        Arguments::Glob(glob) => check_search("Glob", &glob.pattern, glob.path.as_deref()),
        Arguments::Grep(grep) => check_search("Grep", "any", grep.path.as_deref()),
        Arguments::Undo(_) => Ok(()),
        Arguments::MultiEdit(call) => {
            if let Some(path) = &call.file_path {
                check_path("MultiEdit", "file_path", path)?;
            }
            for (index, edit) in call.edits.iter().enumerate() {
                let place = format!("MultiEdit, edit {}", index + 1);
                let field = format!("edits[{index}].file_path");
                match (&edit.file_path, &call.file_path) {
                    (Some(path), _) => check_path(&place, &field, path)?,
                    (None, Some(_)) => {}
                    (None, None) => {
                        return Err(InvalidArguments::new(
                            Some(&field),
                            format!(
                                "{place}: file_path is missing, and the call has no file_path for all its edits. Give one of them."
                            ),
                        ));
                    }
                }
            }
            Ok(())
        }
    }
}

/// An empty expression matches every line; an empty glob is nothing that anybody means.
fn check_search(tool: &str, glob: &str, path: Option<&str>) -> Result<(), InvalidArguments> {
    if glob.is_empty() {
        return Err(InvalidArguments::new(
            Some("pattern"),
            format!("{tool}: pattern is empty; ** lists every file."),
        ));
    }
    if path.is_some_and(|path| path.contains('\0')) {
        return Err(InvalidArguments::new(
            Some("path"),
            format!("{tool}: path contains a NUL character, which no path can."),
        ));
    }
    Ok(())
}

fn check_path(place: &str, field: &str, path: &str) -> Result<(), InvalidArguments> {
    let wrong = if path.is_empty() {
        "is empty; give the absolute path of a file"
    } else if path.contains('\0') {
        "contains a NUL character, which no path can"
    } else {
        return Ok(());
    };
    Err(InvalidArguments::new(
        Some(field),
        format!("{place}: file_path {wrong}."),
    ))
}
