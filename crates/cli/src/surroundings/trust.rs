//! Which projects' settings the user trusts: by path and by the hash of what they say, in a file of the state folder that
//! only grows, so that two who write it at once lose nothing.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use lancet::Settings;

use super::Surroundings;

/// The file in the state folder: a line for each word of the user, the hash or a dash, and the path. The last one counts.
const NAME: &str = "trusted";

/// What stands for a hash where trust was taken back.
const NONE: &str = "-";

/// Where the user's words are kept; none where there is no state folder.
pub(crate) fn file(around: &Surroundings, state_dir: Option<&Path>) -> Option<PathBuf> {
    Some(around.state_dir(state_dir).ok()??.join(NAME))
}

/// Whether the user trusts what a project's settings say.
pub(crate) fn is_trusted(state: &Path, settings: &Path, text: &str) -> bool {
    let kept = std::fs::read_to_string(state.join(NAME)).unwrap_or_default();
    let path = settings.to_string_lossy();
    let mut words = kept.lines().rev().filter_map(|line| line.split_once(' '));
    let last = words.find(|(_, known)| *known == path);
    last.is_some_and(|(hash, _)| hash == Settings::fingerprint(text))
}

/// Keeps the user's word: trust for this text, or none.
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
