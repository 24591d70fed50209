//! A change on record as git writes it: on the raw bytes, so that `git apply` takes it whatever the line ends are.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use lancet_history::{FileChange, Kept, OperationStore, StoreError};
use lancet_text::{difference, unified};

/// The time that one diff may take.
const BUDGET: Duration = Duration::from_secs(2);
/// What `stat` says of a regular file that everybody may read, where nothing is known.
const PLAIN: u32 = 0o100_644;

/// The patch of one file, its path as given; contents that are no text, too large or no longer kept are named only.
pub(super) fn patch(
    store: &dyn OperationStore,
    change: &FileChange,
    path: &Path,
) -> Result<String, StoreError> {
    let name = path.display();
    let mut out = format!("diff --git a/{name} b/{name}\n");
    // Writing to a string cannot fail.
    let _ = match (&change.before, &change.after) {
        (None, Some(after)) => writeln!(out, "new file mode {}", mode(after)),
        (Some(before), None) => writeln!(out, "deleted file mode {}", mode(before)),
        (Some(before), Some(after)) if mode(before) != mode(after) => {
            writeln!(out, "old mode {}\nnew mode {}", mode(before), mode(after))
        }
        _ => Ok(()),
    };
    let text = |kept: &Option<Kept>| match kept {
        None => Ok(Some(String::new())),
        Some(kept) => Ok(store
            .content(&kept.revision)?
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .filter(|text| !text.contains('\0'))),
    };
    let (old, new) = (text(&change.before)?, text(&change.after)?);
    let hunks = match (&old, &new) {
        (Some(old), Some(new)) if old == new => return Ok(out),
        (Some(old), Some(new)) => {
            Some(difference(old, new, 3, BUDGET)).filter(|difference| !difference.coarse)
        }
        _ => None,
    };
    let side = |kept: &Option<Kept>, letter: char| match kept {
        None => "/dev/null".to_owned(),
        Some(_) => format!("{letter}/{name}"),
    };
    let (old_name, new_name) = (side(&change.before, 'a'), side(&change.after, 'b'));
    let _ = match hunks {
        Some(difference) => write!(
            out,
            "--- {old_name}\n+++ {new_name}\n{}",
            unified(&difference.hunks)
        ),
        None => writeln!(out, "Binary files {old_name} and {new_name} differ"),
    };
    Ok(out)
}

/// git knows two kinds of files.
fn mode(kept: &Kept) -> &'static str {
    let bits = if kept.mode == 0 { PLAIN } else { kept.mode };
    if bits & 0o100 != 0 {
        "100755"
    } else {
        "100644"
    }
}
