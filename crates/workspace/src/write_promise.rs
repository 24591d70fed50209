//! The protection of a write in a folder, determined by testing, for `lancet doctor`.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;

use crate::commit::{WriteGuarantee, prove_exchange, temporary_name};
use crate::disk::{Disk, FileSystemHost, Lease, OpenMode, RealDisk};
use crate::mounts::{ExchangeProof, RenameTrust, rename_trust};

/// The protection of a write to a file of the user's in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WritePromise {
    /// Who implements the file system.
    pub host: FileSystemHost,
    /// The guarantee for a file that is replaced.
    pub replaced: WriteGuarantee,
    /// The guarantee for a file that is rewritten in place; on another machine's files only if that is allowed.
    pub in_place: WriteGuarantee,
}

/// Determines the protection of a write in a folder. It creates a folder inside it, and removes that again.
pub fn write_promise(folder: &Path) -> io::Result<WritePromise> {
    let disk = RealDisk;
    let above = disk.open_folder(folder)?;
    let host = disk.file_system_host(above.as_fd())?;
    let exchange = match host {
        FileSystemHost::Network => ExchangeProof::NotProved,
        _ => prove_exchange(&disk, above.as_fd(), &temporary_name())?,
    };
    let name = temporary_name();
    disk.make_folder_at(above.as_fd(), &name)?;
    let tried = disk
        .open_at(above.as_fd(), &name, OpenMode::Folder)
        .and_then(|own| try_leases_and_links(&disk, &own));
    let _ = disk.remove_folder_at(above.as_fd(), &name);
    let (leased, links) = tried?;
    let sees_all = leased && host == FileSystemHost::Kernel;
    let replaced = match exchange {
        ExchangeProof::Proved if sees_all => WriteGuarantee::ExchangeLeased,
        ExchangeProof::Proved => WriteGuarantee::Exchange,
        ExchangeProof::NotProved if links => WriteGuarantee::Aside,
        ExchangeProof::NotProved => WriteGuarantee::Weak,
    };
    let in_place = match sees_all {
        true => WriteGuarantee::InPlaceLeased,
        false => WriteGuarantee::InPlace,
    };
    Ok(WritePromise {
        host,
        replaced,
        in_place,
    })
}

/// Returns whether a lease is granted on a file in the folder, and whether a name can be given without replacing a
/// file.
fn try_leases_and_links(disk: &dyn Disk, folder: &OwnedFd) -> io::Result<(bool, bool)> {
    let (name, other) = (temporary_name(), temporary_name());
    let folder = folder.as_fd();
    let file = disk.open_at(folder, &name, OpenMode::Create { mode: 0o600 })?;
    let leased = disk.take_lease(file.as_fd(), Lease::Write).is_ok();
    drop(file);
    let linked = disk.link_at(folder, &name, folder, &other).is_ok();
    let named = linked || renames_without_replacing(disk, folder, &name, &other);
    for name in [name, other] {
        let _ = disk.remove_at(folder, &name);
    }
    Ok((leased, named))
}

fn renames_without_replacing(
    disk: &dyn Disk,
    folder: BorrowedFd<'_>,
    name: &std::ffi::OsStr,
    other: &std::ffi::OsStr,
) -> bool {
    let never = crate::disk::ReplaceMode::Never;
    rename_trust(disk, folder) == RenameTrust::Exact
        && disk.rename_at(folder, name, other, never).is_ok()
}
