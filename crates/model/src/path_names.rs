//! How answers name paths: on one line, relative to a folder, and as an argument of a command line.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};

/// Escapes a name from the disk so that it stays on one line.
pub fn on_one_line(name: &str) -> String {
    if is_printable_ascii(name) {
        return name.to_owned();
    }
    let mut shown = String::with_capacity(name.len());
    // Writing to a string cannot fail.
    let _ = write_on_one_line(&mut shown, name);
    shown
}

fn is_printable_ascii(name: &str) -> bool {
    // Does not stop early, so that many bytes are tested at once: a page of Glob has a hundred names.
    let other = |other, byte: &u8| other | u8::from(byte.wrapping_sub(b' ') > b'~' - b' ');
    name.as_bytes().iter().fold(0, other) == 0
}

pub(crate) fn write_on_one_line(out: &mut impl fmt::Write, name: &str) -> fmt::Result {
    if is_printable_ascii(name) {
        return out.write_str(name);
    }
    for character in name.chars() {
        if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') {
            write!(out, "{}", character.escape_default())?;
        } else {
            out.write_char(character)?;
        }
    }
    Ok(())
}

/// Returns a path as text. Each byte that is not UTF-8 becomes `\xNN`.
pub fn path_text(path: &Path) -> String {
    let bytes = path.as_os_str().as_bytes();
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = fmt::Write::write_fmt(&mut text, format_args!("\\x{byte:02x}"));
        }
    }
    text
}

/// Reads a path in which bytes that are not UTF-8 may be written as `\xNN`; none where there is no such byte. Text that
/// happens to have this form is not a byte: only values from 80 on are.
pub fn path_from_text(text: &OsStr) -> Option<PathBuf> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    let mut is_any = false;
    while let [first, after @ ..] = rest {
        rest = after;
        if let (b'\\', [b'x', high, low, after @ ..]) = (first, after)
            && let Some(byte) = byte_from_digits(*high, *low).filter(|byte| *byte >= 0x80)
        {
            bytes.push(byte);
            rest = after;
            is_any = true;
        } else {
            bytes.push(*first);
        }
    }
    is_any.then(|| PathBuf::from(OsString::from_vec(bytes)))
}

fn byte_from_digits(high: u8, low: u8) -> Option<u8> {
    let digit = |byte| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

/// Returns whether a relative path names something below its start, without a way up.
pub(crate) fn is_plain_relative(path: &Path) -> bool {
    let mut parts = path.components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// Returns a path relative to a folder, comparing bytes: comparing components took a tenth of the time of a Glob in
/// memory, and 1,500 instructions each of the seven times that an Edit asks.
pub fn relative_to<'p>(path: &'p Path, folder: &Path) -> Option<&'p Path> {
    let whole = path.as_os_str().as_bytes();
    let Some(rest) = whole.strip_prefix(folder.as_os_str().as_bytes()) else {
        // `/./w/a` is below `/w`, too.
        return is_spelled_otherwise(whole)
            .then(|| path.strip_prefix(folder).ok())
            .flatten();
    };
    let rest = match rest {
        [] => rest,
        [b'/', rest @ ..] => rest,
        // The folder `/` ends in a separator itself.
        _ if folder.as_os_str().as_bytes().ends_with(b"/") => rest,
        _ => return None,
    };
    match rest {
        [b'/', ..] | [b'.'] | [b'.', b'/', ..] => path.strip_prefix(folder).ok(),
        _ => Some(Path::new(OsStr::from_bytes(rest))),
    }
}

/// Returns whether a path is one of these folders, or below one.
pub fn is_below_any(path: &Path, folders: &[PathBuf]) -> bool {
    let mut folders = folders.iter();
    folders.any(|folder| relative_to(path, folder).is_some())
}

/// Returns whether a path has parts that mean nothing, so that equal paths may differ in their bytes.
fn is_spelled_otherwise(path: &[u8]) -> bool {
    path.windows(2).any(|pair| pair == b"//") || path.windows(3).any(|part| part == b"/./")
}

/// How many folders above the working folder are named by `..`.
const MAX_PARENT_STEPS: usize = 3;

/// Names an absolute path as a person in the working folder types it: from that folder, or with `..` from one above it
/// that is at least two names deep.
pub fn name_from_working_folder(path: &Path, working: Option<&Path>) -> String {
    let folders = working.into_iter().flat_map(Path::ancestors);
    let from = folders
        .enumerate()
        .take(MAX_PARENT_STEPS + 1)
        .filter(|(up, folder)| folder.components().count() > if *up == 0 { 1 } else { 2 })
        .find_map(|(up, folder)| Some((up, path.strip_prefix(folder).ok()?)));
    match from {
        Some((up, rest)) if !rest.as_os_str().is_empty() => {
            format!("{}{}", "../".repeat(up), path_text(rest))
        }
        _ => path_text(path),
    }
}

/// Quotes a path as an argument of a command line that is typed in the working folder.
pub(crate) fn quote_shell_argument(path: &Path, working: &Path) -> String {
    let path = match path.strip_prefix(working) {
        Ok(below) if below.as_os_str().is_empty() => Path::new("."),
        Ok(below) => below,
        Err(_) => path,
    };
    let mut name = on_one_line(&path.to_string_lossy());
    if name.starts_with(['-', '~']) {
        name.insert_str(0, "./");
    }
    let plain = |character: char| character.is_alphanumeric() || "/._-+,:@%".contains(character);
    if name.chars().all(plain) {
        return name;
    }
    format!("'{}'", name.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_path_is_that_of_the_components() {
        let paths = [
            "/w", "/w/", "/w/a", "/w//a", "/./w/a", "//w/a", "/w/./a", "/w/../a", "/w/.git", "/wa",
            "/", "/w/a/b", "/v",
        ];
        for path in paths.map(Path::new) {
            for folder in ["/w", "/", "/w/a"].map(Path::new) {
                assert_eq!(
                    relative_to(path, folder),
                    path.strip_prefix(folder).ok(),
                    "{path:?} below {folder:?}"
                );
            }
        }
    }

    #[test]
    fn quotes_paths_for_shell_in_working_folder() {
        for (path, typed) in [
            ("/w/src/a.rs", "src/a.rs"),
            ("/w", "."),
            ("/v/a", "/v/a"),
            ("/w/-x", "./-x"),
            ("/w/it's", r"'it'\''s'"),
            ("/w/$HOME", "'$HOME'"),
        ] {
            assert_eq!(
                quote_shell_argument(Path::new(path), Path::new("/w")),
                typed
            );
        }
    }
}
