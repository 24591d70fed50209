//! git's configuration outside a repository: the user's and the system's configuration and attributes files, read as
//! texts where `write.git_diff` needs them. The library interprets them. No program that they name is run, and no file
//! that they name is read. Also finds git's excludes file.

use std::env;
use std::fs::{self, File};
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

/// Returns git's global excludes file, whether or not it exists. The search library finds it, with an expression that takes
/// 1.6 million instructions to compile; at most starts it is not needed, because no configuration names a file.
pub(crate) fn excludes_file() -> Option<PathBuf> {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let variable = |name: &str| variable(name).map(PathBuf::from);
    let home = env::home_dir();
    let own = variable("XDG_CONFIG_HOME")
        .or_else(|| Some(home.as_ref()?.join(".config")))
        .map(|folder| folder.join("git"));
    let system = variable("GIT_CONFIG_SYSTEM").unwrap_or_else(|| "/etc/gitconfig".into());
    let files = [
        variable("GIT_CONFIG_GLOBAL"),
        home.map(|home| home.join(".gitconfig")),
        own.as_ref().map(|folder| folder.join("config")),
        Some(system),
    ];
    let mut configurations = files
        .iter()
        .flatten()
        .filter_map(|file| fs::read(file).ok());
    match configurations.any(|text| may_name_excludes_file(&text)) {
        true => lancet::doors::excludes_path(),
        false => own.map(|folder| folder.join("ignore")),
    }
}

/// Returns whether a configuration contains the name of the setting, in upper or lower case.
fn may_name_excludes_file(configuration: &[u8]) -> bool {
    const SETTING: &[u8] = b"excludesfile";
    let mut places = configuration.windows(SETTING.len());
    places.any(|text| text.eq_ignore_ascii_case(SETTING))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_setting_in_any_case() {
        for text in [
            "[core]\n\texcludesFile = ~/.ignore\n",
            "EXCLUDESFILE=a",
            "excludesfile",
        ] {
            assert!(may_name_excludes_file(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "[core]\n\tignoreCase = true\n",
            "excludes file",
            "excludesfil",
        ] {
            assert!(!may_name_excludes_file(text.as_bytes()), "{text}");
        }
    }
}
