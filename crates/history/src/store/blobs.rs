//! Large contents as files of the state folder: `contents/ab/cdef…`, named by the hash of their bytes, with mode
//! 0600. A file gets its name by a rename when it is complete.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Read as _, Seek as _, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use lancet_local_state::{displaced, process};

use super::contents::ZSTD_MAGIC;
use crate::entry::Revision;

const CONTENTS_FOLDER: &str = "contents";
/// The folder inside it for files that are being written. Each is named after its process, so that files of ended
/// processes can be found.
const TEMPORARY_FOLDER: &str = "tmp";
/// The age from which a file that no row names is an orphan; a younger one may be a file that a process is writing.
const ORPHAN_AGE: Duration = Duration::from_secs(60 * 60);

/// The number of the next temporary file of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Returns the path of a content's file.
pub(super) fn content_path(state: &Path, revision: &Revision) -> PathBuf {
    let name: String = revision.iter().map(|byte| format!("{byte:02x}")).collect();
    let (first, rest) = name.split_at(2);
    state.join(CONTENTS_FOLDER).join(first).join(rest)
}

/// Writes a content's file unless it exists. `write` supplies the bytes, whose hash is verified.
pub(super) fn write_content(
    state: &Path,
    revision: &Revision,
    write: &dyn Fn(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let path = content_path(state, revision);
    if path.exists() {
        return Ok(());
    }
    let mut hasher = blake3::Hasher::new();
    replace_file(state, &path, &mut |file| {
        let mut counted = HashingFileWriter {
            file: BufWriter::with_capacity(1 << 18, file),
            hasher: &mut hasher,
        };
        write(&mut counted)?;
        counted.file.flush()?;
        if *hasher.finalize().as_bytes() == *revision {
            Ok(())
        } else {
            Err(io::Error::other("the file changed while it was copied"))
        }
    })
}

/// Moves a file of the state folder to the path of the content's file. A file with several hard links is copied,
/// since a write through another name would change the history.
pub(super) fn adopt_file(state: &Path, revision: &Revision, file: &Path) -> io::Result<()> {
    let path = content_path(state, revision);
    if path.exists() {
        return fs::remove_file(file);
    }
    if fs::metadata(file)?.nlink() > 1 {
        write_content(state, revision, &|out| {
            io::copy(&mut File::open(file)?, out).map(|_| ())
        })?;
        return fs::remove_file(file);
    }
    fs::set_permissions(file, Permissions::from_mode(0o600))?;
    make_folder(&path)?;
    fs::rename(file, &path)
}

fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path.parent().unwrap_or(path))
}

/// Replaces the stored file of a content by one in another storage form, such as compressed.
pub(super) fn rewrite_content(state: &Path, revision: &Revision, bytes: &[u8]) -> io::Result<()> {
    replace_file(state, &content_path(state, revision), &mut |file| {
        file.write_all(bytes)
    })
}

fn replace_file(
    state: &Path,
    path: &Path,
    fill: &mut dyn FnMut(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    make_folder(path)?;
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let temporary = state
        .join(CONTENTS_FOLDER)
        .join(TEMPORARY_FOLDER)
        .join(format!("{}-{number}", process::own_name(state)));
    make_folder(&temporary)?;
    let filled = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&temporary)
        .and_then(|mut file| fill(&mut file))
        .and_then(|()| fs::rename(&temporary, path));
    if filled.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    filled
}

/// The result of compressing a file.
pub(super) enum PackResult {
    /// The file was replaced by its compressed form.
    Smaller {
        /// The number of bytes before.
        before: u64,
        /// The number of bytes now.
        after: u64,
    },
    /// The file would not be smaller by a tenth, or does not match its hash.
    No,
}

/// Replaces a content's file by its compressed form.
pub(super) fn compress_file(
    state: &Path,
    revision: &Revision,
    level: i32,
) -> io::Result<PackResult> {
    let path = content_path(state, revision);
    let mut source = File::open(&path)?;
    let mut hasher = blake3::Hasher::new();
    let (mut before, mut after) = (0, 0);
    let packed = replace_file(state, &path, &mut |file| {
        let mut encoder = zstd::stream::write::Encoder::new(&mut *file, level)?;
        let mut counted = HashingFileWriter {
            file: &mut encoder,
            hasher: &mut hasher,
        };
        before = io::copy(&mut source, &mut counted)?;
        encoder.finish()?;
        after = file.metadata()?.len();
        let is_whole = *hasher.finalize().as_bytes() == *revision;
        if is_whole && after + before / 10 < before {
            Ok(())
        } else {
            Err(io::ErrorKind::InvalidData.into())
        }
    });
    match packed {
        Ok(()) => Ok(PackResult::Smaller { before, after }),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(PackResult::No),
        Err(error) => Err(error),
    }
}

/// Opens a content's file for reading in parts. A compressed one is unpacked into an unlinked temporary file.
pub(super) fn open_content(state: &Path, revision: &Revision) -> io::Result<File> {
    let path = content_path(state, revision);
    let mut file = File::open(&path)?;
    let mut head = Vec::new();
    (&mut file)
        .take(ZSTD_MAGIC.len() as u64)
        .read_to_end(&mut head)?;
    // The user's file may itself be a zstd file; then its hash is that of the content.
    if head != ZSTD_MAGIC || displaced::hash_file(&path)? == *revision {
        return Ok(file);
    }
    file.rewind()?;
    let mut out = unnamed_temporary(state)?;
    zstd::stream::copy_decode(file, &mut out)?;
    Ok(out)
}

/// Returns an unlinked temporary file in the state folder; it disappears when the handle is closed.
pub(super) fn unnamed_temporary(state: &Path) -> io::Result<File> {
    let nowhere = state.join(CONTENTS_FOLDER).join(TEMPORARY_FOLDER);
    make_folder(&nowhere.join("any"))?;
    let path = nowhere.join(format!(
        "{}-{}",
        process::own_name(state),
        NEXT.fetch_add(1, Ordering::Relaxed)
    ));
    let opened = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)?;
    fs::remove_file(&path)?;
    Ok(opened)
}

/// Reads a content's file as it is stored, compressed or not.
pub(super) fn read_content(state: &Path, revision: &Revision) -> io::Result<Vec<u8>> {
    fs::read(content_path(state, revision))
}

/// Removes a content's file; a failure is ignored, and `sweep` removes the file later.
pub(super) fn remove_content(state: &Path, revision: &Revision) {
    let _ = fs::remove_file(content_path(state, revision));
}

/// Removes the temporary files of processes that have ended.
pub(super) fn remove_temporaries(state: &Path) {
    let entries = fs::read_dir(state.join(CONTENTS_FOLDER).join(TEMPORARY_FOLDER));
    for entry in entries.into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let process = name.rsplit_once('-').map_or("", |(process, _)| process);
        if !process::is_alive(state, process) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Removes files that `is_known` rejects and that are old enough that no process is writing them; returns the number of
/// bytes.
pub(super) fn remove_orphans(state: &Path, is_known: &dyn Fn(&Revision) -> bool) -> u64 {
    let mut removed = 0;
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    for folder in entries(&state.join(CONTENTS_FOLDER)) {
        let first = folder.file_name();
        for entry in entries(&folder.path()) {
            let name = format!(
                "{}{}",
                first.to_string_lossy(),
                entry.file_name().to_string_lossy()
            );
            if revision_from_name(&name).is_some_and(|revision| is_known(&revision)) {
                continue;
            }
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            let age = metadata
                .modified()
                .ok()
                .and_then(|at| SystemTime::now().duration_since(at).ok());
            if age.is_some_and(|age| age > ORPHAN_AGE) && fs::remove_file(entry.path()).is_ok() {
                removed += metadata.len();
            }
        }
    }
    removed
}

fn revision_from_name(name: &str) -> Option<Revision> {
    let mut revision = Revision::default();
    if name.len() != 64 || !name.is_ascii() {
        return None;
    }
    for (at, byte) in revision.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&name[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(revision)
}

/// A writer that hashes what passes through it.
struct HashingFileWriter<'a, W: Write> {
    file: W,
    hasher: &'a mut blake3::Hasher,
}

impl<W: Write> Write for HashingFileWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
