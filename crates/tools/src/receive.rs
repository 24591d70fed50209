//! The first stage of a call, *receive*: parses a model's arguments into a typed request. Slips of notation are
//! repaired and reported; arguments that cannot be interpreted with certainty are refused with the field and its
//! correct form. No later stage sees raw JSON.

mod clean;
mod invalid;
mod names;
mod scalar;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use crate::asked::ToolRequest;
use crate::builtin::{self, Tool};

pub use clean::clean_arguments;
pub use invalid::{InvalidArguments, Repair};
pub use names::{canonical_tool, closest_tool};

/// A call of a built-in tool whose arguments have been parsed.
#[derive(Debug, Clone, PartialEq)]
pub struct Received {
    tool: &'static str,
    /// The parsed request.
    #[doc(hidden)]
    pub asked: ToolRequest,
    /// The slips of notation that were repaired.
    #[doc(hidden)]
    pub repairs: Vec<Repair>,
}

impl Received {
    /// Returns the tool's own name, whatever name it was called by.
    pub fn tool(&self) -> &'static str {
        self.tool
    }

    /// Returns whether another call requests the same of the same tool, whatever was repaired in either.
    pub fn is_same_request(&self, other: &Received) -> bool {
        (self.tool, &self.asked) == (other.tool, &other.asked)
    }

    /// Returns the slips of notation that were repaired.
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }
}

/// Parses the arguments of a call of a built-in tool, which may be called by one of its other names.
///
/// # Errors
/// The tool does not exist, or the arguments cannot be used.
pub fn receive(tool: &str, arguments: Value) -> Result<Received, InvalidArguments> {
    let (tool, fields, repairs) = fit_arguments(tool, arguments)?;
    Ok(Received {
        tool: tool.name(),
        asked: tool.receive(fields)?,
        repairs,
    })
}

/// Returns the same call under the tool's own name, with arguments that fit its schema and need no repair.
///
/// # Errors
/// As for [`receive`], except that the contents of fields without a schema are not checked.
pub fn normalize(tool: &str, arguments: Value) -> Result<(&'static str, Value), InvalidArguments> {
    let (tool, fields, _) = fit_arguments(tool, arguments)?;
    Ok((tool.name(), Value::Object(fields)))
}

type Fitted = (&'static dyn Tool, Map<String, Value>, Vec<Repair>);

/// Finds the tool and repairs the arguments so that they fit its schema.
fn fit_arguments(name: &str, arguments: Value) -> Result<Fitted, InvalidArguments> {
    let mut repairs = Vec::new();
    let mut fields = clean::arguments_as_object(name, arguments, &mut repairs)?;
    let tool = builtin::find_called(name, &fields);
    let declared = tool.and_then(|tool| Some((tool, builtin::declaration(tool.name())?)));
    let Some((tool, declaration)) = declared else {
        return Err(InvalidArguments::unknown_tool(name, closest_tool(name)));
    };
    if name != tool.name() {
        names::rename_fields(&mut fields);
    }
    names::rename_alternative_fields(tool, &mut fields)?;
    tool.remove_foreign_fields(&mut fields)?;
    let fields = clean::clean_top_level_fields(
        tool.name(),
        &declaration.input_schema,
        fields,
        &mut repairs,
    )?;
    Ok((tool, fields, repairs))
}
