//! "Did you mean": finds the known name that is probably meant by a misspelt one. Used in messages about fields, tools,
//! values and settings keys, but never for paths. A suggestion never decides what is done, with one exception: a
//! settings key that may be a misspelt rule tightens the rules in force.

/// Finds the nearest of the names; none if no name is near enough.
pub fn closest<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    lancet_text::closest(wanted, names.into_iter(), 1)
        .first()
        .copied()
}

#[cfg(test)]
mod tests {
    use super::closest;

    const FIELDS: [&str; 5] = [
        "file_path",
        "old_string",
        "new_string",
        "replace_all",
        "offset",
    ];

    #[test]
    fn slips_of_case_separator_letter_and_length_are_found() {
        for (wrong, right) in [
            ("replaceAll", "replace_all"),
            ("old_str", "old_string"),
            ("ofset", "offset"),
            ("offest", "offset"),
            ("FilePath", "file_path"),
            ("newstring", "new_string"),
        ] {
            assert_eq!(closest(wrong, FIELDS), Some(right), "{wrong}");
        }
    }

    #[test]
    fn what_is_near_nothing_stays_alone() {
        for wrong in ["banana", "", "_", "x", &"o".repeat(100_000)] {
            assert_eq!(closest(wrong, FIELDS), None, "{wrong}");
        }
    }
}
