//! The outcome of a call that changes files: Edit, MultiEdit, Write, undo, redo, restore, or a tool of the host.

use crate::non_exhaustive::NonExhaustive;
use std::path::{Path, PathBuf};

use lancet_formats::syntax::SyntaxError;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::diagnosis::Diagnosis;
use super::{ChangeKind, ExecutableChange, GitDiff, Hunk, LineEndings, Rung, WriteGuarantee};

/// What a call changed, or would change.
#[derive(Clone, Debug)]
pub struct ChangeOutcome {
    /// The changed files, in the order of the call.
    pub files: Vec<FileOutcome>,
    /// The id of the change in the history; none if nothing was written.
    pub operation: Option<String>,
    /// Whether the call was a dry run: nothing was written.
    pub dry_run: bool,
    /// Files that already are what an undo or redo would make of them; they were not written.
    pub found_back: Vec<PathBuf>,
    /// Files that an undo left as they are, because of a conflict.
    pub left_out: Vec<LeftOutFile>,
    /// What the person left out when answering the question.
    pub omitted: Vec<OmittedPart>,
    /// Sentences about what was not written.
    pub notes: Vec<String>,
    /// A sentence that names the changes that an undo, redo or restore is about. Not part of the JSON; the text
    /// contains it.
    pub lead: Option<String>,
    /// What language servers found after the change.
    pub diagnosis: Diagnosis,
    #[doc(hidden)]
    pub layout: Layout,
    #[doc(hidden)]
    pub non_exhaustive: NonExhaustive,
}

/// How the JSON of a change is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The fields of the one file and those of the call in one object.
    OneFile,
    /// One object per file, under `files`.
    Files,
}

impl ChangeOutcome {
    /// Lists the files that the outcome is about, written or not.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        let written = self.files.iter().map(|file| &file.path);
        let left_out = self.left_out.iter().map(|file| &file.path);
        let all = written.chain(&self.found_back).chain(left_out);
        all.map(PathBuf::as_path)
    }

    /// Returns the file that the JSON names in addition to the list of files.
    fn first_path(&self) -> Option<&Path> {
        self.files.first().map(|file| file.path.as_path())
    }
}

/// A file that an undo left as it is.
#[derive(Clone, Debug, Serialize)]
pub struct LeftOutFile {
    /// The file, absolute.
    #[serde(rename = "file_path", serialize_with = "super::as_path")]
    pub path: PathBuf,
    /// The change that remains in force.
    pub operation: String,
    #[doc(hidden)]
    #[serde(skip)]
    pub non_exhaustive: NonExhaustive,
}

/// The part of one file that the person left out when answering the question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OmittedPart {
    /// The file as the call named it or as it was opened.
    #[serde(rename = "file_path")]
    pub path: String,
    /// The lines of the file as it was; none if the whole file was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<OldLines>>,
    #[doc(hidden)]
    #[serde(skip)]
    pub non_exhaustive: NonExhaustive,
}

/// A run of lines of a file as it was before the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OldLines {
    /// The first line, from 1; if lines were only to be added, the line before them (0 at the top).
    pub old_start: usize,
    /// The number of lines; 0 if lines were only to be added.
    pub old_lines: usize,
    #[doc(hidden)]
    #[serde(skip)]
    pub non_exhaustive: NonExhaustive,
}

/// What happened to one file, or would happen in a dry run.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileOutcome {
    /// The file, absolute.
    #[serde(rename = "file_path", serialize_with = "super::as_path")]
    pub path: PathBuf,
    /// The kind of change.
    #[serde(rename = "type", serialize_with = "as_kind")]
    pub kind: ChangeKind,
    /// The path before the change, absolute, of a file that was moved.
    #[serde(
        rename = "from_path",
        skip_serializing_if = "Option::is_none",
        serialize_with = "super::as_optional_path"
    )]
    pub from_path: Option<PathBuf>,
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
    /// The difference, with three lines of context; empty where the file's text is not shown.
    #[serde(serialize_with = "as_hunks")]
    pub patch: Vec<Hunk>,
    /// The encoding of the file, such as `utf-8`.
    pub encoding: &'static str,
    /// The line endings of the file.
    #[serde(serialize_with = "super::as_line_endings")]
    pub line_endings: LineEndings,
    /// Whether the person changed the text when answering the question, or left parts of the change out.
    pub user_modified: bool,
    /// Sentences about the change that the patch does not show.
    pub warnings: Vec<String>,
    /// Whether the permission to execute the file changed. In the JSON it is `true` or `false`, and absent if it did
    /// not change.
    #[serde(
        skip_serializing_if = "stays_as_it_was",
        serialize_with = "as_executable"
    )]
    pub executable: ExecutableChange,
    /// Whether the difference was too large to compute: the patch has line numbers and no lines.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub coarse: bool,
    /// How the old text was matched; none if the whole content was written.
    #[serde(flatten)]
    pub matching: Option<Matching>,
    /// The state of the file after the write; none in a dry run and for a file that was removed.
    #[serde(flatten)]
    pub written: Option<WrittenFile>,
    /// Where the file no longer parses after the change, if it did before.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "super::outline::as_syntax_error"
    )]
    pub syntax_error: Option<SyntaxError>,
    /// The difference to the repository's HEAD, if the setting `write.git_diff` requests it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_diff: Option<GitDiff>,
    #[doc(hidden)]
    #[serde(skip)]
    pub non_exhaustive: NonExhaustive,
}

/// How the old texts of edits were matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matching {
    /// The rung of the ladder on which each edit matched, in order; never empty.
    pub rungs: Vec<Rung>,
    /// The number of places that were replaced.
    pub replacements: usize,
    #[doc(hidden)]
    pub non_exhaustive: NonExhaustive,
}

impl Matching {
    /// Returns the most tolerant rung of all edits.
    pub fn widest(&self) -> Rung {
        let widest = self.rungs.iter().max_by_key(|rung| **rung as u8);
        widest.copied().unwrap_or(Rung::Exact)
    }
}

impl Serialize for Matching {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(None)?;
        fields.serialize_entry("matched", self.widest().name())?;
        fields.serialize_entry("replacements", &self.replacements)?;
        if self.rungs.len() > 1 {
            let names: Vec<&str> = self.rungs.iter().map(|rung| rung.name()).collect();
            fields.serialize_entry("rungs", &names)?;
        }
        fields.end()
    }
}

/// The state of a file after it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WrittenFile {
    /// The short name of the new content; an edit can require it.
    pub revision: String,
    /// How the file was written, and what that guarantees against concurrent writers.
    #[serde(serialize_with = "as_guarantee")]
    pub guarantee: WriteGuarantee,
    /// Whether the folder was flushed too: if not, a power cut may bring the old file back.
    pub durable: bool,
    #[doc(hidden)]
    #[serde(skip)]
    pub non_exhaustive: NonExhaustive,
}

impl Serialize for ChangeOutcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let call = CallFields {
            operation: self.operation.as_deref(),
            dry_run: self.dry_run,
            omitted: &self.omitted,
            diagnosis: &self.diagnosis,
        };
        match (self.layout, self.files.as_slice()) {
            (Layout::OneFile, [file]) => OneFileFields { file, call }.serialize(serializer),
            _ => {
                let others = (!self.notes.is_empty()).then(|| OtherFiles {
                    found_back: self.found_back.iter().map(display_path).collect(),
                    left_out: &self.left_out,
                    warnings: &self.notes,
                });
                let file_path = match (self.first_path(), self.dry_run) {
                    (Some(path), _) => Some(Some(display_path(path))),
                    (None, true) => None,
                    (None, false) => Some(self.found_back.first().map(display_path)),
                };
                let files = FileListFields {
                    files: &self.files,
                    file_path,
                    call,
                    others,
                };
                files.serialize(serializer)
            }
        }
    }
}

#[derive(Serialize)]
struct OneFileFields<'o> {
    #[serde(flatten)]
    file: &'o FileOutcome,
    #[serde(flatten)]
    call: CallFields<'o>,
}

#[derive(Serialize)]
struct FileListFields<'o> {
    files: &'o [FileOutcome],
    /// `null` where an undo found nothing; absent in a dry run that would write nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_path: Option<Option<String>>,
    #[serde(flatten)]
    call: CallFields<'o>,
    #[serde(flatten)]
    others: Option<OtherFiles<'o>>,
}

/// The fields about the call as a whole.
#[derive(Serialize)]
struct CallFields<'o> {
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<&'o str>,
    #[serde(rename = "dryRun", skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
    #[serde(skip_serializing_if = "<[OmittedPart]>::is_empty")]
    omitted: &'o [OmittedPart],
    #[serde(rename = "diagnostics", skip_serializing_if = "Diagnosis::is_empty")]
    diagnosis: &'o Diagnosis,
}

/// The fields about files that an undo or redo did not write.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OtherFiles<'o> {
    found_back: Vec<String>,
    left_out: &'o [LeftOutFile],
    warnings: &'o [String],
}

fn display_path(path: impl AsRef<Path>) -> String {
    path.as_ref().display().to_string()
}

fn as_kind<S: Serializer>(kind: &ChangeKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.as_str())
}

fn as_guarantee<S: Serializer>(
    guarantee: &WriteGuarantee,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(guarantee.name())
}

fn as_hunks<S: Serializer>(hunks: &[Hunk], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(hunks.iter().map(|hunk| HunkFields {
        old_start: hunk.old_start,
        old_lines: hunk.old_lines,
        new_start: hunk.new_start,
        new_lines: hunk.new_lines,
        lines: &hunk.lines,
    }))
}

/// A hunk as the JSON has it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HunkFields<'h> {
    old_start: usize,
    old_lines: usize,
    new_start: usize,
    new_lines: usize,
    lines: &'h [String],
}

fn stays_as_it_was(executable: &ExecutableChange) -> bool {
    *executable == ExecutableChange::Keep
}

fn as_executable<S: Serializer>(
    executable: &ExecutableChange,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(*executable == ExecutableChange::Yes)
}
