//! git's configuration outside a repository: the user's and the system's configuration and attributes files, read as
//! texts where `write.git_diff` needs them. The library interprets them. No program that they name is run, and no file
//! that they name is read.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use lancet::settings::GitSurroundings;

use super::Surroundings;

/// How many bytes of each file are read; the rest of a longer one is ignored.
const MAX_BYTES: u64 = 1024 * 1024;

/// Reads the files, in git's order: a later file takes precedence. One that is missing or not regular is left out.
pub(crate) fn read_git_surroundings(around: &Surroundings) -> GitSurroundings {
    let own = around
        .config_home
        .clone()
        .or_else(|| Some(around.home.as_ref()?.join(".config")))
        .map(|folder| folder.join("git"));
    let system = Some(PathBuf::from("/etc/gitconfig"));
    let home = around.home.as_ref().map(|home| home.join(".gitconfig"));
    let below = |name: &str| own.as_ref().map(|folder| folder.join(name));
    GitSurroundings {
        config: read_existing_files([system, below("config"), home]),
        attributes: read_existing_files([
            Some(PathBuf::from("/etc/gitattributes")),
            below("attributes"),
        ]),
    }
}

fn read_existing_files<const N: usize>(files: [Option<PathBuf>; N]) -> Vec<String> {
    files
        .iter()
        .flatten()
        .filter_map(|file| read_bounded_text(file))
        .collect()
}

fn read_bounded_text(file: &Path) -> Option<String> {
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(file)
        .ok()?
        .take(MAX_BYTES)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
