//! Which folders lancet may work in: those that were given, else what the working folder or the one file suggests.

use std::path::{Path, PathBuf};

use super::Surroundings;
use crate::failure::Failure;

/// What a command will touch, which decides the roots where none are given.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reach<'p> {
    /// Whatever is below the working folder.
    Folder,
    /// This one file, absolute.
    File(&'p Path),
    /// Nothing: any folder serves.
    Nothing,
}

/// The roots, resolved.
pub(crate) fn resolve(
    given: &[PathBuf],
    reach: Reach<'_>,
    around: &Surroundings,
) -> Result<Vec<PathBuf>, Failure> {
    if given.is_empty() {
        return Ok(vec![match reach {
            Reach::Folder => working_folder(around)?,
            Reach::File(file) => around_file(file, around),
            Reach::Nothing => around.working.clone().unwrap_or_else(|| PathBuf::from("/")),
        }]);
    }
    let mut roots: Vec<PathBuf> = Vec::with_capacity(given.len());
    for root in given {
        let resolved = existing_folder("--root", root, around)?;
        if !roots.contains(&resolved) {
            roots.push(resolved);
        }
    }
    Ok(roots)
}

/// The folders for reading, resolved.
pub(crate) fn resolve_read(
    given: &[PathBuf],
    around: &Surroundings,
) -> Result<Vec<PathBuf>, Failure> {
    given
        .iter()
        .map(|folder| existing_folder("--read-root", folder, around))
        .collect()
}

fn existing_folder(flag: &str, given: &Path, around: &Surroundings) -> Result<PathBuf, Failure> {
    let path = around.absolute(given)?;
    let wrong = |why: String| {
        Failure::usage(format!(
            "{flag} {}: {why}; a root is an existing folder",
            given.display()
        ))
    };
    let resolved = path.canonicalize().map_err(|error| wrong(plain(&error)))?;
    if !resolved.is_dir() {
        return Err(wrong("this is not a folder".to_owned()));
    }
    Ok(resolved)
}

fn working_folder(around: &Surroundings) -> Result<PathBuf, Failure> {
    let gone = || {
        Failure::usage("the working folder is gone; give the folder to work in with --root FOLDER")
    };
    let folder = around.working.as_ref().ok_or_else(gone)?;
    let folder = folder.canonicalize().map_err(|_| gone())?;
    if let Some(what) = too_wide(&folder, around) {
        return Err(Failure::usage(format!(
            "the working folder is {what} ({}), which is too wide to work in unasked; \
             go to the folder of a project, or give one with --root FOLDER",
            folder.display()
        )));
    }
    Ok(folder)
}

/// The git work tree around a file, else its folder. A work tree as wide as the home folder is not taken for one: the
/// file's own folder serves as well.
fn around_file(file: &Path, around: &Surroundings) -> PathBuf {
    let mut ancestors = file.ancestors().skip(1);
    let folder =
        ancestors.find_map(|folder| folder.canonicalize().ok().filter(|folder| folder.is_dir()));
    let folder = folder.unwrap_or_else(|| PathBuf::from("/"));
    let tree = folder
        .ancestors()
        .find(|folder| folder.join(".git").exists());
    match tree {
        Some(tree) if too_wide(tree, around).is_none() => tree.to_path_buf(),
        _ => folder,
    }
}

fn too_wide(folder: &Path, around: &Surroundings) -> Option<&'static str> {
    if folder.parent().is_none() {
        return Some("the top of the file system");
    }
    let home = around
        .home
        .as_ref()
        .map(|home| home.canonicalize().unwrap_or_else(|_| home.clone()));
    (home.as_deref() == Some(folder)).then_some("your home folder")
}

/// The system's words without its number.
fn plain(error: &std::io::Error) -> String {
    let words = error.to_string();
    match words.split_once(" (os error") {
        Some((words, _)) => words.to_owned(),
        None => words,
    }
}
