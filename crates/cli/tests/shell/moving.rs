//! Which files a glob of `lancet rm` and `lancet mv` means.

use crate::stage::Stage;

#[test]
fn a_glob_with_a_leading_dot_is_for_the_working_folder_alone() {
    let stage = Stage::new();
    for name in ["a.orig", "below/b.orig"] {
        stage.file(name, "text\n");
    }
    let run = stage.run(&["rm", "./*.orig", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(!stage.project().join("a.orig").exists());
    assert!(stage.project().join("below/b.orig").exists());
    let run = stage.run(&["rm", "*.orig", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(!stage.project().join("below/b.orig").exists());
}
