//! The programs that the settings name for changes: formatters, hooks, and the trait of what a host hands in to start them. This
//! crate starts no program.

mod files;

use std::path::Path;
use std::time::Duration;

pub use files::{CommandFiles, NamedScript, ProgramPlaces};

/// How long a formatter may take.
pub const FORMAT_TIME: Duration = Duration::from_secs(5);

/// The longest text that a formatter is given or may give, in bytes.
pub const MOST_FORMATTED: usize = 16 << 20;

/// How long a hook may take where its entry does not say.
pub const HOOK_TIME: Duration = Duration::from_secs(10);

/// The most bytes that a hook may write to standard output, and that are kept of its standard error.
pub const MOST_HOOK_OUTPUT: usize = 64 << 10;

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

/// When a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookTime {
    /// It runs before a change is approved, and may have a person asked about it or refuse it.
    Before,
    /// It runs after a change was made.
    After,
}

impl HookTime {
    /// The words that the settings may contain.
    pub const WORDS: &'static [&'static str] = &["before", "after"];

    /// Gives the word of the settings.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

/// An entry of `[[hooks]]`: a program that is told of changes before or after they are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// When it runs.
    pub on: HookTime,
    /// The rule whose files it is for, such as `Edit(src/**)`.
    pub rule: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// How long it may take.
    pub timeout: Duration,
}

impl Hook {
    /// A name of the entry that no other entry has.
    #[must_use]
    pub fn id(&self) -> String {
        let on = self.on.word().to_owned();
        let timeout = self.timeout.as_millis().to_string();
        fingerprint(&[&[on, self.rule.clone(), timeout], &self.command])
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

/// Starts the programs of `[[format]]` and `[[hooks]]`. An implementation ends every program, with the processes that it left behind,
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

    /// Runs a hook with a JSON object on standard input.
    ///
    /// # Errors
    /// The program could not be started, or did not end within its limits.
    fn run_hook(
        &self,
        hook: &Hook,
        input: &[u8],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<ProgramOutput, ProgramError>;
}
