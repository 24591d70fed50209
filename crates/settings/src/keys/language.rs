//! The rows of the table about language servers.

use super::{Key, ProjectPermission, Unit, ValueForm, key};
use crate::values::{Diagnostics, Severity};

/// The keys of `[language]`, in the order of the documentation.
pub(super) const KEYS: &[Key] = &[
    key(
        "language.diagnostics",
        ValueForm::Choice(Diagnostics::WORDS),
        "\"after-edit\" in a trusted project",
        ProjectPermission::Ignored,
        "When problems that a change caused, as found by language servers, are reported: after-edit in the answer to the change, on-read with the next reading call, off never, and then no server is started.",
    )
    .choice(
        |settings, word| settings.language.diagnostics = Diagnostics::from_word(word),
        |settings| settings.language.diagnostics.map(Diagnostics::as_str),
    ),
    key(
        "language.severity",
        ValueForm::Choice(Severity::WORDS),
        "\"error\"",
        ProjectPermission::Ignored,
        "The least severe problems that are reported.",
    )
    .choice(
        |settings, word| {
            settings.language.severity =
                Severity::from_word(word).unwrap_or(settings.language.severity)
        },
        |settings| Some(settings.language.severity.as_str()),
    ),
    key(
        "language.wait",
        ValueForm::Measured {
            least: 0,
            most: 30_000,
            unit: Unit::Milliseconds,
        },
        "1500",
        ProjectPermission::Ignored,
        "The milliseconds that an answer waits for language servers; what they find later comes with the next answer.",
    )
    .number(
        |settings, number| settings.language.wait = number,
        |settings| Some(settings.language.wait),
    ),
    key(
        "language.most",
        ValueForm::Number {
            least: 1,
            most: 20,
        },
        "3",
        ProjectPermission::Ignored,
        "The most language servers that run at once in one lancet process.",
    )
    .number(
        |settings, number| settings.language.most = to_usize(number),
        |settings| u64::try_from(settings.language.most).ok(),
    ),
    key(
        "language.memory",
        ValueForm::Measured {
            least: 64 << 20,
            most: 1 << 40,
            unit: Unit::Bytes,
        },
        "2147483648",
        ProjectPermission::Ignored,
        "The most memory that each language server may use.",
    )
    .number(
        |settings, number| settings.language.memory = number,
        |settings| Some(settings.language.memory),
    ),
    key(
        "language.server",
        ValueForm::Servers,
        "the built-in table",
        ProjectPermission::Ignored,
        "Further language servers, or others for a name of the built-in table: the files, the program, the names of files that mark a project's folder, and settings that the server asks for.",
    ),
];

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
