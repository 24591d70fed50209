//! "Did you mean": finds the known name that is probably meant by a misspelt one. Used in messages about fields, tools,
//! values and settings keys, but never for paths. A suggestion never decides what is done, with one exception: a
//! settings key that may be a misspelt rule tightens the rules in force.

/// Finds the nearest of the names; none if no name is near enough.
pub fn find_closest<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    lancet_text::closest_names(wanted, names.into_iter(), 1)
        .first()
        .copied()
}

#[cfg(test)]
mod tests {
    use super::find_closest;

    const SAMPLE_FIELDS: [&str; 5] = [
        "file_path",
        "old_string",
        "new_string",
        "replace_all",
        "offset",
    ];

    #[test]
    fn finds_names_with_small_typos() {
        for (wrong, right) in [
            ("replaceAll", "replace_all"),
            ("old_str", "old_string"),
            ("ofset", "offset"),
            ("offest", "offset"),
            ("FilePath", "file_path"),
            ("newstring", "new_string"),
        ] {
            assert_eq!(find_closest(wrong, SAMPLE_FIELDS), Some(right), "{wrong}");
        }
    }

    #[test]
    fn finds_nothing_for_distant_names() {
        for wrong in ["banana", "", "_", "x", &"o".repeat(100_000)] {
            assert_eq!(find_closest(wrong, SAMPLE_FIELDS), None, "{wrong}");
        }
    }
}
