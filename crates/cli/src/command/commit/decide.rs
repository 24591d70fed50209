//! What of a file is committed: decided from who wrote which part of the difference to HEAD. Nothing here runs git.

use std::ops::Range;

use lancet::history::{
    OtherWriter, PartOwner, UncommittedFile, apply_selected_hunks, merge_selected_hunks,
};

use super::entries::LINK_MODE;

/// A version of a file as git stores it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoredFile {
    /// The mode, such as `100644`.
    pub(super) mode: String,
    /// The content of the blob.
    pub(super) bytes: Vec<u8>,
}

/// The versions of a file, as git stores them.
#[derive(Clone, Debug)]
pub(super) struct StoredVersions {
    /// The version of HEAD.
    pub(super) committed: Option<StoredFile>,
    /// The version in the work tree.
    pub(super) present: Option<StoredFile>,
    /// The version in git's index.
    pub(super) staged: Option<StoredFile>,
    /// Whether parts of the file can be committed.
    pub(super) division: Division,
}

/// Whether parts of a file can be committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Division {
    /// The file is text, line by line.
    ByLines,
    /// The file is committed as a whole or not at all.
    Whole,
}

/// Changes of others that prevent the commit.
#[derive(Clone, Debug)]
pub(super) struct ForeignPart {
    /// The lines of the file in the work tree, counted from 0; none for the file as a whole.
    pub(super) lines: Option<Range<usize>>,
    pub(super) writers: Vec<OtherWriter>,
}

/// What is done with a file.
#[derive(Clone, Debug)]
pub(super) enum FileDecision {
    /// The selected changes have no part in the difference.
    Nothing,
    /// Others wrote at the same place.
    Foreign(Vec<ForeignPart>),
    /// What is staged of the file does not go together with the commit.
    Staged,
    /// The file is committed.
    Commit(CommittedFile),
}

/// What is committed of a file.
#[derive(Clone, Debug)]
pub(super) struct CommittedFile {
    /// The file in the commit; none where it is removed.
    pub(super) file: Option<StoredFile>,
    /// The file in git's index after the commit.
    pub(super) index: IndexOutcome,
    pub(super) added: usize,
    pub(super) removed: usize,
}

/// What becomes of the file's entry in git's index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum IndexOutcome {
    /// It becomes that of the commit.
    Committed,
    /// It stays as it is.
    Unchanged,
    /// It gets the committed hunks in addition to what is staged.
    Merged(StoredFile),
}

/// Decides what of a file is committed.
pub(super) fn decide(found: &UncommittedFile, versions: &StoredVersions) -> FileDecision {
    let foreign = foreign_parts(found, versions);
    if !foreign.is_empty() {
        return FileDecision::Foreign(foreign);
    }
    let is_own = |owner: &Option<PartOwner>| matches!(owner, Some(PartOwner::Selected));
    let mut own_hunks = found.hunks.iter().filter(|hunk| hunk.is_selected());
    let has_own_hunk = own_hunks.next().is_some();
    let is_present_or_gone = is_own(&found.presence) && found.hunks.is_empty();
    let has_part = has_own_hunk || is_present_or_gone || is_own(&found.mode) || is_own(&found.name);
    if !has_part {
        return FileDecision::Nothing;
    }
    let file = versions.present.as_ref().map(|present| {
        let committed = versions.committed.as_ref();
        let old = committed.map_or(&[][..], |file| &file.bytes);
        let mode = match committed {
            Some(committed) if !is_own(&found.mode) && !is_link_change(committed, present) => {
                &committed.mode
            }
            _ => &present.mode,
        };
        let bytes = match versions.division {
            Division::ByLines => apply_selected_hunks(old, &present.bytes, &found.hunks),
            Division::Whole if has_own_hunk || committed.is_none() => present.bytes.clone(),
            Division::Whole => old.to_vec(),
        };
        StoredFile {
            mode: mode.clone(),
            bytes,
        }
    });
    let Some(index) = index_outcome(found, versions, file.as_ref()) else {
        return FileDecision::Staged;
    };
    let own_hunks = found.hunks.iter().filter(|hunk| hunk.is_selected());
    FileDecision::Commit(CommittedFile {
        file,
        index,
        added: own_hunks.clone().map(|hunk| hunk.new.len()).sum(),
        removed: own_hunks.map(|hunk| hunk.old.len()).sum(),
    })
}

/// Returns whether a file became a symbolic link, or the other way round.
fn is_link_change(committed: &StoredFile, present: &StoredFile) -> bool {
    (committed.mode == LINK_MODE) != (present.mode == LINK_MODE)
}

/// Lists what others wrote at the places of the selected changes.
fn foreign_parts(found: &UncommittedFile, versions: &StoredVersions) -> Vec<ForeignPart> {
    let mut parts = Vec::new();
    let has_own = found.hunks.iter().any(|hunk| hunk.is_selected());
    let has_own_mode = matches!(found.mode, Some(PartOwner::Selected));
    let is_removed_by_selection =
        versions.present.is_none() && matches!(found.presence, Some(PartOwner::Selected));
    for hunk in &found.hunks {
        let is_divided = versions.division == Division::ByLines && !is_removed_by_selection;
        let writers = match &hunk.owner {
            PartOwner::Both(writers) => writers,
            PartOwner::Others(writers) if !is_divided && (has_own || is_removed_by_selection) => {
                writers
            }
            _ => continue,
        };
        parts.push(ForeignPart {
            lines: (versions.division == Division::ByLines).then(|| hunk.new.clone()),
            writers: writers.clone(),
        });
    }
    for once in [&found.presence, &found.name] {
        if let Some(PartOwner::Others(writers)) = once
            && (has_own || has_own_mode)
        {
            parts.push(ForeignPart {
                lines: None,
                writers: writers.clone(),
            });
        }
    }
    parts
}

/// Decides what becomes of the file's entry in git's index; none where that is not certain.
fn index_outcome(
    found: &UncommittedFile,
    versions: &StoredVersions,
    file: Option<&StoredFile>,
) -> Option<IndexOutcome> {
    let staged = versions.staged.as_ref();
    // `git add --intent-to-add` stages a new file as an empty one.
    let is_intended =
        versions.committed.is_none() && staged.is_some_and(|staged| staged.bytes.is_empty());
    let is_untouched = staged == versions.committed.as_ref() || is_intended;
    // What is staged under the old name of a moved file would stay there.
    if found.name.is_some() && !is_untouched {
        return None;
    }
    if is_untouched || found.is_staged_version_own {
        return Some(IndexOutcome::Committed);
    }
    if staged == file || staged == versions.present.as_ref() {
        return Some(IndexOutcome::Unchanged);
    }
    let (staged, committed) = (staged?, versions.committed.as_ref()?);
    let present = versions.present.as_ref()?;
    if versions.division == Division::Whole {
        return None;
    }
    let bytes = merge_selected_hunks(
        &staged.bytes,
        &committed.bytes,
        &present.bytes,
        &found.hunks,
    )?;
    let mode = match &found.mode {
        Some(PartOwner::Selected) => &present.mode,
        _ => &staged.mode,
    };
    Some(IndexOutcome::Merged(StoredFile {
        mode: mode.clone(),
        bytes,
    }))
}

#[cfg(test)]
mod tests {
    use lancet::history::UncommittedHunk;

    use super::*;

    fn stored(text: &str) -> Option<StoredFile> {
        Some(StoredFile {
            mode: "100644".to_owned(),
            bytes: text.into(),
        })
    }

    /// Returns the decision on a file whose second line the selected changes wrote, and the fourth another program.
    fn decision(staged: Option<StoredFile>, division: Division) -> FileDecision {
        let hunk = |line: usize, owner| UncommittedHunk {
            old: line..line + 1,
            new: line..line + 1,
            owner,
        };
        let others = PartOwner::Others(vec![OtherWriter::Unknown]);
        let found = UncommittedFile {
            hunks: vec![hunk(1, PartOwner::Selected), hunk(3, others)],
            presence: None,
            mode: None,
            name: None,
            operations: Vec::new(),
            is_staged_version_own: false,
            is_incomplete: false,
        };
        let versions = StoredVersions {
            committed: stored("a\nb\nc\nd\n"),
            present: stored("a\nB\nc\nD\n"),
            staged,
            division,
        };
        decide(&found, &versions)
    }

    #[test]
    fn index_gets_the_hunk_beside_what_is_staged() {
        for (staged, expected) in [
            (stored("a\nb\nc\nd\n"), IndexOutcome::Committed),
            (stored("a\nB\nc\nd\n"), IndexOutcome::Unchanged),
            (stored("a\nB\nc\nD\n"), IndexOutcome::Unchanged),
            (
                stored("a\nb\nc\nother\n"),
                IndexOutcome::Merged(stored("a\nB\nc\nother\n").expect("a file")),
            ),
        ] {
            let FileDecision::Commit(committed) = decision(staged, Division::ByLines) else {
                panic!("the file is committed");
            };
            assert_eq!(committed.file, stored("a\nB\nc\nd\n"));
            assert_eq!(committed.index, expected);
        }
    }

    #[test]
    fn staged_lines_at_the_place_prevent_the_commit() {
        for staged in [stored("a\nother\nc\nd\n"), None] {
            let decided = decision(staged, Division::ByLines);
            assert!(matches!(decided, FileDecision::Staged), "{decided:?}");
        }
    }

    #[test]
    fn file_that_cannot_be_divided_has_to_be_of_the_selection_alone() {
        let decided = decision(stored("a\nb\nc\nd\n"), Division::Whole);
        assert!(matches!(decided, FileDecision::Foreign(_)), "{decided:?}");
    }
}
