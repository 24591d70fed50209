//! The calls that a refusal names instead of the one that was refused, and what a refusal knows before they are made.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

/// A call that does what a refused call was meant to do, or the Read that it lacked. It can be sent as it is, in the same
/// session.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NextCall {
    /// The name of the tool as it is listed, with its prefix.
    pub tool: String,
    /// The arguments, byte for byte as they are to be sent.
    pub arguments: Value,
    /// What the call does, in a few words.
    pub why: String,
}

impl NextCall {
    /// Makes a call.
    #[doc(hidden)]
    pub fn new(tool: String, arguments: Value, why: impl Into<String>) -> Self {
        Self {
            tool,
            arguments,
            why: why.into(),
        }
    }
}

/// What the place that refuses a call knows about the call to make instead.
#[derive(Clone, Debug)]
pub enum Remedy {
    /// Lines of the file have to be read first.
    Read(ReadRemedy),
    /// The failed edit is sent with other texts; one correction for each place that may be meant.
    Corrections {
        /// The number of the edit in the request, from 0.
        edit: usize,
        /// The texts to send, by place.
        corrections: Vec<Correction>,
    },
    /// An edit of the file takes the place of the refused call; one for each place that may be meant.
    Edits(Vec<TextEdit>),
}

impl Remedy {
    /// The corrections of the only edit of a call; [`Remedy::in_edit`] names another.
    pub fn corrections(corrections: Vec<Correction>) -> Option<Self> {
        (!corrections.is_empty()).then_some(Remedy::Corrections {
            edit: 0,
            corrections,
        })
    }

    /// The same remedy for an edit of a call with several.
    pub fn in_edit(self, number: usize) -> Option<Self> {
        match self {
            Remedy::Corrections { corrections, .. } => Some(Remedy::Corrections {
                edit: number,
                corrections,
            }),
            Remedy::Read(read) => Some(Remedy::Read(read)),
            // It stands for the whole call, which has other edits.
            Remedy::Edits(_) => None,
        }
    }
}

/// The lines to read; the whole file where no field is set.
#[derive(Clone, Debug, Default)]
pub struct ReadRemedy {
    /// The file; the one that the refusal is about where it is none.
    pub path: Option<PathBuf>,
    /// The first line, from 1.
    pub offset: Option<usize>,
    /// How many lines.
    pub limit: Option<usize>,
    /// The first character, from 1, of a long line.
    pub column: Option<usize>,
}

impl Remedy {
    /// The read of some lines of the file that a refusal is about.
    pub fn read_lines(offset: Option<usize>, limit: Option<usize>) -> Self {
        Remedy::Read(ReadRemedy {
            offset,
            limit,
            ..ReadRemedy::default()
        })
    }

    /// The read of a file whose name is close to the one that was sent.
    pub fn read_of(path: PathBuf) -> Self {
        Remedy::Read(ReadRemedy {
            path: Some(path),
            ..ReadRemedy::default()
        })
    }
}

/// The texts that an edit should have had; none where the sent one is right.
#[derive(Clone, Debug, Default)]
pub struct Correction {
    /// The text to replace, or the marker.
    pub old: Option<String>,
    /// The text to put there.
    pub new: Option<String>,
    /// The first and the last line of the place, from 1; none where the correction is not about a place.
    pub lines: Option<(usize, usize)>,
}

/// An edit of one place of a file.
#[derive(Clone, Debug)]
pub struct TextEdit {
    /// The file.
    pub path: PathBuf,
    /// The text to replace.
    pub old: String,
    /// The text to put there.
    pub new: String,
    /// The first and the last line of the place, from 1.
    pub lines: (usize, usize),
}
