//! The reference: the ripgrep that the test set-up pinned, run as a process, with its output parsed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::tree::{Tree, path_of};

/// Lines of a file: number, whether it matches, bytes.
pub(crate) type ShownLines = Vec<(u64, bool, Vec<u8>)>;

pub(crate) struct Judge {
    program: PathBuf,
}

impl Judge {
    pub(crate) fn find() -> Option<Self> {
        let program = std::env::var_os("LANCET_RIPGREP").map_or_else(
            || {
                Path::new(env!("CARGO_MANIFEST_DIR"))
                    .join("../../target/tools/ripgrep-15.2.0/bin/rg")
            },
            PathBuf::from,
        );
        program.exists().then_some(Judge { program })
    }

    /// Runs it from the tree's root. Its errors about files that it could not read, or lines of ignore files that it
    /// did not understand, are ignored.
    pub(crate) fn ask(&self, tree: &Tree, arguments: &[String]) -> Vec<u8> {
        self.run(tree, arguments).0
    }

    /// Returns whether ripgrep accepts the arguments, tried on an empty input.
    pub(crate) fn accepts(&self, tree: &Tree, arguments: &[String]) -> bool {
        let mut arguments = arguments.to_vec();
        arguments.extend(["--", "/dev/null"].map(str::to_owned));
        self.run(tree, &arguments).1 != Some(2)
    }

    fn run(&self, tree: &Tree, arguments: &[String]) -> (Vec<u8>, Option<i32>) {
        let answer = Command::new(&self.program)
            .args(["--no-config", "--no-messages", "--color=never"])
            .args(["--sort=path", "--no-require-git", "--null"])
            .args(arguments)
            .current_dir(&tree.root)
            .env_clear()
            .env("HOME", &tree.home)
            .env("XDG_CONFIG_HOME", &tree.home)
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .expect("ripgrep runs");
        (answer.stdout, answer.status.code())
    }
}

/// Returns the names in the output of `--files` or `-l`.
pub(crate) fn names(answer: &[u8]) -> Vec<PathBuf> {
    answer
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
        .map(path_of)
        .collect()
}

/// Returns the counts in the output of `-c`.
pub(crate) fn counts(answer: &[u8]) -> BTreeMap<PathBuf, u64> {
    let mut counts = BTreeMap::new();
    let mut rest = answer;
    while let Some(at) = rest.iter().position(|byte| *byte == 0) {
        let end = rest[at..]
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(rest.len(), |end| at + end);
        let number = std::str::from_utf8(&rest[at + 1..end]).expect("digits");
        counts.insert(path_of(&rest[..at]), number.parse().expect("a number"));
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    counts
}

/// Returns the lines in the output with `-n`, by file.
pub(crate) fn lines(answer: &[u8]) -> BTreeMap<PathBuf, ShownLines> {
    let mut files: BTreeMap<PathBuf, ShownLines> = BTreeMap::new();
    let mut rest = answer;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(b"--\n") {
            rest = after;
            continue;
        }
        // A name may contain a line end, so the NUL comes first.
        let at = rest.iter().position(|byte| *byte == 0).expect("a name");
        let end = rest[at..]
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(rest.len(), |end| at + end);
        let line = &rest[at + 1..end];
        let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = std::str::from_utf8(&line[..digits]).expect("digits");
        files.entry(path_of(&rest[..at])).or_default().push((
            number.parse().expect("a number"),
            line[digits] == b':',
            line[digits + 1..].to_vec(),
        ));
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    files
}
