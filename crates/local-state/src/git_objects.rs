//! Hard links to git's objects, which checkpoints need: a folder for each root, laid out like `.git/objects`. Objects that
//! git no longer has are *dropped*: only the link here is left, and it takes space.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The name of the folder in the state folder.
pub const FOLDER: &str = "git-objects";

/// Returns the folder for a root, by the root's id.
#[must_use]
pub fn objects_folder(state: &Path, root: &[u8; 32]) -> PathBuf {
    let name: String = root[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    state.join(FOLDER).join(name)
}

/// A pack with its index, or a loose object, that git has dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedObject {
    /// Its files; the index of a pack comes first.
    pub files: Vec<PathBuf>,
    /// The bytes that the files take.
    pub bytes: u64,
    /// When git dropped it: seconds since 1970.
    pub since: i64,
}

impl DroppedObject {
    /// Removes the files.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub fn remove(&self) -> io::Result<()> {
        for file in &self.files {
            match fs::remove_file(file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Lists what git has dropped of the objects of a root, longest dropped first. A folder that does not exist has none.
///
/// # Errors
/// The folder cannot be read.
pub fn list_dropped(folder: &Path) -> io::Result<Vec<DroppedObject>> {
    let mut found = Vec::new();
    for part in list_folder(folder)? {
        let is_of_packs = part.file_name().is_some_and(|name| name == "pack");
        for file in list_folder(&part)? {
            let is_index = file.extension().is_some_and(|end| end == "idx");
            let files = match (is_of_packs, is_index) {
                (false, _) => vec![file],
                // A pack is used through its index.
                (true, true) => vec![file.clone(), file.with_extension("pack")],
                (true, false) if !file.with_extension("idx").exists() => vec![file],
                (true, false) => continue,
            };
            found.extend(dropped_object(files));
        }
    }
    found.sort_by(|one, other| (one.since, &one.files).cmp(&(other.since, &other.files)));
    Ok(found)
}

/// Returns the object of these files if git has dropped all of them.
fn dropped_object(files: Vec<PathBuf>) -> Option<DroppedObject> {
    let facts: Vec<Metadata> = files
        .iter()
        .filter_map(|file| fs::symlink_metadata(file).ok())
        .collect();
    let is_dropped = |facts: &Metadata| facts.is_file() && facts.nlink() == 1 && facts.len() > 0;
    (!facts.is_empty() && facts.iter().all(is_dropped)).then(|| DroppedObject {
        files,
        bytes: facts.iter().map(Metadata::len).sum(),
        since: facts.iter().map(Metadata::ctime).max().unwrap_or_default(),
    })
}

/// Returns the paths in a folder; none if it does not exist or is a file.
fn list_folder(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect()
}

/// Returns the folders of all roots.
///
/// # Errors
/// The state folder cannot be read.
pub fn list_folders(state: &Path) -> io::Result<Vec<PathBuf>> {
    list_folder(&state.join(FOLDER))
}

/// Removes the folder of a root with all its links.
///
/// # Errors
/// The folder cannot be removed.
pub fn remove_folder(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_what_only_the_state_folder_has() {
        let place = tempfile::tempdir().expect("a folder");
        let git = place.path().join("git");
        let folder = objects_folder(&place.path().join("state"), &[7; 32]);
        for name in ["pack", "ab"] {
            fs::create_dir_all(git.join(name)).expect("made");
            fs::create_dir_all(folder.join(name)).expect("made");
        }
        for name in ["pack/pack-1.pack", "pack/pack-1.idx", "ab/cd", "ab/ef"] {
            fs::write(git.join(name), name).expect("written");
            fs::hard_link(git.join(name), folder.join(name)).expect("linked");
        }
        assert_eq!(list_dropped(&folder).expect("listed"), []);
        for name in ["pack/pack-1.pack", "pack/pack-1.idx", "ab/cd"] {
            fs::remove_file(git.join(name)).expect("removed");
        }
        let dropped = list_dropped(&folder).expect("listed");
        let mut bytes: Vec<u64> = dropped.iter().map(|object| object.bytes).collect();
        bytes.sort_unstable();
        assert_eq!(bytes, [5, 31]);
        for object in &dropped {
            object.remove().expect("removed");
        }
        assert_eq!(list_dropped(&folder).expect("listed"), []);
        assert!(folder.join("ab/ef").exists());
        let all = list_folders(&place.path().join("state")).expect("listed");
        assert_eq!(all, [folder]);
    }
}
