//! The record of what `install` wrote where. It is in the state folder, so that `uninstall` can restore the files as
//! they were. A receipt contains places, hashes, lancet's own texts and the entry that lancet's replaced, and nothing
//! else of a settings file, which may contain passwords.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use lancet_install::{Entry, InstallScope, Splice};
use serde_json::{Value, json};

/// The folder of the receipts in the state folder.
const FOLDER: &str = "installed";
/// The longest receipt that is read, in bytes.
const MAX_RECEIPT_BYTES: u64 = 1024 * 1024;

/// The record of the installation in one agent.
#[derive(Clone, Debug)]
pub(super) struct Receipt {
    pub(super) agent: String,
    /// The program that the agent starts.
    pub(super) command: String,
    pub(super) files: Vec<FileReceipt>,
}

/// The record of the changes to one file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FileReceipt {
    pub(super) path: PathBuf,
    /// Whether the file did not exist before.
    pub(super) is_new: bool,
    /// The folders that did not exist before, outermost first.
    pub(super) folders: Vec<PathBuf>,
    /// The hash of the text before, if undoing the splices restores it.
    pub(super) before: Option<String>,
    /// The hash of the text after.
    pub(super) after: String,
    pub(super) splices: Vec<Splice>,
    pub(super) entries: Vec<EntryReceipt>,
}

/// One entry that was written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EntryReceipt {
    pub(super) entry: Entry,
    /// How many names of its path existed before.
    pub(super) depth: usize,
    /// The value that was in its place: a string or number, or the user's own entry with lancet's name.
    pub(super) was: Option<Value>,
}

/// Returns the file of a receipt.
pub(super) fn receipt_path(
    state: &Path,
    agent: &str,
    scope: InstallScope,
    project: &Path,
) -> PathBuf {
    let name = match scope {
        InstallScope::User => format!("{agent}.json"),
        InstallScope::Project => {
            let hash = lancet::Settings::fingerprint(&project.to_string_lossy());
            format!("{agent}-{}.json", hash.get(..16).unwrap_or_default())
        }
    };
    state.join(FOLDER).join(name)
}

/// Reads a receipt; none if it does not exist or cannot be read.
pub(super) fn load(path: &Path) -> Option<Receipt> {
    let length = fs::metadata(path).ok()?.len();
    if length > MAX_RECEIPT_BYTES {
        return None;
    }
    from_object(&serde_json::from_str(&fs::read_to_string(path).ok()?).ok()?)
}

/// Returns all receipts of a state folder.
pub(super) fn load_all(state: &Path) -> Vec<Receipt> {
    let Ok(entries) = fs::read_dir(state.join(FOLDER)) else {
        return Vec::new();
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().filter_map(|path| load(path)).collect()
}

/// Writes a receipt: a new file replaces the old one.
pub(super) fn save(path: &Path, receipt: &Receipt) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::NotFound)?;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let draft = path.with_extension(format!("{}.new", std::process::id()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let text = format!("{:#}\n", receipt_json(receipt));
    options.open(&draft)?.write_all(text.as_bytes())?;
    fs::rename(&draft, path)
}

/// Removes a receipt.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn receipt_json(receipt: &Receipt) -> Value {
    let entry = |kept: &EntryReceipt| json!({ "entry": kept.entry.to_json(), "depth": kept.depth, "was": kept.was });
    let file = |file: &FileReceipt| {
        json!({
            "path": file.path,
            "new": file.is_new,
            "folders": file.folders,
            "before": file.before,
            "after": file.after,
            "splices": file.splices.iter().map(Splice::to_json).collect::<Vec<_>>(),
            "entries": file.entries.iter().map(entry).collect::<Vec<_>>(),
        })
    };
    json!({
        "version": 1,
        "agent": receipt.agent,
        "command": receipt.command,
        "files": receipt.files.iter().map(file).collect::<Vec<_>>(),
    })
}

fn from_object(object: &Value) -> Option<Receipt> {
    let text = |object: &Value, key: &str| Some(object.get(key)?.as_str()?.to_owned());
    let list = |object: &Value, key: &str| Some(object.get(key)?.as_array()?.clone());
    let entry = |object: &Value| {
        Some(EntryReceipt {
            entry: Entry::from_object(object.get("entry")?)?,
            depth: usize::try_from(object.get("depth")?.as_u64()?).ok()?,
            was: object.get("was").filter(|was| !was.is_null()).cloned(),
        })
    };
    let file = |object: &Value| {
        Some(FileReceipt {
            path: text(object, "path")?.into(),
            is_new: object.get("new")?.as_bool()?,
            folders: list(object, "folders")?
                .iter()
                .filter_map(|path| Some(PathBuf::from(path.as_str()?)))
                .collect(),
            before: text(object, "before"),
            after: text(object, "after")?,
            splices: list(object, "splices")?
                .iter()
                .map(Splice::from_object)
                .collect::<Option<_>>()?,
            entries: list(object, "entries")?
                .iter()
                .map(entry)
                .collect::<Option<_>>()?,
        })
    };
    Some(Receipt {
        agent: text(object, "agent")?,
        command: text(object, "command")?,
        files: list(object, "files")?
            .iter()
            .map(file)
            .collect::<Option<_>>()?,
    })
}
