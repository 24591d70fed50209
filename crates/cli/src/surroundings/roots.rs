//! The roots that lancet may work in: those that were given, else those that follow from the working folder or the
//! named path.

use std::path::{Path, PathBuf};

use lancet::settings::SETTINGS_FILE_NAME;

use super::Surroundings;
use crate::failure::Failure;

/// What a command will touch, which decides the roots if none are given.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RootHint<'p> {
    /// The command works below the working folder.
    Folder,
    /// The command works on the project that the working folder is in: the git work tree around it, else the folder.
    Project,
    /// The command works on recorded changes: like [`RootHint::Project`], but in a folder that is too wide to be a
    /// project, such as the home folder, on the changes of the files that are directly in it.
    Recorded,
    /// The command works on this file or folder, given as an absolute path.
    At(&'p Path),
    /// The command works on these files and folders, given as absolute paths.
    AtAll(&'p [PathBuf]),
    /// The command works in these roots, which [`resolve`] found before.
    Roots(&'p [PathBuf]),
    /// The command touches no files, so any folder will do.
    Nothing,
}

/// Returns the roots, with symbolic links resolved.
pub(crate) fn resolve(
    given: &[PathBuf],
    reach: RootHint<'_>,
    around: &Surroundings,
) -> Result<Vec<PathBuf>, Failure> {
    if given.is_empty() {
        let all = match reach {
            RootHint::Folder => vec![working_folder(around)?],
            RootHint::Project => match &around.working {
                // A path that does not exist would count as a file, and the folder above it as the project.
                Some(working) if working.exists() => vec![root_for_path(working, around)?],
                _ => vec![working_folder(around)?],
            },
            RootHint::Recorded => match wide_working_folder(given, around) {
                Some(folder) => vec![folder],
                None => return resolve(given, RootHint::Project, around),
            },
            RootHint::At(path) => vec![root_for_path(path, around)?],
            RootHint::AtAll(paths) => {
                let found = paths.iter().map(|path| root_for_path(path, around));
                found.collect::<Result<Vec<_>, _>>()?
            }
            RootHint::Roots(roots) => roots.to_vec(),
            RootHint::Nothing => {
                vec![around.working.clone().unwrap_or_else(|| PathBuf::from("/"))]
            }
        };
        let mut roots = Vec::with_capacity(all.len());
        for root in all {
            if !roots.contains(&root) {
                roots.push(root);
            }
        }
        return Ok(roots);
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

/// Returns the working folder if it is too wide to be a project and no root was given. Files directly in it can be edited,
/// so their changes can be listed and undone there.
pub(crate) fn wide_working_folder(given: &[PathBuf], around: &Surroundings) -> Option<PathBuf> {
    let working = around.working.as_ref().filter(|_| given.is_empty())?;
    let folder = working.canonicalize().ok()?;
    reason_for_too_wide(&folder, around)?;
    Some(folder)
}

/// The origin of the roots of `lancet mcp`.
#[derive(Clone, Debug)]
pub(crate) enum AgentRoots {
    /// The command line names them.
    Named,
    /// They follow from the working folder ([`RootHint::Project`]).
    Found,
    /// There are none: the working folder is too wide to be one. The roots of the client may be used instead.
    TooWide {
        /// The working folder.
        folder: PathBuf,
        /// Which folder it is: "your home folder".
        what: &'static str,
    },
}

impl AgentRoots {
    /// Finds out where the roots come from.
    pub(crate) fn detect(given: &[PathBuf], around: &Surroundings) -> Result<Self, Failure> {
        if !given.is_empty() {
            return Ok(AgentRoots::Named);
        }
        let folder = require_working_folder(around)?;
        Ok(match reason_for_too_wide(&folder, around) {
            Some(what) => AgentRoots::TooWide { folder, what },
            None => AgentRoots::Found,
        })
    }

    /// Returns the folder below which the roots of a client must be if there are no others: the home folder.
    pub(crate) fn widest_client_root(around: &Surroundings) -> Option<PathBuf> {
        around.home.as_ref()?.canonicalize().ok()
    }

    /// Explains why there are no roots, as a whole sentence.
    pub(crate) fn explain_missing_roots(folder: &Path, what: &str) -> String {
        format!(
            "lancet was started in {} ({what}), which is too wide to be a root.",
            folder.display()
        )
    }
}

/// Returns the read roots, with symbolic links resolved.
pub(crate) fn resolve_read_roots(
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
    let resolved = path
        .canonicalize()
        .map_err(|error| wrong(message_without_number(&error)))?;
    if !resolved.is_dir() {
        return Err(wrong("this is not a folder".to_owned()));
    }
    Ok(resolved)
}

fn require_working_folder(around: &Surroundings) -> Result<PathBuf, Failure> {
    let gone = || {
        Failure::usage("the working folder is gone; give the folder to work in with --root FOLDER")
    };
    let folder = around.working.as_ref().ok_or_else(gone)?;
    folder.canonicalize().map_err(|_| gone())
}

fn working_folder(around: &Surroundings) -> Result<PathBuf, Failure> {
    let folder = require_working_folder(around)?;
    match reason_for_too_wide(&folder, around) {
        Some(what) => Err(too_wide_failure("the working folder", what, &folder)),
        None => Ok(folder),
    }
}

fn too_wide_failure(which: &str, what: &str, folder: &Path) -> Failure {
    Failure::usage(format!(
        "{which} is {what} ({}), which is too wide to be a root by default; \
         go to the folder of a project, or give one with --root FOLDER",
        folder.display()
    ))
}

/// Returns the root for one path: the working folder or the git work tree around the path, if the path is in them, else
/// the folder itself or the file's folder. The home folder and `/` are never taken for a project, except for a file
/// directly in one of them.
fn root_for_path(path: &Path, around: &Surroundings) -> Result<PathBuf, Failure> {
    let spot = ResolvedPath::resolve(path);
    let wide = |folder: &PathBuf| reason_for_too_wide(folder, around).is_some();
    let working = around.working.as_ref();
    let working = working
        .and_then(|folder| folder.canonicalize().ok())
        .filter(|folder| spot.place.starts_with(folder) && !wide(folder));
    let tree = spot.work_tree().filter(|tree| !wide(tree));
    match (working, tree) {
        (Some(working), Some(tree)) => Ok(project_folder(working, tree)),
        (Some(only), None) | (None, Some(only)) => Ok(only),
        // A symbolic link outside any project counts as the folder that it leads to.
        (None, None) if spot.is_folder && spot.place != spot.folder => {
            root_for_path(&spot.folder, around)
        }
        (None, None) => match reason_for_too_wide(&spot.folder, around) {
            Some(what) if spot.is_folder => Err(too_wide_failure("this", what, &spot.folder)),
            _ => Ok(spot.folder),
        },
    }
}

/// Returns which of two folders around a path is the project. That is the one with settings, the working folder first,
/// so that if only one of them has rules, none of them is missed. Without settings it is the outer one.
fn project_folder(working: PathBuf, tree: PathBuf) -> PathBuf {
    // A settings file that cannot be read is reported when it is loaded.
    let has_settings = |folder: &Path| folder.join(SETTINGS_FILE_NAME).symlink_metadata().is_ok();
    let tree_counts = has_settings(&tree) || working.starts_with(&tree);
    if tree_counts && !has_settings(&working) {
        tree
    } else {
        working
    }
}

/// A path with `.`, `..` and the symbolic links on the way to it resolved.
struct ResolvedPath {
    /// The folder that contains the path: a folder counts as itself, but a symbolic link as the folder that the link is
    /// in.
    place: PathBuf,
    /// The folder itself, or the nearest folder around the file.
    folder: PathBuf,
    is_folder: bool,
}

impl ResolvedPath {
    fn resolve(path: &Path) -> Self {
        let existing = |path: &Path| path.canonicalize().ok().filter(|folder| folder.is_dir());
        let around = path.ancestors().skip(1).find_map(existing);
        let around = around.unwrap_or_else(|| PathBuf::from("/"));
        let itself = existing(path);
        let is_folder = itself.is_some();
        let folder = itself.unwrap_or_else(|| around.clone());
        // A symbolic link in the project that leads out of it does not make its target a root.
        let place = if is_link(path) {
            around
        } else {
            folder.clone()
        };
        Self {
            place,
            folder,
            is_folder,
        }
    }

    fn work_tree(&self) -> Option<PathBuf> {
        let mut folders = self.place.ancestors();
        let tree = folders.find(|folder| folder.join(".git").exists())?;
        Some(tree.to_path_buf())
    }
}

fn is_link(path: &Path) -> bool {
    // The path is rebuilt without a slash at its end, which would follow the symbolic link.
    let entry: PathBuf = path.components().collect();
    entry
        .symlink_metadata()
        .is_ok_and(|found| found.is_symlink())
}

fn reason_for_too_wide(folder: &Path, around: &Surroundings) -> Option<&'static str> {
    if folder.parent().is_none() {
        return Some("the top of the file system");
    }
    let home = around
        .home
        .as_ref()
        .map(|home| home.canonicalize().unwrap_or_else(|_| home.clone()));
    (home.as_deref() == Some(folder)).then_some("your home folder")
}

/// Returns the system's error message without its number.
fn message_without_number(error: &std::io::Error) -> String {
    let words = error.to_string();
    match words.split_once(" (os error") {
        Some((words, _)) => words.to_owned(),
        None => words,
    }
}
