//! git itself is the reference: what it shows of HEAD is what the crate reads, in whatever form git stores it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_git::{CommittedContent, GitError, Repository};
use lancet_testing::git::TestRepositories;
use lancet_testing::laws;
use lancet_workspace::{Disk, RealDisk};
use proptest::prelude::*;

/// Creates a repository with some commits: files in folders, and one that has many versions.
fn make_repository(repositories: &TestRepositories, name: &str, format: &str) {
    fs::create_dir_all(repositories.path(name)).unwrap();
    repositories.git(name, &["init", "-q", format]);
    for version in 0..12 {
        let mut text = String::new();
        for line in 0..300 {
            let changed = if line % 17 == version { version } else { 0 };
            text.push_str(&format!("line {line} of the file, {changed}\n"));
        }
        repositories.put(format!("{name}/many.txt"), text);
        repositories.put(
            format!("{name}/src/deep/file {version}.rs"),
            format!("fn f{version}() {{}}\n"),
        );
        repositories.put(format!("{name}/empty"), "");
        repositories.git(name, &["add", "-A"]);
        repositories.git(name, &["commit", "-q", "-m", "x"]);
    }
}

/// Checks that every file of HEAD is read as git shows it; returns their number.
fn agree(repositories: &TestRepositories, at: &str) -> usize {
    let listed = repositories.git(
        at,
        &["ls-tree", "-r", "--name-only", "-z", "--full-tree", "HEAD"],
    );
    let top = String::from_utf8(repositories.git(at, &["rev-parse", "--show-toplevel"])).unwrap();
    let top = PathBuf::from(top.trim_end());
    let listed = String::from_utf8(listed).unwrap();
    let mut count = 0;
    for name in listed.split_terminator('\0') {
        let shown = repositories.git(at, &["show", &format!("HEAD:{name}")]);
        assert_eq!(
            read(&top.join(name)).unwrap(),
            Some(CommittedContent::File(shown)),
            "{name}"
        );
        count += 1;
    }
    assert_eq!(
        read(&top.join("not/there")).unwrap(),
        Some(CommittedContent::Nothing)
    );
    count
}

fn disk() -> Arc<dyn Disk> {
    Arc::new(RealDisk)
}

/// Returns what HEAD stores of a file; none if there is no repository or no commit.
fn read(file: &Path) -> Result<Option<CommittedContent>, GitError> {
    let Some(repository) = Repository::find_for_file(file, &disk())? else {
        return Ok(None);
    };
    let relative = repository
        .relative_path(file)
        .expect("in the work tree")
        .to_path_buf();
    match repository.head_commit()? {
        Some(head) => repository.committed_content(&head, &relative).map(Some),
        None => Ok(None),
    }
}

#[test]
fn loose_packed_and_both() {
    let repositories = TestRepositories::new();
    make_repository(&repositories, "a", "--object-format=sha1");
    assert_eq!(agree(&repositories, "a"), 14);
    repositories.git("a", &["repack", "-q", "-adf", "--depth=50", "--window=50"]);
    repositories.git("a", &["pack-refs", "--all"]);
    assert!(!repositories.path("a/.git/refs/heads/main").exists());
    let counted = String::from_utf8(repositories.git("a", &["count-objects", "-v"])).unwrap();
    assert!(
        counted.contains("count: 0\n") && counted.contains("packs: 1\n"),
        "{counted}"
    );
    assert_eq!(agree(&repositories, "a"), 14);
    // Older commits are at the far end of the chains.
    for back in 1..12 {
        repositories.git(
            "a",
            &["checkout", "-q", "--detach", &format!("main~{back}")],
        );
        assert_eq!(agree(&repositories, "a"), 14 - back);
    }
    repositories.git("a", &["checkout", "-q", "main"]);
    // Deltas that name their base by its id, and a second pack.
    repositories.git(
        "a",
        &[
            "-c",
            "repack.useDeltaBaseOffset=false",
            "repack",
            "-q",
            "-adf",
        ],
    );
    assert_eq!(agree(&repositories, "a"), 14);
    repositories.put("a/many.txt", "other\n");
    repositories.git("a", &["commit", "-q", "-am", "x"]);
    repositories.git("a", &["repack", "-q", "--write-midx"]);
    repositories.put("a/more.txt", "loose\n");
    repositories.git("a", &["add", "-A"]);
    repositories.git("a", &["commit", "-q", "-m", "x"]);
    assert_eq!(agree(&repositories, "a"), 15);
}

#[test]
fn a_repository_of_longer_names() {
    let repositories = TestRepositories::new();
    make_repository(&repositories, "a", "--object-format=sha256");
    assert_eq!(agree(&repositories, "a"), 14);
    repositories.git("a", &["gc", "-q"]);
    assert_eq!(agree(&repositories, "a"), 14);
}

#[test]
fn work_trees_submodules_and_borrowed_objects() {
    let repositories = TestRepositories::new();
    make_repository(&repositories, "a", "--object-format=sha1");
    repositories.git("a", &["branch", "other", "main~5"]);
    repositories.git("a", &["worktree", "add", "-q", "../linked", "other"]);
    assert_eq!(agree(&repositories, "linked"), 9);
    repositories.git("a", &["pack-refs", "--all"]);
    assert_eq!(agree(&repositories, "linked"), 9);

    make_repository(&repositories, "b", "--object-format=sha1");
    repositories.git("b", &["submodule", "--quiet", "add", "../a", "sub"]);
    repositories.git("b", &["commit", "-q", "-m", "x"]);
    assert_eq!(agree(&repositories, "b/sub"), 14);
    let sub = repositories.path("b/sub");
    assert!(fs::metadata(sub.join(".git")).unwrap().is_file());
    assert_eq!(
        read(&sub).unwrap(),
        Some(CommittedContent::Other("submodule"))
    );
    // This moves the key that names the work tree into a separate file.
    repositories.git("b/sub", &["sparse-checkout", "set", "--no-cone", "/*"]);
    assert!(
        repositories
            .path("b/.git/modules/sub/config.worktree")
            .exists()
    );
    assert_eq!(agree(&repositories, "b/sub"), 14);

    repositories.git("", &["clone", "-q", "--shared", "a", "borrowing"]);
    assert!(
        repositories
            .path("borrowing/.git/objects/info/alternates")
            .exists()
    );
    assert_eq!(agree(&repositories, "borrowing"), 14);
    repositories.git(
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
    let found = read(&repositories.path("apart/many.txt"));
    assert!(matches!(found, Err(GitError::Elsewhere)), "{found:?}");
    let work_tree = repositories.path("apart").display().to_string();
    repositories.git("apart", &["config", "core.worktree", &work_tree]);
    assert_eq!(agree(&repositories, "apart"), 14);
}

#[test]
fn no_repository_and_no_commit_yet() {
    let repositories = TestRepositories::new();
    repositories.put("plain/file", "text");
    assert_eq!(read(&repositories.path("plain/file")).unwrap(), None);
    repositories.git("", &["init", "-q", "born"]);
    let file = repositories.path("born/file");
    let repository = Repository::find_for_file(&file, &disk())
        .unwrap()
        .expect("one");
    assert_eq!(repository.head_commit().unwrap(), None);
    assert_eq!(
        repository.relative_path(&repositories.path("born/.git/config")),
        None
    );
}

#[test]
fn what_is_kept_in_ways_not_known_is_said() {
    let repositories = TestRepositories::new();
    repositories.git("", &["init", "-q", "--ref-format=reftable", "tables"]);
    let found = read(&repositories.path("tables/file"));
    assert!(
        matches!(found, Err(GitError::Unsupported("reftable"))),
        "{found:?}"
    );

    make_repository(&repositories, "a", "--object-format=sha1");
    repositories.git("a", &["config", "uploadpack.allowFilter", "true"]);
    let from = format!("file://{}", repositories.path("a").display());
    repositories.git(
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
    let found = read(&repositories.path("partial/many.txt"));
    assert!(matches!(found, Err(GitError::Missing(_))), "{found:?}");
}

#[test]
fn a_project_cannot_lead_to_another_repository() {
    let repositories = TestRepositories::new();
    make_repository(&repositories, "secret", "--object-format=sha1");
    let secret = repositories.path("secret/.git");
    repositories.put("by-file/.git", format!("gitdir: {}\n", secret.display()));
    let found = read(&repositories.path("by-file/many.txt"));
    assert!(matches!(found, Err(GitError::Elsewhere)), "{found:?}");

    fs::create_dir(repositories.path("by-link")).unwrap();
    std::os::unix::fs::symlink(&secret, repositories.path("by-link/.git")).unwrap();
    let found = read(&repositories.path("by-link/many.txt"));
    assert!(matches!(found, Err(GitError::Elsewhere)), "{found:?}");

    // A real git folder whose content is elsewhere.
    for inside in ["objects", "refs", "HEAD"] {
        let name = format!("inside-{inside}");
        repositories.git("", &["init", "-q", &name]);
        let own = repositories.path(&name).join(".git").join(inside);
        if inside == "HEAD" {
            fs::remove_file(&own).unwrap()
        } else {
            fs::remove_dir_all(&own).unwrap()
        }
        std::os::unix::fs::symlink(secret.join(inside), &own).unwrap();
        let found = read(&repositories.path(&name).join("many.txt"));
        assert!(
            !matches!(found, Ok(Some(CommittedContent::File(_)))),
            "{inside}"
        );
        if inside != "objects" {
            assert!(found.is_err(), "{inside}: {found:?}");
        }
    }
    // The work tree that the other's configuration would have to name, named by the project itself.
    repositories.git("", &["init", "-q", "by-common"]);
    repositories.put("by-common/.git/commondir", secret.display().to_string());
    repositories.put(
        "by-common/.git/gitdir",
        repositories.path("by-common/.git").display().to_string(),
    );
    let found = read(&repositories.path("by-common/many.txt"));
    assert!(
        !matches!(found, Ok(Some(CommittedContent::File(_)))),
        "{found:?}"
    );
}

#[test]
fn what_claims_to_be_endless_is_refused() {
    let repositories = TestRepositories::new();
    repositories.git("", &["init", "-q", "a"]);
    let large = "0123456789abcdef".repeat(1 << 16);
    repositories.put("a/large.txt", large.repeat(17));
    repositories.git("a", &["add", "-A"]);
    repositories.git("a", &["commit", "-q", "-m", "x"]);
    for _ in 0..2 {
        let found = read(&repositories.path("a/large.txt"));
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
        repositories.git("a", &["gc", "-q"]);
    }
}

#[test]
fn an_object_that_is_not_as_long_as_it_says_is_refused() {
    let repositories = TestRepositories::new();
    repositories.git("", &["init", "-q", "a"]);
    repositories.put("a/file.txt", "text\n");
    repositories.git("a", &["add", "-A"]);
    repositories.git("a", &["commit", "-q", "-m", "x"]);
    let file = repositories.path("a/file.txt");
    let id = String::from_utf8(repositories.git("a", &["rev-parse", "HEAD:file.txt"])).unwrap();
    let (start, rest) = id.trim_end().split_at(2);
    let object = repositories.path("a/.git/objects").join(start).join(rest);
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
    let repositories = TestRepositories::new();
    make_repository(&repositories, "a", "--object-format=sha1");
    repositories.git("a", &["gc", "-q"]);
    repositories.put("a/many.txt", "loose\n");
    repositories.git("a", &["commit", "-q", "-am", "x"]);
    let mut files = Vec::new();
    let mut folders = vec![repositories.path("a/.git")];
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
        repositories.path("a/many.txt"),
        repositories.path("a/src/deep/file 3.rs"),
    ];
    let right: Vec<CommittedContent> = asked
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
            if let Ok(Some(CommittedContent::File(found))) = found {
                prop_assert!(
                    right == &CommittedContent::File(found.clone()),
                    "{}",
                    path.display()
                );
            }
        }
        Ok(())
    });
    assert!(done.is_ok(), "{done:?}");
}
