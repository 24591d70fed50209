//! The outcome of a call as data: one typed value per answer. The JSON that programs read (`_meta["lancet/result"]`
//! over MCP, `--json` in the shell, [`Reply::data`](crate::reply::Reply::data)) is its serialisation and has no other
//! source. Fields are added and never renamed.

mod change;
mod diagnosis;
mod folder;
mod git_diff;
mod outline;
mod search;

use crate::non_exhaustive::NonExhaustive;
use std::path::{Path, PathBuf};

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use lancet_formats::syntax::Symbol;

use crate::audience::Audience;
use crate::message::Message;
use crate::next_call::NextCall;
use crate::refusal::{Numbers, Refusal, RefusalKind};

pub use crate::row::{Role, Row};
pub use crate::rung_names::describe_rung;
pub use lancet_history::ChangeKind;
pub use lancet_text::{Endings as LineEndings, Hunk, Rung, unified_diff};
pub use lancet_workspace::{ExecutableChange, WriteGuarantee};

pub use change::Layout;
pub use change::{
    ChangeOutcome, FileOutcome, LeftOutFile, Matching, OldLines, OmittedPart, WrittenFile,
};
pub use diagnosis::{Diagnosis, FoundProblem};
pub use folder::FolderOutcome;
pub use git_diff::{GitDiff, GitFile, GitLines, GitStatus};
pub use search::{SearchOutcome, SkippedFiles, Totals};

/// The outcome of a call. Serialised, it is the JSON object of the answer.
///
/// ```
/// use lancet::outcome::Outcome;
/// use lancet::{Lancet, RawCall};
/// use serde_json::json;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let root = folder.path();
/// std::fs::write(root.join("notes.txt"), "one\ntwo\n")?;
/// let lancet = Lancet::builder().root(root).open()?;
/// let call = RawCall::new("Read", json!({ "file_path": root.join("notes.txt") }));
/// let reply = lancet.new_session().call(call);
/// match reply.outcome() {
///     Outcome::Read(read) => assert_eq!((read.start_line, read.total_lines), (1, 2)),
///     Outcome::Refused(refused) => panic!("{}", refused.kind.name()),
///     _ => {}
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Outcome {
    /// Lines of a file were shown.
    Read(ReadOutcome),
    /// Files were searched.
    Found(SearchOutcome),
    /// The entries of a folder were shown.
    Listed(FolderOutcome),
    /// Files were changed, or would be in a dry run.
    Changed(ChangeOutcome),
    /// A host's tool answered with its own data: always an object.
    Answered(Value),
    /// The call was refused, and nothing was written.
    Refused(RefusedOutcome),
}

impl Outcome {
    /// Lists the files that the answer is about: those read, changed, left out or refused, and the first folder of a
    /// search. It is empty for a tool of the host.
    pub fn paths(&self) -> Vec<&Path> {
        match self {
            Outcome::Read(read) => vec![&read.path],
            Outcome::Found(found) => found
                .starts
                .first()
                .map(PathBuf::as_path)
                .into_iter()
                .collect(),
            Outcome::Listed(folder) => vec![&folder.path],
            Outcome::Changed(change) => change.paths().collect(),
            Outcome::Answered(_) => Vec::new(),
            Outcome::Refused(refused) => refused.path.as_deref().into_iter().collect(),
        }
    }
}

/// The lines that a Read showed.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadOutcome {
    /// Whether the text was shown, or only reported as unchanged.
    #[serde(rename = "type")]
    pub kind: ReadKind,
    /// The file, absolute.
    #[serde(rename = "file_path", serialize_with = "as_path")]
    pub path: PathBuf,
    /// The number of the first line, from 1.
    pub start_line: usize,
    /// How many lines were shown.
    pub num_lines: usize,
    /// How many lines the file has.
    pub total_lines: usize,
    /// The encoding of the file, such as `utf-8`.
    pub encoding: &'static str,
    /// The line endings of the file.
    #[serde(serialize_with = "as_line_endings")]
    pub line_endings: LineEndings,
    /// Whether requested lines are missing because the answer would be too long.
    pub truncated: bool,
    /// The short name of the content that was read; an edit can require it.
    pub revision: String,
    /// The symbols of an outline.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        serialize_with = "outline::as_symbols"
    )]
    pub symbols: Vec<Symbol>,
    /// The properties of the picture that was shown, if there was one. Not part of the JSON; the text contains it.
    #[serde(skip)]
    pub picture: Option<PictureOutcome>,
    #[doc(hidden)]
    #[serde(skip)]
    pub non_exhaustive: NonExhaustive,
}

/// A picture that a Read showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureOutcome {
    /// The format of the file, such as `PNG`.
    pub format: &'static str,
    /// The width of the picture in the file, upright, in pixels.
    pub width: u32,
    /// The height.
    pub height: u32,
    #[doc(hidden)]
    pub non_exhaustive: NonExhaustive,
}

/// The kind of answer that a Read gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ReadKind {
    /// The text of the file.
    Text,
    /// The cells of a notebook: `startLine`, `numLines` and `totalLines` count cells.
    Notebook,
    /// A picture. It is in a separate block after the text, and the line counts are zero.
    Image,
    /// Pages of a PDF, as text, as pictures in separate blocks, or as both: `startLine`, `numLines` and `totalLines`
    /// count pages.
    Pdf,
    /// The text that a program of the setting `read.converters` made from the file: the line counts are of that text.
    Converted,
    /// The outline of source code: `startLine` is where it begins, and no line of the file was shown.
    Outline,
    /// One sentence: the same lines were shown before in this session and have not changed.
    Unchanged,
}

/// Why a call was refused.
#[derive(Clone, Debug)]
pub struct RefusedOutcome {
    /// The kind of refusal.
    pub kind: RefusalKind,
    /// The number of the kind in the tool's table; see `docs/errors.md`.
    pub code: u8,
    /// The file that the refusal is about, or else the one that the call names.
    pub path: Option<PathBuf>,
    /// The further fields of the refusal, such as `suggestion` or `diff`.
    pub data: Map<String, Value>,
    /// The calls to make instead, where they are known: `error.next` of the JSON. None of them would be refused now, as
    /// far as this can be foreseen without asking a person.
    pub next: Vec<NextCall>,
    /// The message, which [`text_for`](Self::text_for) renders for an audience.
    #[doc(hidden)]
    pub message: Message,
    #[doc(hidden)]
    pub non_exhaustive: NonExhaustive,
}

impl RefusedOutcome {
    /// Returns the text for a reader other than the one that the engine was opened for.
    #[doc(hidden)]
    pub fn text_for(&self, audience: &Audience) -> String {
        self.message.render(audience)
    }

    /// Splits a refusal into its text and its outcome; `path` is the file that the call names.
    #[doc(hidden)]
    pub fn new(refusal: Refusal, numbers: Numbers, path: Option<&str>) -> (String, Self) {
        let kind = refusal.kind();
        let text = refusal.text().to_owned();
        let (message, data, next) = refusal.into_parts();
        let opened = data.get("file_path").and_then(Value::as_str);
        let outcome = RefusedOutcome {
            kind,
            code: kind.code(numbers),
            path: opened.or(path).map(PathBuf::from),
            data,
            next,
            message,
            non_exhaustive: NonExhaustive,
        };
        (text, outcome)
    }
}

impl Serialize for RefusedOutcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(Some(2))?;
        fields.serialize_entry("error", &RefusalObject(self))?;
        let path = self.path.as_ref().map(|path| path.display().to_string());
        fields.serialize_entry("file_path", &path)?;
        fields.end()
    }
}

/// The `error` object of a refused call.
struct RefusalObject<'o>(&'o RefusedOutcome);

impl Serialize for RefusalObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let RefusalObject(refused) = self;
        let mut fields = serializer.serialize_map(None)?;
        fields.serialize_entry("code", &refused.code)?;
        fields.serialize_entry("name", refused.kind.name())?;
        for (key, value) in &refused.data {
            fields.serialize_entry(key, value)?;
        }
        if !refused.next.is_empty() {
            fields.serialize_entry("next", &refused.next)?;
        }
        fields.end()
    }
}

fn as_path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

fn as_optional_path<S: Serializer>(
    path: &Option<PathBuf>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => as_path(path, serializer),
        None => serializer.serialize_none(),
    }
}

fn as_line_endings<S: Serializer>(endings: &LineEndings, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(endings.name())
}

#[cfg(test)]
mod tests;
