//! The projects that a change belongs to. Their rules apply from wherever the change is viewed: text that a project
//! denies is not shown from another project either.

use std::path::{Path, PathBuf};

use lancet::settings::SETTINGS_FILE_NAME;

use crate::arguments::WorkArguments;
use crate::opening::{OpenRequest, WriteAuthor};
use crate::surroundings::{RootHint, Surroundings, resolve_roots};

/// How many folders above a file are checked.
const MAX_PARENTS: usize = 64;

/// Reports whether the rules of the projects around a file allow its text to be shown. Rules that cannot be read deny
/// it.
pub(super) fn is_show_allowed(path: &Path, place: &WorkArguments, around: &Surroundings) -> bool {
    enclosing_projects(path, around)
        .into_iter()
        .all(|root| is_show_allowed_by_project(root, path, place, around).unwrap_or(false))
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

fn is_show_allowed_by_project(
    root: PathBuf,
    path: &Path,
    place: &WorkArguments,
    around: &Surroundings,
) -> Option<bool> {
    let place = WorkArguments {
        root: vec![root],
        ..place.clone()
    };
    let request = OpenRequest::for_command(&place, RootHint::Folder, WriteAuthor::Person);
    let opened = request.open_to_inspect(around).ok()?;
    Some(opened.lancet.history()?.may_show(path))
}
