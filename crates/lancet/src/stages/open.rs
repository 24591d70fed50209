//! Opens the file of a reading or writing call: the version on the disk, decoded, or the refusal for its type, size or
//! bytes. Content that the ledger has cached and that is unchanged on the disk is not read again.

mod no_file;

use std::path::Path;
use std::sync::Arc;

use lancet_formats::Notebook;
use lancet_text::{Document, Encoding, NotText, rule_out_text};
use lancet_workspace::{
    ExpectedState, FileType, KnownContent, ReadError, Revision, Snapshot, Stamp,
};

use crate::engine::EngineView;
use crate::ledger::stamp_from_record;
use crate::message::{message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::session::Session;
use crate::stages::attempt::{Attempt, Freshness};
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::wording::quote_path;

/// The largest file that Edit and Write change.
pub(crate) const MAX_EDITED_SIZE: u64 = 1 << 30;

/// Files up to this size are loaded into memory during a call; larger ones are streamed.
pub(crate) const MAX_IN_MEMORY_SIZE: u64 = 32 << 20;

/// How many bytes at the beginning of a larger file are read to decide whether it is text.
const HEAD_SIZE: usize = 64 << 10;

/// Refuses a path that is not a regular file or does not exist.
pub(crate) fn require_file(engine: &EngineView, target: &Target) -> Result<(), Refusal> {
    match target.located.kind() {
        FileType::File => Ok(()),
        FileType::Missing => Err(no_file::missing_refusal(engine, target)),
        FileType::Directory => Err(no_file::folder_refusal(engine, target)),
        FileType::Special(what) => {
            let text = message!(
                "{} is a {}, not a regular file, and is not opened. Name a regular file.",
                &target.given,
                what
            );
            Err(Refusal::from_message(RefusalKind::Special, text)
                .with_field("file_path", quote_path(target.path())))
        }
    }
}

/// Reads the version on the disk, or takes the ledger's copy where it is still valid.
pub(crate) fn snapshot(session: &Session, target: &Target) -> Result<Snapshot, Refusal> {
    if let Some(cached) = cached_snapshot(session, target)
        && let Ok(Some(stamp)) = target
            .located
            .check_unchanged_since(&cached.stamp, KnownContent::Bytes(&cached.bytes))
    {
        return Ok(Snapshot { stamp, ..cached });
    }
    read_snapshot(target)
}

/// Refuses a large file whose beginning shows that it is not text, before the rest is read: 20 GiB of NUL bytes took 41
/// s.
pub(crate) fn refuse_binary_head(engine: &EngineView, target: &Target) -> Result<(), Refusal> {
    let (head, _) = target
        .located
        .read_at(0, HEAD_SIZE)
        .map_err(|error| unreadable_refusal(target, &error))?;
    match rule_out_text(&head, configured_encoding(engine, target)) {
        Some(NotText::Binary { kind }) => Err(binary_refusal(target, kind)),
        None => Ok(()),
    }
}

/// Reads the version on the disk, unless the beginning of a large file shows that it is not text.
fn read_text(
    context: &CallContext<'_>,
    freshness: Freshness,
    target: &Target,
) -> Result<Snapshot, Refusal> {
    let size = target.located.stat().map_or(0, |stamp| stamp.size);
    if size > MAX_IN_MEMORY_SIZE && size <= MAX_EDITED_SIZE {
        refuse_binary_head(context.engine(), target)?;
    }
    match freshness {
        Freshness::FromDisk => read_snapshot(target),
        Freshness::Cached => snapshot(context.session, target),
    }
}

fn read_snapshot(target: &Target) -> Result<Snapshot, Refusal> {
    target
        .located
        .read_snapshot(MAX_EDITED_SIZE)
        .map_err(|error| unreadable_refusal(target, &error))
}

/// Gets the version of a file that a change is worked out for. The stat of a file that lancet has just written is racy:
/// another write in the same moment could have left the same stat. The commit compares every byte, so an attempt that
/// may use cached copies takes the ledger's copy where the stats agree, and records that it relied on a racy one. This
/// saves reading the file a second time (a tenth of the time of an Edit in a megabyte).
pub(crate) fn snapshot_to_change(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    target: &Target,
) -> Result<Snapshot, Refusal> {
    if attempt.freshness() == Freshness::FromDisk {
        return read_text(context, Freshness::FromDisk, target);
    }
    // The stat is taken now, because the call may have waited for the lock (its turn) since the file was located.
    if let Some(cached) = cached_snapshot(context.session, target)
        && let Some(now) = target.located.current_stamp()
        && now.has_same_state(&cached.stamp)
    {
        if cached.stamp.is_racy() {
            attempt.rely_on_racy_stat();
        }
        // The content was read when the ledger's stat was taken, not now.
        let stamp = Stamp {
            taken: cached.stamp.taken,
            ..now
        };
        return Ok(Snapshot { stamp, ..cached });
    }
    read_text(context, Freshness::Cached, target)
}

/// Returns the version that the ledger has cached.
fn cached_snapshot(session: &Session, target: &Target) -> Option<Snapshot> {
    let ledger = session.ledger();
    let entry = ledger.get_without_use(target.path())?;
    Some(Snapshot {
        bytes: entry.content.clone()?,
        stamp: stamp_from_record(&entry.stamp),
        revision: Revision::from_bytes(entry.revision),
    })
}

/// Returns the refusal for a file that could not be read.
pub(crate) fn unreadable_refusal(target: &Target, error: &ReadError) -> Refusal {
    let given = &target.given;
    let refusal = match error {
        ReadError::TooLarge { size, most } => Refusal::from_message(
            RefusalKind::TooLarge,
            message!(
                "{} has {} bytes; the limit is {}. Change it with another program.",
                given,
                verbatim(size),
                verbatim(most)
            ),
        ),
        ReadError::NotAFile(kind) => {
            let what = if let FileType::Special(what) = kind {
                what
            } else {
                "folder"
            };
            Refusal::from_message(
                RefusalKind::Special,
                message!(
                    "{} is a {}, not a regular file. Name a regular file.",
                    given,
                    what
                ),
            )
        }
        ReadError::Missing => Refusal::from_message(
            RefusalKind::Missing,
            message!("{} is no longer there. Look again before going on.", given),
        ),
        ReadError::Unstable => Refusal::from_message(
            RefusalKind::Busy,
            message!(
                "{} is being written just now, faster than it could be read. Send the call again in a moment.",
                given
            ),
        ),
        ReadError::Io(error) => Refusal::from_message(
            RefusalKind::Io,
            message!(
                "The system would not read {}: {}. Nothing was changed.",
                given,
                verbatim(error)
            ),
        ),
    };
    refusal.with_field("file_path", quote_path(target.path()))
}

/// Decodes a version, or refuses bytes that are not text.
pub(crate) fn decode<'b>(
    engine: &EngineView,
    target: &Target,
    bytes: &'b [u8],
) -> Result<Document<'b>, Refusal> {
    Document::decode(bytes, configured_encoding(engine, target))
        .map_err(|NotText::Binary { kind }| binary_refusal(target, kind))
}

/// Decodes a version with what is already known about it, or refuses bytes that are not text.
pub(crate) fn decode_version<'b>(
    engine: &EngineView,
    target: &Target,
    version: &'b Snapshot,
) -> Result<Document<'b>, Refusal> {
    let plain_texts = &engine.base().caches.plain_texts;
    let known = plain_texts.control_bytes(&version.revision);
    let document =
        Document::decode_known(&version.bytes, configured_encoding(engine, target), known)
            .map_err(|NotText::Binary { kind }| binary_refusal(target, kind))?;
    plain_texts.note(version.revision, &document);
    Ok(document)
}

/// Returns the refusal for bytes that are not text.
pub(crate) fn binary_refusal(target: &Target, kind: &'static str) -> Refusal {
    let text = message!(
        "{} is not text: {}. Use a program made for this kind of file.",
        &target.given,
        kind
    );
    Refusal::from_message(RefusalKind::Binary, text)
        .with_field("file_path", quote_path(target.path()))
        .with_field("kind", kind)
}

/// Returns the encoding that the settings give this path.
pub(crate) fn configured_encoding(engine: &EngineView, target: &Target) -> Option<Encoding> {
    engine
        .settings
        .encoding_for(engine.relative_to_root(target.path()))
}

/// Returns the content that the disk must still have when a plan based on this version is carried out.
pub(crate) fn expected_content(base: &Snapshot) -> ExpectedState {
    ExpectedState::Content {
        revision: base.revision,
        stamp: base.stamp,
        bytes: Some(Arc::clone(&base.bytes)),
    }
}

/// Returns whether the name is that of a Jupyter notebook.
pub(crate) fn is_notebook_name(target: &Target) -> bool {
    is_notebook(target.path())
}

/// Returns whether a path has the name of a Jupyter notebook.
pub(crate) fn is_notebook(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("ipynb"))
}

/// Refuses a text tool on a notebook. A file of that name that is not a notebook (with merge markers, for instance) is
/// treated as text.
pub(crate) fn refuse_notebook(
    engine: &EngineView,
    target: &Target,
    bytes: &[u8],
) -> Result<(), Refusal> {
    let is_notebook = is_notebook_name(target)
        && Document::decode(bytes, configured_encoding(engine, target))
            .is_ok_and(|document| Notebook::parse(document.view()).is_ok());
    if !is_notebook {
        return Ok(());
    }
    let tool = engine.audience().tool("NotebookEdit");
    let next = match engine.declaration("NotebookEdit") {
        Some(_) => message!("Change its cells with {}.", verbatim(tool)),
        None => message!("Switch on the tool {} to change its cells.", verbatim(tool)),
    };
    let text = message!(
        "{} is a notebook: a text tool would break its structure. {}",
        &target.given,
        next
    );
    Err(Refusal::from_message(RefusalKind::Notebook, text)
        .with_field("file_path", quote_path(target.path())))
}
