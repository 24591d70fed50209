//! Refuses names that a Windows file system maps to something else: streams, devices, short names of other files. A
//! protected file must not be reachable under a name that no rule covers.

use std::path::Path;

/// Device names, with any extension.
const DEVICE_NAMES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Refuses a path that contains such a name; the text continues "the path".
pub(super) fn refuse_windows_aliases(relative: &Path) -> Result<(), &'static str> {
    relative
        .components()
        .try_for_each(|name| check_name(&name.as_os_str().to_string_lossy()))
}

fn check_name(name: &str) -> Result<(), &'static str> {
    if name.contains(':') {
        Err("has a colon in it, which names a stream on this drive of Windows")
    } else if name.contains('\\') {
        Err("has a backslash in a name, which separates names on this drive of Windows")
    } else if name.ends_with(['.', ' ']) {
        Err("has a name that ends in a dot or a space, which this drive of Windows drops")
    } else if is_device(name) {
        Err("names a device of Windows")
    } else if is_short_name(name) {
        Err(
            "has a short name in it (like `git~1`), under which this drive of Windows knows another file",
        )
    } else {
        Ok(())
    }
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end();
    let stem = stem.to_lowercase();
    let is_port = |port: &str| {
        let number = stem.strip_prefix(port);
        number.is_some_and(|number| {
            let mut digits = number.chars();
            matches!(digits.next(), Some('1'..='9' | '¹' | '²' | '³')) && digits.next().is_none()
        })
    };
    DEVICE_NAMES.contains(&&*stem) || is_port("com") || is_port("lpt")
}

/// Returns whether this has the form of a short name: at most eight characters that end in a tilde and a number, at
/// most three after a dot.
fn is_short_name(name: &str) -> bool {
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    let number = stem.rsplit_once('~').map(|(_, number)| number);
    number.is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
    }) && stem.chars().count() <= 8
        && extension.chars().count() <= 3
        && !extension.contains('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_windows_aliases_only() {
        for name in [
            ".git::$INDEX_ALLOCATION",
            "a.txt:stream",
            "git~1",
            "GI7EBA~1",
            "progra~1.txt",
            ".git.",
            ".git ",
            "con",
            "NUL.txt",
            "com1",
            "LPT9.log",
            "com¹",
            "CONIN$",
            "a\\b",
        ] {
            let path = Path::new("sub").join(name);
            assert!(refuse_windows_aliases(&path).is_err(), "{name}");
            assert!(
                refuse_windows_aliases(&path.join("in/it")).is_err(),
                "{name}/in/it"
            );
        }
        for name in [
            "a.txt",
            ".git",
            "console.log",
            "com10",
            "common",
            "a~b",
            "notes~",
            "verylongname~1",
            "file~1.backup",
            "nullable.rs",
            "dot.in.name",
        ] {
            assert!(
                refuse_windows_aliases(&Path::new("sub").join(name)).is_ok(),
                "{name}"
            );
        }
    }
}
