//! Hard links to git's objects in the state folder. The bytes of files that are clean by git's index are only in git; the
//! links preserve them when git drops them, or a command removes `.git`.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_git::{ObjectId, ObjectReader};
use lancet_workspace::{Disk, FolderHandle, LinkFolder};

/// The largest number of loose objects that one look links; the next look continues.
const MAX_LOOSE_LINKS: usize = 2_000;
/// The file that says that loose objects are left to be linked.
const UNFINISHED_MARK: &str = "unfinished";
/// The name of the link that shows whether links are possible.
const PROBE: &str = "HEAD";

/// The hard links to the objects of one repository.
pub(crate) struct ObjectLinks<'l> {
    disk: &'l Arc<dyn Disk>,
    path: &'l Path,
    folder: LinkFolder,
    needed: Vec<[u8; 20]>,
}

impl<'l> ObjectLinks<'l> {
    /// Opens the folder of the links. Returns none if git's folder cannot be linked from, because it is on another file
    /// system or belongs to another user.
    pub(crate) fn open(
        disk: &'l Arc<dyn Disk>,
        path: &'l Path,
        git: &FolderHandle,
    ) -> Option<ObjectLinks<'l>> {
        let folder = LinkFolder::open(disk, path).ok()?;
        let probe = OsStr::new(PROBE);
        let is_linkable = folder.link(git, probe).is_ok();
        let _ = folder.remove(probe);
        is_linkable.then_some(ObjectLinks {
            disk,
            path,
            folder,
            needed: Vec::new(),
        })
    }

    /// Returns whether an earlier look left loose objects unlinked, so that all objects are needed and not only those of
    /// changed files.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.folder.has(OsStr::new(UNFINISHED_MARK))
    }

    /// Adds blobs that a checkpoint needs.
    pub(crate) fn need(&mut self, blobs: impl Iterator<Item = [u8; 20]>) {
        self.needed.extend(blobs);
    }

    /// Links the needed loose objects, up to a limit, and all packs. Loose objects come first: if git packs them at the
    /// same time, they are in a pack by then. Returns whether all were linked.
    pub(crate) fn link(mut self, objects: &ObjectReader) -> io::Result<bool> {
        self.needed.sort_unstable();
        self.needed.dedup();
        let is_finished = self.link_loose_objects(objects)?;
        let mark = OsStr::new(UNFINISHED_MARK);
        match is_finished {
            true => self.folder.remove(mark)?,
            false => self.folder.create_mark(mark)?,
        }
        self.link_packs(objects)?;
        Ok(is_finished)
    }

    /// Returns whether all needed objects were linked.
    fn link_loose_objects(&self, objects: &ObjectReader) -> io::Result<bool> {
        let mut left = MAX_LOOSE_LINKS;
        for group in self.needed.chunk_by(|one, other| one[0] == other[0]) {
            let Some(first) = group.first() else {
                continue;
            };
            let digits = format!("{:02x}", first[0]);
            let folders = objects.loose_folders(&digits);
            if folders.is_empty() {
                continue;
            }
            let name = |id: &[u8; 20]| OsString::from(&ObjectId::from_array(*id).to_string()[2..]);
            let needed: HashSet<OsString> = group.iter().map(name).collect();
            for from in folders {
                let loose = list_names(&from, &|name| needed.contains(name))?;
                if loose.is_empty() {
                    continue;
                }
                let folder = self.open_part(&digits)?;
                let linked = folder.names()?;
                for name in loose.iter().filter(|name| !linked.contains(*name)) {
                    if left == 0 {
                        return Ok(false);
                    }
                    left -= 1;
                    folder.link(&from, name)?;
                }
            }
        }
        Ok(true)
    }

    fn link_packs(&self, objects: &ObjectReader) -> io::Result<()> {
        for from in objects.pack_folders() {
            let is_of_pack = |name: &OsStr| {
                let end = Path::new(name).extension();
                end.is_some_and(|end| end == "pack" || end == "idx")
            };
            let mut found = list_names(&from, &is_of_pack)?;
            if found.is_empty() {
                continue;
            }
            // A pack is used through its index, so the index comes last.
            found.sort_by_key(|name| Path::new(name).extension() == Some(OsStr::new("idx")));
            let folder = self.open_part("pack")?;
            let linked = folder.names()?;
            for name in found.iter().filter(|name| !linked.contains(*name)) {
                folder.link(&from, name)?;
            }
        }
        Ok(())
    }

    fn open_part(&self, name: &str) -> io::Result<LinkFolder> {
        let path: PathBuf = self.path.join(name);
        LinkFolder::open(self.disk, &path)
    }
}

/// Returns the names in a folder that are meant.
fn list_names(
    folder: &FolderHandle,
    is_meant: &dyn Fn(&OsStr) -> bool,
) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    folder.list(&mut |name, _| {
        if is_meant(name) {
            names.push(name.to_owned());
        }
        ControlFlow::Continue(())
    })?;
    Ok(names)
}
