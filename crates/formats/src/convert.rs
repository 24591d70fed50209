//! Files whose text is extracted by another program: the request to it, and its answer. This crate starts no program:
//! the host provides the implementation that does.

use std::ffi::OsStr;

/// The largest file that is converted.
pub const MAX_CONVERTED_BYTES: u64 = 96 << 20;

/// The longest text that a program may output, in bytes.
pub const MAX_OUTPUT_BYTES: usize = 16 << 20;

/// The time limit of a program, in seconds.
pub const TIME_LIMIT_SECONDS: u64 = 20;

/// The placeholder in an argument of a program for the path of the file.
pub const PATH_PLACEHOLDER: &str = "{path}";

/// An entry of `read.converters`: a program that extracts the text of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converter {
    /// The pattern of the files.
    pub pattern: String,
    /// The program and its arguments. The program receives the file on its standard input or, if an argument contains
    /// [`PATH_PLACEHOLDER`], as a copy of the file under its own name.
    pub command: Vec<String>,
}

/// Why a program returned no text of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The entry was not there when the program that starts others began.
    #[error("its entry in read.converters was added or changed after lancet was started")]
    AddedLater,
    /// The program could not be started.
    #[error("it could not be started: {0}")]
    Unavailable(String),
    /// The program took longer than is allowed.
    #[error("it took longer than {TIME_LIMIT_SECONDS} seconds")]
    TooLong,
    /// The program gave more text than is allowed.
    #[error("it gave more than {} MiB of text", MAX_OUTPUT_BYTES >> 20)]
    TooMuch,
    /// The program ended with an error.
    #[error("it ended with {how}{}{words}", if .words.is_empty() { "" } else { ": " })]
    Failed {
        /// The exit code or the signal, as a phrase.
        how: String,
        /// The beginning of what the program wrote to standard error.
        words: String,
    },
    /// The caller stopped it.
    #[error("it was stopped")]
    Stopped,
}

/// Starts the programs of `read.converters`. An implementation ends every program within [`TIME_LIMIT_SECONDS`].
pub trait FileConverter: Send + Sync {
    /// Returns the text of a file, extracted by the program of an entry. `is_stopped` is checked from time to time, and
    /// if it returns true the program is ended.
    ///
    /// # Errors
    /// The program could not be started, or returned no text within its limits.
    fn convert(
        &self,
        converter: &Converter,
        name: &OsStr,
        file: &[u8],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Vec<u8>, ConvertError>;
}
