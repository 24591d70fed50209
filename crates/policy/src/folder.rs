//! The entries of one folder decided one after the other: what all of them have in common, the way from the root down to
//! the folder, is walked once. Says the same as [`Policy::may_read`], which it asks wherever a name is not plain.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::decision::{Cause, Decision, Outcome};
use crate::name::Name;
use crate::policy::Policy;
use crate::sets::Standing;
use crate::table;
use crate::tree::NameKind;

/// Names of more bytes are decided the long way.
const SHORT: usize = 128;

/// A folder whose entries are to be decided.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// How far the rules that deny reading are on the way to it; none where an entry's path is needed whole.
    standing: Option<Standing>,
}

impl Folder {
    /// The name of an entry, where a path is one of this folder.
    fn entry<'p>(&self, path: &'p Path) -> Option<&'p OsStr> {
        let (path, folder) = (
            path.as_os_str().as_bytes(),
            self.path.as_os_str().as_bytes(),
        );
        let rest = path.strip_prefix(folder)?.strip_prefix(b"/")?;
        (!rest.is_empty() && !rest.contains(&b'/')).then(|| OsStr::from_bytes(rest))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a path is that of an entry of this folder.
    pub fn holds(&self, path: &Path) -> bool {
        self.entry(path).is_some()
    }
}

impl Policy {
    /// Gets ready to decide about the entries of a folder, given as in [`Policy::may_read`].
    pub fn folder(&self, path: &Path) -> Folder {
        let name = Name::new(self.ground(), path);
        // Roots inside of roots, and what a drive of Windows may read otherwise, are rare.
        let plain = name.root.is_some() && name.inner.is_empty() && name.drive.is_none();
        let last = path.as_os_str().as_bytes().last();
        let standing = (plain && !self.has_root_below(path) && last != Some(&b'/'))
            .then(|| self.denied_reading().stand(&name));
        Folder {
            path: path.to_path_buf(),
            standing,
        }
    }

    /// [`Policy::folder`] for a folder of a folder that is ready; of any other path, too, but not sooner.
    pub fn folder_in(&self, folder: &Folder, path: &Path) -> Folder {
        let standing = folder.standing.as_ref();
        let name = folder.entry(path).map(OsStr::as_bytes);
        let (Some(standing), Some(name)) = (standing, name) else {
            return self.folder(path);
        };
        let mut room = [0; SHORT];
        let Some(name) = plain(name, &mut room).filter(|_| !self.has_root_below(path)) else {
            return self.folder(path);
        };
        let is_root = |root: &PathBuf| root == path;
        let ground = self.ground();
        if ground.roots.iter().chain(&ground.read_roots).any(is_root) {
            return self.folder(path);
        }
        Folder {
            path: path.to_path_buf(),
            standing: Some(self.denied_reading().stand_from(standing, name)),
        }
    }

    /// [`Policy::may_read`] for an entry of a folder; of any other path, too, but not sooner.
    pub fn may_read_in(&self, folder: &Folder, path: &Path, kind: NameKind) -> Decision<'_> {
        self.quickly(folder, path, kind)
            .unwrap_or_else(|| self.may_read(path, kind))
    }

    fn quickly(&self, folder: &Folder, path: &Path, kind: NameKind) -> Option<Decision<'_>> {
        let standing = folder.standing.as_ref()?;
        let given = folder.entry(path)?.as_bytes();
        let mut room = [0; SHORT];
        let name = plain(given, &mut room)?;
        if table::may_be_secret(name) {
            return None;
        }
        let found = self.denied_reading().find_from(standing, name, kind);
        Some(match found {
            Some(number) => Decision::new(Outcome::Deny, self.rule(number)),
            None => Decision::new(Outcome::Allow, Cause::Nothing),
        })
    }
}

/// A plain name in small letters: its own folded form. None of any other.
fn plain<'r>(name: &[u8], room: &'r mut [u8; SHORT]) -> Option<&'r str> {
    let folded = room.get_mut(..name.len())?;
    folded.copy_from_slice(name);
    folded.make_ascii_lowercase();
    let special =
        |found: bool, byte: &u8| found | (*byte >= 0x80) | (*byte == b':') | (*byte == b'\\');
    if folded.iter().fold(false, special) || matches!(folded.last(), Some(b'.' | b' ')) {
        return None;
    }
    std::str::from_utf8(folded).ok()
}
