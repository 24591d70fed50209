//! The rows of the keys that name programs for changes of files.

use super::{Key, ProjectPermission, ValueForm, key};

/// The keys in the order of the documentation.
pub(super) const KEYS: &[Key] = &[
    key(
        "format",
        ValueForm::Formatters,
        "none",
        ProjectPermission::Ignored,
        "A formatter of the files that one of the patterns matches, relative to the root as in [encoding]; the last match wins. The new text of an edited or written file goes through it before anything is shown, asked or written: on standard input, {path} in an argument is the file's path. It may take 5 seconds and write no file; where it fails the text stays as it was sent, and the answer says so. It counts from the next start of lancet.",
    ),
    key(
        "hooks",
        ValueForm::Hooks,
        "none",
        ProjectPermission::Ignored,
        "A program that receives, as JSON on standard input, the changes of files that the rule match covers: on = \"before\" a change is approved, when it answers {\"decision\": \"allow\" or \"ask\" or \"deny\", \"reason\": …} and can only tighten, or on = \"after\" the change, when its output is reported and what it changed in the files becomes a separate change. It may take timeout seconds (10), and counts from the next start of lancet.",
    ),
];
