//! The files that a command on files and folders means: those that were typed, that match a typed glob, or that are below a
//! typed folder.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use lancet::Lancet;
use lancet::doors::EntryKind;

use crate::command::edit::is_glob;
use crate::command::search::{entries_below, expand_glob};
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
    /// The files, each by its absolute path; of a file or symbolic link itself alone.
    pub(super) files: Vec<PathBuf>,
    /// The folders in a folder, and the folder itself, that are empty.
    pub(super) empty_folders: Vec<PathBuf>,
}

impl Source {
    /// Returns the new path of a file or folder, if the source gets the path `top`.
    pub(super) fn new_path_of(&self, path: &Path, top: &Path) -> PathBuf {
        // A folder's own path is a prefix of its files' paths.
        let below = path.strip_prefix(&self.path).unwrap_or(Path::new(""));
        match below.as_os_str().is_empty() {
            true => top.to_path_buf(),
            false => top.join(below),
        }
    }

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

/// Returns a path without `.`, `..` and a slash at its end, and with the symbolic links above it resolved. A link at
/// the path itself is meant.
pub(super) fn resolve_above(path: &Path) -> PathBuf {
    let plain: PathBuf = path.components().collect();
    let mut missing = Vec::new();
    let mut above = plain.as_path();
    while let (Some(folder), Some(last)) = (above.parent(), above.components().next_back()) {
        let is_name = matches!(last, Component::Normal(_));
        if is_name && let Ok(found) = folder.canonicalize() {
            return missing
                .iter()
                .rev()
                .fold(found.join(last), |path, part| match part {
                    Component::ParentDir => path.parent().unwrap_or(&path).to_path_buf(),
                    part => path.join(part),
                });
        }
        if !is_name && let Ok(found) = above.canonicalize() {
            return missing
                .iter()
                .rev()
                .fold(found, |path, part| path.join(part));
        }
        missing.push(last);
        above = folder;
    }
    plain
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
                let mut files = expand_glob(typed, &[EntryKind::File], lancet, around)?;
                if is_for_one_folder(typed) {
                    let folder = plain_part(typed, around)?;
                    let folder = folder.canonicalize().unwrap_or(folder);
                    files.retain(|file| file.parent() == Some(&*folder));
                }
                report_matching_links(typed, &files, around)?;
                let files = files.into_iter().map(|path| Source {
                    files: vec![path.clone()],
                    empty_folders: Vec::new(),
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
            let folders = &mut source.empty_folders;
            folders.retain(|folder| known.insert(folder.clone()));
            if !source.files.is_empty() || !source.empty_folders.is_empty() {
                sources.push(source);
            }
        }
    }
    Ok(sources)
}

/// Names the symbolic links that a glob matches beside files, which it does not mean: each can be named itself.
fn report_matching_links(
    glob: &Path,
    files: &[PathBuf],
    around: &Surroundings,
) -> Result<(), Failure> {
    let mut folders: HashSet<PathBuf> = files
        .iter()
        .filter_map(|file| Some(file.parent()?.to_path_buf()))
        .collect();
    folders.insert(plain_part(glob, around)?);
    let pattern = glob.file_name().unwrap_or_default().to_string_lossy();
    let mut links = Vec::new();
    for entry in folders
        .iter()
        .flat_map(std::fs::read_dir)
        .flat_map(|entries| entries.take(MAX_ENTRIES).flatten())
    {
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        if is_link && matches_wildcards(&pattern, &entry.file_name().to_string_lossy()) {
            links.push(entry.path());
        }
    }
    links.sort();
    links.dedup();
    for link in links.iter().take(MAX_NAMED) {
        print_error(&format!(
            "lancet: {} is a symbolic link, and globs mean files; name it to move or remove it\n",
            escape_line_for_terminal(&around.relative(link))
        ));
    }
    Ok(())
}

/// Returns whether a name matches a pattern of `*`, `?` and plain characters. A pattern with other wildcards matches
/// nothing.
fn matches_wildcards(pattern: &str, name: &str) -> bool {
    if pattern.contains(['[', '{']) {
        return false;
    }
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut next) = (0, 0);
    // The newest `*`, and where the name goes on behind what it covers.
    let mut star: Option<(usize, usize)> = None;
    while next < name.len() {
        match (pattern.get(at), star) {
            (Some('*'), _) => {
                star = Some((at, next));
                at += 1;
            }
            (Some(&one), _) if one == '?' || one == name[next] => {
                at += 1;
                next += 1;
            }
            (_, Some((place, covered))) => {
                star = Some((place, covered + 1));
                (at, next) = (place + 1, covered + 1);
            }
            (_, None) => return false,
        }
    }
    pattern[at..].iter().all(|left| *left == '*')
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
    let name = || escape_line_for_terminal(&typed.to_string_lossy()).into_owned();
    let found = path.symlink_metadata();
    if !found.as_ref().is_ok_and(|found| found.is_dir()) {
        if let Ok(found) = found
            && typed.as_os_str().as_encoded_bytes().ends_with(b"/")
        {
            return Err(Failure::refused(match found.is_symlink() {
                true => format!(
                    "{} is a symbolic link; without the slash the link itself is meant",
                    name()
                ),
                false => format!("{} is not a folder", name()),
            }));
        }
        return Ok(Source {
            files: vec![path.clone()],
            empty_folders: Vec::new(),
            path,
            kind: SourceKind::File,
        });
    }
    let path = path.canonicalize().unwrap_or(path);
    let working = around.working.as_ref();
    let working = working.and_then(|folder| folder.canonicalize().ok());
    if working.is_some_and(|folder| folder.starts_with(&path)) {
        return Err(Failure::refused(format!(
            "{} is the folder that you are in, or one around it; go to the folder above it first, or name what is in it",
            name()
        )));
    }
    if let Err(error) = std::fs::read_dir(&path) {
        return Err(Failure::system(format!(
            "{} cannot be read: {error}",
            name()
        )));
    }
    let files = entries_below(&path, &[EntryKind::File], lancet, around)?;
    let empty_folders = empty_folders_below(&path, lancet, around)?;
    if files.is_empty() && empty_folders.is_empty() {
        return Err(Failure::refused(format!(
            "{} has nothing that lancet covers: ignore files leave out what it has, or it may not be read",
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
        empty_folders,
    })
}

/// Returns the empty folders in a folder, and the folder itself if it is empty.
fn empty_folders_below(
    folder: &Path,
    lancet: &Lancet,
    around: &Surroundings,
) -> Result<Vec<PathBuf>, Failure> {
    let mut folders = entries_below(folder, &[EntryKind::Folder], lancet, around)?;
    folders.push(folder.to_path_buf());
    let is_empty = |folder: &PathBuf| {
        let entries = std::fs::read_dir(folder);
        entries.is_ok_and(|mut entries| entries.next().is_none())
    };
    folders.retain(is_empty);
    folders.sort();
    folders.dedup();
    Ok(folders)
}

/// Names what stays in folders whose files leave: ignored files, symbolic links, and what may not be read.
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
            "lancet: stays {place}: {}{more} (ignored, a symbolic link, or not to be read)\n",
            named.join(", ")
        ));
    }
}

/// Returns the entries of a folder that are not among its files. A folder without any of the files is one entry.
fn remaining_entries(source: &Source) -> Vec<PathBuf> {
    let files = source.files.iter().chain(&source.empty_folders);
    let files: HashSet<&Path> = files.map(PathBuf::as_path).collect();
    let folders = files.iter().flat_map(|path| path.ancestors().skip(1));
    let folders: HashSet<&Path> = folders.collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match_names() {
        for (pattern, name, matches) in [
            ("*", "link", true),
            ("l*k", "link", true),
            ("l?nk", "link", true),
            ("l?k", "link", false),
            ("*.txt", "link", false),
            ("", "", true),
            ("[l]ink", "link", false),
            ("é*", "été", true),
        ] {
            assert_eq!(
                matches_wildcards(pattern, name),
                matches,
                "{pattern} {name}"
            );
        }
    }
}
