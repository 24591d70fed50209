//! The projects that the user trusts: settings files by path and by the hash of their content, and folders by path and
//! identity, so that another folder at the same path is not trusted. They are in a file of the state folder to which
//! lines are only appended, so that concurrent writers lose nothing.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use lancet::Settings;
use lancet_workspace::{RealDisk, WorkspaceId};

use super::Surroundings;

/// The name of that file. Each line contains a hash, or a dash for revoked trust, and the path of a settings file or a
/// folder. The last line for a path applies.
const TRUST_FILE: &str = "trusted";

/// The dash in place of a hash, for revoked trust.
const REVOKED: &str = "-";

/// Returns the path of the file; none without a state folder.
pub(crate) fn trust_file(around: &Surroundings, state_dir: Option<&Path>) -> Option<PathBuf> {
    Some(around.state_dir(state_dir).ok()??.join(TRUST_FILE))
}

/// Reports whether the user trusts this content of a project's settings.
pub(crate) fn is_trusted(state: &Path, settings: &Path, text: &str) -> bool {
    last_hash(state, settings).is_some_and(|hash| hash == Settings::fingerprint(text))
}

/// Reports whether the user trusts this folder to run the language servers of the built-in table. A folder that was
/// removed and created again is a different one.
pub(crate) fn is_folder_trusted(state: &Path, folder: &Path) -> bool {
    let kept = last_hash(state, folder);
    kept.is_some_and(|kept| folder_identity(folder).is_ok_and(|identity| identity == kept))
}

/// Records that the user trusts this content, or no content.
pub(crate) fn record_trust(state: &Path, settings: &Path, text: Option<&str>) -> io::Result<()> {
    let hash = text.map_or_else(|| REVOKED.to_owned(), Settings::fingerprint);
    append_line(state, &hash, settings)
}

/// Records that the user trusts this folder, or no longer does.
pub(crate) fn record_folder_trust(
    state: &Path,
    folder: &Path,
    trust: FolderTrust,
) -> io::Result<()> {
    let hash = match trust {
        FolderTrust::Given => folder_identity(folder)?,
        FolderTrust::Revoked => REVOKED.to_owned(),
    };
    append_line(state, &hash, folder)
}

/// The recorded trust in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FolderTrust {
    /// The user trusts it.
    Given,
    /// The user does not, or no longer.
    Revoked,
}

/// Returns what distinguishes a folder from any other at the same path: its path, inode number and birth time.
fn folder_identity(folder: &Path) -> io::Result<String> {
    let found = WorkspaceId::id_at_path(&RealDisk, folder)?;
    let id = found.ok_or(io::ErrorKind::NotFound)?;
    Ok(id
        .as_bytes()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

/// Returns the hash in the last line for a path.
fn last_hash(state: &Path, path: &Path) -> Option<String> {
    let kept = std::fs::read_to_string(state.join(TRUST_FILE)).ok()?;
    let path = path.to_string_lossy();
    let mut words = kept.lines().rev().filter_map(|line| line.split_once(' '));
    let (hash, _) = words.find(|(_, known)| *known == path)?;
    Some(hash.to_owned())
}

fn append_line(state: &Path, hash: &str, path: &Path) -> io::Result<()> {
    let path = path.to_string_lossy();
    if path.contains('\n') {
        return Err(io::Error::other("the path holds a line end"));
    }
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(state)?;
    let mut file = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(state.join(TRUST_FILE))?;
    file.write_all(format!("{hash} {path}\n").as_bytes())
}
