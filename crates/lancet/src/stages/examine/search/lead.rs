//! Globs that begin with folders outside the searched folder: `/etc/*`, `../*`, `~/notes/*`. Such a glob starts at the
//! folder that it names, or is refused like any path.

use lancet_search::WalkStart;
use lancet_workspace::FileType;

use crate::engine::EngineView;
use crate::refusal::Refusal;
use crate::stages::locate::{Intent, locate};

/// Splits a glob into the folder outside the start folders that it begins with, and the rest; none where it stays below
/// them.
pub(super) fn split_off_outside_folder(
    engine: &EngineView,
    starts: &[WalkStart],
    pattern: &str,
) -> Result<Option<(WalkStart, String)>, Refusal> {
    let Some(first) = starts.first() else {
        return Ok(None);
    };
    let (lead, rest) = split_at_wildcard(pattern);
    let path = if pattern.starts_with("//") {
        // `//host/…` is a path on another machine: it is refused because of its form and never accessed.
        pattern.to_owned()
    } else if pattern.starts_with('/') {
        // A leading slash means the root of the search, as in an ignore file, if such a name exists there.
        let name = pattern.trim_start_matches('/').split('/').next();
        match name.filter(|name| !name.is_empty() && !has_wildcard(name)) {
            Some(name) if !exists_in_start_folder(engine, starts, name) => match lead {
                "" => format!("/{name}"),
                lead => lead.to_owned(),
            },
            _ => return Ok(None),
        }
    } else if lead == "~" || lead.starts_with("~/") {
        if exists_in_start_folder(engine, starts, "~") {
            return Ok(None);
        }
        lead.to_owned()
    } else if lead.split('/').any(|name| name == "..") {
        let Some(folder) = first.path().to_str() else {
            return Ok(None);
        };
        format!("{folder}/{lead}")
    } else {
        return Ok(None);
    };
    let target = match locate(engine, &path, Intent::Show) {
        // The glob is the path of a root: only its parent folder is outside.
        Err(_) if !has_wildcard(pattern) && locate(engine, pattern, Intent::Show).is_ok() => {
            return Ok(None);
        }
        found => found?,
    };
    Ok(match target.located.kind() {
        FileType::Directory => Some((WalkStart::new(target.located), rest.to_owned())),
        _ => None,
    })
}

/// Returns whether a name exists directly in one of the searched folders.
fn exists_in_start_folder(engine: &EngineView, starts: &[WalkStart], name: &str) -> bool {
    starts.iter().any(|start| {
        let found = engine.workspace.locate_as_spelled(&start.path().join(name));
        found.is_ok_and(|found| found.kind() != FileType::Missing)
    })
}

/// Splits a glob into its folders before the first wildcard and the rest. The last name is the one searched for, so it
/// is not a folder unless it is `..`.
fn split_at_wildcard(pattern: &str) -> (&str, &str) {
    let mut end = 0;
    for (at, _) in pattern.match_indices('/') {
        if has_wildcard(&pattern[end..at]) {
            break;
        }
        end = at + 1;
    }
    match &pattern[end..] {
        ".." => (pattern, "**"),
        rest => (pattern[..end].trim_end_matches('/'), rest),
    }
}

fn has_wildcard(name: &str) -> bool {
    name.contains(['*', '?', '[', '{', '\\', '!'])
}

#[cfg(test)]
mod tests {
    use super::split_at_wildcard;

    #[test]
    fn splits_glob_before_first_wildcard() {
        for (pattern, parts) in [
            ("/etc/*", ("/etc", "*")),
            ("/etc", ("", "etc")),
            ("../*", ("..", "*")),
            ("..", ("..", "**")),
            ("a/../b/*.rs", ("a/../b", "*.rs")),
            ("src/**/x/*.rs", ("src", "**/x/*.rs")),
            ("*.rs", ("", "*.rs")),
            ("~/a/*", ("~/a", "*")),
            ("a//b", ("a", "b")),
            ("", ("", "")),
        ] {
            assert_eq!(split_at_wildcard(pattern), parts, "{pattern}");
        }
    }
}
