//! The rows of the keys that name programs for changes of files.

use super::{Form, Key, Project, key};

/// The keys in the order of the documentation.
pub(super) const KEYS: &[Key] = &[key(
    "format",
    Form::Formatters,
    "none",
    Project::Ignored,
    "A formatter of the files that one of the patterns matches, relative to the root as in [encoding]; the last match wins. The new text of an edited or written file goes through it before anything is shown, asked or written: on standard input, {path} in an argument is the file's path. It may take 5 seconds and write no file; where it fails the text stays as it was sent, and the answer says so. It counts from the next start of lancet.",
)];
