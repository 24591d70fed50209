//! The form of a settings list that names a program.

/// The required form of a list that names a program, for an error message.
pub(super) const REQUIRED_COMMAND_FORM: &str =
    "must begin with a program: a name that is found in PATH, or an absolute path";

/// Returns whether a list is a program that can be found, with its arguments.
pub(super) fn is_command(command: &[String]) -> bool {
    let program = command.first().map_or("", String::as_str);
    let is_findable = program.starts_with('/') || !program.contains('/');
    let has_nul = command.iter().any(|argument| argument.contains('\0'));
    !program.is_empty() && is_findable && !has_nul
}
