//! The calls that a refusal suggests instead of the refused one, and the facts from which they are built.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

/// A call that does what a refused call was meant to do, or the Read that it lacked. It can be sent as it is, in the
/// same session.
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

/// The facts about the call to make instead, known where the call is refused.
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
    /// An edit of the file takes the place of the refused change; one for each place that may be meant.
    Edits(Vec<TextEdit>),
    /// Each failed part of a text with several parts has edits that may take its place.
    Parts(Vec<PartRemedy>),
}

/// The edits that may take the place of a part of a text with edits.
#[derive(Clone, Debug)]
pub struct PartRemedy {
    /// The number of the part, from 0.
    pub part: usize,
    /// The edits, one for each place that may be meant.
    pub edits: Vec<TextEdit>,
}

impl Remedy {
    /// Makes a remedy of corrections for the only edit of a call; [`Remedy::for_edit`] selects another edit.
    pub fn corrections(corrections: Vec<Correction>) -> Option<Self> {
        (!corrections.is_empty()).then_some(Remedy::Corrections {
            edit: 0,
            corrections,
        })
    }

    /// Applies the same remedy to an edit of a call with several.
    pub fn for_edit(self, number: usize) -> Option<Self> {
        match self {
            Remedy::Corrections { corrections, .. } => Some(Remedy::Corrections {
                edit: number,
                corrections,
            }),
            Remedy::Read(read) => Some(Remedy::Read(read)),
            // They replace the whole call, which has other edits.
            Remedy::Edits(_) | Remedy::Parts(_) => None,
        }
    }
}

/// The lines to read; the whole file where no field is set.
#[derive(Clone, Debug, Default)]
pub struct ReadRemedy {
    /// The file; none for the file that the refusal is about.
    pub path: Option<PathBuf>,
    /// The first line, from 1.
    pub offset: Option<usize>,
    /// How many lines.
    pub limit: Option<usize>,
    /// The first character, from 1, of a long line.
    pub column: Option<usize>,
}

impl Remedy {
    /// Suggests reading some lines of the file that a refusal is about.
    pub fn read_lines(offset: Option<usize>, limit: Option<usize>) -> Self {
        Remedy::Read(ReadRemedy {
            offset,
            limit,
            ..ReadRemedy::default()
        })
    }

    /// Suggests reading a file whose name is close to the one that was sent.
    pub fn read_file(path: PathBuf) -> Self {
        Remedy::Read(ReadRemedy {
            path: Some(path),
            ..ReadRemedy::default()
        })
    }
}

/// The texts that an edit should have had; none for a text that was right as sent.
#[derive(Clone, Debug, Default)]
pub struct Correction {
    /// The text to replace, or the marker.
    pub old: Option<String>,
    /// The text to replace it with.
    pub new: Option<String>,
    /// The first and the last line of the place, from 1; none if the correction is not about a place.
    pub lines: Option<(usize, usize)>,
}

/// An edit of one place of a file.
#[derive(Clone, Debug)]
pub struct TextEdit {
    /// The file.
    pub path: PathBuf,
    /// The text to replace.
    pub old: String,
    /// The text to replace it with.
    pub new: String,
    /// The first and the last line of the place, from 1.
    pub lines: (usize, usize),
}
