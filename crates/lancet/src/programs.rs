//! The programs that the settings name for changes: formatters, and the trait of what a host hands in to start them. This
//! crate starts no program.

use std::path::Path;
use std::time::Duration;

/// How long a formatter may take.
pub const FORMAT_TIME: Duration = Duration::from_secs(5);

/// The longest text that a formatter is given or may give, in bytes.
pub const MOST_FORMATTED: usize = 16 << 20;

/// The text in an argument of a formatter that stands for the path of the file.
pub const PATH_ARGUMENT: &str = "{path}";

/// An entry of `[[format]]`: a program that gets the new text of a file on standard input and gives the formatted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formatter {
    /// The patterns of the files.
    pub files: Vec<String>,
    /// The program and its arguments. [`PATH_ARGUMENT`] in an argument stands for the path of the file, which is only a name:
    /// the text comes on standard input.
    pub command: Vec<String>,
}

impl Formatter {
    /// A name of the entry that no other entry has.
    #[must_use]
    pub fn id(&self) -> String {
        fingerprint(&[&self.files, &self.command])
    }
}

/// The hash of lists of texts.
fn fingerprint(lists: &[&[String]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for list in lists {
        hasher.update(&(list.len() as u64).to_le_bytes());
        for text in *list {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
    }
    hasher.finalize().to_hex().to_string()
}

/// What a program that has ended left behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramOutput {
    /// The exit code; none where a signal ended the program.
    pub code: Option<i32>,
    /// The signal that ended the program.
    pub signal: Option<i32>,
    /// What it wrote to standard output.
    pub output: Vec<u8>,
    /// The beginning of what it wrote to standard error.
    pub error: Vec<u8>,
}

impl ProgramOutput {
    /// How the program ended, in words.
    #[must_use]
    pub fn ending(&self) -> String {
        match (self.code, self.signal) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "an unknown status".to_owned(),
        }
    }
}

/// Why a program has no usable end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// The entry was not there when the program that starts others began.
    #[error("its entry in the settings was added or changed after lancet was started")]
    AddedLater,
    /// The program could not be started.
    #[error("it could not be started: {0}")]
    Unavailable(String),
    /// The program took longer than it may, and was ended.
    #[error("it took longer than {} seconds", .0.as_secs())]
    TooLong(Duration),
    /// The program wrote more than it may, and was ended.
    #[error("it wrote more than {} KiB", .0 >> 10)]
    TooMuch(usize),
    /// The caller stopped it.
    #[error("it was stopped")]
    Stopped,
}

/// Starts the programs of `[[format]]`. An implementation ends every program, with the processes that it left behind,
/// within its time.
pub trait ProgramRunner: Send + Sync {
    /// Runs a formatter with the new text of a file on standard input. `path` is the file's name; the program may write no
    /// file of the user. `is_stopped` is asked from time to time, and where it says so the program is ended.
    ///
    /// # Errors
    /// The program could not be started, or did not end within its limits.
    fn format(
        &self,
        formatter: &Formatter,
        path: &Path,
        text: &str,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<ProgramOutput, ProgramError>;
}
