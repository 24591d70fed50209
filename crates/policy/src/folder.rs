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
use crate::tree::Kind;

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

    /// [`Policy::may_read`] for an entry of a folder; of any other path, too, but not sooner.
    pub fn may_read_in(&self, folder: &Folder, path: &Path, kind: Kind) -> Decision<'_> {
        self.quickly(folder, path, kind)
            .unwrap_or_else(|| self.may_read(path, kind))
    }

    fn quickly(&self, folder: &Folder, path: &Path, kind: Kind) -> Option<Decision<'_>> {
        let standing = folder.standing.as_ref()?;
        let given = folder.entry(path)?.as_bytes();
        let mut bytes = [0; SHORT];
        let name = bytes.get_mut(..given.len())?;
        name.copy_from_slice(given);
        name.make_ascii_lowercase();
        let is_plain = |byte: &u8| byte.is_ascii() && !matches!(byte, b':' | b'\\');
        if !name.iter().all(is_plain) || matches!(name.last(), Some(b'.' | b' ')) {
            return None;
        }
        let name = std::str::from_utf8(name).ok()?;
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
