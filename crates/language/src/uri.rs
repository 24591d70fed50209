//! Paths as `file` URIs and back.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Returns the URI of an absolute path.
pub(crate) fn uri_from_path(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing into a text cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

/// Returns the path of a URI; none if it is not a local file.
pub(crate) fn path_from_uri(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    if !rest.starts_with('/') {
        return None;
    }
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest.bytes();
    while let Some(byte) = left.next() {
        if byte == b'%' {
            let (high, low) = (hex_digit(left.next()?)?, hex_digit(left.next()?)?);
            bytes.push(high << 4 | low);
        } else {
            bytes.push(byte);
        }
    }
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_round_trip() {
        for path in ["/a/b.py", "/with space/ä+%#?.ts", "/"] {
            let path = Path::new(path);
            assert_eq!(path_from_uri(&uri_from_path(path)).as_deref(), Some(path));
        }
        assert_eq!(uri_from_path(Path::new("/a b")), "file:///a%20b");
    }

    #[test]
    fn refuses_uris_that_are_not_local_files() {
        for uri in ["untitled:1", "file://host/a", "file:///%zz", "file:///%4"] {
            assert_eq!(path_from_uri(uri), None, "{uri}");
        }
    }
}
