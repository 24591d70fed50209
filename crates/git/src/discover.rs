//! Finds the repository of a file: the nearest `.git` above it on the same file system, which is a folder or a
//! `gitdir:` file. A git folder that is not at its default location must itself name this work tree: a `.git` file
//! belongs to the project, and could otherwise point at any other repository of the user.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_workspace::{Disk, FileType, Workspace};

use crate::GitError;
use crate::config;

/// A file that should hold one path (`.git`, `commondir`, `gitdir`) is not read beyond this size.
const MAX_PATH_FILE_BYTES: u64 = 8_192;
/// The search for `.git` ends this many folders above the file.
const MAX_PARENT_FOLDERS: usize = 256;

/// The folders of a repository that was found, opened for reading.
pub(crate) struct RepositoryFolders {
    /// The folder that contains `.git`.
    pub(crate) work_tree: PathBuf,
    /// git's folder for this work tree (`$GIT_DIR`).
    pub(crate) git: PathBuf,
    /// git's folder for all work trees of the repository (`$GIT_COMMON_DIR`): objects, references, configuration.
    pub(crate) common: PathBuf,
    /// The text of the repository's configuration.
    pub(crate) config: String,
    /// A workspace whose roots are these two folders only.
    pub(crate) workspace: Arc<Workspace>,
}

/// Finds the repository of a file; `None` if no folder above it is one. The path must have its links resolved.
pub(crate) fn find_repository(
    file: &Path,
    disk: &Arc<dyn Disk>,
) -> Result<Option<RepositoryFolders>, GitError> {
    let everywhere = Workspace::open(&[PathBuf::from("/")], Arc::clone(disk), None)?;
    let mut device = None;
    for folder in file.ancestors().skip(1).take(MAX_PARENT_FOLDERS) {
        // The folder of a removed file may be gone too.
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
            FileType::File => match read_path_file(&everywhere, dot_git.path(), "gitdir:", folder)?
            {
                Some(git) => git,
                None => return Err(GitError::Damaged("the file .git")),
            },
            _ => continue,
        };
        if let Some(place) = open_repository(&everywhere, folder, &git, disk)? {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

fn open_repository(
    everywhere: &Workspace,
    folder: &Path,
    git: &Path,
    disk: &Arc<dyn Disk>,
) -> Result<Option<RepositoryFolders>, GitError> {
    let own = Workspace::open(&[git.to_path_buf()], Arc::clone(disk), None)?;
    let git = own.roots()[0].clone();
    // git does not treat a `.git` folder without HEAD as a repository and continues the search further up.
    if own.locate_as_spelled(&git.join("HEAD"))?.kind() != FileType::File {
        return Ok(None);
    }
    let linked = read_path_file(&own, &git.join("commondir"), "", &git)?;
    let is_linked = linked.is_some();
    let common = linked.unwrap_or_else(|| git.clone());
    let workspace = Workspace::open(&[git.clone(), common], Arc::clone(disk), None)?;
    let common = workspace
        .roots()
        .last()
        .cloned()
        .unwrap_or_else(|| git.clone());
    let mut config = read_text(&workspace, &common.join("config"), config::MAX_CONFIG_BYTES)?
        .unwrap_or_default();
    // `extensions.worktreeConfig` gives each work tree a separate file, which overrides the common one.
    if config::last_value(&config, "extensions", "worktreeconfig")
        .is_some_and(|value| config::is_true(&value))
    {
        let own = read_text(
            &workspace,
            &git.join("config.worktree"),
            config::MAX_CONFIG_BYTES,
        )?;
        config.push('\n');
        config.push_str(&own.unwrap_or_default());
    }
    let work_tree = config::last_value(&config, "core", "worktree");
    let belongs = if is_linked {
        // A linked work tree needs both directions: the common folder lists this git folder, and the git folder names
        // the `.git` file here.
        git.parent() == Some(&common.join("worktrees"))
            && read_path_file(&workspace, &git.join("gitdir"), "", &git)?
                .is_some_and(|back| is_same_path(everywhere, &back, &folder.join(".git")))
    } else if let Some(named) = work_tree {
        is_same_path(everywhere, &git.join(named), folder)
    } else {
        git == folder.join(".git")
    };
    if !belongs {
        return Err(GitError::Elsewhere);
    }
    Ok(Some(RepositoryFolders {
        work_tree: folder.to_path_buf(),
        git,
        common,
        config,
        workspace: Arc::new(workspace),
    }))
}

/// Returns whether a path exists and is `resolved` once its links are resolved.
fn is_same_path(everywhere: &Workspace, path: &Path, resolved: &Path) -> bool {
    everywhere
        .locate_as_spelled(path)
        .is_ok_and(|found| found.kind() != FileType::Missing && found.path() == resolved)
}

/// Reads the path after `lead` in a file of one line and resolves it against `folder`.
fn read_path_file(
    workspace: &Workspace,
    file: &Path,
    lead: &str,
    folder: &Path,
) -> Result<Option<PathBuf>, GitError> {
    let located = workspace.locate_as_spelled(file)?;
    if located.kind() != FileType::File {
        return Ok(None);
    }
    let said = located.read_snapshot(MAX_PATH_FILE_BYTES)?;
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

/// Reads a file as text; `None` if it does not exist or is a symbolic link.
pub(crate) fn read_text(
    workspace: &Workspace,
    file: &Path,
    most: u64,
) -> Result<Option<String>, GitError> {
    let located = workspace.locate_as_spelled(file)?;
    if located.kind() != FileType::File || located.has_followed_link() {
        return Ok(None);
    }
    let read = located.read_snapshot(most)?;
    Ok(Some(String::from_utf8_lossy(&read.bytes).into_owned()))
}
