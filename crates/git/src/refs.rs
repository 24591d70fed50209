//! Resolves HEAD to a commit through symbolic references, loose reference files and `packed-refs`.

use std::ops::ControlFlow;
use std::path::Path;

use lancet_workspace::{FileType, Workspace};

use crate::GitError;
use crate::id::{HashAlgorithm, ObjectId};

/// The largest number of symbolic references followed, as in git.
const MAX_SYMBOLIC_DEPTH: usize = 5;
/// A longer reference file is refused.
const MAX_REFERENCE_BYTES: u64 = 4_096;
/// A longer line of `packed-refs` is skipped.
const MAX_LINE_LENGTH: usize = 8_192;

/// Resolves HEAD; `None` on a branch without a commit.
pub(crate) fn resolve_head(
    workspace: &Workspace,
    (git, common): (&Path, &Path),
    names: HashAlgorithm,
) -> Result<Option<ObjectId>, GitError> {
    let damaged = || GitError::Damaged("a reference");
    let mut name = "HEAD".to_owned();
    for _ in 0..MAX_SYMBOLIC_DEPTH {
        // Per-worktree references are stored in the work tree's own git folder.
        let own = !name.starts_with("refs/")
            || ["refs/bisect/", "refs/worktree/", "refs/rewritten/"]
                .iter()
                .any(|start| name.starts_with(start));
        let path = if own { git } else { common }.join(&name);
        let file = workspace.locate_as_spelled(&path)?;
        if file.kind() != FileType::File {
            return if name == "HEAD" {
                Err(damaged())
            } else {
                find_packed_reference(workspace, common, &name, names)
            };
        }
        let said = file.read_snapshot(MAX_REFERENCE_BYTES)?;
        let said = std::str::from_utf8(&said.bytes).map_err(|_| damaged())?;
        let Some(next) = said.strip_prefix("ref:") else {
            let hex = said.split_whitespace().next().unwrap_or_default();
            return ObjectId::from_hex(hex.as_bytes(), names)
                .map(Some)
                .ok_or_else(damaged);
        };
        let next = next.trim();
        if next == "refs/heads/.invalid" {
            return Err(GitError::Unsupported("reftable"));
        }
        if !is_valid_name(next) {
            return Err(damaged());
        }
        name = next.to_owned();
    }
    Err(damaged())
}

/// Returns the branch that HEAD names; none where HEAD is detached.
pub(crate) fn read_head_branch(
    workspace: &Workspace,
    git: &Path,
) -> Result<Option<String>, GitError> {
    let damaged = || GitError::Damaged("a reference");
    let file = workspace.locate_as_spelled(&git.join("HEAD"))?;
    if file.kind() != FileType::File {
        return Err(damaged());
    }
    let said = file.read_snapshot(MAX_REFERENCE_BYTES)?;
    let said = std::str::from_utf8(&said.bytes).map_err(|_| damaged())?;
    let Some(name) = said.strip_prefix("ref:").map(str::trim) else {
        return Ok(None);
    };
    let branch = name.strip_prefix("refs/heads/").unwrap_or(name);
    Ok(Some(branch.to_owned()).filter(|_| is_valid_name(name)))
}

/// Returns whether this is a valid reference name: below `refs/`, without a component that leads out of it.
fn is_valid_name(name: &str) -> bool {
    name.starts_with("refs/")
        && name.len() < 1_024
        && name
            .split('/')
            .all(|part| !part.is_empty() && !part.starts_with('.') && !part.contains('\0'))
}

/// Looks a reference up in `packed-refs`, which is scanned and never entirely in memory.
fn find_packed_reference(
    workspace: &Workspace,
    common: &Path,
    name: &str,
    names: HashAlgorithm,
) -> Result<Option<ObjectId>, GitError> {
    let file = workspace.locate_as_spelled(&common.join("packed-refs"))?;
    if file.kind() != FileType::File {
        return Ok(None);
    }
    let mut line: Vec<u8> = Vec::new();
    let mut found = None;
    let mut take = |line: &[u8]| {
        let Some((hex, of)) = line.split_at_checked(names.bytes() * 2) else {
            return false;
        };
        if of.strip_prefix(b" ").map(<[u8]>::trim_ascii_end) == Some(name.as_bytes()) {
            found = ObjectId::from_hex(hex, names);
        }
        found.is_some()
    };
    file.scan_content(&mut |piece| {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            if line.len() < MAX_LINE_LENGTH {
                line.extend_from_slice(part);
            }
            if part.ends_with(b"\n") {
                if take(&line) {
                    return ControlFlow::Break(());
                }
                line.clear();
            }
        }
        ControlFlow::Continue(())
    })?;
    // The last line may lack its line feed; looking up a line twice is harmless.
    take(&line);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::is_valid_name;

    #[test]
    fn reference_name_never_leads_outside_git_folder() {
        for name in ["refs/heads/main", "refs/heads/a/b"] {
            assert!(is_valid_name(name), "{name}");
        }
        for name in [
            "HEAD",
            "refs/../config",
            "refs/heads/../../config",
            "refs//a",
            "/refs/a",
            "refs/heads/.hidden",
            "refs/",
        ] {
            assert!(!is_valid_name(name), "{name}");
        }
    }
}
