//! Runs the Python scripts next to this file, which make files and check what lancet did with them.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns the folder with the packages of `requirements.txt`; none, with a message, where they are not installed.
pub(crate) fn packages() -> Option<PathBuf> {
    let packages = std::env::var_os("LANCET_FORMAT_JUDGES").map(PathBuf::from);
    if packages.is_none() {
        lancet_testing::judges::missing("nbformat and Pillow");
    }
    packages
}

/// Runs a script with a folder as its argument; returns what it prints.
pub(crate) fn run(packages: &Path, script: &str, folder: &Path, input: &str) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/formats")
        .join(script);
    let mut child = Command::new("python3")
        .arg(script)
        .arg(folder)
        .env("PYTHONPATH", packages)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("python3 reads");
    drop(stdin);
    let done = child.wait_with_output().expect("python3 ends");
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stdout).expect("UTF-8")
}
