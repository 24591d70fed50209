//! Real sources that exist on every machine that runs the tests: this repository with its history, the crates that it
//! depends on, Python's library, and npm packages if the tests have fetched some.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use lancet_syntax::Language;

/// Larger files take long and reveal nothing more.
const LARGEST: u64 = 100_000;

/// Returns the top folder of this repository.
pub(crate) fn repository_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the sources of the crates that cargo has fetched.
pub(crate) fn registry() -> PathBuf {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    home.expect("a home folder").join("registry/src")
}

/// Returns the folder of Python's library.
fn python_library() -> Option<PathBuf> {
    let code = "import sysconfig; print(sysconfig.get_paths()['stdlib'])";
    let done = Command::new("python3").args(["-c", code]).output().ok()?;
    Some(PathBuf::from(String::from_utf8(done.stdout).ok()?.trim()))
}

/// Returns up to `most` files of each language, spread over all that are found.
pub(crate) fn files(most: usize) -> BTreeMap<&'static str, Vec<PathBuf>> {
    let mut found: BTreeMap<&'static str, Vec<PathBuf>> = BTreeMap::new();
    let fetched = repository_root().join("target/clients");
    let folders = [
        repository_root().join("crates"),
        repository_root().join("clients"),
        repository_root().join("packages"),
    ];
    let folders = folders.into_iter().chain([registry(), fetched]);
    for folder in folders.chain(python_library()) {
        collect(&folder, &mut found);
    }
    for files in found.values_mut() {
        files.sort();
        let step = (files.len() / most).max(1);
        *files = files.iter().step_by(step).take(most).cloned().collect();
    }
    found
}

fn collect(folder: &Path, found: &mut BTreeMap<&'static str, Vec<PathBuf>>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let (path, kind) = (entry.path(), entry.file_type());
        if kind.as_ref().is_ok_and(|kind| kind.is_dir()) {
            collect(&path, found);
            continue;
        }
        let is_small = entry.metadata().is_ok_and(|facts| facts.len() <= LARGEST);
        if let Some(language) = Language::from_path(&path).filter(|_| is_small) {
            found.entry(language.name()).or_default().push(path);
        }
    }
}

/// Returns the changes of source files in the repository's history, newest first: name, text before, text after.
pub(crate) fn history(most: usize) -> Vec<(String, String, String)> {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(repository_root()).args(arguments);
        let done = command.output().ok().filter(|done| done.status.success())?;
        String::from_utf8(done.stdout).ok()
    };
    let log = [
        "log",
        "--raw",
        "--no-renames",
        "--no-abbrev",
        "--diff-filter=M",
        "--format=",
        "-n",
        "200",
    ];
    let log = git(&log).unwrap_or_default();
    let mut changes = Vec::new();
    for line in log.lines() {
        let Some((facts, name)) = line.split_once('\t') else {
            continue;
        };
        let facts: Vec<&str> = facts.split(' ').collect();
        if Language::from_path(Path::new(name)).is_none() || changes.len() >= most {
            continue;
        }
        let blob = |at: usize| git(&["cat-file", "blob", facts.get(at)?]);
        if let (Some(before), Some(after)) = (blob(2), blob(3)) {
            changes.push((name.to_owned(), before, after));
        }
    }
    changes
}
