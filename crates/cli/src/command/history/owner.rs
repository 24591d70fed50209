//! The projects that a change belongs to. Their rules apply from wherever the change is viewed: text that a project
//! denies is not shown from another project either.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use lancet::history::{FileChange, History, Operation};
use lancet::settings::SETTINGS_FILE_NAME;

use crate::arguments::WorkArguments;
use crate::opening::{OpenRequest, WriteAuthor};
use crate::surroundings::{RootHint, Surroundings, resolve_roots};

/// How many folders above a file are checked.
const MAX_PARENTS: usize = 64;

/// Reports whether the rules of the projects around a file allow its text to be shown. Rules that cannot be read deny
/// it.
pub(super) fn is_show_allowed(path: &Path, place: &WorkArguments, around: &Surroundings) -> bool {
    OwnerRules::new(place, around).may_show(path)
}

/// The rules of projects, each read once.
pub(super) struct OwnerRules<'a> {
    place: &'a WorkArguments,
    around: &'a Surroundings,
    /// The projects by their roots; none where the rules cannot be read.
    projects: RefCell<HashMap<PathBuf, Option<History>>>,
}

impl<'a> OwnerRules<'a> {
    pub(super) fn new(place: &'a WorkArguments, around: &'a Surroundings) -> Self {
        Self {
            place,
            around,
            projects: RefCell::default(),
        }
    }

    /// Reports whether the rules of the projects around a file allow its text to be shown.
    pub(super) fn may_show(&self, path: &Path) -> bool {
        let mut projects = self.projects.borrow_mut();
        enclosing_projects(path, self.around)
            .into_iter()
            .all(|root| {
                let project = projects
                    .entry(root.clone())
                    .or_insert_with(|| self.open(root));
                project
                    .as_ref()
                    .is_some_and(|history| history.may_show(path))
            })
    }

    /// Reports whether the text of a change may be shown, under both names of a moved file.
    pub(super) fn may_show_change(&self, change: &FileChange) -> bool {
        let mut names = std::iter::once(&change.path).chain(&change.moved_from);
        names.all(|name| self.may_show(name))
    }

    /// Removes the numbers of lines of files whose text may not be shown.
    pub(super) fn withhold_line_counts(&self, operations: &mut [Operation]) {
        let files = operations.iter_mut().flat_map(|found| &mut found.files);
        for file in files.filter(|file| file.added + file.removed > 0) {
            if !self.may_show_change(file) {
                (file.added, file.removed) = (0, 0);
            }
        }
    }

    fn open(&self, root: PathBuf) -> Option<History> {
        let place = WorkArguments {
            root: vec![root],
            ..self.place.clone()
        };
        let request = OpenRequest::for_command(&place, RootHint::Folder, WriteAuthor::Person);
        // The process is confined already, by the engine that has found the change.
        request.open_confined(self.around).ok()?.history()
    }
}

/// Returns the folders around a file that are projects: those with settings, and the one that a command on the file
/// would work in.
fn enclosing_projects(path: &Path, around: &Surroundings) -> Vec<PathBuf> {
    let has_settings = |folder: &&Path| folder.join(SETTINGS_FILE_NAME).symlink_metadata().is_ok();
    let above = path.ancestors().skip(1).take(MAX_PARENTS);
    let mut folders: Vec<PathBuf> = above.filter(has_settings).map(Path::to_path_buf).collect();
    // A folder that no longer exists has no rules.
    for own in resolve_roots(&[], RootHint::At(path), around).unwrap_or_default() {
        if !folders.contains(&own) {
            folders.push(own);
        }
    }
    folders
}
