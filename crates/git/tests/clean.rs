//! Compares which files are clean by the index alone with their actual bytes: a returned id is always that of the
//! bytes.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use lancet_git::{CleanFiles, GlobalFiles, ObjectId, Repository};
use lancet_testing::git::TestRepositories;
use lancet_workspace::{Disk, RealDisk, Stamp, Workspace};

/// Creates a repository, whose files are named from the temporary folder on.
fn new_repository() -> TestRepositories {
    TestRepositories::with("")
}

/// Adds all files, and dates the index later, as if git had written it when the files were already old.
fn add(repository: &TestRepositories) {
    repository.git("", &["add", "-A"]);
    age(repository);
}

fn age(repository: &TestRepositories) {
    date_index(repository, SystemTime::now() + Duration::from_secs(10));
}

fn date_index(repository: &TestRepositories, when: SystemTime) {
    let index = fs::File::options()
        .append(true)
        .open(repository.path(".git/index"))
        .unwrap();
    index.set_modified(when).unwrap();
}

fn open(repository: &TestRepositories, outside: GlobalFiles<'_>) -> CleanFiles {
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let opened = Repository::find_for_file(&repository.path("x"), &disk)
        .unwrap()
        .expect("a repository");
    let index = Arc::new(opened.index().unwrap().expect("an index"));
    CleanFiles::open(&opened, index, outside).unwrap()
}

/// Returns whether a file is clean by the index; if it is, its bytes have the id.
fn is_clean(repository: &TestRepositories, files: &mut CleanFiles, name: &str) -> bool {
    let path = repository.path(name);
    let found = files.certain_blob(name.as_bytes(), &stamp(&path));
    if let Some(id) = found {
        assert_eq!(id, ObjectId::hash_blob(&fs::read(&path).unwrap()), "{name}");
    }
    found.is_some()
}

fn clean(repository: &TestRepositories, name: &str) -> bool {
    is_clean(
        repository,
        &mut open(repository, GlobalFiles::default()),
        name,
    )
}

fn stamp(path: &Path) -> Stamp {
    let folder = path.parent().unwrap().to_path_buf();
    let workspace = Workspace::open(&[folder], Arc::new(RealDisk), None).unwrap();
    let place = workspace.roots()[0].join(path.file_name().unwrap());
    let link = workspace.locate_link(&place).unwrap();
    let located = link.unwrap_or_else(|| workspace.locate_as_spelled(&place).unwrap());
    located.current_stamp().expect("there")
}

/// Replaces bytes without changing the size, and restores the file's old mtime.
fn change_in_place(path: &Path, to: &str) {
    let before = fs::metadata(path).unwrap().modified().unwrap();
    fs::write(path, to).unwrap();
    let file = fs::File::options().append(true).open(path).unwrap();
    file.set_modified(before).unwrap();
}

#[test]
fn a_file_is_clean_until_anything_of_its_stat_changes() {
    let repository = new_repository();
    for name in ["same", "deep/er/same", "other", "mode", "replaced", "empty"] {
        repository.put(name, if name == "empty" { "" } else { "text\n" });
    }
    add(&repository);
    repository.put("new", "text\n");
    for name in ["same", "deep/er/same", "other", "mode", "replaced", "empty"] {
        assert!(clean(&repository, name), "{name}");
    }
    assert!(!clean(&repository, "new"), "not in the index");
    change_in_place(&repository.path("other"), "TEXT\n");
    assert!(!clean(&repository, "other"), "ctime tells");
    repository.put("replacement", "TEXT\n");
    fs::rename(repository.path("replacement"), repository.path("replaced")).unwrap();
    assert!(!clean(&repository, "replaced"), "the inode tells");
    fs::remove_file(repository.path("same")).unwrap();
    std::os::unix::fs::symlink("other", repository.path("same")).unwrap();
    assert!(!clean(&repository, "same"), "a link");
    let link = stamp(&repository.path("same"));
    let mut files = open(&repository, GlobalFiles::default());
    assert_eq!(files.certain_blob(b"same", &link), None);
}

#[test]
fn settings_that_make_git_look_away_have_no_effect() {
    let repository = new_repository();
    for key in [
        "core.trustctime=false",
        "core.checkStat=minimal",
        "core.ignoreStat=true",
    ] {
        let (key, value) = key.split_once('=').unwrap();
        repository.git("", &["config", key, value]);
    }
    for name in ["assumed", "skipped", "changed"] {
        repository.put(name, "text\n");
    }
    add(&repository);
    repository.git(
        "",
        &["update-index", "--assume-unchanged", "assumed", "changed"],
    );
    repository.git("", &["update-index", "--skip-worktree", "skipped"]);
    age(&repository);
    assert!(clean(&repository, "assumed") && clean(&repository, "skipped"));
    for name in ["assumed", "skipped", "changed"] {
        change_in_place(&repository.path(name), "TEXT\n");
        assert!(!clean(&repository, name), "{name}");
    }
}

#[test]
fn a_file_that_is_as_young_as_the_index_is_not_clean() {
    let repository = new_repository();
    repository.put("young", "text\n");
    repository.git("", &["add", "-A"]);
    assert!(!clean(&repository, "young"));
    let changed = fs::metadata(repository.path("young"))
        .unwrap()
        .modified()
        .unwrap();
    date_index(&repository, changed + Duration::from_millis(1_990));
    assert!(!clean(&repository, "young"));
    date_index(&repository, changed + Duration::from_secs(3));
    assert!(clean(&repository, "young"));
    // git marks a racily clean file by the size 0, which must not be taken for that of a file emptied since.
    repository.put("young", "");
    repository.git("", &["update-index", "--index-version", "4"]);
    age(&repository);
    assert!(!clean(&repository, "young"));
}

#[test]
fn entries_without_the_content_of_a_file_are_never_clean() {
    let repository = new_repository();
    repository.put("conflict", "ours\n");
    repository.git("", &["add", "conflict"]);
    repository.git("", &["commit", "-q", "-m", "x"]);
    repository.git("", &["checkout", "-q", "-b", "other"]);
    repository.put("conflict", "theirs\n");
    repository.git("", &["commit", "-q", "-am", "y"]);
    repository.git("", &["checkout", "-q", "main"]);
    repository.put("conflict", "again\n");
    repository.git("", &["commit", "-q", "-am", "z"]);
    let mut merge = repository.command("");
    assert!(
        !merge
            .args(["merge", "-q", "other"])
            .output()
            .unwrap()
            .status
            .success()
    );
    repository.put("planned", "");
    repository.git("", &["add", "--intent-to-add", "planned"]);
    age(&repository);
    assert!(!clean(&repository, "planned") && !clean(&repository, "conflict"));
}

#[test]
fn what_attributes_could_convert_is_not_clean() {
    let repository = new_repository();
    repository.put(".gitattributes", "*.bin filter=none\nsub/*.id ident\n*.enc working-tree-encoding=UTF-16\n[attr]stored filter=x\n");
    repository.put(
        "sub/.gitattributes",
        "*.dat stored\nkept.txt -filter diff\n",
    );
    for name in [
        "a.bin",
        "a.txt",
        "sub/a.id",
        "sub/a.dat",
        "a.dat",
        "sub/deep/b.dat",
        "sub/kept.txt",
    ] {
        repository.put(name, "text\n");
    }
    add(&repository);
    for (name, wanted) in [
        ("a.bin", false),
        ("a.txt", true),
        ("sub/a.id", false),
        ("sub/a.dat", false),
        ("a.dat", true),
        ("sub/deep/b.dat", false),
        ("sub/kept.txt", true),
    ] {
        assert_eq!(clean(&repository, name), wanted, "{name}");
    }
    // The attributes differ from those of the index: it is not known which ones git used.
    repository.put("sub/.gitattributes", "\n");
    assert!(clean(&repository, "a.txt") && !clean(&repository, "sub/kept.txt"));
    fs::remove_file(repository.path("sub/.gitattributes")).unwrap();
    assert!(!clean(&repository, "sub/kept.txt"), "the index has one");
    repository.git("", &["add", "-A"]);
    age(&repository);
    assert!(clean(&repository, "sub/kept.txt"));
    // An attributes file that is not a file, or too large.
    fs::create_dir(repository.path("sub/.gitattributes")).unwrap();
    assert!(!clean(&repository, "sub/deep/b.dat"));
    fs::remove_dir(repository.path("sub/.gitattributes")).unwrap();
    repository.put("sub/.gitattributes", "#".repeat(2 << 20));
    assert!(!clean(&repository, "sub/deep/b.dat"));
}

#[test]
fn attributes_outside_the_tree_count_as_well() {
    let repository = new_repository();
    for name in ["a.bin", "a.txt"] {
        repository.put(name, "text\n");
    }
    add(&repository);
    let texts = |text: &str| vec![text.to_owned()];
    let (filter, empty) = (texts("*.bin filter=x\n"), Vec::new());
    let mut files = open(
        &repository,
        GlobalFiles {
            config: &empty,
            attributes: &filter,
        },
    );
    assert!(
        !is_clean(&repository, &mut files, "a.bin") && is_clean(&repository, &mut files, "a.txt")
    );
    for config in ["[core]\nattributesFile = /x\n", "[include]\npath = /x\n"] {
        let config = texts(config);
        let mut files = open(
            &repository,
            GlobalFiles {
                config: &config,
                attributes: &empty,
            },
        );
        assert!(!is_clean(&repository, &mut files, "a.txt"), "{config:?}");
    }
    repository.put(".git/info/attributes", "*.txt ident\n");
    assert!(clean(&repository, "a.bin") && !clean(&repository, "a.txt"));
    fs::remove_file(repository.path(".git/info/attributes")).unwrap();
    repository.git("", &["config", "core.attributesFile", "/x"]);
    assert!(!clean(&repository, "a.bin"));
}

#[test]
fn where_line_ends_could_be_converted_the_sizes_decide() {
    for (attributes, config) in [
        ("* text=auto\n", "core.bare=false"),
        ("*.txt eol=crlf\n", "core.bare=false"),
        ("", "core.autocrlf=input"),
        ("", "core.autocrlf=true"),
    ] {
        let repository = new_repository();
        let (key, value) = config.split_once('=').unwrap();
        repository.git("", &["config", key, value]);
        if !attributes.is_empty() {
            repository.put(".gitattributes", attributes);
        }
        repository.put("unix.txt", "one\ntwo\n");
        repository.put("dos.txt", "one\r\ntwo\r\n");
        add(&repository);
        for pack in [false, true] {
            if pack {
                repository.git("", &["commit", "-q", "-m", "x"]);
                repository.git("", &["repack", "-adq"]);
                age(&repository);
            }
            assert!(clean(&repository, "unix.txt"), "{attributes}{config}");
            assert!(!clean(&repository, "dos.txt"), "{attributes}{config}");
        }
    }
    let repository = new_repository();
    repository.put("dos.txt", "one\r\ntwo\r\n");
    add(&repository);
    assert!(clean(&repository, "dos.txt"), "nothing converts it");
}

#[test]
fn names_that_are_no_text_are_looked_up_as_bytes() {
    let repository = new_repository();
    let name = std::ffi::OsStr::from_bytes(b"odd \xff");
    fs::write(repository.path("").join(name), "x").unwrap();
    add(&repository);
    let mut files = open(&repository, GlobalFiles::default());
    let stamp = stamp(&repository.path("").join(name));
    assert_eq!(
        files.certain_blob(name.as_bytes(), &stamp),
        Some(ObjectId::hash_blob(b"x"))
    );
}
