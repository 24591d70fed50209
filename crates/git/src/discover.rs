//! The repository around a file: the next `.git` above it on the same file system, a folder or the file that leads to one.
//! A folder that is not at its natural place must itself name the work tree that it is for: a file that says
//! `gitdir: …` is part of the project, and would otherwise open any other repository of the user.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_workspace::{Disk, FileType, Workspace};

use crate::Trouble;
use crate::config;

/// The longest file with one path in it.
const MOST_BYTES: u64 = 8_192;
/// Folders above a file that are looked at.
const HIGHEST: usize = 256;

/// A repository, found.
pub(crate) struct Place {
    /// The folder that `.git` stands in.
    pub(crate) work_tree: PathBuf,
    /// Git's folder for this work tree.
    pub(crate) git: PathBuf,
    /// Git's folder for all work trees of the repository: objects, references, configuration.
    pub(crate) common: PathBuf,
    /// Its configuration.
    pub(crate) config: String,
    /// The two folders, and nothing outside of them.
    pub(crate) workspace: Arc<Workspace>,
}

/// The repository around a file, whose path has its links resolved; none where there is none.
pub(crate) fn around(file: &Path, disk: &Arc<dyn Disk>) -> Result<Option<Place>, Trouble> {
    let everywhere = Workspace::open(&[PathBuf::from("/")], Arc::clone(disk), None)?;
    let mut device = None;
    for folder in file.ancestors().skip(1).take(HIGHEST) {
        // The folder of a file that has just been removed may be gone with it.
        let Some(stamp) = everywhere
            .locate_as_spelled(folder)
            .ok()
            .and_then(|found| found.stat())
        else {
            continue;
        };
        if *device.get_or_insert(stamp.device) != stamp.device {
            return Ok(None);
        }
        let Ok(dot_git) = everywhere.locate_as_spelled(&folder.join(".git")) else {
            continue;
        };
        let git = match dot_git.kind() {
            FileType::Directory => dot_git.path().to_path_buf(),
            FileType::File => match named(&everywhere, dot_git.path(), "gitdir:", folder)? {
                Some(git) => git,
                None => return Err(Trouble::Damaged("the file .git")),
            },
            _ => continue,
        };
        if let Some(place) = open(&everywhere, folder, &git, disk)? {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

fn open(
    everywhere: &Workspace,
    folder: &Path,
    git: &Path,
    disk: &Arc<dyn Disk>,
) -> Result<Option<Place>, Trouble> {
    let own = Workspace::open(&[git.to_path_buf()], Arc::clone(disk), None)?;
    let git = own.roots()[0].clone();
    // A folder `.git` without HEAD is no repository: git looks further up.
    if own.locate_as_spelled(&git.join("HEAD"))?.kind() != FileType::File {
        return Ok(None);
    }
    let linked = named(&own, &git.join("commondir"), "", &git)?;
    let is_linked = linked.is_some();
    let common = linked.unwrap_or_else(|| git.clone());
    let workspace = Workspace::open(&[git.clone(), common], Arc::clone(disk), None)?;
    let common = workspace
        .roots()
        .last()
        .cloned()
        .unwrap_or_else(|| git.clone());
    let mut config =
        text(&workspace, &common.join("config"), config::MOST_BYTES)?.unwrap_or_default();
    // Where each work tree has a file of its own it has the last word.
    if config::last(&config, "extensions", "worktreeconfig")
        .is_some_and(|value| config::is_true(&value))
    {
        let own = text(&workspace, &git.join("config.worktree"), config::MOST_BYTES)?;
        config.push('\n');
        config.push_str(&own.unwrap_or_default());
    }
    let work_tree = config::last(&config, "core", "worktree");
    let belongs = if is_linked {
        // Both ways: the common folder has this one among its own, and it names the file `.git` here.
        git.parent() == Some(&common.join("worktrees"))
            && named(&workspace, &git.join("gitdir"), "", &git)?
                .is_some_and(|back| same(everywhere, &back, &folder.join(".git")))
    } else if let Some(named) = work_tree {
        same(everywhere, &git.join(named), folder)
    } else {
        git == folder.join(".git")
    };
    if !belongs {
        return Err(Trouble::Elsewhere);
    }
    Ok(Some(Place {
        work_tree: folder.to_path_buf(),
        git,
        common,
        config,
        workspace: Arc::new(workspace),
    }))
}

/// Whether a path, links resolved, is that one.
fn same(everywhere: &Workspace, path: &Path, resolved: &Path) -> bool {
    everywhere
        .locate_as_spelled(path)
        .is_ok_and(|found| found.kind() != FileType::Missing && found.path() == resolved)
}

/// The path that a file of one line names after `lead`, as seen from `folder`.
fn named(
    workspace: &Workspace,
    file: &Path,
    lead: &str,
    folder: &Path,
) -> Result<Option<PathBuf>, Trouble> {
    let located = workspace.locate_as_spelled(file)?;
    if located.kind() != FileType::File {
        return Ok(None);
    }
    let said = located.snapshot(MOST_BYTES)?;
    let line = said
        .bytes
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let path = line.strip_prefix(lead.as_bytes()).map(<[u8]>::trim_ascii);
    Ok(path
        .filter(|path| !path.is_empty())
        .map(|path| folder.join(OsStr::from_bytes(path))))
}

/// A file as text; none where it is not there.
pub(crate) fn text(
    workspace: &Workspace,
    file: &Path,
    most: u64,
) -> Result<Option<String>, Trouble> {
    let located = workspace.locate_as_spelled(file)?;
    if located.kind() != FileType::File || located.followed_link() {
        return Ok(None);
    }
    let read = located.snapshot(most)?;
    Ok(Some(String::from_utf8_lossy(&read.bytes).into_owned()))
}
