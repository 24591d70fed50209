//! The diff of a changed file to git's HEAD, for the data of an answer (`write.git_diff`). The write has already
//! happened, so nothing here fails: the data says what could not be compared. `lancet_git` reads the repository.

use lancet_model::non_exhaustive::NonExhaustive;
use std::path::Path;
use std::time::Duration;

use lancet_git::{
    AutoCrlf, CommittedContent, Conversion, ConversionRules, GitError, Repository, convert_to_git,
    effective_auto_crlf,
};
use lancet_text::{Encoding, apply_raw, difference, unified_diff};
use lancet_workspace::{ReadError, Revision, WriteOutcome};

use super::super::plan::{FilePlan, NewContent};
use crate::engine::EngineView;
use crate::line_rules::{LineDiffing, RuleFile, TextConversion, git_attributes};
use crate::outcome::{GitDiff, GitFile, GitLines, GitStatus};

/// The longest time for one diff.
const DIFF_BUDGET: Duration = Duration::from_millis(500);
/// The largest file that is compared, on either side.
const MAX_COMPARED_SIZE: u64 = 16 << 20;
/// How many bytes git searches for a NUL to recognise binary files.
const BINARY_CHECK_LENGTH: usize = 8_000;

/// Returns the diff to git's HEAD after a change, if the settings enable it; `content` is what was written, if it is in
/// memory.
pub(super) fn diff_after_change(
    engine: &EngineView,
    (file, written): (&FilePlan, &WriteOutcome),
    content: Option<&Vec<u8>>,
) -> Option<GitDiff> {
    if !engine.settings.write.git_diff {
        return None;
    }
    let now = match content {
        _ if file.removes() => ContentAfter::Gone,
        Some(bytes) => ContentAfter::Bytes(bytes),
        None => ContentAfter::Written(&written.revision),
    };
    Some(git_diff(engine, file, &now))
}

/// Returns the diff to git's HEAD that a change would leave, if the settings enable it.
pub(super) fn predicted_diff(engine: &EngineView, file: &FilePlan) -> Option<GitDiff> {
    if !engine.settings.write.git_diff {
        return None;
    }
    let spliced;
    let now = match (&file.new, &file.base) {
        (NewContent::Removed { .. }, _) => ContentAfter::Gone,
        (NewContent::Whole(bytes) | NewContent::Restored { bytes, .. }, _) => {
            ContentAfter::Bytes(bytes)
        }
        (NewContent::Moved(moved), Some(base)) => {
            spliced = apply_raw(&base.bytes, &moved.changes);
            ContentAfter::Bytes(&spliced)
        }
        (NewContent::Changes(changes), Some(base)) => {
            spliced = apply_raw(&base.bytes, changes);
            ContentAfter::Bytes(&spliced)
        }
        _ => ContentAfter::Large,
    };
    Some(git_diff(engine, file, &now))
}

/// The content of the file after the change.
enum ContentAfter<'b> {
    /// Bytes in memory.
    Bytes(&'b [u8]),
    /// Content that was written and is only on the disk.
    Written(&'b Revision),
    /// The file was removed.
    Gone,
    /// Content that is too large for memory, and not written yet.
    Large,
}

fn git_diff(engine: &EngineView, file: &FilePlan, now: &ContentAfter<'_>) -> GitDiff {
    if file.is_withheld() {
        return diff_with_status(GitStatus::Withheld);
    }
    let mut read = Vec::new();
    let new = match now {
        ContentAfter::Bytes(bytes) if bytes.len() as u64 > MAX_COMPARED_SIZE => {
            return diff_with_status(GitStatus::TooLarge);
        }
        ContentAfter::Bytes(bytes) => Some(*bytes),
        ContentAfter::Gone => None,
        ContentAfter::Large => return diff_with_status(GitStatus::TooLarge),
        ContentAfter::Written(revision) => {
            match file.target.located.read_snapshot(MAX_COMPARED_SIZE) {
                Ok(snapshot) if snapshot.revision == **revision => {
                    read.extend_from_slice(&snapshot.bytes);
                    Some(read.as_slice())
                }
                Ok(_) => return unreadable_diff("the file has changed again"),
                Err(ReadError::TooLarge { .. }) => return diff_with_status(GitStatus::TooLarge),
                Err(error) => return unreadable_diff(&error.to_string()),
            }
        }
    };
    match compare_with_head(engine, file.target.path(), file.encoding, new) {
        Ok(value) => value,
        Err(GitError::TooLarge { .. }) => diff_with_status(GitStatus::TooLarge),
        Err(trouble) => unreadable_diff(&trouble.to_string()),
    }
}

fn compare_with_head(
    engine: &EngineView,
    path: &Path,
    encoding: Encoding,
    new: Option<&[u8]>,
) -> Result<GitDiff, GitError> {
    let Some(repository) = Repository::find_for_file(path, &engine.base().disk)? else {
        return Ok(diff_with_status(GitStatus::NoRepository));
    };
    let Some(relative) = repository.relative_path(path) else {
        return Ok(diff_with_status(GitStatus::NoRepository));
    };
    let head = repository.head_commit()?;
    let committed = match &head {
        Some(head) => repository.committed_content(head, relative)?,
        None => CommittedContent::Nothing,
    };
    let file = Some(GitFile {
        filename: relative.to_path_buf(),
        head: head.map(|head| head.to_string()),
        non_exhaustive: NonExhaustive,
    });
    let result = |status| GitDiff {
        file,
        ..self::diff_with_status(status)
    };
    let old = match &committed {
        CommittedContent::Nothing => None,
        CommittedContent::File(bytes) => Some(bytes.as_slice()),
        CommittedContent::Other(_) => return Ok(result(GitStatus::TypeChanged)),
    };
    let (rules, surroundings) = (
        repository.conversion_rules(relative)?,
        &engine.settings.write.git,
    );
    let further = surroundings.attributes.iter().map(|text| RuleFile {
        folder: Path::new(""),
        text,
    });
    let own = rules.attributes.iter().map(|file| RuleFile {
        folder: &file.folder,
        text: &file.text,
    });
    let files: Vec<RuleFile<'_>> = further.chain(own).collect();
    let attributes = git_attributes(relative, &files);
    if let Some(attribute) = attributes.converts {
        return Ok(GitDiff {
            attribute: Some(attribute.to_owned()),
            ..result(GitStatus::Converted)
        });
    }
    let conversion = match attributes.text {
        TextConversion::No => Conversion::None,
        TextConversion::Yes => Conversion::Text,
        TextConversion::Auto => Conversion::Auto,
        TextConversion::Unspecified => configured_conversion(&surroundings.config, &rules),
    };
    let new = new.map(|bytes| convert_to_git(bytes, conversion, old));
    let new = new.as_deref();
    let status = status_between(old, new);
    let binary = |bytes: &[u8]| is_binary(bytes, attributes.lines);
    if old != new && (old.is_some_and(binary) || new.is_some_and(binary)) {
        return Ok(result(GitStatus::Binary));
    }
    Ok(GitDiff {
        lines: Some(git_lines(encoding, old, new)),
        ..result(status)
    })
}

/// Returns whether git treats a content as binary. `lines` is what the attributes say about its file.
fn is_binary(bytes: &[u8], lines: LineDiffing) -> bool {
    match lines {
        LineDiffing::Always => false,
        LineDiffing::Never => true,
        LineDiffing::Look => bytes
            .iter()
            .take(BINARY_CHECK_LENGTH)
            .any(|byte| *byte == 0),
    }
}

/// Returns the lines that differ between two contents.
fn git_lines(encoding: Encoding, old: Option<&[u8]>, new: Option<&[u8]>) -> GitLines {
    let show = |bytes: Option<&[u8]>| {
        encoding
            .decode_for_display(bytes.unwrap_or_default())
            .into_owned()
    };
    let changed = difference(&show(old), &show(new), 3, DIFF_BUDGET);
    GitLines {
        additions: changed.added,
        deletions: changed.removed,
        changes: changed.added + changed.removed,
        coarse: changed.coarse,
        patch: (!changed.coarse).then(|| unified_diff(&changed.hunks)),
        non_exhaustive: NonExhaustive,
    }
}

fn status_between(old: Option<&[u8]>, new: Option<&[u8]>) -> GitStatus {
    match (old, new) {
        (old, new) if old == new => GitStatus::Unchanged,
        (None, _) => GitStatus::Added,
        (_, None) => GitStatus::Deleted,
        _ => GitStatus::Modified,
    }
}

/// Returns how git's configuration converts a file for which no attribute is set.
fn configured_conversion(surroundings: &[String], rules: &ConversionRules) -> Conversion {
    let texts = surroundings.iter().map(String::as_str);
    match effective_auto_crlf(texts.chain([rules.config.as_str()])) {
        AutoCrlf::No => Conversion::None,
        AutoCrlf::Yes => Conversion::Auto,
    }
}

fn diff_with_status(status: GitStatus) -> GitDiff {
    GitDiff {
        file: None,
        status,
        reason: None,
        attribute: None,
        lines: None,
        non_exhaustive: NonExhaustive,
    }
}

fn unreadable_diff(reason: &str) -> GitDiff {
    GitDiff {
        reason: Some(reason.to_owned()),
        ..diff_with_status(GitStatus::Unreadable)
    }
}
