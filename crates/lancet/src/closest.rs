//! "Did you mean": the known name that a wrong one probably stands for. Used for fields, tools, values and keys of
//! settings; never for paths, and never to act on.

/// Names longer than this are no slip of the pen, and the distance takes time that grows with the square.
const LONGEST_NAME: usize = 64;

/// The nearest of the names, where one is near enough to be worth naming.
pub(crate) fn closest<'n>(
    wanted: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    if wanted.len() > LONGEST_NAME {
        return None;
    }
    let wanted = folded(wanted);
    if wanted.is_empty() {
        return None;
    }
    names
        .into_iter()
        .filter_map(|name| {
            let known = folded(name);
            let distance = if known.starts_with(&wanted) || wanted.starts_with(&known) {
                // `old_str` for `old_string`: one is the other cut short.
                wanted.len().abs_diff(known.len()).div_ceil(4)
            } else {
                distance(&wanted, &known)
            };
            let allowed = wanted.len().max(known.len()) / 3;
            (distance <= allowed.max(1)).then_some((distance, name))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Case and word separators are the commonest slips and cost nothing.
fn folded(name: &str) -> Vec<char> {
    name.chars()
        .filter(|character| !"_- .".contains(*character))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Edit distance in which two neighbours exchanged count as one slip.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (row, character) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, other) in right.iter().enumerate() {
            let replaced = above[column] + usize::from(character != other);
            let mut least = replaced.min(above[column + 1] + 1).min(current[column] + 1);
            if row > 0 && column > 0 && left[row - 1] == *other && *character == right[column - 1] {
                least = least.min(before[column - 1] + 1);
            }
            current.push(least);
        }
        before = std::mem::replace(&mut above, current);
    }
    above[right.len()]
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
