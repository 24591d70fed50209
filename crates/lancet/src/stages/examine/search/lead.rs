//! Globs that begin with folders outside the searched folder: `/etc/*`, `../*`, `~/notes/*`. Such a glob starts at the
//! folder that it names, or is refused like any path.

use lancet_search::Start;
use lancet_workspace::FileType;

use crate::engine::EngineView;
use crate::refusal::Refusal;
use crate::stages::locate::{Intent, locate};

/// Splits a glob into the folder outside the start folders that it begins with, and the rest; none where it stays below
/// them.
pub(super) fn away(
    engine: &EngineView,
    starts: &[Start],
    pattern: &str,
) -> Result<Option<(Start, String)>, Refusal> {
    let Some(first) = starts.first() else {
        return Ok(None);
    };
    let (lead, rest) = split(pattern);
    let path = if pattern.starts_with("//") {
        // `//host/…` is a path on another machine: it is refused because of its form and never accessed.
        pattern.to_owned()
    } else if pattern.starts_with('/') {
        // A leading slash means the root of the search, as in an ignore file, if such a name exists there.
        let name = pattern.trim_start_matches('/').split('/').next();
        match name.filter(|name| !name.is_empty() && !is_wild(name)) {
            Some(name) if !stands(engine, starts, name) => match lead {
                "" => format!("/{name}"),
                lead => lead.to_owned(),
            },
            _ => return Ok(None),
        }
    } else if lead == "~" || lead.starts_with("~/") {
        if stands(engine, starts, "~") {
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
        Err(_) if !is_wild(pattern) && locate(engine, pattern, Intent::Show).is_ok() => {
            return Ok(None);
        }
        found => found?,
    };
    Ok(match target.located.kind() {
        FileType::Directory => Some((Start::new(target.located), rest.to_owned())),
        _ => None,
    })
}

/// Returns whether a name exists directly in one of the searched folders.
fn stands(engine: &EngineView, starts: &[Start], name: &str) -> bool {
    starts.iter().any(|start| {
        let found = engine.workspace.locate_as_spelled(&start.path().join(name));
        found.is_ok_and(|found| found.kind() != FileType::Missing)
    })
}

/// Splits a glob into its folders before the first wildcard and the rest. The last name is the one searched for, so it
/// is not a folder unless it is `..`.
fn split(pattern: &str) -> (&str, &str) {
    let mut end = 0;
    for (at, _) in pattern.match_indices('/') {
        if is_wild(&pattern[end..at]) {
            break;
        }
        end = at + 1;
    }
    match &pattern[end..] {
        ".." => (pattern, "**"),
        rest => (pattern[..end].trim_end_matches('/'), rest),
    }
}

fn is_wild(name: &str) -> bool {
    name.contains(['*', '?', '[', '{', '\\', '!'])
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn the_folders_before_the_first_wildcard_lead() {
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
            assert_eq!(split(pattern), parts, "{pattern}");
        }
    }
}
