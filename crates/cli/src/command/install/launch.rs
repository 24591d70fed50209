//! How an agent will start lancet: in the way in which lancet was started to install itself.

use std::path::{Path, PathBuf};

use lancet_install::Launch;

use crate::surroundings::program_on_path;

/// The name of the package with the program inside.
const PACKAGE: &str = "lancet-mcp";

/// The launch of the running program.
pub(super) fn of_this_program() -> Option<Launch> {
    let program = std::env::current_exe().ok()?;
    let name = program.file_name()?.to_str()?;
    // The path by which the shell finds the program may be a link, which still works after an update has replaced its target.
    let named = program_on_path(name)
        .filter(|path| path.canonicalize().ok() == program.canonicalize().ok());
    of_program(&program, named)
}

/// The launch of a program: uvx and npx unpack it into a cache of theirs, and are asked for it again.
fn of_program(program: &Path, named: Option<PathBuf>) -> Option<Launch> {
    let has = |name: &str| program.components().any(|part| part.as_os_str() == name);
    let package = format!("{PACKAGE}@{}", env!("CARGO_PKG_VERSION"));
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    if has("archive-v0") {
        return Some(Launch {
            command: "uvx".to_owned(),
            arguments: words(&[&package, "mcp"]),
        });
    }
    if has("_npx") {
        return Some(Launch {
            command: "npx".to_owned(),
            arguments: words(&["-y", &package, "mcp"]),
        });
    }
    let path = named.unwrap_or_else(|| program.to_path_buf());
    Some(Launch {
        command: path.to_str()?.to_owned(),
        arguments: words(&["mcp"]),
    })
}

/// Whether the program of a launch is there.
pub(super) fn is_there(command: &str) -> bool {
    match Path::new(command).is_absolute() {
        true => Path::new(command).is_file(),
        false => program_on_path(command).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launched(program: &str) -> String {
        let launch = of_program(Path::new(program), None).expect("a launch");
        format!("{} {}", launch.command, launch.arguments.join(" "))
    }

    #[test]
    fn it_is_started_as_it_was_run() {
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            launched("/home/me/.cache/uv/archive-v0/x1/bin/lancet"),
            format!("uvx lancet-mcp@{version} mcp")
        );
        assert_eq!(
            launched("/home/me/.npm/_npx/1f/node_modules/lancet-mcp-linux-x64/bin/lancet"),
            format!("npx -y lancet-mcp@{version} mcp")
        );
        assert_eq!(launched("/opt/lancet"), "/opt/lancet mcp");
        let named = of_program(Path::new("/store/1/lancet"), Some("/usr/bin/lancet".into()));
        assert_eq!(named.expect("a launch").command, "/usr/bin/lancet");
    }
}
