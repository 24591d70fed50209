//! Tests whether an exchange of two names exchanges them. Some file systems in user space ignore the flag, rename one
//! file over the other, and report success.
//!
//! Two files in a new folder are exchanged, and a new *listing* must have both names with each other's inode numbers,
//! because the kernel answers lookups from its cache. The result holds for that mount: its unique number, and before
//! Linux 6.8 only while a root keeps it mounted. If other machines write, an exchange is not used at all: lancet
//! processes there are not excluded by our lock and could build on a file that is exchanged back.

use std::ffi::{OsStr, OsString};
use std::io::{self, IoSlice};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

use super::FileWrite;
use super::scratch::{Scratch, is_unsupported, temporary_name};
use crate::disk::{Disk, FileSystemHost, MountId, OpenMode, ReplaceMode};
use crate::mounts::ExchangeProof;
use crate::revision::Revision;
use crate::scan::{KnownContent, has_content};

/// The names of the two files that are exchanged. Recovery removes them from a folder of ours.
pub(crate) const PROOF_FILES: [&str; 2] = [".lancet-first", ".lancet-second"];

impl Scratch<'_> {
    /// Returns whether names can be exchanged in the folder of a write. Where the kernel carries it out, they can;
    /// where a program of this machine does, only if it was seen to work on this mount. Never where other machines may
    /// write: lancet processes there are not excluded by our lock, and one could build on a file that is exchanged back
    /// a moment later. Renaming the old file away excludes them, since only one of them can.
    pub(super) fn can_exchange(&mut self, write: &FileWrite<'_>) -> bool {
        let folder = write.located.folder();
        match self.disk().file_system_host(folder) {
            Ok(FileSystemHost::Kernel | FileSystemHost::Layers) => return true,
            Ok(FileSystemHost::Program) => {}
            Ok(FileSystemHost::Network) | Err(_) => return false,
        }
        let mount = self.disk().mount_id(folder).ok();
        let mount = mount.filter(|mount| mount.is_unique || self.is_mount_of_root(*mount));
        let mounts = &self.workspace.mounts;
        if let Some(known) = mount.and_then(|mount| mounts.exchange_proof(mount)) {
            return known == ExchangeProof::Proved;
        }
        let name = temporary_name();
        if let Some(above) = write.located.path().parent() {
            // Without the entry a crash leaves the folder behind, and nothing worse.
            let _ = self.write_down_folder(&above.join(&name), &name, None);
        }
        let Ok(proof) = prove_exchange(self.disk(), folder, &name) else {
            return false;
        };
        if let Some(mount) = mount {
            self.workspace.mounts.note_exchange(mount, proof);
        }
        proof == ExchangeProof::Proved
    }

    /// Returns whether a root is on this mount. The root's handle prevents the mount from being replaced, so that its
    /// number is not reused.
    fn is_mount_of_root(&self, mount: MountId) -> bool {
        let disk = self.disk();
        let mut roots = self.workspace.roots.iter();
        roots.any(|root| {
            disk.mount_id(root.handle.as_fd())
                .is_ok_and(|of| of == mount)
        })
    }
}

/// Exchanges two files in a new folder of this name, which is removed again. Fails if that cannot be tested.
pub(crate) fn prove_exchange(
    disk: &dyn Disk,
    above: BorrowedFd<'_>,
    name: &OsStr,
) -> io::Result<ExchangeProof> {
    disk.make_folder_at(above, name)?;
    let proof = prove_in_folder(disk, above, name);
    remove_proof_files(disk, above, name);
    if disk.remove_folder_at(above, name).is_err() {
        remove_proof_files(disk, above, name);
        let _ = disk.remove_folder_at(above, name);
    }
    proof
}

fn remove_proof_files(disk: &dyn Disk, above: BorrowedFd<'_>, name: &OsStr) {
    if let Ok(folder) = disk.open_at(above, name, OpenMode::Folder) {
        for file in PROOF_FILES {
            let _ = disk.remove_at(folder.as_fd(), OsStr::new(file));
        }
    }
}

fn prove_in_folder(
    disk: &dyn Disk,
    above: BorrowedFd<'_>,
    name: &OsStr,
) -> io::Result<ExchangeProof> {
    let folder = disk.open_at(above, name, OpenMode::Folder)?;
    let [first, second] = PROOF_FILES.map(OsStr::new);
    let one = create_proof_file(disk, &folder, first)?;
    let two = create_proof_file(disk, &folder, second)?;
    let before = list_proof_inodes(disk, above, name)?;
    match disk.rename_at(folder.as_fd(), first, second, ReplaceMode::Exchange) {
        Ok(()) => {}
        Err(error) if is_unsupported(&error) => return Ok(ExchangeProof::NotProved),
        Err(error) => return Err(error),
    }
    // Only the listing counts, and only if its numbers are those of the files: a lookup of a name is answered from the
    // kernel's cache of what the exchange should have done.
    let after = list_proof_inodes(disk, above, name)?;
    let is_told = before == [Some(one), Some(two)];
    let is_exchanged = after == [Some(two), Some(one)]
        && has_name_as_content(disk, &folder, first, second)?
        && has_name_as_content(disk, &folder, second, first)?;
    Ok(if is_told && is_exchanged {
        ExchangeProof::Proved
    } else {
        ExchangeProof::NotProved
    })
}

/// Creates a file that contains its name; returns its inode number.
fn create_proof_file(disk: &dyn Disk, folder: &OwnedFd, name: &OsStr) -> io::Result<u64> {
    let file = disk.open_at(folder.as_fd(), name, OpenMode::Create { mode: 0o600 })?;
    disk.write_at(file.as_fd(), &[IoSlice::new(name.as_encoded_bytes())], 0)?;
    Ok(disk.stat(file.as_fd())?.inode)
}

/// Returns the inode numbers of the two files from a new listing of the folder.
fn list_proof_inodes(
    disk: &dyn Disk,
    above: BorrowedFd<'_>,
    name: &OsStr,
) -> io::Result<[Option<u64>; 2]> {
    let folder = disk.open_at(above, name, OpenMode::Folder)?;
    let entries: Vec<(OsString, u64)> = disk.list_inodes(folder.as_fd())?;
    Ok(PROOF_FILES.map(|file| {
        let mut entries = entries.iter();
        entries
            .find(|(name, _)| name == file)
            .map(|(_, inode)| *inode)
    }))
}

fn has_name_as_content(
    disk: &dyn Disk,
    folder: &OwnedFd,
    name: &OsStr,
    content: &OsStr,
) -> io::Result<bool> {
    let file = disk.open_at(folder.as_fd(), name, OpenMode::Read)?;
    let size = disk.stat(file.as_fd())?.size;
    let known = KnownContent::Revision(Revision::from_content(content.as_encoded_bytes()));
    has_content(disk, file.as_fd(), size, known)
}
