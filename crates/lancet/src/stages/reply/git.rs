//! The diff of a changed file to git's HEAD, for the data of an answer (`write.git_diff`). The write has already
//! happened, so nothing here fails: the data says what could not be compared. `lancet_git` reads the repository.

use lancet_model::non_exhaustive::NonExhaustive;
use std::path::Path;
use std::time::Duration;

use lancet_git::{
    AutoCrlf, Committed, Conversion, ConversionRules, GitError, Repository, auto_crlf, to_git,
};
use lancet_text::{Encoding, apply_raw, difference, unified};
use lancet_workspace::{ReadError, Revision, Written};

use super::super::plan::{FilePlan, New};
use crate::engine::EngineView;
use crate::line_rules::{Lines, RuleFile, Text, git_attributes};
use crate::outcome::{GitDiff, GitFile, GitLines, GitStatus};

/// The longest time for one diff.
const BUDGET: Duration = Duration::from_millis(500);
/// The largest file that is compared, on either side.
const MOST_BYTES: u64 = 16 << 20;
/// How many bytes git searches for a NUL to recognise binary files.
const LOOKED_AT: usize = 8_000;

/// Returns the diff to git's HEAD after a change, if the settings enable it; `content` is what was written, if it is in
/// memory.
pub(super) fn after(
    engine: &EngineView,
    (file, written): (&FilePlan, &Written),
    content: Option<&Vec<u8>>,
) -> Option<GitDiff> {
    if !engine.settings.write.git_diff {
        return None;
    }
    let now = match content {
        _ if file.removes() => Now::Gone,
        Some(bytes) => Now::Bytes(bytes),
        None => Now::Written(&written.revision),
    };
    Some(git_diff(engine, file, &now))
}

/// Returns the diff to git's HEAD that a change would leave, if the settings enable it.
pub(super) fn foreseen(engine: &EngineView, file: &FilePlan) -> Option<GitDiff> {
    if !engine.settings.write.git_diff {
        return None;
    }
    let spliced;
    let now = match (&file.new, &file.base) {
        (New::Removed { .. }, _) => Now::Gone,
        (New::Whole(bytes) | New::Restored { bytes, .. }, _) => Now::Bytes(bytes),
        (New::Moved(moved), Some(base)) => {
            spliced = apply_raw(&base.bytes, &moved.changes);
            Now::Bytes(&spliced)
        }
        (New::Changes(changes), Some(base)) => {
            spliced = apply_raw(&base.bytes, changes);
            Now::Bytes(&spliced)
        }
        _ => Now::Large,
    };
    Some(git_diff(engine, file, &now))
}

/// The content of the file after the change.
enum Now<'b> {
    /// Bytes in memory.
    Bytes(&'b [u8]),
    /// Content that was written and is only on the disk.
    Written(&'b Revision),
    /// The file was removed.
    Gone,
    /// Content that is too large for memory, and not written yet.
    Large,
}

fn git_diff(engine: &EngineView, file: &FilePlan, now: &Now<'_>) -> GitDiff {
    if file.is_withheld() {
        return status(GitStatus::Withheld);
    }
    let mut read = Vec::new();
    let new = match now {
        Now::Bytes(bytes) if bytes.len() as u64 > MOST_BYTES => return status(GitStatus::TooLarge),
        Now::Bytes(bytes) => Some(*bytes),
        Now::Gone => None,
        Now::Large => return status(GitStatus::TooLarge),
        Now::Written(revision) => match file.target.located.snapshot(MOST_BYTES) {
            Ok(snapshot) if snapshot.revision == **revision => {
                read.extend_from_slice(&snapshot.bytes);
                Some(read.as_slice())
            }
            Ok(_) => return unreadable("the file has changed again"),
            Err(ReadError::TooLarge { .. }) => return status(GitStatus::TooLarge),
            Err(error) => return unreadable(&error.to_string()),
        },
    };
    match compare(engine, file.target.path(), file.encoding, new) {
        Ok(value) => value,
        Err(GitError::TooLarge { .. }) => status(GitStatus::TooLarge),
        Err(trouble) => unreadable(&trouble.to_string()),
    }
}

fn compare(
    engine: &EngineView,
    path: &Path,
    encoding: Encoding,
    new: Option<&[u8]>,
) -> Result<GitDiff, GitError> {
    let Some(repository) = Repository::around(path, &engine.base().disk)? else {
        return Ok(status(GitStatus::NoRepository));
    };
    let Some(relative) = repository.relative(path) else {
        return Ok(status(GitStatus::NoRepository));
    };
    let head = repository.head()?;
    let committed = match &head {
        Some(head) => repository.committed(head, relative)?,
        None => Committed::Nothing,
    };
    let file = Some(GitFile {
        filename: relative.to_path_buf(),
        head: head.map(|head| head.to_string()),
        non_exhaustive: NonExhaustive,
    });
    let result = |status| GitDiff {
        file,
        ..self::status(status)
    };
    let old = match &committed {
        Committed::Nothing => None,
        Committed::File(bytes) => Some(bytes.as_slice()),
        Committed::Other(_) => return Ok(result(GitStatus::TypeChanged)),
    };
    let (rules, surroundings) = (repository.rules(relative)?, &engine.settings.write.git);
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
        Text::No => Conversion::None,
        Text::Yes => Conversion::Text,
        Text::Auto => Conversion::Auto,
        Text::Unspecified => by_configuration(&surroundings.config, &rules),
    };
    let new = new.map(|bytes| to_git(bytes, conversion, old));
    let new = new.as_deref();
    let status = status_between(old, new);
    let binary = |bytes: &[u8]| match attributes.lines {
        Lines::Always => false,
        Lines::Never => true,
        Lines::Look => bytes.iter().take(LOOKED_AT).any(|byte| *byte == 0),
    };
    if old != new && (old.is_some_and(binary) || new.is_some_and(binary)) {
        return Ok(result(GitStatus::Binary));
    }
    let show = |bytes: Option<&[u8]>| encoding.show(bytes.unwrap_or_default()).into_owned();
    let changed = difference(&show(old), &show(new), 3, BUDGET);
    Ok(GitDiff {
        lines: Some(GitLines {
            additions: changed.added,
            deletions: changed.removed,
            changes: changed.added + changed.removed,
            coarse: changed.coarse,
            patch: (!changed.coarse).then(|| unified(&changed.hunks)),
            non_exhaustive: NonExhaustive,
        }),
        ..result(status)
    })
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
fn by_configuration(surroundings: &[String], rules: &ConversionRules) -> Conversion {
    let texts = surroundings.iter().map(String::as_str);
    match auto_crlf(texts.chain([rules.config.as_str()])) {
        AutoCrlf::No => Conversion::None,
        AutoCrlf::Yes => Conversion::Auto,
    }
}

fn status(status: GitStatus) -> GitDiff {
    GitDiff {
        file: None,
        status,
        reason: None,
        attribute: None,
        lines: None,
        non_exhaustive: NonExhaustive,
    }
}

fn unreadable(reason: &str) -> GitDiff {
    GitDiff {
        reason: Some(reason.to_owned()),
        ..status(GitStatus::Unreadable)
    }
}
