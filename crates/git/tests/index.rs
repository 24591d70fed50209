//! Compares the index with `git ls-files`: the crate reads exactly what git lists, in every version, and no damage
//! goes unnoticed.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::sync::Arc;

use lancet_git::{GitError, GitIndex, IndexEntry, LINK_MODE, Repository, SUBMODULE_MODE};
use lancet_testing::git::TestRepositories;
use lancet_testing::laws;
use lancet_workspace::{Disk, RealDisk};
use proptest::prelude::*;

fn open(repositories: &TestRepositories, at: &str) -> Repository {
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    Repository::find_for_file(&repositories.path(at).join("x"), &disk)
        .unwrap()
        .expect("a repository")
}

fn read_index(repositories: &TestRepositories, at: &str) -> Result<Option<GitIndex>, GitError> {
    open(repositories, at).index()
}

/// Checks that everything git lists is read in the same way; returns the number of entries.
fn agree(repositories: &TestRepositories, at: &str) -> usize {
    let index = read_index(repositories, at).unwrap().expect("an index");
    let listed = repositories.git(at, &["ls-files", "-z", "--stage", "--debug"]);
    // Each entry is "MODE ID STAGE\tNAME\0" and then lines of `--debug`.
    let mut rest = &listed[..];
    let mut entries = index.entries();
    let mut count = 0;
    while let Some(end) = rest.iter().position(|byte| *byte == 0) {
        let (line, after) = (&rest[..end], &rest[end + 1..]);
        let debug_end = after
            .windows(2)
            .enumerate()
            .filter(|(_, pair)| pair[0] == b'\n' && pair[1] != b' ')
            .map(|(at, _)| at + 1)
            .next()
            .unwrap_or(after.len());
        let debug = String::from_utf8(after[..debug_end].to_vec()).unwrap();
        let entry = entries.next().expect("as many as git has");
        let listed = [line, b"\n", debug.as_bytes()].concat();
        assert_eq!(
            format_entry(&entry).escape_ascii().to_string(),
            listed.escape_ascii().to_string()
        );
        rest = &after[debug_end..];
        count += 1;
    }
    assert_eq!(entries.next(), None);
    assert_eq!(index.len(), count);
    count
}
/// Returns an entry as git shows it; the bits of the flags that are only in git's memory are not compared.
fn format_entry(entry: &IndexEntry<'_>) -> Vec<u8> {
    let stat = entry.stat;
    let mut line = format!("{:06o} {} {}\t", entry.mode, entry.id, entry.stage).into_bytes();
    line.extend_from_slice(entry.name);
    let flags = u32::from(entry.assume_unchanged) << 15
        | u32::from(entry.stage) << 12
        | u32::from(entry.intent_to_add || entry.skip_worktree) << 14
        | u32::from(entry.intent_to_add) << 29
        | u32::from(entry.skip_worktree) << 30;
    line.extend_from_slice(
        format!(
            "\n  ctime: {}:{}\n  mtime: {}:{}\n  dev: {}\tino: {}\n  uid: {}\tgid: {}\n  size: {}\tflags: {flags:x}\n",
            stat.ctime.0,
            stat.ctime.1,
            stat.mtime.0,
            stat.mtime.1,
            stat.device,
            stat.inode,
            stat.uid,
            stat.gid,
            stat.size,
        )
        .as_bytes(),
    );
    line
}

/// Creates files of all kinds: folders that share beginnings, and names that are long, odd, or not text.
fn fill(repositories: &TestRepositories, at: &str) {
    use std::os::unix::ffi::OsStrExt as _;
    for (name, text) in [
        ("a.txt", "one\n"),
        ("a/b.txt", "two\n"),
        ("a-b/c.txt", "three\n"),
        ("a0", ""),
        ("deep/er/and/deeper/file with blanks", "x"),
        ("deep/er/and/deeper/file\nwith a line end", "y"),
        (".hidden/.gitignore", "*.o\n"),
        ("ä/ü", "umlauts"),
    ] {
        repositories.put(format!("{at}/{name}"), text);
    }
    let odd = std::ffi::OsStr::from_bytes(b"not \xff utf-8");
    fs::write(repositories.path(at).join(odd), "z").unwrap();
    let long = format!("{at}/{}/{}", "n".repeat(250), "m".repeat(250));
    for end in ["a", "b"] {
        repositories.put(format!("{long}/{}{end}", "o".repeat(240)), "w");
    }
    std::os::unix::fs::symlink("a.txt", repositories.path(at).join("link")).unwrap();
    let script = repositories.path(at).join("run.sh");
    fs::write(&script, "#!/bin/sh\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&script, mode).unwrap();
    repositories.git(at, &["add", "-A"]);
}

#[test]
fn every_version_with_all_flags_stages_and_extensions() {
    let repositories = TestRepositories::with("a");
    assert!(
        read_index(&repositories, "a").unwrap().is_none(),
        "before the first add"
    );
    fill(&repositories, "a");
    repositories.git("a", &["commit", "-q", "-m", "x"]);
    repositories.put("a/planned", "not added yet");
    repositories.git("a", &["add", "--intent-to-add", "planned"]);
    repositories.git("a", &["update-index", "--assume-unchanged", "a.txt"]);
    repositories.git("a", &["update-index", "--skip-worktree", "a/b.txt"]);
    // A conflict with all three stages, and one with two.
    let blob = |text: &str| {
        repositories.put("blob", text);
        let id = repositories.git("a", &["hash-object", "-w", "../blob"]);
        String::from_utf8(id).unwrap().trim().to_owned()
    };
    let mut lines = String::new();
    for stage in 1..=3 {
        lines.push_str(&format!(
            "100644 {} {stage}\tconflict/file\n",
            blob(&stage.to_string())
        ));
    }
    lines.push_str(&format!("100644 {} 2\tconflict/ours\n", blob("ours")));
    let mut child = repositories
        .command("a")
        .args(["update-index", "--index-info"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), lines.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    for version in ["2", "3", "4"] {
        repositories.git("a", &["update-index", "--index-version", version]);
        for more in [
            &["core.untrackedCache=true"][..],
            &["index.threads=4"],
            &["index.skipHash=true"],
        ] {
            let mut all: Vec<&str> = more.iter().flat_map(|one| ["-c", one]).collect();
            all.extend(["update-index", "--force-write-index"]);
            repositories.git("a", &all);
            assert_eq!(agree(&repositories, "a"), 18, "version {version}, {more:?}");
        }
    }
    let index = read_index(&repositories, "a").unwrap().unwrap();
    assert!(index.is_tracked(b"conflict/file") && index.find(b"conflict/file").is_none());
    assert_eq!(index.entries_below(b"conflict").count(), 4);
    let planned = index.find(b"planned").unwrap();
    assert!(planned.intent_to_add && planned.stat.size == 0);
    assert!(index.find(b"a.txt").unwrap().assume_unchanged);
    assert!(index.find(b"a/b.txt").unwrap().skip_worktree);
    assert_eq!(index.find(b"link").unwrap().mode, LINK_MODE);
    assert!(index.find(b"not \xff utf-8").is_some());
}

#[test]
fn many_entries_in_blocks_of_version_4() {
    let repositories = TestRepositories::with("a");
    let mut lines = String::new();
    for number in 0..30_000 {
        lines.push_str(&format!(
            "100644 ce013625030ba8dba906f756967f9e9ca394464a 0\tfolder {}/file {number}\n",
            number / 100
        ));
    }
    let mut child = repositories
        .command("a")
        .args(["update-index", "--index-info"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), lines.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    for version in ["4", "2"] {
        repositories.git(
            "a",
            &[
                "-c",
                "index.threads=4",
                "update-index",
                "--index-version",
                version,
            ],
        );
        assert_eq!(agree(&repositories, "a"), 30_000);
    }
    let index = read_index(&repositories, "a").unwrap().unwrap();
    assert_eq!(index.entries_below(b"folder 7").count(), 100);
    assert_eq!(index.entries_below(b"folder 7/").count(), 100);
    assert_eq!(index.entries_below(b"folder").count(), 0);
    assert_eq!(index.entries_below(b"").count(), 30_000);
    assert!(index.is_tracked(b"folder 7/file 777") && !index.is_tracked(b"folder 7"));
}

#[test]
fn the_stat_is_that_of_the_file() {
    let repositories = TestRepositories::with("a");
    fill(&repositories, "a");
    let index = read_index(&repositories, "a").unwrap().unwrap();
    let facts = fs::metadata(repositories.path("a/a.txt")).unwrap();
    let stat = index.find(b"a.txt").unwrap().stat;
    assert_eq!(i64::from(stat.mtime.0), facts.mtime());
    assert_eq!(i64::from(stat.mtime.1), facts.mtime_nsec());
    assert_eq!(i64::from(stat.ctime.1), facts.ctime_nsec());
    assert_eq!(u64::from(stat.size), facts.len());
    assert_eq!(u64::from(stat.inode), facts.ino() & 0xffff_ffff);
    let of_index = fs::metadata(repositories.path("a/.git/index")).unwrap();
    assert_eq!(index.write_time().0, of_index.mtime());
    assert_eq!(index.stamp().inode, of_index.ino());
}

#[test]
fn linked_work_trees_and_submodules_have_their_own() {
    let repositories = TestRepositories::with("a");
    fill(&repositories, "a");
    repositories.git("a", &["commit", "-q", "-m", "x"]);
    repositories.git("a", &["worktree", "add", "-q", "-b", "other", "../linked"]);
    repositories.git("linked", &["rm", "-q", "--cached", "a.txt"]);
    assert_eq!(
        agree(&repositories, "a"),
        agree(&repositories, "linked") + 1
    );
    fs::create_dir(repositories.path("b")).unwrap();
    repositories.git("b", &["init", "-q"]);
    repositories.git("b", &["submodule", "--quiet", "add", "../a", "sub"]);
    assert_eq!(agree(&repositories, "b"), 2);
    let index = read_index(&repositories, "b").unwrap().unwrap();
    assert_eq!(index.find(b"sub").unwrap().mode, SUBMODULE_MODE);
    assert!(!index.is_tracked(b"sub/a.txt"));
    assert_eq!(agree(&repositories, "b/sub"), agree(&repositories, "a"));
}

#[test]
fn what_is_not_read_is_named() {
    let repositories = TestRepositories::with("a");
    fill(&repositories, "a");
    repositories.git("a", &["commit", "-q", "-m", "x"]);
    let unsupported = |at: &str| match read_index(&repositories, at) {
        Err(GitError::Unsupported(what)) => what,
        other => panic!("{other:?}"),
    };
    repositories.git("a", &["update-index", "--split-index"]);
    repositories.put("a/a.txt", "changed\n");
    repositories.git("a", &["add", "a.txt"]);
    assert_eq!(unsupported("a"), "a split index");
    repositories.git("a", &["update-index", "--no-split-index"]);
    agree(&repositories, "a");
    repositories.git("a", &["commit", "-q", "-m", "y"]);
    repositories.git(
        "a",
        &["sparse-checkout", "set", "--cone", "--sparse-index", "a"],
    );
    assert_eq!(unsupported("a"), "a sparse index");
    repositories.git("a", &["sparse-checkout", "reapply", "--no-sparse-index"]);
    agree(&repositories, "a");
    fs::create_dir(repositories.path("long")).unwrap();
    repositories.git("long", &["init", "-q", "--object-format=sha256"]);
    fill(&repositories, "long");
    assert_eq!(unsupported("long"), "the index of a SHA-256 repository");
}

#[test]
fn an_index_that_is_a_link_or_a_folder_is_not_read() {
    let repositories = TestRepositories::with("a");
    fill(&repositories, "a");
    let index = repositories.path("a/.git/index");
    fs::rename(&index, repositories.path("a/.git/other")).unwrap();
    std::os::unix::fs::symlink("other", &index).unwrap();
    assert!(read_index(&repositories, "a").is_err());
    fs::remove_file(&index).unwrap();
    fs::create_dir(&index).unwrap();
    assert!(read_index(&repositories, "a").is_err());
}

#[test]
fn no_damage_goes_unnoticed_and_none_makes_it_panic() {
    let repositories = TestRepositories::with("a");
    fill(&repositories, "a");
    repositories.git("a", &["commit", "-q", "-m", "x"]);
    let path = repositories.path("a/.git/index");
    let mut forms = Vec::new();
    for version in ["2", "3", "4"] {
        repositories.git("a", &["update-index", "--index-version", version]);
        forms.push(fs::read(&path).unwrap());
    }
    let repository = open(&repositories, "a");
    let change = (any::<prop::sample::Index>(), any::<u8>(), 0..4_u8);
    let law = (
        0..forms.len(),
        prop::collection::vec(change, 1..4),
        any::<bool>(),
    );
    let config = laws::config_of(laws::limited(laws::cases() * 2, 3_000));
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let done = runner.run(&law, |(form, changes, without_sum)| {
        let right = &forms[form];
        let mut bytes = right.clone();
        for (at, byte, how) in changes {
            let at = at.index(bytes.len());
            match how {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] = byte,
                2 => bytes[at] = 0xff,
                _ => bytes.insert(at, byte),
            }
        }
        // Without a sum the parser itself has to be safe.
        if without_sum && bytes.len() > 20 {
            let end = bytes.len() - 20;
            bytes[end..].fill(0);
        }
        fs::write(&path, &bytes).unwrap();
        let found = repository.index();
        if let Ok(Some(index)) = found {
            prop_assert!(without_sum || bytes == *right, "damage was not seen");
            let names: Vec<&[u8]> = index.entries().map(|entry| entry.name).collect();
            prop_assert!(names.is_sorted());
            prop_assert!(names.iter().all(|name| index.is_tracked(name)));
        }
        Ok(())
    });
    assert!(done.is_ok(), "{done:?}");
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let repositories = TestRepositories::with("a");
    repositories.put("a/aa/bb", "x");
    repositories.git("a", &["add", "-A"]);
    let path = repositories.path("a/.git/index");
    let bytes = fs::read(&path).unwrap();
    let at = bytes.windows(5).position(|part| part == b"aa/bb").unwrap();
    for (name, is_right) in [
        (b"aa/bc", true),
        (b"../bb", false),
        (b"/a/bb", false),
        (b"aa//b", false),
        (b"aa/./", false),
        (b".gIt/", false),
        (b"a/.gi", true),
        (b"a\0/bb", false),
    ] {
        let mut other = bytes.clone();
        other[at..at + 5].copy_from_slice(name);
        let end = other.len() - 20;
        other[end..].fill(0);
        fs::write(&path, &other).unwrap();
        let found = read_index(&repositories, "a");
        assert_eq!(found.is_ok(), is_right, "{found:?}");
    }
}
