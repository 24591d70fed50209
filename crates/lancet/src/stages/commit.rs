//! The *commit* stage: the last check and the write, in one synchronous step. Nothing is awaited or logged between the
//! two; the workspace crate performs both.

mod batch;
mod carry_out;
mod put_back;

use std::path::PathBuf;

use lancet_history::OperationKind;
use lancet_workspace::{
    CommitError, Durability, HardLinkPolicy, OldFile, OldFilePermission, ReadOnlyReason,
    UnsafeReason, WeakProtectionPolicy, WriteOptions, WriteOutcome, WriteStrategy,
};
use serde_json::json;

use self::carry_out::carry_out;
use super::announce::{self, PendingOperation};
use super::approve::Approved;
use super::context::CallContext;
use super::late::{self, StoredVersion};
use super::locate::root_moved_refusal;
use super::plan::{FilePlan, Plan};
use crate::message::{FileText, Message, SEND_AGAIN, Say, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::settings;
use crate::wording::{QuotedPath, quote_path};

/// A plan that was carried out. Only [`commit`] makes one.
pub(crate) struct Committed {
    pub(super) plan: Plan,
    pub(super) written: Vec<WriteOutcome>,
    pub(super) announced: PendingOperation,
}

/// Why a plan was not carried out.
pub(crate) enum FailedCommit {
    /// A file is no longer what the plan was made for: the call examines it again.
    Changed,
    /// The operating system refused, or another process interfered.
    Refused(Box<Refusal>),
    /// Some files could not be rolled back; recovery settles them at the next start.
    Partly(Box<Refusal>),
}

impl FailedCommit {
    pub(super) fn refusal(self) -> Refusal {
        match self {
            Self::Refused(refusal) | Self::Partly(refusal) => *refusal,
            Self::Changed => Refusal::from_message(
                RefusalKind::Busy,
                message!(
                    "The file kept changing while this call tried to write it. Nothing was written; {} in a moment.",
                    SEND_AGAIN
                ),
            ),
        }
    }
}

/// Writes all files of a plan, or none.
pub(crate) fn commit(
    context: &CallContext<'_>,
    approved: Approved,
) -> Result<Committed, FailedCommit> {
    let mut plan = approved.into_plan();
    let announced = announce::announce_plan(context, &mut plan)
        .map_err(|refusal| FailedCommit::Refused(Box::new(refusal)))?;
    match carry_out(context, &plan, &announced) {
        Ok(written) => Ok(Committed {
            plan,
            written,
            announced,
        }),
        Err(failed @ FailedCommit::Partly(_)) => Err(failed),
        Err(failed) => {
            announce::mark_not_carried_out(context, &announced);
            Err(failed)
        }
    }
}

/// Converts the settings for a file to write options.
#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
fn write_options(context: &CallContext<'_>, plan: &Plan, file: &FilePlan) -> WriteOptions {
    let engine = context.engine();
    let gets_new_inode = plan.origin.new_inodes.contains(file.target.path());
    let settings = &engine.settings;
    WriteOptions {
        strategy: match settings.strategy_for(engine.relative_to_root(file.target.path())) {
            settings::Strategy::InPlace => WriteStrategy::InPlace,
            settings::Strategy::Auto => WriteStrategy::Auto,
            _ => WriteStrategy::Auto,
        },
        links: match settings.links {
            _ if gets_new_inode => HardLinkPolicy::Break,
            Some(settings::Links::Keep) => HardLinkPolicy::Keep,
            Some(settings::Links::Break) => HardLinkPolicy::Break,
            _ => HardLinkPolicy::Auto,
        },
        weak: match settings.write.weak {
            settings::Weak::Auto => WeakProtectionPolicy::Auto,
            settings::Weak::Allow => WeakProtectionPolicy::Allow,
            settings::Weak::Refuse => WeakProtectionPolicy::Refuse,
            _ => WeakProtectionPolicy::Refuse,
        },
        durability: match settings.write.durability {
            settings::Durability::Ordered => Durability::Ordered,
            settings::Durability::Full => Durability::Full,
            _ => Durability::Full,
        },
        mode: file.new.mode(),
        executable: file.executable,
        owner: plan.origin.owners.get(file.target.path()).copied(),
        old: OldFile::Keep,
        permission: match gets_new_inode {
            true => OldFilePermission::NotNeeded,
            false => OldFilePermission::Needed,
        },
    }
}

/// Returns the refusal for one file that is to be written under two names.
fn two_names_refusal(kind: OperationKind, first: QuotedPath, second: QuotedPath) -> Refusal {
    let text = match kind {
        OperationKind::Undo | OperationKind::Redo => message!(
            "{} and {} are one file under two names (hard links), and both are to be restored. Nothing was changed; restore them one by one (`lancet undo --file FILE`).",
            &first,
            &second
        ),
        _ => message!(
            "{} and {} are one file under two names that are both to be written. Send the edits under one of the names.",
            &first,
            &second
        ),
    };
    Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", first)
}

fn refuse(context: &CallContext<'_>, plan: &Plan, error: &CommitError) -> Refusal {
    let path = |index: usize| {
        plan.files
            .get(index)
            .map(|file| quote_path(file.target.path()))
            .unwrap_or_default()
    };
    match error {
        CommitError::Changed { index } | CommitError::Exists { index } => {
            io_refusal(path(*index), "someone changed it meanwhile")
        }
        CommitError::FolderMoved { index } => io_refusal(
            path(*index),
            "its folder was moved or replaced while it was written",
        ),
        CommitError::RootMoved { index, root } => {
            root_moved_refusal(root).with_field("file_path", path(*index))
        }
        CommitError::Busy { index, .. } => {
            let text = message!(
                "{} was not written: someone else is writing it just now. It is as it was; {} in a moment.",
                path(*index),
                SEND_AGAIN
            );
            Refusal::from_message(RefusalKind::Busy, text).with_field("file_path", path(*index))
        }
        CommitError::Unsettled { index } => {
            let text = message!(
                "{} was not written: another lancet ended in the middle of a change of it, and that change cannot be settled just now. It is as it was; {} in a moment.",
                path(*index),
                SEND_AGAIN
            );
            Refusal::from_message(RefusalKind::Busy, text).with_field("file_path", path(*index))
        }
        CommitError::Unsafe { index, reason } => {
            io_refusal(path(*index), describe_unsafe_reason(reason))
        }
        CommitError::NoRename { index } => io_refusal(
            path(*index),
            "a symbolic link cannot be moved to another file system",
        ),
        CommitError::Conflict { index, kept } => conflict_refusal(context, plan, *index, kept),
        CommitError::ReadOnly { index, reason } => {
            io_refusal(path(*index), describe_read_only_reason(reason))
        }
        CommitError::Twice { first, second } => {
            two_names_refusal(plan.origin.kind, path(*first), path(*second))
        }
        CommitError::Io {
            index,
            step,
            source,
        } => io_refusal(path(*index), describe_system_error(step, source)),
        CommitError::Partly {
            cause,
            standing,
            kept,
        } => {
            let standing: Vec<_> = standing.iter().map(|index| path(*index)).collect();
            let kept: Vec<_> = kept.iter().map(|file| quote_path(file)).collect();
            let text = message!(
                "{} Putting the other files back failed too: {} hold the new text. Their old bytes are in {}. Look at these files before going on.",
                refuse(context, plan, cause).message(),
                Message::joined(&standing, ", "),
                Message::joined(&kept, ", ")
            );
            Refusal::from_message(RefusalKind::Io, text)
                .with_field("standing", json!(standing))
                .with_field("kept", json!(kept))
        }
    }
}

/// Describes why a file that could only be rewritten in place is not written.
fn describe_unsafe_reason(reason: &UnsafeReason) -> &'static str {
    match reason {
        UnsafeReason::Forbidden => {
            "it could only be rewritten in place without protection from other writers, and the settings forbid that"
        }
        UnsafeReason::Network => {
            "it could only be rewritten in place, and its file system may be written by other machines, which nothing keeps away meanwhile; write.weak = \"allow\" in the user's own settings allows it"
        }
    }
}

/// Describes what makes a file read-only.
fn describe_read_only_reason(reason: &ReadOnlyReason) -> &'static str {
    match reason {
        ReadOnlyReason::File => {
            "it has no write permission, and lancet does not change permissions"
        }
        ReadOnlyReason::Immutable => {
            "it is set immutable (chattr +i), and only a person with the rights can lift that (chattr -i)"
        }
        ReadOnlyReason::Folder => "its folder has no write permission",
        ReadOnlyReason::FileSystem => {
            "its file system is mounted read-only, and only a person with the rights can mount it otherwise"
        }
    }
}

/// Returns the refusal for another process that wrote at the same moment: it says whose version is in place and how to
/// get the other.
fn conflict_refusal(
    context: &CallContext<'_>,
    plan: &Plan,
    index: usize,
    kept: &[PathBuf],
) -> Refusal {
    let file = plan.files.get(index);
    let path = file
        .map(|file| quote_path(file.target.path()))
        .unwrap_or_default();
    let (mut on_record, mut left) = (Vec::new(), Vec::new());
    for version in kept {
        let version = match file {
            Some(file) => late::record_moved_version(context, file, version),
            None => StoredVersion::File(version.clone()),
        };
        match version {
            StoredVersion::Operation(id) => on_record.push(format!("{}@{id}", path.as_str())),
            StoredVersion::File(file) => left.push(quote_path(&file)),
        }
    }
    let mut places: Vec<Message> = on_record
        .iter()
        .map(|version| {
            message!(
                "the history, and `lancet restore {}` brings it back",
                FileText(version.clone())
            )
        })
        .collect();
    places.extend(left.iter().map(|file| message!("{}", file)));
    let places = Message::joined(places, ", ");
    // A file system on which another machine writes may have lost the name between the two renames.
    let is_there = file.is_none_or(|file| file.target.path().symlink_metadata().is_ok());
    let text = if is_there {
        message!(
            "{} was written by someone else in the same moment. It has the newest version; the other is kept in {}. Read the file before going on.",
            &path,
            places
        )
    } else {
        message!(
            "{} was written by someone else in the same moment, and the file system then did not give the newest version its name back: there is no file of this name now. It is kept in {}. Ask the user to put it back before going on.",
            &path,
            places
        )
    };
    on_record.extend(left.iter().map(QuotedPath::to_string));
    Refusal::from_message(RefusalKind::Conflict, text)
        .with_field("file_path", path)
        .with_field("kept", json!(on_record))
}

/// Phrases the system's error so that a person knows how to fix it.
fn describe_system_error(step: &'static str, source: &std::io::Error) -> Message {
    use std::io::ErrorKind;
    let plain = match source.kind() {
        ErrorKind::StorageFull => "the disk is full, and some space has to be freed first",
        ErrorKind::QuotaExceeded => {
            "the disk quota is used up, and some space has to be freed first"
        }
        ErrorKind::FileTooLarge => {
            "it would be larger than this process may write (`ulimit -f`) or than the file system takes"
        }
        _ => return message!("{}: {}", step, verbatim(source)),
    };
    message!("{} ({}: {})", plain, step, verbatim(source))
}

fn io_refusal(path: QuotedPath, words: impl Say) -> Refusal {
    Refusal::from_message(
        RefusalKind::Io,
        message!("{} was not written: {}. It is as it was.", &path, words),
    )
    .with_field("file_path", path)
}
