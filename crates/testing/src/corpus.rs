//! Replays the inputs that a fuzz target has collected, so that they are also checked on the stable compiler.

use std::fs;
use std::path::Path;

/// Passes every file in the corpus of a fuzz target to its check. It panics if there are ten files or fewer, since then
/// the corpus is not where it should be.
pub fn replay(target: &str, check: impl Fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut replayed = 0;
    for entry in fs::read_dir(folder.join(target)).expect("the corpus is there") {
        check(&fs::read(entry.expect("an entry").path()).expect("a file"));
        replayed += 1;
    }
    assert!(replayed > 10, "only {replayed} files");
}
