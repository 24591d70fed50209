//! The file names in a diff: git's prefixes and quotes, and timestamps after a tab.

use crate::cursor::Cursor;
use crate::error::ParseStop;
use crate::line_start::{NEW_FILE_PREFIX, OLD_FILE_PREFIX};

/// Returns whether two lines name the old and the new file.
pub(super) fn are_name_lines(reader: &Cursor<'_, '_>, at: usize) -> Result<bool, ParseStop> {
    if !reader.lines.get(at).starts_with(OLD_FILE_PREFIX) {
        return Ok(false);
    }
    Ok(reader
        .line(at + 1)?
        .is_some_and(|line| line.starts_with(NEW_FILE_PREFIX)))
}

/// Returns whether two lines name an old file and a third one the new file: it is not certain which old name belongs to
/// it.
pub(super) fn has_two_old_names(reader: &Cursor<'_, '_>, at: usize) -> Result<bool, ParseStop> {
    if !reader.lines.get(at).starts_with(OLD_FILE_PREFIX) {
        return Ok(false);
    }
    reader.line(at + 1)?;
    are_name_lines(reader, at + 1)
}

/// The two names of a section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SectionNames {
    pub(super) old: String,
    pub(super) new: String,
}

impl SectionNames {
    /// Returns whether these names can be those of the `diff --git` line. One of them may have more folders before it:
    /// models sometimes omit git's prefixes.
    pub(super) fn is_compatible_with(&self, git: &SectionNames) -> bool {
        let ends_in = |long: &str, short: &str| {
            long.strip_suffix(short)
                .is_some_and(|folders| folders.is_empty() || folders.ends_with('/'))
        };
        let is_same = |name: &str, git: &str| {
            git.is_empty() || name == "/dev/null" || ends_in(name, git) || ends_in(git, name)
        };
        is_same(&self.old, &git.old) && is_same(&self.new, &git.new)
    }
}

/// Pairs of prefixes that git puts before the old and the new name.
const PREFIXES: [(&str, &str); 6] = [
    ("a/", "b/"),
    ("c/", "i/"),
    ("c/", "w/"),
    ("i/", "w/"),
    ("o/", "w/"),
    ("1/", "2/"),
];

/// Returns the name in a header: in quotes with escapes, or up to a tab that is followed by a time.
pub(super) fn name_in_header(rest: &str) -> String {
    if let Some((name, _)) = parse_quoted_name(rest) {
        return name;
    }
    let name = rest.split('\t').next().unwrap_or(rest);
    name.trim_end().to_owned()
}

/// Returns both names without git's prefixes. A prefix is removed only if both names have theirs, or the other is
/// /dev/null.
pub(super) fn strip_prefixes(old: &str, new: &str) -> SectionNames {
    let absent = |name: &str| name == "/dev/null";
    for (before, after) in PREFIXES {
        let (left, right) = (old.strip_prefix(before), new.strip_prefix(after));
        let names = match (left, right) {
            (Some(left), Some(right)) => (left, right),
            (Some(left), None) if absent(new) => (left, new),
            (None, Some(right)) if absent(old) => (old, right),
            _ => continue,
        };
        return SectionNames {
            old: names.0.to_owned(),
            new: names.1.to_owned(),
        };
    }
    let plain = |name: &str| name.strip_prefix("./").unwrap_or(name).to_owned();
    SectionNames {
        old: plain(old),
        new: plain(new),
    }
}

/// Returns the names in a `diff --git` line. Without quotes the boundary between them is certain only if both names are
/// equal.
pub(super) fn parse_git_names(rest: &str) -> Option<SectionNames> {
    if let Some((old, behind)) = parse_quoted_name(rest) {
        let behind = behind.trim_start();
        let new = parse_quoted_name(behind).map_or_else(|| behind.to_owned(), |(name, _)| name);
        return Some(strip_prefixes(&old, &new));
    }
    if let Some((old, new)) = rest.split_once(" \"") {
        let (new, _) = parse_quoted_name(&format!("\"{new}"))?;
        return Some(strip_prefixes(old, &new));
    }
    let borders = rest
        .match_indices(' ')
        .map(|(at, _)| (&rest[..at], &rest[at + 1..]));
    let mut same = borders.filter_map(|(old, new)| {
        let names = strip_prefixes(old, new);
        (names.old == names.new).then_some(names)
    });
    same.next().or_else(|| {
        let (old, new) = rest.split_once(' ')?;
        (!new.contains(' ')).then(|| strip_prefixes(old, new))
    })
}

/// Returns the names in a `diff --git` line whose old name is known from another line.
pub(super) fn parse_git_names_after_old(rest: &str, old: &str) -> Option<SectionNames> {
    let mut borders = rest.match_indices(' ');
    borders.find_map(|(at, _)| {
        let names = strip_prefixes(&rest[..at], &rest[at + 1..]);
        (names.old == old).then_some(names)
    })
}

/// Parses a name in double quotes with C escapes, and returns the rest of the text.
fn parse_quoted_name(text: &str) -> Option<(String, &str)> {
    let inside = text.strip_prefix('"')?;
    let mut bytes = Vec::new();
    let mut rest = inside.as_bytes();
    loop {
        let (&byte, behind) = rest.split_first()?;
        rest = behind;
        match byte {
            b'"' => break,
            b'\\' => {
                let (&escape, behind) = rest.split_first()?;
                rest = behind;
                bytes.push(match escape {
                    b'a' => 7,
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    b'0'..=b'3' => {
                        let digits = rest.get(..2)?;
                        if !digits.iter().all(|digit| (b'0'..=b'7').contains(digit)) {
                            return None;
                        }
                        rest = &rest[2..];
                        (escape - b'0') * 64 + (digits[0] - b'0') * 8 + (digits[1] - b'0')
                    }
                    other => other,
                });
            }
            byte => bytes.push(byte),
        }
    }
    let behind = &inside[inside.len() - rest.len()..];
    Some((String::from_utf8(bytes).ok()?, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_quoted_names_tabs_and_prefixes() {
        assert_eq!(name_in_header("a/x.txt\t2026-01-01"), "a/x.txt");
        assert_eq!(
            name_in_header("\"a/caf\\303\\251 \\\"x\\\".txt\""),
            "a/café \"x\".txt"
        );
        let names = |old: &str, new: &str| SectionNames {
            old: old.into(),
            new: new.into(),
        };
        assert_eq!(strip_prefixes("a/x", "b/x"), names("x", "x"));
        assert_eq!(strip_prefixes("a/x", "a/x"), names("a/x", "a/x"));
        assert_eq!(strip_prefixes("/dev/null", "b/x"), names("/dev/null", "x"));
        assert_eq!(
            parse_git_names("a/my notes.txt b/my notes.txt"),
            Some(names("my notes.txt", "my notes.txt"))
        );
        assert_eq!(
            parse_git_names("a/x \"b/caf\\303\\251\""),
            Some(names("x", "café"))
        );
        // The boundary is unknown until another line gives the old name.
        let renamed = "a/my notes.txt b/new/my notes.txt";
        assert_eq!(parse_git_names(renamed), None);
        assert_eq!(
            parse_git_names_after_old(renamed, "my notes.txt"),
            Some(names("my notes.txt", "new/my notes.txt"))
        );
    }
}
