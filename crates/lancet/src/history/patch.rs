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
/// The mode of a symbolic link, as git writes it.
const LINK_MODE: &str = "120000";
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
        let (old, new) = (quote_name("a/", path), quote_name("b/", path));
        let what = match (&change.before, &change.after) {
            (Some(before), Some(after)) => {
                let bits = |state: &RecordedState| state.mode & 0o7777;
                format!("empty folder, mode {:o} to {:o}", bits(before), bits(after))
            }
            (Some(_), None) => "deleted empty folder".to_owned(),
            (None, _) => "new empty folder".to_owned(),
        };
        return Ok(format!("diff --git {old} {new}\n{what}\n"));
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
    states.all(RecordedState::is_folder)
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

/// Splits the change of a file, link or empty folder into one of another type into a removal and a creation: a patch of
/// git cannot change the type.
fn change_of_type(change: &FileChange) -> Option<[FileChange; 2]> {
    let (before, after) = (change.before.as_ref()?, change.after.as_ref()?);
    let kind = |state: &RecordedState| (state.link.is_some(), state.is_folder());
    if kind(before) == kind(after) {
        return None;
    }
    let (mut removed, mut made) = (change.clone(), change.clone());
    removed.after = None;
    made.before = None;
    Some([removed, made])
}

/// A file, or a symbolic link, as git has it at one moment.
pub(super) struct FileVersion {
    /// The content; of a symbolic link its target.
    pub(super) bytes: Vec<u8>,
    /// Whether it is a plain file, an executable one or a symbolic link, as git writes it.
    pub(super) mode: &'static str,
}

impl FileVersion {
    /// Returns the version with this content, `st_mode` (0 if it is not known) and kind.
    pub(super) fn new(bytes: Vec<u8>, mode: u32, is_link: bool) -> Self {
        let mode = git_mode(mode, is_link);
        Self { bytes, mode }
    }

    fn is_link(&self) -> bool {
        self.mode == LINK_MODE
    }
}

/// A patch for git and the number of lines in it.
#[derive(Default)]
pub(super) struct GitPatch {
    /// The patch; empty where nothing differs that git records.
    pub(super) bytes: Vec<u8>,
    pub(super) added: usize,
    pub(super) removed: usize,
}

/// Makes the patch of one file for git, which takes any bytes in the lines of a patch. None where the contents are no
/// longer stored; empty where nothing differs that git records. `old_path` is the name before the change.
pub(super) fn patch_for_git(
    store: &dyn OperationStore,
    change: &FileChange,
    old_path: &Path,
    path: &Path,
) -> Result<Option<Vec<u8>>, HistoryError> {
    let (Some(old), Some(new)) = (
        recorded_version(store, &change.before)?,
        recorded_version(store, &change.after)?,
    ) else {
        return Ok(None);
    };
    let old = old.as_ref().map(|old| (old_path, old));
    let new = new.as_ref().map(|new| (path, new));
    Ok(Some(patch_between(old, new).bytes))
}

/// Returns a recorded state as git has it; the inner value is none where there was no file. None where the content is
/// no longer stored. git does not know empty folders.
pub(super) fn recorded_version(
    store: &dyn OperationStore,
    state: &Option<RecordedState>,
) -> Result<Option<Option<FileVersion>>, HistoryError> {
    let Some(kept) = state.as_ref().filter(|kept| !kept.is_folder()) else {
        return Ok(Some(None));
    };
    let version = |bytes| FileVersion::new(bytes, kept.mode, kept.link.is_some());
    Ok(bytes(store, state)?.map(|bytes| Some(version(bytes))))
}

/// Makes the patch between two versions of a file, each with its name. Between two names the patch renames the file.
pub(super) fn patch_between(
    old: Option<(&Path, &FileVersion)>,
    new: Option<(&Path, &FileVersion)>,
) -> GitPatch {
    if let (Some((_, before)), Some((_, after))) = (old, new)
        && before.is_link() != after.is_link()
    {
        // A patch of git cannot change the type of a file.
        let (mut removed, made) = (patch_between(old, None), patch_between(None, new));
        removed.bytes.extend(made.bytes);
        removed.added += made.added;
        return removed;
    }
    let Some(path) = new.or(old).map(|(path, _)| path) else {
        return GitPatch::default();
    };
    let old_path = old.map_or(path, |(path, _)| path);
    let [before, after] = [old, new].map(|side| side.map(|(_, version)| version));
    let head = git_header(before, after, [old_path, path]);
    let [old_bytes, new_bytes] =
        [before, after].map(|side| side.map_or(&[][..], |version| &version.bytes));
    if old_bytes == new_bytes {
        let says_something = head.lines().count() > 1;
        return GitPatch {
            bytes: if says_something { head } else { String::new() }.into(),
            ..GitPatch::default()
        };
    }
    let old_name = side_name(before.is_some(), 'a', old_path);
    let new_name = side_name(after.is_some(), 'b', path);
    let mut out = format!("{head}--- {old_name}\n+++ {new_name}\n").into_bytes();
    // Each byte becomes one character (Latin-1) and back, so that any file is text and only line feeds end lines.
    let text = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| char::from(*byte))
            .collect::<String>()
    };
    let difference = difference(
        &text(old_bytes),
        &text(new_bytes),
        CONTEXT_LINES,
        DIFF_BUDGET,
    );
    if difference.coarse {
        write_single_hunk(&mut out, old_bytes, new_bytes);
    } else {
        out.extend(unified_diff(&difference.hunks).chars().map(|c| c as u8));
    }
    GitPatch {
        bytes: out,
        added: difference.added,
        removed: difference.removed,
    }
}

/// Makes the header lines before the file names, with the old name and the new one.
fn git_header(
    before: Option<&FileVersion>,
    after: Option<&FileVersion>,
    [old_path, path]: [&Path; 2],
) -> String {
    let mut head = format!(
        "diff --git {} {}\n",
        quote_name("a/", old_path),
        quote_name("b/", path)
    );
    match (before, after) {
        (None, Some(after)) => head.push_str(&format!("new file mode {}\n", after.mode)),
        (Some(before), None) => head.push_str(&format!("deleted file mode {}\n", before.mode)),
        (Some(before), Some(after)) if before.mode != after.mode => {
            head.push_str(&format!(
                "old mode {}\nnew mode {}\n",
                before.mode, after.mode
            ));
        }
        _ => {}
    }
    if old_path != path {
        let [from, to] = [old_path, path].map(|path| quote_name("", path));
        head.push_str(&format!("rename from {from}\nrename to {to}\n"));
    }
    head
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

/// Makes the header lines of a patch for people.
fn patch_header(change: &FileChange, path: &Path) -> String {
    let version = |kept: &RecordedState| FileVersion::new(vec![], kept.mode, kept.link.is_some());
    let [before, after] = [&change.before, &change.after].map(|kept| kept.as_ref().map(version));
    git_header(before.as_ref(), after.as_ref(), [path, path])
}

/// Returns the names before and after, as the lines `---` and `+++` have them.
fn side_names(change: &FileChange, path: &Path) -> [String; 2] {
    [
        side_name(change.before.is_some(), 'a', path),
        side_name(change.after.is_some(), 'b', path),
    ]
}

/// Returns the name of one side, if there was a file.
fn side_name(is_there: bool, letter: char, path: &Path) -> String {
    if !is_there {
        return "/dev/null".to_owned();
    }
    let name = quote_name(&format!("{letter}/"), path);
    // git writes a tab after a name with a blank, so that programs that look for a timestamp after a blank find none.
    let end = if name.contains(' ') { "\t" } else { "" };
    name + end
}

/// Quotes a name as git does with `core.quotePath` off: a name with control characters, quotation marks or backslashes,
/// or that is not UTF-8, is written as a C string. Unquoted it could forge lines of the patch.
fn quote_name(prefix: &str, path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let text = std::str::from_utf8(bytes);
    let is_plain = |c: char| !c.is_ascii_control() && c != '"' && c != '\\';
    if let Some(plain) = text.ok().filter(|text| text.chars().all(is_plain)) {
        return format!("{prefix}{plain}");
    }
    let mut out = format!("\"{prefix}");
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
fn git_mode(mode: u32, is_link: bool) -> &'static str {
    if is_link {
        return LINK_MODE;
    }
    let bits = if mode == 0 { REGULAR_FILE_MODE } else { mode };
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
        let quoted = |name: &[u8]| quote_name("a/", Path::new(OsStr::from_bytes(name)));
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
