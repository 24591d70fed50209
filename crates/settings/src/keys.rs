//! The table of all settings keys, in `table.rs` and the other files of the folder, and the types of its columns. The
//! parser, the help text and `doctor` are driven by it and know no other keys.

mod language;
mod programs;
mod search;
mod table;

use super::model::Settings;

/// The form of a key's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueForm {
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number, both bounds included.
    Number { least: u64, most: u64 },
    /// A number that may carry a unit, both bounds included.
    Measured { least: u64, most: u64, unit: Unit },
    /// true or false.
    Switch,
    /// A program with its arguments.
    Program,
    /// The places where approval is requested.
    Askers,
    /// Names of tools: a list, or one string with commas as on the command line.
    Tools,
    /// A table from file pattern to encoding.
    Encodings,
    /// A table from file pattern to write strategy.
    Strategies,
    /// A table from file pattern to a program with its arguments.
    Converters,
    /// Several tables, each a formatter.
    Formatters,
    /// Several tables, each a language server.
    Servers,
    /// Several tables, each a hook.
    Hooks,
    /// A table from short text to long text.
    Abbreviations,
    /// A table from a client's name to a number of bytes, both bounds included.
    Clients { least: u64, most: u64 },
    /// A list of permission rules.
    Rules,
    /// A list of parts of protected folders.
    Scopes,
    /// A list of file patterns.
    Guards,
    /// A list of file patterns as in `[encoding]`, without values.
    Patterns,
    /// A list of folders, absolute or below `~`.
    Folders,
}

impl ValueForm {
    /// Returns whether the value is several tables, each begun by the key in double brackets.
    pub(super) fn is_list_of_tables(self) -> bool {
        matches!(
            self,
            ValueForm::Formatters | ValueForm::Servers | ValueForm::Hooks
        )
    }

    /// Returns whether the value is a table whose keys the user chooses.
    pub(super) fn is_table(self) -> bool {
        matches!(
            self,
            ValueForm::Encodings
                | ValueForm::Strategies
                | ValueForm::Converters
                | ValueForm::Abbreviations
                | ValueForm::Clients { .. }
        )
    }
}

/// The unit of a number without one, and the units that a text may carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Bytes,
    Days,
    Seconds,
    Milliseconds,
}

impl Unit {
    /// Returns the units that a string may carry, each with its size in this unit.
    fn units(self) -> &'static [(&'static str, u64)] {
        match self {
            Unit::Bytes => &[
                ("B", 1),
                ("KiB", 1 << 10),
                ("MiB", 1 << 20),
                ("GiB", 1 << 30),
                ("TiB", 1 << 40),
            ],
            Unit::Days => &[("d", 1), ("w", 7)],
            Unit::Seconds => &[("s", 1), ("m", 60), ("h", 3_600)],
            Unit::Milliseconds => &[("ms", 1), ("s", 1_000), ("m", 60_000)],
        }
    }

    /// Parses a string such as `2GiB`; returns none if the number or the unit is invalid.
    pub(super) fn parse_amount(self, text: &str) -> Option<u64> {
        let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        let number: u64 = digits.parse().ok()?;
        let unit = text[digits.len()..].trim();
        let mut units = self.units().iter();
        let (_, size) = units.find(|(name, _)| *name == unit)?;
        number.checked_mul(*size)
    }

    /// Formats a number in the largest unit that needs no fraction.
    pub(super) fn format_amount(self, number: u64) -> String {
        let mut units = self.units().iter().rev();
        let largest = units.find(|(_, size)| number >= *size && number.is_multiple_of(*size));
        match largest.or(self.units().first()) {
            Some((name, size)) => format!("{}{name}", number / size),
            None => number.to_string(),
        }
    }

    /// Lists the units in a phrase, for an error message.
    pub(super) fn unit_names(self) -> String {
        let names = self.units().iter().map(|(name, _)| *name);
        names.collect::<Vec<_>>().join(", ")
    }

    /// Returns an example of this unit, for the help.
    pub(super) fn example(self) -> &'static str {
        match self {
            Unit::Bytes => "\"2GiB\"",
            Unit::Days => "\"30d\"",
            Unit::Seconds => "\"45s\"",
            Unit::Milliseconds => "\"10s\"",
        }
    }
}

/// What the settings file of an untrusted project may do with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProjectPermission {
    /// It may set the key, which is harmless.
    Sets,
    /// It may set the key to this word only, which is stricter.
    SetsOnly(&'static str),
    /// It may set the mode to `ask` or `plan` if that is not looser than the mode in force.
    StricterMode,
    /// It may set the number if it is not higher than the one in force.
    Lowers,
    /// It may not set the key until the user trusts the project.
    Ignored,
    /// It may never set the key: only the user's own settings may.
    UserOnly,
}

/// The field of [`Settings`] that holds the value of a key: how the value is set, and how it is read for `doctor`.
#[derive(Debug, Clone, Copy)]
pub(super) enum SettingsField {
    /// The value is a list or a table: `apply` and `help` treat it by its form.
    Several,
    /// The value is one of the words of [`ValueForm::Choice`].
    Word {
        set: fn(&mut Settings, &str),
        get: fn(&Settings) -> Option<&'static str>,
    },
    /// The value is a number.
    Number {
        set: fn(&mut Settings, u64),
        get: fn(&Settings) -> Option<u64>,
    },
    /// The value is true or false.
    Switch {
        set: fn(&mut Settings, bool),
        get: fn(&Settings) -> bool,
    },
}

/// One key of the settings.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) form: ValueForm,
    /// The default as it would be written; a phrase if it depends on something.
    pub(super) default: &'static str,
    pub(super) project: ProjectPermission,
    pub(super) about: &'static str,
    pub(super) field: SettingsField,
}

const fn key(
    name: &'static str,
    form: ValueForm,
    default: &'static str,
    project: ProjectPermission,
    about: &'static str,
) -> Key {
    Key {
        name,
        form,
        default,
        project,
        about,
        field: SettingsField::Several,
    }
}

impl Key {
    /// Sets the field of a key whose value is one of some words.
    const fn choice(
        self,
        set: fn(&mut Settings, &str),
        get: fn(&Settings) -> Option<&'static str>,
    ) -> Key {
        Key {
            field: SettingsField::Word { set, get },
            ..self
        }
    }

    /// Sets the field of a key whose value is a number.
    const fn number(self, set: fn(&mut Settings, u64), get: fn(&Settings) -> Option<u64>) -> Key {
        Key {
            field: SettingsField::Number { set, get },
            ..self
        }
    }

    /// Sets the field of a key whose value is true or false.
    const fn switch(self, set: fn(&mut Settings, bool), get: fn(&Settings) -> bool) -> Key {
        Key {
            field: SettingsField::Switch { set, get },
            ..self
        }
    }
}

/// Returns every key, in the order of the documentation.
pub(super) fn keys() -> impl Iterator<Item = &'static Key> {
    table::KEYS
        .iter()
        .chain(search::KEYS)
        .chain(language::KEYS)
        .chain(programs::KEYS)
}
