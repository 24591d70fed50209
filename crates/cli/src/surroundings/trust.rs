//! The projects whose settings the user trusts, by path and by the hash of their content. They are in a file of the
//! state folder to which lines are only appended, so that concurrent writers lose nothing.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use lancet::Settings;

use super::Surroundings;

/// The name of that file. Each line has a hash, or a dash for revoked trust, and the path; the last line for a path
/// counts.
const NAME: &str = "trusted";

/// The dash in place of a hash, for revoked trust.
const NONE: &str = "-";

/// The path of the file; none without a state folder.
pub(crate) fn file(around: &Surroundings, state_dir: Option<&Path>) -> Option<PathBuf> {
    Some(around.state_dir(state_dir).ok()??.join(NAME))
}

/// Whether the user trusts this content of a project's settings.
pub(crate) fn is_trusted(state: &Path, settings: &Path, text: &str) -> bool {
    let kept = std::fs::read_to_string(state.join(NAME)).unwrap_or_default();
    let path = settings.to_string_lossy();
    let mut words = kept.lines().rev().filter_map(|line| line.split_once(' '));
    let last = words.find(|(_, known)| *known == path);
    last.is_some_and(|(hash, _)| hash == Settings::fingerprint(text))
}

/// Records that the user trusts this content, or no content.
pub(crate) fn keep(state: &Path, settings: &Path, text: Option<&str>) -> io::Result<()> {
    let path = settings.to_string_lossy();
    if path.contains('\n') {
        return Err(io::Error::other("the path holds a line end"));
    }
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(state)?;
    let hash = text.map_or_else(|| NONE.to_owned(), Settings::fingerprint);
    let mut file = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(state.join(NAME))?;
    file.write_all(format!("{hash} {path}\n").as_bytes())
}
