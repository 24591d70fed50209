//! Decisions about all entries of one folder: the path from the root to the folder is matched once for all of them. The
//! result is that of [`Policy::may_read`], which is called for every name that is not plain ASCII.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::decision::{Decision, DecisionCause, Outcome};
use crate::name::PreparedPath;
use crate::policy::Policy;
use crate::sets::FolderStates;
use crate::table;
use crate::tree::NameKind;

/// Names with more bytes are decided by [`Policy::may_read`].
const MAX_FAST_NAME_BYTES: usize = 128;

/// A folder prepared for decisions about its entries.
#[derive(Debug)]
pub struct PreparedFolder {
    path: PathBuf,
    /// The state of the rules that deny reading after the names of the folder; none if the whole path of an entry is
    /// needed.
    states: Option<FolderStates>,
}

impl PreparedFolder {
    /// Returns the name of the entry at a path, if the path is directly in this folder.
    fn entry_name<'p>(&self, path: &'p Path) -> Option<&'p OsStr> {
        let (path, folder) = (
            path.as_os_str().as_bytes(),
            self.path.as_os_str().as_bytes(),
        );
        let rest = path.strip_prefix(folder)?.strip_prefix(b"/")?;
        (!rest.is_empty() && !rest.contains(&b'/')).then(|| OsStr::from_bytes(rest))
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether a path is directly in this folder.
    pub fn contains_directly(&self, path: &Path) -> bool {
        self.entry_name(path).is_some()
    }
}

impl Policy {
    /// Prepares decisions about the entries of a folder, given as in [`Policy::may_read`].
    pub fn prepare_folder(&self, path: &Path) -> PreparedFolder {
        let name = PreparedPath::new(self.locations(), path);
        // Only a folder with a single root around it, whose path a Windows drive reads in the same way, is prepared;
        // for others, which are rare, every entry is decided by its whole path.
        let plain = name.root.is_some() && name.inner.is_empty() && name.drive.is_none();
        let last = path.as_os_str().as_bytes().last();
        let states = (plain && !self.has_root_below(path) && last != Some(&b'/'))
            .then(|| self.read_deny_rules().match_prefix(&name));
        PreparedFolder {
            path: path.to_path_buf(),
            states,
        }
    }

    /// Does the same as [`Policy::prepare_folder`] for a folder inside a prepared one, which is faster; any other path is
    /// accepted, too.
    pub fn prepare_subfolder(&self, folder: &PreparedFolder, path: &Path) -> PreparedFolder {
        let states = folder.states.as_ref();
        let name = folder.entry_name(path).map(OsStr::as_bytes);
        let (Some(states), Some(name)) = (states, name) else {
            return self.prepare_folder(path);
        };
        let mut room = [0; MAX_FAST_NAME_BYTES];
        let Some(name) = fold_plain_ascii(name, &mut room).filter(|_| !self.has_root_below(path))
        else {
            return self.prepare_folder(path);
        };
        let is_root = |root: &PathBuf| root == path;
        let ground = self.locations();
        if ground.roots.iter().chain(&ground.read_roots).any(is_root) {
            return self.prepare_folder(path);
        }
        PreparedFolder {
            path: path.to_path_buf(),
            states: Some(self.read_deny_rules().advance(states, name)),
        }
    }

    /// Does the same as [`Policy::may_read`] for an entry of a prepared folder, which is faster; any other path is
    /// accepted, too.
    pub fn may_read_entry(
        &self,
        folder: &PreparedFolder,
        path: &Path,
        kind: NameKind,
    ) -> Decision<'_> {
        self.decide_by_name(folder, path, kind)
            .unwrap_or_else(|| self.may_read(path, kind))
    }

    /// Decides by the name of the entry alone; none if the whole path is needed.
    fn decide_by_name(
        &self,
        folder: &PreparedFolder,
        path: &Path,
        kind: NameKind,
    ) -> Option<Decision<'_>> {
        let states = folder.states.as_ref()?;
        let given = folder.entry_name(path)?.as_bytes();
        let mut room = [0; MAX_FAST_NAME_BYTES];
        let name = fold_plain_ascii(given, &mut room)?;
        if table::may_be_secret(name) {
            return None;
        }
        let found = self.read_deny_rules().find_from(states, name, kind);
        Some(match found {
            Some(number) => Decision::new(Outcome::Deny, self.rule_cause(number)),
            None => Decision::new(Outcome::Allow, DecisionCause::Nothing),
        })
    }
}

/// Returns the folded form of a plain ASCII name: lower case; none for any other name.
fn fold_plain_ascii<'r>(name: &[u8], room: &'r mut [u8; MAX_FAST_NAME_BYTES]) -> Option<&'r str> {
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
