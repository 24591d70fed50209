//! The names nearest to one that does not exist, for "did you mean". The result is shown to people and models, and
//! never used to choose a name.

use crate::diff::common_prefix;

/// The number of characters of a name that are compared. Longer names are rare, and their start is enough.
const MAX_COMPARED_CHARACTERS: usize = 128;

/// Returns up to `most` of the names that are near enough to be meant, nearest first. Letter case and `_`, `-` and
/// blanks count little: `replaceAll` is next to `replace_all`.
pub fn closest_names<'n>(
    wanted: &str,
    names: impl Iterator<Item = &'n str>,
    most: usize,
) -> Vec<&'n str> {
    let wanted_plain = without_case_and_separators(wanted);
    let mut found: Vec<(usize, usize, &'n str)> = Vec::new();
    for name in names {
        let Some(distance) = name_distance(wanted, &wanted_plain, name) else {
            continue;
        };
        if found.iter().any(|(_, _, known)| *known == name) {
            continue;
        }
        // Among equally near names, the one with the longer common start comes first.
        let differ = usize::MAX - common_prefix(wanted.as_bytes(), name.as_bytes());
        let rank = (distance, differ);
        let place =
            found.partition_point(|(other, other_differ, _)| (*other, *other_differ) <= rank);
        if place < most {
            found.insert(place, (distance, differ, name));
            found.truncate(most);
        }
    }
    found.into_iter().map(|(_, _, name)| name).collect()
}

/// Returns the name without letter case and separators.
fn without_case_and_separators(name: &str) -> Vec<char> {
    name.chars()
        .take(MAX_COMPARED_CHARACTERS)
        .filter(|character| !matches!(character, '_' | '-' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Returns the distance of a name from the wanted one, in half letters; `None` where it is too far to be meant.
fn name_distance(wanted: &str, wanted_plain: &[char], name: &str) -> Option<usize> {
    let name_plain = without_case_and_separators(name);
    let longest = wanted_plain.len().max(name_plain.len());
    if longest == 0 {
        return None;
    }
    // A third of the letters may differ, but not all of them.
    let allowed = longest.div_ceil(3).min(longest - 1);
    if let Some(distance) = osa_distance(wanted_plain, &name_plain, allowed) {
        return Some(2 * distance + usize::from(wanted != name));
    }
    // `path` is meant for `file_path`: one name is a whole word of the other.
    let is_word = |short: &str, long: &str| {
        let words = || long.split(|character: char| !character.is_alphanumeric());
        short.len() >= 3
            && words().count() > 1
            && words().any(|word| word.eq_ignore_ascii_case(short))
    };
    (is_word(wanted, name) || is_word(name, wanted)).then_some(2 * allowed + 2)
}

/// Returns the optimal string alignment distance: Levenshtein's with the swap of two neighbours as one edit. `None`
/// beyond `most`.
fn osa_distance(one: &[char], two: &[char], most: usize) -> Option<usize> {
    if one.len().abs_diff(two.len()) > most {
        return None;
    }
    // A common start and end cost nothing.
    let head = one
        .iter()
        .zip(two)
        .take_while(|(left, right)| left == right)
        .count();
    let (one, two) = (&one[head..], &two[head..]);
    let tail = one
        .iter()
        .rev()
        .zip(two.iter().rev())
        .take_while(|(left, right)| left == right)
        .count();
    let (one, two) = (&one[..one.len() - tail], &two[..two.len() - tail]);
    let width = two.len() + 1;
    let mut before: Vec<usize> = vec![0; width];
    let mut above: Vec<usize> = (0..width).collect();
    let mut row: Vec<usize> = vec![0; width];
    for (i, left) in one.iter().enumerate() {
        row[0] = i + 1;
        for (j, right) in two.iter().enumerate() {
            let mut least = above[j] + usize::from(left != right);
            least = least.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *left == two[j - 1] && one[i - 1] == *right {
                least = least.min(before[j - 1] + 1);
            }
            row[j + 1] = least;
        }
        if row.iter().all(|&so_far| so_far > most) {
            return None;
        }
        std::mem::swap(&mut before, &mut above);
        std::mem::swap(&mut above, &mut row);
    }
    Some(above[two.len()]).filter(|&distance| distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_closest(wanted: &str, names: &[&'static str]) -> Option<&'static str> {
        closest_names(wanted, names.iter().copied(), 3)
            .first()
            .copied()
    }

    #[test]
    fn finds_misspelled_argument_names() {
        let edit = [
            "file_path",
            "old_string",
            "new_string",
            "replace_all",
            "expect_count",
            "revision",
            "insist",
            "dry_run",
        ];
        for (wanted, meant) in [
            ("replaceAll", "replace_all"),
            ("old_str", "old_string"),
            ("new_str", "new_string"),
            ("oldString", "old_string"),
            ("path", "file_path"),
            ("filePath", "file_path"),
            ("filename", "file_path"),
            ("dryrun", "dry_run"),
            ("REVISION", "revision"),
        ] {
            assert_eq!(first_closest(wanted, &edit), Some(meant), "{wanted}");
        }
        assert_eq!(
            first_closest("ofset", &["file_path", "offset", "limit"]),
            Some("offset")
        );
        assert_eq!(
            first_closest("include_ignore", &["pattern", "include_ignored"]),
            Some("include_ignored")
        );
        assert_eq!(first_closest("encoding", &edit), None);
    }

    #[test]
    fn finds_misspelled_file_names() {
        let names = [
            "main.go",
            "handler.go",
            "handler_test.go",
            "settings.yaml",
            "README.md",
        ];
        assert_eq!(first_closest("handlers.go", &names), Some("handler.go"));
        assert_eq!(first_closest("setings.yaml", &names), Some("settings.yaml"));
        assert_eq!(first_closest("settings.yml", &names), Some("settings.yaml"));
        assert_eq!(first_closest("readme.md", &names), Some("README.md"));
        assert_eq!(first_closest("hnadler.go", &names), Some("handler.go"));
        assert_eq!(first_closest("zebra.txt", &names), None);
    }

    #[test]
    fn returns_nearest_first_without_duplicates_up_to_limit() {
        let names = ["a10.txt", "a1.txt", "a1.txt", "a12.txt", "b1.txt"];
        assert_eq!(
            closest_names("a1.tx", names.iter().copied(), 2),
            ["a1.txt", "a10.txt"]
        );
        assert!(closest_names("a1.txt", names.iter().copied(), 0).is_empty());
    }

    #[test]
    fn accepts_empty_and_very_long_names() {
        assert!(closest_names("", ["a", ""].into_iter(), 3).is_empty());
        assert_eq!(closest_names("x", ["X", "y"].into_iter(), 3), ["X"]);
        let long = "é".repeat(10_000);
        assert_eq!(
            closest_names(&long, [long.as_str()].into_iter(), 3).len(),
            1
        );
    }
}
