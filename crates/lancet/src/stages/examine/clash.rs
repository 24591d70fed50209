//! Changes of one call that conflict: one file under two names, or one path that would have to be a file and a folder
//! at once.

use std::collections::HashMap;

use super::located_file::{ChangeNoun, LocatedFile};
use crate::message::message;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::plan::{FilePlan, NewContent};
use crate::wording::quote_path;

/// Refuses changes that would create a file where other changes of the same call need a folder.
pub(super) fn refuse_file_and_folder(
    files: &[LocatedFile<'_>],
    noun: &ChangeNoun,
    failures: &mut [Option<Refusal>],
) {
    let new: HashMap<_, _> = files
        .iter()
        .filter_map(|file| Some((file.new_name()?, file.change_numbers().next()?)))
        .collect();
    for file in files {
        let Some(path) = file.new_name() else {
            continue;
        };
        let mut above = path.ancestors().skip(1);
        let Some((folder, first)) = above.find_map(|above| Some((above, new.get(above).copied()?)))
        else {
            continue;
        };
        for number in file.change_numbers() {
            let text = message!(
                "{} {} makes a file {} and {} {} makes {}, which needs a folder of that name. Give one of them another path.",
                noun.capital,
                first + 1,
                quote_path(folder),
                noun.small,
                number + 1,
                quote_path(path)
            );
            let mut refusal = Refusal::from_message(RefusalKind::Invalid, text)
                .with_field("file_path", quote_path(path));
            refusal.withheld = file.withheld_file();
            failures[number] = Some(refusal);
        }
    }
}

/// Refuses changes of one file under two names, because the model did not know that both change the same text.
pub(super) fn refuse_hard_links(files: &[LocatedFile<'_>], failures: &mut [Option<Refusal>]) {
    let inode = |file: &LocatedFile<'_>| {
        let stamp = file.target.located.stat()?;
        (stamp.links > 1).then_some((stamp.device, stamp.inode))
    };
    for (at, file) in files.iter().enumerate() {
        let hard_link = inode(file).and_then(|wanted| {
            let mut earlier = files[..at].iter();
            earlier.find(|other| inode(other) == Some(wanted))
        });
        let Some(other) = hard_link else {
            continue;
        };
        let text = message!(
            "{} and {} are one file under two names that are both to be written. Send the edits under one of the names.",
            quote_path(other.target.path()),
            quote_path(file.target.path())
        );
        for number in file.change_numbers() {
            let mut refusal = Refusal::from_message(RefusalKind::Conflict, text.clone())
                .with_field("file_path", quote_path(file.target.path()));
            refusal.withheld = file.withheld_file();
            failures[number] = Some(refusal);
        }
    }
}

/// Returns the refusal for two new files whose names this file system treats as equal, or as a file and a folder below
/// it; only the write finds that out. `at` is the file whose name was taken.
pub(crate) fn same_name_refusal(files: &[FilePlan], at: usize) -> Option<Refusal> {
    let is_new = |file: &&FilePlan| file.base.is_none() && matches!(file.new, NewContent::Whole(_));
    let second = files.get(at).filter(is_new)?.target.path();
    let others = files.iter().filter(is_new).map(|file| file.target.path());
    let first = others.filter(|first| *first != second).find(|first| {
        lancet_policy::is_within(first, second) || lancet_policy::is_within(second, first)
    })?;
    let text = message!(
        "{} and {} cannot both be made: this file system takes the names for one. Nothing was written; give one of them another path.",
        quote_path(first),
        quote_path(second)
    );
    Some(
        Refusal::from_message(RefusalKind::Conflict, text)
            .with_field("file_path", quote_path(second)),
    )
}
