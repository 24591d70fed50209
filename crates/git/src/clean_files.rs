//! Finds files that are clean according to the index: an object's id then identifies their bytes, and the files need
//! not be read.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use lancet_workspace::{FileType, FolderHandle, Stamp, Workspace};

use crate::GitError;
use crate::attributes::{AttributeLines, Macros, PossibleConversion, add_macros};
use crate::config::{self, AutoCrlf, effective_auto_crlf};
use crate::id::ObjectId;
use crate::index::{GitIndex, IndexEntry};
use crate::objects::ObjectReader;
use crate::repository::Repository;

/// A larger attributes file counts as unreadable.
const MAX_RULES_BYTES: usize = 1 << 20;
/// The margin of the rule for racily clean files, the same as for [`Stamp::is_racy`].
const RACY_SECONDS: i64 = 2;
const ATTRIBUTES_FILE: &str = ".gitattributes";

/// git's configuration and attributes outside a repository: those of the system and of the user. The caller reads
/// them, the weakest first; a missing file is left out.
#[derive(Clone, Copy, Debug, Default)]
pub struct GlobalFiles<'t> {
    /// The texts of the configuration (`/etc/gitconfig`, `~/.config/git/config`, `~/.gitconfig`). If one of them
    /// includes a file or sets `core.attributesFile`, this shortcut treats no file as clean.
    pub config: &'t [String],
    /// The texts of the attributes files (`/etc/gitattributes`, `~/.config/git/attributes`).
    pub attributes: &'t [String],
}

/// Determines which files have the bytes of the blob that git's index lists for them, by their stat and without
/// reading them.
///
/// A file is clean in this sense if all of these conditions are met; every other file has to be read:
/// - the index has its name, as a regular file without conflict and not as `--intent-to-add`;
/// - size, mtime and ctime with nanoseconds, inode, owner and group are those that git recorded. The device is not
///   compared, as in git: its number changes with a mount. `core.trustctime`, `core.checkStat`, `assume-unchanged` and
///   `skip-worktree` have no effect;
/// - the file changed at least two seconds before the index was written (git's rule for racily clean files, with the
///   margin of [`Stamp::is_racy`]);
/// - no line of an attributes file could give it `filter`, `ident` or `working-tree-encoding`;
/// - its size is that of the blob, if `text`, `eol` or `core.autocrlf` could convert it.
///
/// The present attributes apply: if a `.gitattributes` that git tracks differs from the index, no file below its
/// folder is clean. If git converted a file under attributes that no longer exist, its blob has another size or other
/// bytes: a caller that uses a blob later compares its length with the size that the file had.
///
/// Querying 60,000 files takes 12 ms of processor time, or 99 ms if all blobs are in a pack and `* text=auto`
/// requires their sizes (`git status` takes 130 ms there).
pub struct CleanFiles {
    index: Arc<GitIndex>,
    objects: ObjectReader,
    tree: FolderHandle,
    /// The most that the configuration and the attributes files outside the work tree's folders could do to every
    /// file.
    everywhere: WorkTreeRules,
    /// The rules of the folders that were queried; none for a folder whose attributes file is not reliable.
    folders: HashMap<Vec<u8>, Option<Arc<FolderRules>>>,
    /// The position in the index after the last file that was queried, and that file's folder with its rules.
    next: usize,
    last: (Vec<u8>, Option<Arc<FolderRules>>),
}

/// The rules that apply in the whole work tree.
struct WorkTreeRules {
    least: PossibleConversion,
    files: Vec<AttributeLines>,
    macros: Macros,
}

/// The attributes file of a folder, and the next one above it.
struct FolderRules {
    above: Option<Arc<FolderRules>>,
    lines: AttributeLines,
    /// The length of the folder's name, with the slash.
    folder: usize,
}

impl CleanFiles {
    /// Prepares queries about files of this work tree.
    ///
    /// # Errors
    /// Fails if the work tree or the objects cannot be opened. An attributes file that cannot be read is no error:
    /// the files that it could apply to count as not clean.
    pub fn open(
        repository: &Repository,
        index: Arc<GitIndex>,
        outside: GlobalFiles<'_>,
    ) -> Result<CleanFiles, GitError> {
        let path = repository.work_tree();
        let tree = Workspace::open(&[path.to_path_buf()], repository.disk(), None)?;
        let tree = tree.locate_as_spelled(path)?.open_folder()?;
        let top = read_attributes_file(&tree, ATTRIBUTES_FILE.as_bytes(), &index);
        let top_text = top.clone().flatten().unwrap_or_default();
        let everywhere = WorkTreeRules::read(repository, outside, &top_text);
        let rules = top.map(|_| {
            Arc::new(FolderRules {
                above: None,
                lines: AttributeLines::parse(&top_text, &everywhere.macros),
                folder: 0,
            })
        });
        Ok(CleanFiles {
            index,
            objects: repository.open_objects()?,
            tree,
            everywhere,
            folders: HashMap::from([(Vec::new(), rules.clone())]),
            next: 0,
            last: (Vec::new(), rules),
        })
    }

    /// Returns the blob whose bytes the file has, if that is certain without reading the file. `name` is relative to
    /// the work tree; `stamp` is the file's present one. Queries in the order of the index are the fastest.
    pub fn certain_blob(&mut self, name: &[u8], stamp: &Stamp) -> Option<ObjectId> {
        let index = Arc::clone(&self.index);
        let entry = index.find_with_hint(name, &mut self.next)?;
        if !is_clean_by_stat(&entry, stamp, &index) {
            return None;
        }
        match self.conversion_of_file(name) {
            PossibleConversion::None => Some(entry.id),
            PossibleConversion::LineEnds => {
                let size = self.objects.size(&entry.id).ok()?;
                (size == stamp.size).then_some(entry.id)
            }
            PossibleConversion::Any => None,
        }
    }

    /// Returns the index that the files are compared with.
    #[must_use]
    pub fn index(&self) -> &Arc<GitIndex> {
        &self.index
    }

    fn conversion_of_file(&mut self, name: &[u8]) -> PossibleConversion {
        if self.everywhere.least == PossibleConversion::Any {
            return PossibleConversion::Any;
        }
        let folder = name.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        let folder = &name[..folder];
        if self.last.0 != folder {
            self.last = (folder.to_vec(), self.folder_rules(folder));
        }
        let Some(rules) = &self.last.1 else {
            return PossibleConversion::Any;
        };
        let mut found = self.everywhere.least;
        for lines in &self.everywhere.files {
            found = found.max(lines.possible_conversion(name));
        }
        let mut next = Some(rules);
        while let Some(rules) = next {
            found = found.max(rules.lines.possible_conversion(&name[rules.folder..]));
            next = rules.above.as_ref();
        }
        found
    }

    /// Returns the rules of a folder; none if an attributes file is not reliable.
    fn folder_rules(&mut self, folder: &[u8]) -> Option<Arc<FolderRules>> {
        if let Some(known) = self.folders.get(folder) {
            return known.clone();
        }
        let rules = self.read_rules(folder);
        self.folders.insert(folder.to_vec(), rules.clone());
        rules
    }

    fn read_rules(&mut self, folder: &[u8]) -> Option<Arc<FolderRules>> {
        let end = folder.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        let above = self.folder_rules(&folder[..end])?;
        let path = Path::new(OsStr::from_bytes(folder));
        let opened = self.tree.open_folder_below(path).ok()?;
        let mut name = folder.to_vec();
        name.push(b'/');
        let length = name.len();
        name.extend_from_slice(ATTRIBUTES_FILE.as_bytes());
        Some(match read_attributes_file(&opened, &name, &self.index)? {
            None => above,
            Some(text) => Arc::new(FolderRules {
                above: Some(above),
                lines: AttributeLines::parse(&text, &self.everywhere.macros),
                folder: length,
            }),
        })
    }
}

/// Returns the text of the attributes file in a folder: `Some(None)` if there is none, none if it is not reliable.
/// Its name is the one that the index would have.
#[expect(
    clippy::option_option,
    reason = "missing and unreadable are different answers"
)]
fn read_attributes_file(
    folder: &FolderHandle,
    name: &[u8],
    index: &GitIndex,
) -> Option<Option<String>> {
    let tracked = index.is_tracked(name);
    let stamp = match folder.stat(OsStr::new(ATTRIBUTES_FILE)) {
        Ok(stamp) => stamp,
        // If git tracks an attributes file that is missing from the work tree, git reads the one in the index.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return (!tracked).then_some(None);
        }
        Err(_) => return None,
    };
    if stamp.kind() != FileType::File {
        return None;
    }
    let mut bytes = Vec::new();
    let mut reader = folder.open(OsStr::new(ATTRIBUTES_FILE)).ok()?;
    if !reader.read_whole(&mut bytes, MAX_RULES_BYTES).ok()? {
        return None;
    }
    let as_tracked = |entry: IndexEntry<'_>| entry.id == ObjectId::hash_blob(&bytes);
    if tracked && !index.find(name).is_some_and(as_tracked) {
        return None;
    }
    Some(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

impl WorkTreeRules {
    fn read(repository: &Repository, outside: GlobalFiles<'_>, top: &str) -> WorkTreeRules {
        let texts = || {
            let outside = outside.config.iter().map(String::as_str);
            outside.chain([repository.config_text()])
        };
        let mut least = match effective_auto_crlf(texts()) {
            AutoCrlf::No => PossibleConversion::None,
            AutoCrlf::Yes => PossibleConversion::LineEnds,
        };
        let mut attributes: Vec<&str> = outside.attributes.iter().map(String::as_str).collect();
        let info = repository.info_attributes();
        match &info {
            Ok(text) => attributes.extend(text.as_deref()),
            Err(_) => least = PossibleConversion::Any,
        }
        if texts().any(config::refers_to_other_attributes) {
            least = PossibleConversion::Any;
        }
        let mut macros = Macros::new();
        for text in attributes.iter().copied().chain([top]) {
            add_macros(text, &mut macros);
        }
        let files = attributes
            .iter()
            .map(|text| AttributeLines::parse(text, &macros));
        WorkTreeRules {
            least,
            files: files.collect(),
            macros,
        }
    }
}

/// Returns whether a file's stat is the one that git recorded when file and object had the same content, and is old
/// enough to prove that they still have.
fn is_clean_by_stat(entry: &IndexEntry<'_>, stamp: &Stamp, index: &GitIndex) -> bool {
    let cut = |number: u64| number as u32;
    let moment = |(seconds, nanoseconds): (i64, u32)| (seconds as u32, nanoseconds);
    let recorded = &entry.stat;
    let same = entry.is_regular_file()
        && entry.stage == 0
        && !entry.intent_to_add
        && stamp.kind() == FileType::File
        && stamp.size <= u64::from(u32::MAX)
        && recorded.size == cut(stamp.size)
        && recorded.mtime == moment(stamp.mtime)
        && recorded.ctime == moment(stamp.ctime)
        && recorded.inode == cut(stamp.inode)
        && recorded.uid == stamp.uid
        && recorded.gid == stamp.gid;
    // git writes the size 0 for a racily clean file that it found changed, so a size of 0 proves nothing except for
    // the empty blob.
    same && (stamp.size > 0 || entry.id.is_empty_blob()) && !is_racy(stamp, index)
}

/// Returns whether the file could have changed once more, undetected, after git examined it and before it wrote the
/// index.
fn is_racy(stamp: &Stamp, index: &GitIndex) -> bool {
    let (seconds, nanoseconds) = index.write_time();
    stamp.mtime.max(stamp.ctime) >= (seconds.saturating_sub(RACY_SECONDS), nanoseconds)
}
