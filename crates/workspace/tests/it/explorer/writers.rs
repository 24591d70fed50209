//! The writers that run against the opponents: each method of lancet, and the two methods of other tools.

use std::ffi::OsStr;
use std::io::IoSlice;
use std::os::fd::AsFd as _;

use lancet_workspace::{
    CommitError, Disk as _, ExecutableChange, NewBytes, OpenMode, ReplaceMode, WriteOptions,
    WriteOutcome, WriteStrategy,
};
use rustix::io::Errno;

use super::{OLD, OURS};
use crate::ground::{Ground, single};

/// The result that a writer reports.
#[derive(Debug)]
pub(super) enum Said {
    Written(Box<WriteOutcome>),
    /// Success of a writer that is not lancet and reports nothing more.
    Plainly,
    Refused,
    Conflict,
}

/// The change that a writer makes to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// It gets new content.
    New,
    /// It is removed.
    Gone,
    /// It is moved to another name.
    Moved,
}

/// A method of writing.
pub(super) struct Rung {
    pub(super) name: &'static str,
    /// Whether the writer promises that no foreign write is lost.
    pub(super) holds: bool,
    pub(super) goal: Goal,
    pub(super) prepare: fn(&Ground),
    pub(super) write: fn(&Ground) -> Said,
}

fn commit(ground: &Ground, options: WriteOptions, guarantees: &[&str]) -> Said {
    let new = NewBytes::Whole(OURS.as_bytes());
    commit_as(ground, new, options, guarantees)
}

fn commit_as(
    ground: &Ground,
    new: NewBytes<'_>,
    options: WriteOptions,
    guarantees: &[&str],
) -> Said {
    let located = ground.workspace.locate(&ground.root.join("a"));
    let Ok(snapshot) = located.as_ref().map(|located| located.read_snapshot(1000)) else {
        return Said::Refused;
    };
    let Ok(snapshot) = snapshot else {
        return Said::Refused;
    };
    if *snapshot.bytes != OLD.as_bytes() {
        return Said::Refused;
    }
    let seen = crate::ground::Seen {
        located: located.unwrap(),
        snapshot,
    };
    let mut write = seen.becomes(new);
    write.options = options;
    match single(ground.workspace.commit(vec![write])) {
        Ok(written) => {
            assert!(
                guarantees.contains(&written.guarantee.name()),
                "{written:?}"
            );
            Said::Written(Box::new(written))
        }
        Err(CommitError::Conflict { kept, .. }) => {
            assert!(kept.iter().all(|path| path.exists()));
            Said::Conflict
        }
        Err(CommitError::Changed { .. } | CommitError::Busy { .. } | CommitError::Io { .. }) => {
            Said::Refused
        }
        Err(error) => panic!("{error:?}"),
    }
}

const IN_PLACE: WriteOptions = WriteOptions {
    strategy: WriteStrategy::InPlace,
    links: lancet_workspace::HardLinkPolicy::Auto,
    weak: lancet_workspace::WeakProtectionPolicy::Refuse,
    durability: lancet_workspace::Durability::Full,
    mode: None,
    executable: ExecutableChange::Keep,
    owner: None,
    old: lancet_workspace::OldFile::Keep,
    permission: lancet_workspace::OldFilePermission::Needed,
};

/// The caller has the old bytes, so the old file is removed unless another program may still write to it.
const ON_RECORD: WriteOptions = WriteOptions {
    strategy: WriteStrategy::Auto,
    old: lancet_workspace::OldFile::KeptByCaller,
    ..IN_PLACE
};

pub(super) const RUNGS: [Rung; 9] = [
    Rung {
        name: "exchange+lease",
        holds: true,
        goal: Goal::New,
        prepare: |_| {},
        write: |ground| commit(ground, WriteOptions::default(), &["exchange+lease"]),
    },
    Rung {
        name: "exchange+lease, old bytes on record",
        holds: true,
        goal: Goal::New,
        prepare: |_| {},
        write: |ground| commit(ground, ON_RECORD, &["exchange+lease"]),
    },
    Rung {
        name: "exchange",
        holds: true,
        goal: Goal::New,
        prepare: |ground| {
            ground
                .disk
                .fail_method("take_lease", Errno::ACCESS.raw_os_error())
        },
        write: |ground| commit(ground, WriteOptions::default(), &["exchange"]),
    },
    Rung {
        name: "aside",
        holds: true,
        goal: Goal::New,
        prepare: |ground| {
            ground
                .disk
                .fail_method("exchange_at", Errno::INVAL.raw_os_error());
            // This first write finds out that the file system has no exchange.
            ground.put("a", OLD);
            ground.replace("a", OLD).unwrap();
        },
        write: |ground| commit(ground, WriteOptions::default(), &["aside"]),
    },
    Rung {
        name: "in-place-leased",
        holds: true,
        goal: Goal::New,
        prepare: |_| {},
        write: |ground| commit(ground, IN_PLACE, &["in-place-leased"]),
    },
    Rung {
        name: "remove",
        holds: true,
        goal: Goal::Gone,
        prepare: |_| {},
        write: |ground| {
            let options = WriteOptions::default();
            commit_as(ground, NewBytes::Nothing, options, &["remove"])
        },
    },
    Rung {
        name: "move",
        holds: true,
        goal: Goal::Moved,
        prepare: |_| {},
        write: |ground| {
            let Ok(to) = ground.workspace.locate(&ground.root.join("moved")) else {
                return Said::Refused;
            };
            let options = WriteOptions::default();
            commit_as(ground, NewBytes::MovedTo(&to), options, &["move"])
        },
    },
    Rung {
        name: "check, write",
        holds: false,
        goal: Goal::New,
        prepare: |_| {},
        write: check_then_write,
    },
    Rung {
        name: "check, rename",
        holds: false,
        goal: Goal::New,
        prepare: |_| {},
        write: check_then_rename,
    },
];

/// Writes by the method of most tools: read, compare, write.
fn check_then_write(ground: &Ground) -> Said {
    let disk = &*ground.disk;
    let Some(folder) = checked(ground) else {
        return Said::Refused;
    };
    let Ok(file) = disk.open_at(folder.as_fd(), OsStr::new("a"), OpenMode::Rewrite) else {
        return Said::Refused;
    };
    let pieces = [IoSlice::new(OURS.as_bytes())];
    disk.write_at(file.as_fd(), &pieces, 0).unwrap();
    disk.set_length(file.as_fd(), OURS.len() as u64).unwrap();
    Said::Plainly
}

/// Writes by the method of careful tools: write a new file next to it, read, compare, rename.
fn check_then_rename(ground: &Ground) -> Said {
    let disk = &*ground.disk;
    let folder = disk.open_folder(&ground.root).unwrap();
    let new = OsStr::new("new");
    let how = OpenMode::Create { mode: 0o600 };
    let file = disk.open_at(folder.as_fd(), new, how).unwrap();
    let pieces = [IoSlice::new(OURS.as_bytes())];
    disk.write_at(file.as_fd(), &pieces, 0).unwrap();
    if checked(ground).is_none() {
        disk.remove_at(folder.as_fd(), new).unwrap();
        return Said::Refused;
    }
    disk.rename_at(folder.as_fd(), new, OsStr::new("a"), ReplaceMode::Over)
        .unwrap();
    Said::Plainly
}

fn checked(ground: &Ground) -> Option<std::os::fd::OwnedFd> {
    let disk = &*ground.disk;
    let folder = disk.open_folder(&ground.root).unwrap();
    let file = disk
        .open_at(folder.as_fd(), OsStr::new("a"), OpenMode::Read)
        .ok()?;
    let mut bytes = Vec::with_capacity(1000);
    disk.read_more(file.as_fd(), &mut bytes, 0).unwrap();
    (bytes == OLD.as_bytes()).then_some(folder)
}
