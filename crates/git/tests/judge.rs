//! git itself is the reference: what it shows of HEAD is what the crate reads, in whatever form git stores it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_git::{Committed, GitError, Repository};
use lancet_testing::git::git;
use lancet_testing::{TestFolder, laws};
use lancet_workspace::{Disk, RealDisk};
use proptest::prelude::*;

/// A folder for repositories.
struct Ground {
    folder: TestFolder,
}

impl Ground {
    fn new() -> Ground {
        Ground {
            folder: TestFolder::new(),
        }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.join(below)
    }

    fn git(&self, at: &str, arguments: &[&str]) -> Vec<u8> {
        git(self.folder.path(), &self.path(at), arguments)
    }

    fn write(&self, path: &str, text: &str) {
        self.folder.put(path, text);
    }

    /// Creates a repository with some commits: files in folders, and one that has many versions.
    fn repository(&self, name: &str, format: &str) {
        fs::create_dir_all(self.path(name)).unwrap();
        self.git(name, &["init", "-q", format]);
        for version in 0..12 {
            let mut text = String::new();
            for line in 0..300 {
                let changed = if line % 17 == version { version } else { 0 };
                text.push_str(&format!("line {line} of the file, {changed}\n"));
            }
            self.write(&format!("{name}/many.txt"), &text);
            self.write(
                &format!("{name}/src/deep/file {version}.rs"),
                &format!("fn f{version}() {{}}\n"),
            );
            self.write(&format!("{name}/empty"), "");
            self.git(name, &["add", "-A"]);
            self.git(name, &["commit", "-q", "-m", "x"]);
        }
    }

    /// Checks that every file of HEAD is read as git shows it; returns their number.
    fn agree(&self, at: &str) -> usize {
        let listed = self.git(
            at,
            &["ls-tree", "-r", "--name-only", "-z", "--full-tree", "HEAD"],
        );
        let top = String::from_utf8(self.git(at, &["rev-parse", "--show-toplevel"])).unwrap();
        let top = PathBuf::from(top.trim_end());
        let listed = String::from_utf8(listed).unwrap();
        let mut count = 0;
        for name in listed.split_terminator('\0') {
            let shown = self.git(at, &["show", &format!("HEAD:{name}")]);
            assert_eq!(
                read(&top.join(name)).unwrap(),
                Some(Committed::File(shown)),
                "{name}"
            );
            count += 1;
        }
        assert_eq!(
            read(&top.join("not/there")).unwrap(),
            Some(Committed::Nothing)
        );
        count
    }
}

fn disk() -> Arc<dyn Disk> {
    Arc::new(RealDisk)
}

/// Returns what HEAD stores of a file; none if there is no repository or no commit.
fn read(file: &Path) -> Result<Option<Committed>, GitError> {
    let Some(repository) = Repository::around(file, &disk())? else {
        return Ok(None);
    };
    let relative = repository
        .relative(file)
        .expect("in the work tree")
        .to_path_buf();
    match repository.head()? {
        Some(head) => repository.committed(&head, &relative).map(Some),
        None => Ok(None),
    }
}

#[test]
fn loose_packed_and_both() {
    let ground = Ground::new();
    ground.repository("a", "--object-format=sha1");
    assert_eq!(ground.agree("a"), 14);
    ground.git("a", &["repack", "-q", "-adf", "--depth=50", "--window=50"]);
    ground.git("a", &["pack-refs", "--all"]);
    assert!(!ground.path("a/.git/refs/heads/main").exists());
    let counted = String::from_utf8(ground.git("a", &["count-objects", "-v"])).unwrap();
    assert!(
        counted.contains("count: 0\n") && counted.contains("packs: 1\n"),
        "{counted}"
    );
    assert_eq!(ground.agree("a"), 14);
    // Older commits are at the far end of the chains.
    for back in 1..12 {
        ground.git(
            "a",
            &["checkout", "-q", "--detach", &format!("main~{back}")],
        );
        assert_eq!(ground.agree("a"), 14 - back);
    }
    ground.git("a", &["checkout", "-q", "main"]);
    // Deltas that name their base by its id, and a second pack.
    ground.git(
        "a",
        &[
            "-c",
            "repack.useDeltaBaseOffset=false",
            "repack",
            "-q",
            "-adf",
        ],
    );
    assert_eq!(ground.agree("a"), 14);
    ground.write("a/many.txt", "other\n");
    ground.git("a", &["commit", "-q", "-am", "x"]);
    ground.git("a", &["repack", "-q", "--write-midx"]);
    ground.write("a/more.txt", "loose\n");
    ground.git("a", &["add", "-A"]);
    ground.git("a", &["commit", "-q", "-m", "x"]);
    assert_eq!(ground.agree("a"), 15);
}

#[test]
fn a_repository_of_longer_names() {
    let ground = Ground::new();
    ground.repository("a", "--object-format=sha256");
    assert_eq!(ground.agree("a"), 14);
    ground.git("a", &["gc", "-q"]);
    assert_eq!(ground.agree("a"), 14);
}

#[test]
fn work_trees_submodules_and_borrowed_objects() {
    let ground = Ground::new();
    ground.repository("a", "--object-format=sha1");
    ground.git("a", &["branch", "other", "main~5"]);
    ground.git("a", &["worktree", "add", "-q", "../linked", "other"]);
    assert_eq!(ground.agree("linked"), 9);
    ground.git("a", &["pack-refs", "--all"]);
    assert_eq!(ground.agree("linked"), 9);

    ground.repository("b", "--object-format=sha1");
    ground.git("b", &["submodule", "--quiet", "add", "../a", "sub"]);
    ground.git("b", &["commit", "-q", "-m", "x"]);
    assert_eq!(ground.agree("b/sub"), 14);
    let sub = ground.path("b/sub");
    assert!(fs::metadata(sub.join(".git")).unwrap().is_file());
    assert_eq!(read(&sub).unwrap(), Some(Committed::Other("submodule")));
    // This moves the key that names the work tree into a separate file.
    ground.git("b/sub", &["sparse-checkout", "set", "--no-cone", "/*"]);
    assert!(ground.path("b/.git/modules/sub/config.worktree").exists());
    assert_eq!(ground.agree("b/sub"), 14);

    ground.git("", &["clone", "-q", "--shared", "a", "borrowing"]);
    assert!(
        ground
            .path("borrowing/.git/objects/info/alternates")
            .exists()
    );
    assert_eq!(ground.agree("borrowing"), 14);
    ground.git(
        "",
        &[
            "clone",
            "-q",
            "--separate-git-dir",
            "apart.git",
            "a",
            "apart",
        ],
    );
    // git records no path back here, so this cannot be distinguished from a `.git` file that points at another
    // repository.
    let found = read(&ground.path("apart/many.txt"));
    assert!(matches!(found, Err(GitError::Elsewhere)), "{found:?}");
    let work_tree = ground.path("apart").display().to_string();
    ground.git("apart", &["config", "core.worktree", &work_tree]);
    assert_eq!(ground.agree("apart"), 14);
}

#[test]
fn no_repository_and_no_commit_yet() {
    let ground = Ground::new();
    ground.write("plain/file", "text");
    assert_eq!(read(&ground.path("plain/file")).unwrap(), None);
    ground.git("", &["init", "-q", "born"]);
    let file = ground.path("born/file");
    let repository = Repository::around(&file, &disk()).unwrap().expect("one");
    assert_eq!(repository.head().unwrap(), None);
    assert_eq!(repository.relative(&ground.path("born/.git/config")), None);
}

#[test]
fn what_is_kept_in_ways_not_known_is_said() {
    let ground = Ground::new();
    ground.git("", &["init", "-q", "--ref-format=reftable", "tables"]);
    let found = read(&ground.path("tables/file"));
    assert!(
        matches!(found, Err(GitError::Unsupported("reftable"))),
        "{found:?}"
    );

    ground.repository("a", "--object-format=sha1");
    ground.git("a", &["config", "uploadpack.allowFilter", "true"]);
    let from = format!("file://{}", ground.path("a").display());
    ground.git(
        "",
        &[
            "clone",
            "-q",
            "--no-checkout",
            "--filter=blob:none",
            &from,
            "partial",
        ],
    );
    let found = read(&ground.path("partial/many.txt"));
    assert!(matches!(found, Err(GitError::Missing(_))), "{found:?}");
}

#[test]
fn a_project_cannot_lead_to_another_repository() {
    let ground = Ground::new();
    ground.repository("secret", "--object-format=sha1");
    let secret = ground.path("secret/.git");
    ground.write("by-file/.git", &format!("gitdir: {}\n", secret.display()));
    let found = read(&ground.path("by-file/many.txt"));
    assert!(matches!(found, Err(GitError::Elsewhere)), "{found:?}");

    fs::create_dir(ground.path("by-link")).unwrap();
    std::os::unix::fs::symlink(&secret, ground.path("by-link/.git")).unwrap();
    let found = read(&ground.path("by-link/many.txt"));
    assert!(matches!(found, Err(GitError::Elsewhere)), "{found:?}");

    // A real git folder whose content is elsewhere.
    for inside in ["objects", "refs", "HEAD"] {
        let name = format!("inside-{inside}");
        ground.git("", &["init", "-q", &name]);
        let own = ground.path(&name).join(".git").join(inside);
        if inside == "HEAD" {
            fs::remove_file(&own).unwrap()
        } else {
            fs::remove_dir_all(&own).unwrap()
        }
        std::os::unix::fs::symlink(secret.join(inside), &own).unwrap();
        let found = read(&ground.path(&name).join("many.txt"));
        assert!(!matches!(found, Ok(Some(Committed::File(_)))), "{inside}");
        if inside != "objects" {
            assert!(found.is_err(), "{inside}: {found:?}");
        }
    }
    // The work tree that the other's configuration would have to name, named by the project itself.
    ground.git("", &["init", "-q", "by-common"]);
    ground.write("by-common/.git/commondir", &secret.display().to_string());
    ground.write(
        "by-common/.git/gitdir",
        &ground.path("by-common/.git").display().to_string(),
    );
    let found = read(&ground.path("by-common/many.txt"));
    assert!(!matches!(found, Ok(Some(Committed::File(_)))), "{found:?}");
}

#[test]
fn what_claims_to_be_endless_is_refused() {
    let ground = Ground::new();
    ground.git("", &["init", "-q", "a"]);
    let large = "0123456789abcdef".repeat(1 << 16);
    ground.write("a/large.txt", &large.repeat(17));
    ground.git("a", &["add", "-A"]);
    ground.git("a", &["commit", "-q", "-m", "x"]);
    for _ in 0..2 {
        let found = read(&ground.path("a/large.txt"));
        assert!(
            matches!(
                found,
                Err(GitError::TooLarge {
                    size: 17_825_792,
                    ..
                })
            ),
            "{found:?}"
        );
        ground.git("a", &["gc", "-q"]);
    }
}

#[test]
fn an_object_that_is_not_as_long_as_it_says_is_refused() {
    let ground = Ground::new();
    ground.git("", &["init", "-q", "a"]);
    ground.write("a/file.txt", "text\n");
    ground.git("a", &["add", "-A"]);
    ground.git("a", &["commit", "-q", "-m", "x"]);
    let file = ground.path("a/file.txt");
    let id = String::from_utf8(ground.git("a", &["rev-parse", "HEAD:file.txt"])).unwrap();
    let (start, rest) = id.trim_end().split_at(2);
    let object = ground.path("a/.git/objects").join(start).join(rest);
    fs::remove_file(&object).unwrap();
    // Objects that inflate to ten thousand times their size on the disk and more than their header says; to less than
    // it says; and beyond any limit.
    let bomb = [b"blob 5\0".to_vec(), vec![0; 64 << 20]].concat();
    for (content, wanted) in [
        (bomb, "a deflated object is damaged"),
        (b"blob 9\0text\n".to_vec(), "a deflated object is damaged"),
        (
            b"blob 99999999999999\0text\n".to_vec(),
            "an object of 99999999999999 bytes is too large",
        ),
        (b"blob -1\0text\n".to_vec(), "a loose object is damaged"),
        (b"tree 5\0text\n".to_vec(), "an object is damaged"),
        (b"blob".to_vec(), "a loose object is damaged"),
    ] {
        fs::write(
            &object,
            miniz_oxide::deflate::compress_to_vec_zlib(&content, 6),
        )
        .unwrap();
        assert_eq!(read(&file).unwrap_err().to_string(), wanted);
    }
}

#[test]
fn damage_of_any_kind_is_told_or_harmless() {
    let ground = Ground::new();
    ground.repository("a", "--object-format=sha1");
    ground.git("a", &["gc", "-q"]);
    ground.write("a/many.txt", "loose\n");
    ground.git("a", &["commit", "-q", "-am", "x"]);
    let mut files = Vec::new();
    let mut folders = vec![ground.path("a/.git")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if !path.to_string_lossy().contains("hooks") {
                files.push(path);
            }
        }
    }
    files.sort();
    let asked = [
        ground.path("a/many.txt"),
        ground.path("a/src/deep/file 3.rs"),
    ];
    let right: Vec<Committed> = asked
        .iter()
        .map(|file| read(file).unwrap().unwrap())
        .collect();
    let law = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        any::<u8>(),
        0..3u8,
    );
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(
        laws::requested_cases().unwrap_or(400),
    ));
    let done = runner.run(&law, |(file, at, byte, how)| {
        let path = &files[file.index(files.len())];
        let bytes = fs::read(path).unwrap();
        let mut other = bytes.clone();
        let at = at.index(bytes.len().max(1));
        match how {
            0 => other.truncate(at),
            1 if !other.is_empty() => other[at] = byte,
            _ => other.insert(at.min(bytes.len()), byte),
        }
        let mode = fs::metadata(path).unwrap().permissions();
        fs::remove_file(path).unwrap();
        fs::write(path, &other).unwrap();
        let found: Vec<_> = asked.iter().map(|file| read(file)).collect();
        fs::remove_file(path).unwrap();
        fs::write(path, &bytes).unwrap();
        fs::set_permissions(path, mode).unwrap();
        for (found, right) in found.iter().zip(&right) {
            // References and configuration may be changed into others that are valid themselves.
            if let Ok(Some(Committed::File(found))) = found {
                prop_assert!(
                    right == &Committed::File(found.clone()),
                    "{}",
                    path.display()
                );
            }
        }
        Ok(())
    });
    assert!(done.is_ok(), "{done:?}");
}
