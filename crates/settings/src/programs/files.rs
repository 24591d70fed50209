//! The files that a configured command is started from: its program, and the arguments that may be scripts.

use std::path::{Path, PathBuf};

use lancet_workspace::normalize_lexically;

use super::PATH_ARGUMENT;

/// Characters between two commands of a script that is itself an argument, as after `sh -c`.
const COMMAND_SEPARATORS: &[char] = &[';', '&', '|', '(', ')', '{', '}', '`', '\n'];

/// Programs that run the script named by their first argument, and words that precede a command.
const INTERPRETERS: &[&str] = &[
    ".", "bash", "bun", "dash", "deno", "do", "else", "env", "exec", "if", "ksh", "node", "nohup",
    "perl", "php", "python", "python3", "ruby", "sh", "source", "then", "time", "tsx", "while",
    "xargs", "zsh", "!",
];

/// The folders in which the names in a command are looked up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramPlaces {
    /// The folders in which a program without a path is looked for, in this order: those of `PATH`.
    pub path: Vec<PathBuf>,
    /// The folders that relative paths in arguments may be relative to.
    pub working: Vec<PathBuf>,
}

/// The files that a command may be started from, whether or not they exist. All paths are absolute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandFiles {
    /// The candidate paths of the program, in order of preference.
    pub program: Vec<PathBuf>,
    /// The files that arguments, or words in them, name.
    pub scripts: Vec<NamedScript>,
}

/// A file that an argument may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedScript {
    /// The file.
    pub path: PathBuf,
    /// Whether the argument has the form of a path: it has a slash or a dot in it.
    pub is_path: bool,
}

impl CommandFiles {
    /// Lists the files of a command.
    #[must_use]
    pub fn for_command(command: &[String], places: &ProgramPlaces) -> Self {
        let [program, arguments @ ..] = command else {
            return Self::default();
        };
        let program = match program.starts_with('/') {
            true => vec![normalize_lexically(Path::new(program))],
            false => {
                let folders = places.path.iter().filter(|folder| folder.is_absolute());
                folders.map(|folder| folder.join(program)).collect()
            }
        };
        let mut scripts: Vec<NamedScript> = Vec::new();
        for word in arguments
            .iter()
            .flat_map(|argument| script_candidates(argument))
        {
            let is_name = !word.is_empty() && !word.starts_with('-') && word.len() < 4_096;
            if !is_name || word.contains(PATH_ARGUMENT) || [".", ".."].contains(&word) {
                continue;
            }
            let is_path = word.contains(['/', '.']);
            for folder in &places.working {
                let path = normalize_lexically(&folder.join(word));
                if !scripts.iter().any(|known| known.path == path) {
                    scripts.push(NamedScript { path, is_path });
                }
            }
        }
        Self { program, scripts }
    }

    /// Iterates over all files, whether or not they exist.
    pub fn all(&self) -> impl Iterator<Item = &Path> {
        let scripts = self.scripts.iter().map(|script| script.path.as_path());
        self.program.iter().map(PathBuf::as_path).chain(scripts)
    }
}

/// Returns the words of an argument that may name a script: the argument, the text after the `=` of an option and, if
/// the argument is a shell script, the commands in it. Other words of such a script may be files that it works on.
fn script_candidates(argument: &str) -> Vec<&str> {
    if !argument.contains(char::is_whitespace) {
        let value = argument.split_once('=').map(|(_, value)| value);
        return std::iter::once(argument).chain(value).collect();
    }
    let mut words = Vec::new();
    for command in argument.split(COMMAND_SEPARATORS) {
        let parts = command.split_whitespace();
        let parts = parts.map(|part| part.trim_matches(['"', '\'']));
        for part in parts {
            let is_before = INTERPRETERS.contains(&part) || part.starts_with('-');
            if !is_before && !part.contains('=') {
                words.push(part);
                break;
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command_files(command: &[&str]) -> Vec<String> {
        let places = ProgramPlaces {
            path: vec!["/usr/bin".into(), "rel".into(), "/p/bin".into()],
            working: vec!["/p".into()],
        };
        let command: Vec<String> = command.iter().map(|&word| word.to_owned()).collect();
        let found = CommandFiles::for_command(&command, &places);
        found.all().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn finds_program_and_scripts_named_in_arguments() {
        assert_eq!(command_files(&[]), [""; 0]);
        assert_eq!(command_files(&["/p/./fmt.sh"]), ["/p/fmt.sh"]);
        assert_eq!(
            command_files(&["ruff", "format", "--stdin={path}", "-"]),
            ["/usr/bin/ruff", "/p/bin/ruff", "/p/format"]
        );
        let script = command_files(&[
            "/bin/sh",
            "-c",
            "cat > a.txt; X=1 python3 -u 'tools/fix.py' b.txt",
        ]);
        assert_eq!(script, ["/bin/sh", "/p/cat", "/p/tools/fix.py"]);
        let option = command_files(&["/bin/x", "--config=../q/c.toml"]);
        assert!(option.contains(&"/q/c.toml".to_owned()), "{option:?}");
    }
}
