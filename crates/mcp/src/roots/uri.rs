//! Converts a `file:` URI to a path. Some clients escape it properly and others only prepend `file://`, so a percent
//! sign that is not an escape is taken literally.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

/// Returns the folder on this machine that a URI names; none for another scheme, another machine, or a path that is not
/// absolute.
pub(crate) fn folder_from_uri(uri: &str) -> Option<PathBuf> {
    let (scheme, rest) = uri.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let path = match rest.strip_prefix("//") {
        Some(rest) => {
            let (host, _) = rest.split_once('/')?;
            if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
                return None;
            }
            &rest[host.len()..]
        }
        None => rest,
    };
    let bytes = decode_percent_escapes(path.as_bytes());
    // A path that begins with two slashes names another machine.
    if bytes.contains(&0) || !bytes.starts_with(b"/") || bytes.starts_with(b"//") {
        return None;
    }
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

fn decode_percent_escapes(text: &[u8]) -> Vec<u8> {
    let digit = |byte: Option<&u8>| (*byte? as char).to_digit(16);
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let escape = match (digit(text.get(at + 1)), digit(text.get(at + 2))) {
            (Some(high), Some(low)) if byte == b'%' => u8::try_from(high * 16 + low).ok(),
            _ => None,
        };
        bytes.push(escape.unwrap_or(byte));
        at += if escape.is_some() { 3 } else { 1 };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt as _;

    #[test]
    fn converts_only_local_file_uris() {
        for (uri, path) in [
            ("file:///a/b", Some("/a/b")),
            ("file:///a/b/", Some("/a/b/")),
            ("file:/a/b", Some("/a/b")),
            ("FILE://LocalHost/a", Some("/a")),
            ("file:///", Some("/")),
            ("file:///a%20b/%C3%A9", Some("/a b/é")),
            ("file:///a b/é", Some("/a b/é")),
            ("file:///100%/%zz", Some("/100%/%zz")),
            ("file:///c%23/#", Some("/c#/#")),
            ("file:///a%2Fb", Some("/a/b")),
            ("file:///a%2e%2e/%2E%2E/b", Some("/a../../b")),
            ("file://server/share", None),
            ("file:////server/share", None),
            ("file:///%2Fserver/share", None),
            ("file://", None),
            ("file:", None),
            ("file:a/b", None),
            ("file:///a%00b", None),
            ("https://example.org/a", None),
            ("untitled:Untitled-1", None),
            ("/a/b", None),
            ("", None),
            ("é", None),
        ] {
            assert_eq!(folder_from_uri(uri), path.map(PathBuf::from), "{uri}");
        }
        let odd = folder_from_uri("file:///%ff").expect("a path");
        assert_eq!(odd.as_os_str().as_bytes(), b"/\xff");
    }
}
