//! The programs that the settings configure for changes: formatters, hooks, and the trait that the host implements to
//! start them. This crate starts no program.

mod files;

use std::path::Path;
use std::time::Duration;

pub use files::{CommandFiles, NamedScript, ProgramPlaces};

/// How long a formatter may take.
pub const FORMAT_TIME_LIMIT: Duration = Duration::from_secs(5);

/// The longest text that a formatter may receive or return, in bytes.
pub const MAX_FORMATTED_SIZE: usize = 16 << 20;

/// How long a hook may take if its entry does not say.
pub const DEFAULT_HOOK_TIME_LIMIT: Duration = Duration::from_secs(10);

/// The maximum number of bytes that a hook may write to standard output, and that are stored of its standard error.
pub const MAX_HOOK_OUTPUT: usize = 64 << 10;

/// The placeholder in an argument of a formatter for the path of the file.
pub const PATH_ARGUMENT: &str = "{path}";

/// An entry of `[[format]]`: a program that receives the new text of a file on standard input and outputs the formatted
/// text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Formatter {
    /// The patterns of the files.
    pub files: Vec<String>,
    /// The program and its arguments. [`PATH_ARGUMENT`] in an argument is replaced by the path of the file, which
    /// serves only as a name: the text is passed on standard input.
    pub command: Vec<String>,
}

impl Formatter {
    /// Returns an identifier that no other entry has.
    #[must_use]
    pub fn id(&self) -> String {
        fingerprint(&[&self.files, &self.command])
    }
}

/// When a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookTime {
    /// It runs before a change is approved, and may refuse it or require a person's approval.
    Before,
    /// It runs after a change was made.
    After,
}

impl HookTime {
    /// The words that the settings may contain.
    pub const WORDS: &'static [&'static str] = &["before", "after"];

    /// Returns the word used in the settings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

/// An entry of `[[hooks]]`: a program that is notified of changes before or after they are made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hook {
    /// When it runs.
    pub on: HookTime,
    /// The rule that selects its files, such as `Edit(src/**)`.
    pub rule: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// How long it may take.
    pub timeout: Duration,
}

impl Hook {
    /// Returns an identifier that no other entry has.
    #[must_use]
    pub fn id(&self) -> String {
        let on = self.on.as_str().to_owned();
        let timeout = self.timeout.as_millis().to_string();
        fingerprint(&[&[on, self.rule.clone(), timeout], &self.command])
    }
}

/// Returns the hash of lists of strings.
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

/// The result of a program that has ended. A host that runs programs starts from the default and sets the fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProgramOutput {
    /// The exit code; none if a signal ended the program.
    pub code: Option<i32>,
    /// The signal that ended the program.
    pub signal: Option<i32>,
    /// What it wrote to standard output.
    pub output: Vec<u8>,
    /// The beginning of what it wrote to standard error.
    pub error: Vec<u8>,
}

impl ProgramOutput {
    /// Returns a phrase that says how the program ended.
    #[must_use]
    pub fn describe_ending(&self) -> String {
        match (self.code, self.signal) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "an unknown status".to_owned(),
        }
    }
}

/// Why a program did not end in a usable way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// The entry did not exist yet when the launcher was started.
    #[error("its entry in the settings was added or changed after lancet was started")]
    AddedLater,
    /// The program could not be started.
    #[error("it could not be started: {0}")]
    Unavailable(String),
    /// The program exceeded its time limit, and was ended.
    #[error("it took longer than {} seconds", .0.as_secs())]
    TooLong(Duration),
    /// The program exceeded its output limit, and was ended.
    #[error("it wrote more than {} KiB", .0 >> 10)]
    TooMuch(usize),
    /// The caller stopped it.
    #[error("it was stopped")]
    Stopped,
}

/// Starts the programs of `[[format]]` and `[[hooks]]`. An implementation ends every program, including the processes
/// that it left behind, within its time limit.
pub trait ProgramRunner: Send + Sync {
    /// Runs a formatter with the new text of a file on standard input. `path` is the file's name; the program may write
    /// none of the user's files. `is_stopped` is checked from time to time, and if it returns true the program is
    /// ended.
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
