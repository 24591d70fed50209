//! The files that a command on files and folders means: those that were typed, that match a typed glob, or that are below a
//! typed folder.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use lancet::Lancet;

use crate::command::edit::is_glob;
use crate::command::search::{expand_glob, files_below};
use crate::failure::Failure;
use crate::surroundings::Surroundings;
use crate::terminal::{escape_line_for_terminal, print_error};

/// The most entries of a folder that are examined for what stays.
const MAX_ENTRIES: usize = 20_000;
/// How many of the entries that stay are named.
const MAX_NAMED: usize = 5;

/// How a source was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SourceKind {
    /// The name of a file or symbolic link.
    File,
    /// The name of a folder.
    Folder,
    /// A file that a glob matches.
    Glob,
}

/// A file, or a folder with its files.
pub(super) struct Source {
    /// The absolute path of the file or folder.
    pub(super) path: PathBuf,
    pub(super) kind: SourceKind,
    /// The files, each by its absolute path; of a file itself alone.
    pub(super) files: Vec<PathBuf>,
}

impl Source {
    /// Returns the folders around a file, from the typed one on, that are to be removed if they are empty; none for a
    /// file that was not typed as part of a folder.
    pub(super) fn folders_of(&self, file: &Path) -> Vec<PathBuf> {
        if self.kind != SourceKind::Folder {
            return Vec::new();
        }
        let inside = |folder: &&Path| folder.starts_with(&self.path);
        let folders = file.ancestors().skip(1).take_while(inside);
        let mut folders: Vec<PathBuf> = folders.map(Path::to_path_buf).collect();
        folders.reverse();
        folders
    }
}

/// Returns the path of a typed word: of a glob the folder before its first component with a special character.
pub(super) fn plain_part(typed: &Path, around: &Surroundings) -> Result<PathBuf, Failure> {
    if !is_glob(typed, around)? {
        return around.absolute(typed);
    }
    let has_special =
        |part: &std::ffi::OsStr| part.to_string_lossy().contains(['*', '?', '[', '{']);
    let plain: PathBuf = typed.iter().take_while(|part| !has_special(part)).collect();
    around.absolute(&Path::new(".").join(plain))
}

/// Finds the files of all typed words, each once.
pub(super) fn find_sources(
    typed: &[PathBuf],
    lancet: &Lancet,
    around: &Surroundings,
) -> Result<Vec<Source>, Failure> {
    let mut sources = Vec::new();
    let mut known = HashSet::new();
    for typed in typed {
        let found = match is_glob(typed, around)? {
            true => {
                let mut files = expand_glob(typed, lancet, around)?;
                if is_for_one_folder(typed) {
                    let folder = plain_part(typed, around)?;
                    let folder = folder.canonicalize().unwrap_or(folder);
                    files.retain(|file| file.parent() == Some(&*folder));
                }
                let files = files.into_iter().map(|path| Source {
                    files: vec![path.clone()],
                    path,
                    kind: SourceKind::Glob,
                });
                files.collect()
            }
            false => vec![find_one(typed, lancet, around)?],
        };
        if found.is_empty() {
            return Err(Failure::refused(format!(
                "no file matches {}; ignored and hidden files are left out",
                escape_line_for_terminal(&typed.to_string_lossy())
            )));
        }
        for mut source in found {
            source.files.retain(|file| known.insert(file.clone()));
            if !source.files.is_empty() {
                sources.push(source);
            }
        }
    }
    Ok(sources)
}

/// Returns whether a glob is for the working folder alone, as `./*.orig` is: without the dot, a pattern without a slash
/// matches at any depth.
fn is_for_one_folder(glob: &Path) -> bool {
    let mut parts = glob.components();
    parts.next() == Some(Component::CurDir) && parts.count() == 1
}

fn find_one(typed: &Path, lancet: &Lancet, around: &Surroundings) -> Result<Source, Failure> {
    // The path without a slash at its end, and without `.` and `..`, which would count as names below.
    let path: PathBuf = around.absolute(typed)?.components().collect();
    let is_folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
    if !is_folder {
        return Ok(Source {
            files: vec![path.clone()],
            path,
            kind: SourceKind::File,
        });
    }
    let path = path.canonicalize().unwrap_or(path);
    let name = || escape_line_for_terminal(&typed.to_string_lossy()).into_owned();
    let files = files_below(&path, lancet, around)?;
    if files.is_empty() {
        return Err(Failure::refused(format!(
            "{} has no file that lancet covers: it is empty, or ignore files leave out what it has",
            name()
        )));
    }
    let is_git = |file: &&PathBuf| file.components().any(|part| part.as_os_str() == ".git");
    if files.iter().any(|file| is_git(&file)) || path.join(".git").symlink_metadata().is_ok() {
        return Err(Failure::refused(format!(
            "{} holds a git repository, which lancet leaves alone; nothing was changed",
            name()
        )));
    }
    Ok(Source {
        path,
        kind: SourceKind::Folder,
        files,
    })
}

/// Names what stays in folders whose files leave: ignored files, symbolic links, files that may not be read.
pub(super) fn report_remaining(sources: &[Source], place: &str, around: &Surroundings) {
    for source in sources {
        if source.kind != SourceKind::Folder {
            continue;
        }
        let remaining = remaining_entries(source);
        if remaining.is_empty() {
            continue;
        }
        let name = |path: &PathBuf| escape_line_for_terminal(&around.relative(path)).into_owned();
        let named: Vec<String> = remaining.iter().take(MAX_NAMED).map(name).collect();
        let more = match remaining.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        print_error(&format!(
            "lancet: stays {place}: {}{more} (ignored, a symbolic link, an empty folder, or not to be read)\n",
            named.join(", ")
        ));
    }
}

/// Returns the entries of a folder that are not among its files. A folder without any of the files is one entry.
fn remaining_entries(source: &Source) -> Vec<PathBuf> {
    let files: HashSet<&Path> = source.files.iter().map(PathBuf::as_path).collect();
    let folders: HashSet<&Path> = source
        .files
        .iter()
        .flat_map(|file| file.ancestors().skip(1))
        .collect();
    let mut remaining = Vec::new();
    let mut left = MAX_ENTRIES;
    let mut open = vec![source.path.clone()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            if left == 0 {
                return remaining;
            }
            left -= 1;
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && folders.contains(path.as_path()) {
                open.push(path);
            } else if !files.contains(path.as_path()) {
                remaining.push(path);
            }
        }
    }
    remaining.sort();
    remaining
}
