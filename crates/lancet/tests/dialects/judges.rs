//! Unified diffs, applied by lancet, by `git apply` and by GNU `patch`: all three must produce the same files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use lancet::dialects::Dialect;
use lancet_testing::{TestFolder, judges, laws};
use proptest::prelude::*;

use crate::laws::{apply, config, meant, put, story, tree, untouched};
use crate::model::{Dice, Ends, LineKind, Meant, Story};
use crate::render::render;

/// How many stories a program applies in one run, each in a separate folder.
const TOGETHER: usize = 20;

/// Returns whether git and patch can be run. Where tests require these programs, a missing one fails the test.
fn are_installed() -> (bool, bool) {
    static INSTALLED: OnceLock<(bool, bool)> = OnceLock::new();
    let is_installed = |program: &str| {
        let is_there = Command::new(program).arg("--version").output().is_ok();
        if !is_there {
            judges::missing(program);
        }
        is_there
    };
    *INSTALLED.get_or_init(|| (is_installed("git"), is_installed("patch")))
}

/// Returns the same files in a folder of this name.
fn below(folder: &str, files: &BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    let files = files.iter();
    files
        .map(|(name, bytes)| (format!("{folder}/{name}"), bytes.clone()))
        .collect()
}

/// Returns the files that a program makes by applying a diff; none where it refuses the diff.
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

/// Returns whether GNU patch supports such changes: it renames no file that has a blank in its name, and needs lines to
/// delete a file.
fn patch_takes(story: &Story) -> bool {
    story.changes.iter().all(|(name, meant)| match meant {
        Meant::Moved(..) => !name.contains(' '),
        Meant::Deleted => !story.files[name].lines.is_empty(),
        _ => true,
    })
}

/// Returns the same story in a folder of this name.
fn moved_below(folder: &str, story: &Story) -> Story {
    let name = |name: &String| format!("{folder}/{name}");
    let files = story.files.iter();
    let changes = story.changes.iter().map(|(changed, meant)| {
        let meant = match meant {
            Meant::Moved(to, edits) => Meant::Moved(name(to), edits.clone()),
            meant => meant.clone(),
        };
        (name(changed), meant)
    });
    Story {
        files: files.map(|(file, doc)| (name(file), doc.clone())).collect(),
        changes: changes.collect(),
    }
}

/// Diffs that a program applies in one run: the files before, the diffs, and the files that lancet made of them.
#[derive(Default)]
struct Batch {
    before: BTreeMap<String, Vec<u8>>,
    diff: String,
    after: BTreeMap<String, Vec<u8>>,
}

impl Batch {
    fn add(&mut self, folder: &str, story: &Story, after: &BTreeMap<String, Vec<u8>>) {
        self.before.extend(below(folder, &untouched(story)));
        self.after.extend(below(folder, after));
        // The random numbers are not used, because a diff expresses a story in only one form.
        let diff = render(
            &moved_below(folder, story),
            Dialect::Unified,
            &mut Dice::new(0),
        );
        self.diff.push_str(&diff);
    }
}

proptest! {
    #![proptest_config(laws::config_of(config().cases.div_ceil(TOGETHER as u32)))]

    #[test]
    fn a_diff_does_what_git_apply_and_patch_make_of_it(seeds in prop::collection::vec(any::<(u64, bool)>(), TOGETHER)) {
        let (mut for_git, mut for_patch) = (Batch::default(), Batch::default());
        for (at, (seed, distinct)) in seeds.into_iter().enumerate() {
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
            let folder = format!("story-{at}");
            for_git.add(&folder, &story, &after);
            if patch_takes(&story) {
                for_patch.add(&folder, &story, &after);
            }
        }
        let (git, gnu_patch) = are_installed();
        if git {
            let judged = judged(&for_git.before, &for_git.diff, git_apply);
            prop_assert_eq!(Some(for_git.after), judged, "git apply: {}", for_git.diff);
        }
        if gnu_patch && !for_patch.diff.is_empty() {
            let judged = judged(&for_patch.before, &for_patch.diff, patch);
            prop_assert_eq!(Some(for_patch.after), judged, "patch: {}", for_patch.diff);
        }
    }
}
