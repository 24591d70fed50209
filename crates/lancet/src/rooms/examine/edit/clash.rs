//! New files of one call that cannot stand beside each other: one of them would have to be a file and a folder.

use std::collections::HashMap;

use lancet_workspace::FileType;

use crate::refusal::{Refusal, RefusalKind};
use crate::rooms::locate::Target;
use crate::rooms::plan::{FilePlan, New};
use crate::wording::quote_path;

/// Refuses the edits that would make a file where others of the same call need a folder.
pub(super) fn refuse_file_and_folder(
    groups: &[(Target, Vec<usize>)],
    failures: &mut [Option<Refusal>],
) {
    let missing = |target: &Target| matches!(target.located.kind(), FileType::Missing);
    let new: HashMap<_, _> = groups
        .iter()
        .filter(|(target, _)| missing(target))
        .filter_map(|(target, members)| Some((target.path(), *members.first()?)))
        .collect();
    for (target, members) in groups.iter().filter(|(target, _)| missing(target)) {
        let mut above = target.path().ancestors().skip(1);
        let Some((folder, file)) = above.find_map(|above| Some((above, new.get(above).copied()?)))
        else {
            continue;
        };
        for &member in members {
            let text = format!(
                "Edit {} makes a file {} and edit {} makes {}, which needs a folder of that name. Give one of them another path.",
                file + 1,
                quote_path(folder),
                member + 1,
                quote_path(target.path())
            );
            let refusal = Refusal::new(RefusalKind::Invalid, text)
                .with("file_path", quote_path(target.path()));
            failures[member] = Some(refusal);
        }
    }
}

/// Two new files of a plan whose names this file system takes for one, or for a file and a folder below it: only the
/// write finds that out. `at` is the one that found its name taken.
pub(crate) fn same_name(files: &[FilePlan], at: usize) -> Option<Refusal> {
    let is_new = |file: &&FilePlan| file.base.is_none() && matches!(file.new, New::Whole(_));
    let second = files.get(at).filter(is_new)?.target.path();
    let others = files.iter().filter(is_new).map(|file| file.target.path());
    let first = others.filter(|first| *first != second).find(|first| {
        lancet_policy::is_within(first, second) || lancet_policy::is_within(second, first)
    })?;
    let text = format!(
        "{} and {} cannot both be made: this file system takes the names for one. Nothing was written; give one of them another path.",
        quote_path(first),
        quote_path(second)
    );
    Some(Refusal::new(RefusalKind::Conflict, text).with("file_path", quote_path(second)))
}
