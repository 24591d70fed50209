//! The programs and scripts that the user trusts together with a project. The hash of each file is recorded in the
//! state folder, together with its text if that is short, so that a change can be shown. A program that the user cannot
//! write belongs to the system, and its updates need no confirmation.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use lancet::programs::{CommandFiles, ProgramPlaces};
use serde_json::{Value, json};

/// The folder of the state folder with one file for each project.
const FOLDER: &str = "trusted-programs";

/// The longest text that is recorded so that a change can be shown, in bytes.
const LONGEST_TEXT: u64 = 256 * 1024;

/// Folders that a package manager fills, with the lock files that record their contents.
const PACKAGE_FOLDERS: [(&str, &[&str]); 3] = [
    (
        "node_modules",
        &[
            "package-lock.json",
            "npm-shrinkwrap.json",
            "pnpm-lock.yaml",
            "yarn.lock",
            "bun.lock",
            "bun.lockb",
        ],
    ),
    (".venv", PYTHON_LOCKS),
    ("venv", PYTHON_LOCKS),
];

const PYTHON_LOCKS: &[&str] = &[
    "uv.lock",
    "poetry.lock",
    "pdm.lock",
    "Pipfile.lock",
    "pylock.toml",
];

/// A file that a program of the settings is started from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProgramFile {
    /// The file, under the name by which it is started.
    pub(crate) path: PathBuf,
    /// Whether it is in the project.
    pub(crate) is_inside: bool,
    /// The record of the file; none where it belongs to the system.
    pub(crate) kept: Option<RecordedFile>,
}

/// The record of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordedFile {
    /// The file whose hash is recorded: the program itself, or the lock file of the package folder that contains it.
    pub(crate) source: PathBuf,
    /// The hash of its bytes.
    pub(crate) hash: String,
    /// Its text, where that is short enough to be shown later.
    pub(crate) text: Option<String>,
}

/// The records of a project, by the path of the program.
pub(crate) type Record = BTreeMap<PathBuf, RecordedFile>;

/// Finds the files that a command is started from, if they exist.
pub(crate) fn find_program_files(
    command: &[String],
    places: &ProgramPlaces,
    root: &Path,
) -> io::Result<Vec<ProgramFile>> {
    let mut found = Vec::new();
    for (path, _) in existing_files(command, places) {
        let is_inside = is_inside(&path, root);
        let kept = match is_protected_system_file(&path) {
            true => None,
            false => Some(record_of_file(&path, root)?),
        };
        found.push(ProgramFile {
            path,
            is_inside,
            kept,
        });
    }
    Ok(found)
}

/// Returns the files of a command that exist, and whether the command certainly refers to each.
fn existing_files(command: &[String], places: &ProgramPlaces) -> Vec<(PathBuf, bool)> {
    let files = CommandFiles::for_command(command, places);
    let program = files.program.into_iter().find(|path| path.is_file());
    let scripts = files.scripts.into_iter();
    let scripts = scripts.filter(|script| script.path.is_file());
    let scripts = scripts.map(|script| (script.path, script.is_path));
    program
        .map(|path| (path, true))
        .into_iter()
        .chain(scripts)
        .collect()
}

fn is_inside(path: &Path, root: &Path) -> bool {
    let real = || path.canonicalize().unwrap_or_default();
    path.starts_with(root) || real().starts_with(root)
}

/// Reports whether only the superuser can change a file, and this user is not the superuser.
fn is_protected_system_file(path: &Path) -> bool {
    let is_roots = fs::metadata(path).is_ok_and(|facts| facts.uid() == 0);
    is_roots && !rustix::process::geteuid().is_root()
}

fn record_of_file(path: &Path, root: &Path) -> io::Result<RecordedFile> {
    let source = covering_lock_file(path, root).unwrap_or_else(|| path.to_path_buf());
    let hash = hash_file(&source)?;
    let is_short = fs::metadata(&source)?.len() <= LONGEST_TEXT;
    let text = is_short.then(|| fs::read_to_string(&source).ok()).flatten();
    Ok(RecordedFile { source, hash, text })
}

/// Returns the lock file that covers a file in a package folder of the project.
fn covering_lock_file(path: &Path, root: &Path) -> Option<PathBuf> {
    let below = path.strip_prefix(root).ok()?;
    let mut folder = root.to_path_buf();
    for name in below.iter() {
        let known = PACKAGE_FOLDERS.iter().find(|(known, _)| name == *known);
        if let Some((_, locks)) = known {
            let folders = folder
                .ancestors()
                .take_while(|above| above.starts_with(root));
            let mut candidates =
                folders.flat_map(|folder| locks.iter().map(|lock| folder.join(lock)));
            return candidates.find(|lock| lock.is_file());
        }
        folder.push(name);
    }
    None
}

fn hash_file(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    let mut file = File::open(path)?;
    let mut part = vec![0; 256 * 1024];
    loop {
        let read = file.read(&mut part)?;
        if read == 0 {
            return Ok(hasher.finalize().to_hex().to_string());
        }
        hasher.update(&part[..read]);
    }
}

fn record_path(state: &Path, root: &Path) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    let name = blake3::hash(root.as_os_str().as_bytes()).to_hex();
    state.join(FOLDER).join(format!("{name}.json"))
}

/// Records the files that the user trusts now, in place of the earlier record.
pub(crate) fn save_record(state: &Path, root: &Path, files: &[ProgramFile]) -> io::Result<()> {
    let kept = files.iter().filter_map(|file| {
        let kept = file.kept.as_ref()?;
        let entry = json!({
            "path": file.path.to_str()?, "source": kept.source.to_str()?, "hash": kept.hash, "text": kept.text,
        });
        Some(entry)
    });
    let object = json!({ "root": root.to_string_lossy(), "files": kept.collect::<Vec<_>>() });
    let target = record_path(state, root);
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(state.join(FOLDER))?;
    let new = target.with_extension(format!("{}.new", std::process::id()));
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&new)?;
    file.write_all(object.to_string().as_bytes())?;
    file.sync_all()?;
    fs::rename(new, target)
}

/// Removes the record of a project.
pub(crate) fn remove_record(state: &Path, root: &Path) -> io::Result<()> {
    match fs::remove_file(record_path(state, root)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Reads the record; empty where there is none, or where it cannot be read.
pub(crate) fn load_record(state: &Path, root: &Path) -> Record {
    let text = fs::read_to_string(record_path(state, root)).unwrap_or_default();
    let object: Value = serde_json::from_str(&text).unwrap_or_default();
    let files = object["files"].as_array().into_iter().flatten();
    let kept = files.filter_map(|file| {
        let text = |name: &str| file[name].as_str().map(str::to_owned);
        let kept = RecordedFile {
            source: text("source")?.into(),
            hash: text("hash")?,
            text: text("text"),
        };
        Some((text("path")?.into(), kept))
    });
    kept.collect()
}

/// The stat values that distinguish one state of a file from another without reading it.
type Stamp = (u64, u64, u64, i64, i64, i64, i64);

/// Checks programs before they are started, in the process that starts them.
pub(crate) struct TrustCheck {
    state: Option<PathBuf>,
    root: PathBuf,
    places: ProgramPlaces,
    /// The commands that come from the project's own settings.
    of_project: Vec<Vec<String>>,
    /// Hashes of files that were read before.
    known: Mutex<HashMap<PathBuf, (Stamp, String)>>,
}

impl TrustCheck {
    pub(crate) fn new(
        state: Option<PathBuf>,
        root: &Path,
        places: ProgramPlaces,
        of_project: Vec<Vec<String>>,
    ) -> Self {
        Self {
            state,
            root: root.to_path_buf(),
            places,
            of_project,
            known: Mutex::default(),
        }
    }

    /// Reports whether every file that a command is started from is as the user trusted it. A file that the user's own
    /// settings name, and that never needed trust, counts as trusted.
    pub(crate) fn is_trusted(&self, command: &[String]) -> bool {
        let record = self
            .state
            .as_deref()
            .map(|state| load_record(state, &self.root));
        let record = record.unwrap_or_default();
        let is_projects = self.of_project.iter().any(|known| known == command);
        existing_files(command, &self.places)
            .iter()
            .all(|(path, is_certain)| match record.get(path) {
                _ if is_protected_system_file(path) => true,
                Some(kept) => self
                    .cached_hash(&kept.source)
                    .is_some_and(|hash| hash == kept.hash),
                None => !(is_projects && *is_certain && is_inside(path, &self.root)),
            })
    }

    fn cached_hash(&self, path: &Path) -> Option<String> {
        let facts = fs::metadata(path).ok()?;
        let stamp = (
            facts.dev(),
            facts.ino(),
            facts.size(),
            facts.mtime(),
            facts.mtime_nsec(),
            facts.ctime(),
            facts.ctime_nsec(),
        );
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((then, hash)) = known().get(path)
            && *then == stamp
        {
            return Some(hash.clone());
        }
        let hash = hash_file(path).ok()?;
        known().insert(path.to_path_buf(), (stamp, hash.clone()));
        Some(hash)
    }
}
