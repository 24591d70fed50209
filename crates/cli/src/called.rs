//! The name by which the program was called. Packages install `lancet-mcp` next to `lancet`. It serves an agent unless
//! a command is given, so that `uvx lancet-mcp` and `npx lancet-mcp` are all that an agent's settings need.

use std::ffi::OsString;
use std::path::Path;

/// The name under which the program serves an agent by default.
const SERVER: &str = "lancet-mcp";

/// The first argument with the same effect as that name, for a shell script, which cannot choose the name of the
/// program that it starts.
const WORD: &str = "--called-lancet-mcp";

/// Returns the command line as it would have been typed for `lancet`.
pub(crate) fn normalize_program_name(mut typed: Vec<OsString>) -> Vec<OsString> {
    let by_word = typed.get(1).is_some_and(|word| word == WORD);
    let name = typed.first().and_then(|path| Path::new(path).file_name());
    if by_word {
        typed.remove(1);
    } else if name.is_none_or(|name| name != SERVER) {
        return typed;
    }
    typed[0] = "lancet".into();
    let first = typed.get(1).map(|word| word.to_string_lossy());
    let serves = match first.as_deref() {
        None => true,
        Some("-h" | "--help" | "-V" | "--version") => false,
        // Any other first argument is a command, or a mistake that the usual error explains.
        Some(word) => word.starts_with('-'),
    };
    if serves {
        typed.insert(1, "mcp".into());
    }
    typed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lancet_mcp_serves_unless_a_command_is_given() {
        let become_of = |line: &str| {
            let typed = line.split(' ').map(OsString::from).collect();
            let words = normalize_program_name(typed).into_iter();
            let words: Vec<String> = words
                .map(|word| word.to_string_lossy().into_owned())
                .collect();
            words.join(" ")
        };
        for (typed, meant) in [
            ("/usr/bin/lancet-mcp", "lancet mcp"),
            ("lancet-mcp --root /w", "lancet mcp --root /w"),
            ("lancet-mcp mcp --root /w", "lancet mcp --root /w"),
            ("lancet-mcp doctor", "lancet doctor"),
            ("lancet-mcp --version", "lancet --version"),
            ("lancet-mcp docter", "lancet docter"),
            ("b/lancet --called-lancet-mcp", "lancet mcp"),
            (
                "b/lancet --called-lancet-mcp --tools all",
                "lancet mcp --tools all",
            ),
            ("b/lancet --called-lancet-mcp undo", "lancet undo"),
            ("b/lancet --version", "b/lancet --version"),
            ("lancet", "lancet"),
        ] {
            assert_eq!(become_of(typed), meant);
        }
    }
}
