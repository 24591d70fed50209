//! The *examine* stage for the view of a folder: its entries, two levels deep, as many as fit into the answer. Hidden
//! entries and those that may not be read are left out; a folder that ignore files exclude is named and not entered.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use lancet_search::{Excludes, FolderRules};
use lancet_workspace::{EntryKind, FileType, FolderEntry, Located, ReadError};

use crate::refusal::Refusal;
use crate::stages::context::CallContext;
use crate::stages::locate::{Intent, is_hidden, locate};
use crate::stages::open::unreadable_refusal;
use crate::wording::quote_path;

/// How many entries of one folder are read.
const MAX_ENTRIES: usize = 2_000;
/// The length of the answer that is reserved for the notice after the entries.
const NOTICE_LENGTH: usize = 1_200;

/// The result of viewing a folder.
pub(crate) struct FolderView {
    /// The folder's absolute path.
    pub(crate) path: PathBuf,
    /// The absolute paths of the shown entries, each folder before its entries.
    pub(crate) entries: Vec<PathBuf>,
    /// The entries as text for the model, one per line.
    pub(crate) text: String,
    /// The sentence after the entries.
    pub(crate) notice: String,
    /// Whether entries are left out because the answer would be too long.
    pub(crate) truncated: bool,
}

/// Lists the entries of a path; none where it is not a folder.
pub(crate) fn examine(
    context: &CallContext<'_>,
    given: &str,
) -> Result<Option<FolderView>, Refusal> {
    let engine = context.engine();
    let target = locate(engine, given, Intent::Show)?;
    if target.located.kind() != FileType::Directory {
        return Ok(None);
    }
    let mut list = EntryList {
        context,
        room: context.limit.most.saturating_sub(NOTICE_LENGTH).max(500),
        view: FolderView {
            path: target.path().to_path_buf(),
            entries: Vec::new(),
            text: String::new(),
            notice: String::new(),
            truncated: false,
        },
    };
    let top =
        entries(context, &target.located).map_err(|error| unreadable_refusal(&target, &error))?;
    let rules = rules_inside(context, target.path());
    for entry in top {
        context.check_time()?;
        let path = target.path().join(&entry.name);
        list.add(&path, entry.kind);
        let is_listed = entry.kind == EntryKind::Folder && !rules.ignores(&path);
        if !is_listed || list.view.truncated {
            continue;
        }
        // A folder that has been removed or may not be listed is shown by its name alone.
        let inside = engine.workspace.locate_as_spelled(&path).ok();
        let inside = inside.and_then(|inside| entries(context, &inside).ok());
        for entry in inside.into_iter().flatten() {
            list.add(&path.join(&entry.name), entry.kind);
        }
    }
    Ok(Some(list.finish()))
}

/// Returns the entries of a folder that may be shown.
fn entries(context: &CallContext<'_>, folder: &Located) -> Result<Vec<FolderEntry>, ReadError> {
    let keep = |name: &OsStr, _: EntryKind| {
        !name.as_bytes().starts_with(b".")
            && !is_hidden(context.engine(), &folder.path().join(name))
    };
    Ok(folder.entries(MAX_ENTRIES, &keep)?.entries)
}

/// Reads the ignore rules that apply inside a folder.
fn rules_inside(context: &CallContext<'_>, folder: &Path) -> FolderRules {
    let engine = context.engine();
    let excludes = engine.settings.search.excludes.clone();
    let excludes = excludes.map(|file| Excludes {
        file,
        relative_to: engine.full_workspace().roots()[0].clone(),
    });
    FolderRules::read_above(folder, excludes.as_ref()).enter_folder(folder)
}

/// The list of entries while it is built.
struct EntryList<'c, 's> {
    context: &'c CallContext<'s>,
    /// The length that is left for entries.
    room: usize,
    view: FolderView,
}

impl EntryList<'_, '_> {
    fn add(&mut self, path: &Path, kind: EntryKind) {
        let slash = match kind {
            EntryKind::Folder => "/",
            _ => "",
        };
        let line = format!("{}{slash}\n", quote_path(path));
        let length = self.context.length(&line);
        if self.view.truncated || length > self.room {
            self.view.truncated = true;
            return;
        }
        self.room -= length;
        self.view.text.push_str(&line);
        self.view.entries.push(path.to_path_buf());
    }

    fn finish(mut self) -> FolderView {
        let view = &self.view;
        let audience = self.context.engine().audience();
        let mut notice = format!(
            "{} of {}, two levels deep; hidden ones and what ignored folders hold are left out",
            match view.entries.len() {
                1 => "1 entry".to_owned(),
                number => format!("{number} entries"),
            },
            self.context.limit.truncate(
                &audience.path_name(&quote_path(&view.path)),
                NOTICE_LENGTH / 2
            )
        );
        if view.truncated {
            let glob = self.context.tool_name("Glob");
            notice.push_str(&format!(
                "; there are more than fit the answer: view a folder of them, or search with {glob}"
            ));
        }
        self.view.notice = notice;
        self.view
    }
}
