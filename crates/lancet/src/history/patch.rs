//! A recorded change as a git patch: made from the raw bytes, so that `git apply` takes it whatever the encoding and
//! line ends are.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::Duration;

use lancet_history::{FileChange, HistoryError, OperationStore, RecordedState};
use lancet_text::{difference, unified_diff};

/// The longest time for one diff.
const DIFF_BUDGET: Duration = Duration::from_secs(2);
/// The mode of a regular file that every user may read, used where no mode is recorded.
const REGULAR_FILE_MODE: u32 = 0o100_644;
/// How many unchanged lines are shown around changed ones.
const CONTEXT_LINES: usize = 3;

/// Makes the patch of one file for people, with the path as given. Contents that are not UTF-8 text, too large or no
/// longer stored are only mentioned, not shown.
pub(super) fn patch_for_people(
    store: &dyn OperationStore,
    change: &FileChange,
    path: &Path,
) -> Result<String, HistoryError> {
    if is_of_folder(change) {
        let word = if change.after.is_some() {
            "new"
        } else {
            "deleted"
        };
        let (old, new) = (quote_name('a', path), quote_name('b', path));
        return Ok(format!("diff --git {old} {new}\n{word} empty folder\n"));
    }
    if let Some([removed, made]) = change_of_type(change) {
        let parts = [
            patch_for_people(store, &removed, path)?,
            patch_for_people(store, &made, path)?,
        ];
        return Ok(parts.concat());
    }
    let text = |kept: &Option<RecordedState>| -> Result<Option<String>, HistoryError> {
        let text = bytes(store, kept)?.and_then(|bytes| String::from_utf8(bytes).ok());
        Ok(text.filter(|text| !text.contains('\0')))
    };
    let (old, new) = (text(&change.before)?, text(&change.after)?);
    let head = patch_header(change, path);
    if old.is_some() && old == new {
        return Ok(head);
    }
    let [old_name, new_name] = side_names(change, path);
    let hunks = old.zip(new).and_then(|(old, new)| {
        let difference = difference(&old, &new, CONTEXT_LINES, DIFF_BUDGET);
        (!difference.coarse).then(|| unified_diff(&difference.hunks))
    });
    Ok(match hunks {
        Some(hunks) => format!("{head}--- {old_name}\n+++ {new_name}\n{hunks}"),
        None => format!("{head}Binary files {old_name} and {new_name} differ\n"),
    })
}

fn is_of_folder(change: &FileChange) -> bool {
    let mut states = [&change.before, &change.after].into_iter().flatten();
    states.any(RecordedState::is_folder)
}

/// Returns the bytes of a state as git has them: those of a symbolic link are its target. None where they are no longer
/// stored.
fn bytes(
    store: &dyn OperationStore,
    kept: &Option<RecordedState>,
) -> Result<Option<Vec<u8>>, HistoryError> {
    match kept {
        None => Ok(Some(Vec::new())),
        Some(RecordedState {
            link: Some(target), ..
        }) => Ok(Some(target.as_os_str().as_bytes().to_vec())),
        Some(kept) => store.content(&kept.revision),
    }
}

/// Splits the change of a file into a link, or of a link into a file, into a removal and a creation: a patch of git
/// cannot change the type.
fn change_of_type(change: &FileChange) -> Option<[FileChange; 2]> {
    let (before, after) = (change.before.as_ref()?, change.after.as_ref()?);
    if before.link.is_some() == after.link.is_some() {
        return None;
    }
    let (mut removed, mut made) = (change.clone(), change.clone());
    removed.after = None;
    made.before = None;
    Some([removed, made])
}

/// Makes the patch of one file for git, which takes any bytes in the lines of a patch. None where the contents are no
/// longer stored; empty where nothing differs that git records.
pub(super) fn patch_for_git(
    store: &dyn OperationStore,
    change: &FileChange,
    path: &Path,
) -> Result<Option<Vec<u8>>, HistoryError> {
    // git does not know empty folders.
    if is_of_folder(change) {
        return Ok(Some(Vec::new()));
    }
    if let Some([removed, made]) = change_of_type(change) {
        let parts = patch_for_git(store, &removed, path)?.zip(patch_for_git(store, &made, path)?);
        return Ok(parts.map(|(removed, made)| [removed, made].concat()));
    }
    let old = bytes(store, &change.before)?;
    let (Some(old), Some(new)) = (old, bytes(store, &change.after)?) else {
        return Ok(None);
    };
    let head = patch_header(change, path);
    if old == new {
        let says_something = head.lines().count() > 1;
        return Ok(Some(
            if says_something { head } else { String::new() }.into(),
        ));
    }
    let [old_name, new_name] = side_names(change, path);
    let mut out = format!("{head}--- {old_name}\n+++ {new_name}\n").into_bytes();
    // Each byte becomes one character (Latin-1) and back, so that any file is text and only line feeds end lines.
    let text = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| char::from(*byte))
            .collect::<String>()
    };
    let difference = difference(&text(&old), &text(&new), CONTEXT_LINES, DIFF_BUDGET);
    if difference.coarse {
        write_single_hunk(&mut out, &old, &new);
    } else {
        out.extend(unified_diff(&difference.hunks).chars().map(|c| c as u8));
    }
    Ok(Some(out))
}

/// Writes one hunk from the first to the last differing line, for contents that are too large to compare.
fn write_single_hunk(out: &mut Vec<u8>, old: &[u8], new: &[u8]) {
    let lines = |bytes| <[u8]>::split_inclusive(bytes, |byte| *byte == b'\n').collect::<Vec<_>>();
    let (old, new) = (lines(old), lines(new));
    let same = |(one, other): &(&&[u8], &&[u8])| one == other;
    let above = old.iter().zip(&new).take_while(same).count();
    let (rest_old, rest_new) = (&old[above..], &new[above..]);
    let ends = rest_old.iter().rev().zip(rest_new.iter().rev());
    let below = ends.take_while(same).count();
    let (begin, end) = (
        above.saturating_sub(CONTEXT_LINES),
        below.min(CONTEXT_LINES),
    );
    let (old_end, new_end) = (old.len() - below, new.len() - below);
    let range = |lines: usize| match lines {
        0 => format!("{begin},0"),
        _ => format!("{},{lines}", begin + 1),
    };
    let (old_range, new_range) = (range(old_end + end - begin), range(new_end + end - begin));
    out.extend(format!("@@ -{old_range} +{new_range} @@\n").bytes());
    let parts = [
        (b' ', &old[begin..above]),
        (b'-', &old[above..old_end]),
        (b'+', &new[above..new_end]),
        (b' ', &old[old_end..old_end + end]),
    ];
    for (sign, lines) in parts {
        for line in lines {
            out.push(sign);
            out.extend(*line);
            if !line.ends_with(b"\n") {
                out.extend(b"\n\\ No newline at end of file\n");
            }
        }
    }
}

/// Makes the header lines before the file names.
fn patch_header(change: &FileChange, path: &Path) -> String {
    let head = format!(
        "diff --git {} {}\n",
        quote_name('a', path),
        quote_name('b', path)
    );
    match (&change.before, &change.after) {
        (None, Some(after)) => format!("{head}new file mode {}\n", git_mode(after)),
        (Some(before), None) => format!("{head}deleted file mode {}\n", git_mode(before)),
        (Some(before), Some(after)) if git_mode(before) != git_mode(after) => {
            let (before, after) = (git_mode(before), git_mode(after));
            format!("{head}old mode {before}\nnew mode {after}\n")
        }
        _ => head,
    }
}

/// Returns the names before and after, as the lines `---` and `+++` have them.
fn side_names(change: &FileChange, path: &Path) -> [String; 2] {
    let side = |kept: &Option<RecordedState>, letter| match kept {
        None => "/dev/null".to_owned(),
        Some(_) => {
            let name = quote_name(letter, path);
            // git writes a tab after a name with a blank, so that programs that look for a timestamp after a blank find
            // none.
            let end = if name.contains(' ') { "\t" } else { "" };
            name + end
        }
    };
    [side(&change.before, 'a'), side(&change.after, 'b')]
}

/// Quotes a name as git does with `core.quotePath` off: a name with control characters, quotation marks or backslashes,
/// or that is not UTF-8, is written as a C string. Unquoted it could forge lines of the patch.
fn quote_name(letter: char, path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let text = std::str::from_utf8(bytes);
    let is_plain = |c: char| !c.is_ascii_control() && c != '"' && c != '\\';
    if let Some(plain) = text.ok().filter(|text| text.chars().all(is_plain)) {
        return format!("{letter}/{plain}");
    }
    let mut out = format!("\"{letter}/");
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\\' => out.extend(['\\', c]),
                '\x07' => out.push_str("\\a"),
                '\x08' => out.push_str("\\b"),
                '\t' => out.push_str("\\t"),
                '\n' => out.push_str("\\n"),
                '\x0b' => out.push_str("\\v"),
                '\x0c' => out.push_str("\\f"),
                '\r' => out.push_str("\\r"),
                c if c.is_ascii_control() => out.push_str(&format!("\\{:03o}", c as u32)),
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            out.push_str(&format!("\\{byte:03o}"));
        }
    }
    out.push('"');
    out
}

/// Returns the file mode for git, which knows only plain and executable files, and links.
fn git_mode(kept: &RecordedState) -> &'static str {
    if kept.link.is_some() {
        return "120000";
    }
    let bits = if kept.mode == 0 {
        REGULAR_FILE_MODE
    } else {
        kept.mode
    };
    if bits & 0o100 != 0 {
        "100755"
    } else {
        "100644"
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    #[test]
    fn quotes_names_with_special_characters() {
        let quoted = |name: &[u8]| quote_name('a', Path::new(OsStr::from_bytes(name)));
        assert_eq!(quoted("dir/é b.txt".as_bytes()), "a/dir/é b.txt");
        assert_eq!(
            quoted(b"x\n+++ b/y\t\"\\\x01\x7f"),
            r#""a/x\n+++ b/y\t\"\\\001\177""#
        );
        assert_eq!(quoted(b"caf\xe9"), r#""a/caf\351""#);
    }

    #[test]
    fn writes_one_hunk_for_contents_too_large_to_compare() {
        let hunk = |old: &[u8], new: &[u8]| {
            let mut out = Vec::new();
            write_single_hunk(&mut out, old, new);
            String::from_utf8(out).expect("text")
        };
        assert_eq!(
            hunk(
                b"1\n2\n3\n4\n5\n6\n7\n8\n9\n",
                b"1\n2\n3\n4\nfive\n6\n7\n8\n9\n"
            ),
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        );
        assert_eq!(
            hunk(b"", b"a"),
            "@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file\n"
        );
        assert_eq!(hunk(b"a\nb\n", b"a\n"), "@@ -1,2 +1,1 @@\n a\n-b\n");
    }
}
