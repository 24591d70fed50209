//! Unified diffs, applied by lancet, by `git apply` and by GNU `patch`: all three make the same files of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use lancet::dialects::Dialect;
use lancet_testing::{TestFolder, judges};
use proptest::prelude::*;

use crate::laws::{apply, config, meant, put, story, tree, untouched};
use crate::model::{Dice, Ends, LineKind, Meant, Story};
use crate::render::render;

/// Whether a program can be run. Where tests require their judges, a missing one fails the test.
fn is_installed(program: &str) -> bool {
    let is_there = Command::new(program).arg("--version").output().is_ok();
    if !is_there {
        judges::missing(program);
    }
    is_there
}

/// What a program makes of a diff; none where it refuses it.
fn judged(
    before: &BTreeMap<String, Vec<u8>>,
    diff: &str,
    command: impl FnOnce(&Path, &Path) -> Command,
) -> Option<BTreeMap<String, Vec<u8>>> {
    let folder = TestFolder::in_memory();
    let root = folder.path().join("root");
    fs::create_dir(&root).expect("a folder");
    put(&root, before);
    let file = folder.path().join("change.diff");
    fs::write(&file, diff).expect("a file");
    let done = command(&root, &file).output().expect("the program runs");
    done.status.success().then(|| tree(&root))
}

fn git_apply(root: &Path, diff: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("apply").arg(diff).current_dir(root);
    command.env("GIT_CEILING_DIRECTORIES", root);
    command
}

fn patch(root: &Path, diff: &Path) -> Command {
    let mut command = Command::new("patch");
    // Without `--fuzz=0` it drops context that does not fit, and `-E` removes files that become empty.
    command.args(["-p1", "--fuzz=0", "--no-backup-if-mismatch", "-s", "-i"]);
    command.arg(diff).current_dir(root);
    command
}

/// Whether GNU patch knows such changes: it renames no file that has a blank in its name, and needs lines to delete a file.
fn patch_takes(story: &Story) -> bool {
    story.changes.iter().all(|(name, meant)| match meant {
        Meant::Moved(..) => !name.contains(' '),
        Meant::Deleted => !story.files[name].lines.is_empty(),
        _ => true,
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_diff_does_what_git_apply_and_patch_make_of_it(seed in any::<u64>(), distinct in any::<bool>()) {
        let kind = match distinct {
            true => LineKind::Distinct,
            false => LineKind::Common,
        };
        let mut dice = Dice::new(seed);
        let story = story(&mut dice, Dialect::Unified, kind, Ends::Lf);
        let diff = render(&story, Dialect::Unified, &mut dice);
        let (answer, after) = apply(&story, &diff, Some(Dialect::Unified));
        prop_assert!(!answer.is_error(), "{}\n{diff}", answer.text());
        prop_assert_eq!(&after, &meant(&story, Dialect::Unified), "{}", diff);
        let before = untouched(&story);
        if is_installed("git") {
            let judged = judged(&before, &diff, git_apply);
            prop_assert_eq!(Some(&after), judged.as_ref(), "git apply: {}", diff);
        }
        if is_installed("patch") && patch_takes(&story) {
            let judged = judged(&before, &diff, patch);
            prop_assert_eq!(Some(&after), judged.as_ref(), "patch: {}", diff);
        }
    }
}
