//! Compares which files are clean by the index alone with their actual bytes: a returned id is always that of the
//! bytes.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use lancet_git::{CleanFiles, ObjectId, OutsideFiles, Repository};
use lancet_testing::TestFolder;
use lancet_testing::git::git;
use lancet_workspace::{Disk, RealDisk, Stamp, Workspace};

struct Ground {
    folder: TestFolder,
}

impl Ground {
    fn new() -> Ground {
        let ground = Ground {
            folder: TestFolder::new(),
        };
        fs::create_dir(ground.path("")).unwrap();
        ground.git(&["init", "-q"]);
        ground
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.join("a").join(below)
    }

    fn git(&self, arguments: &[&str]) -> Vec<u8> {
        git(self.folder.path(), &self.path(""), arguments)
    }

    fn put(&self, name: &str, text: &str) {
        self.folder.put(format!("a/{name}"), text);
    }

    /// Adds all files, and dates the index later, as if git had written it when the files were already old.
    fn add(&self) {
        self.git(&["add", "-A"]);
        self.age();
    }

    fn age(&self) {
        self.date_index(SystemTime::now() + Duration::from_secs(10));
    }

    fn date_index(&self, when: SystemTime) {
        let index = fs::File::options()
            .append(true)
            .open(self.path(".git/index"))
            .unwrap();
        index.set_modified(when).unwrap();
    }

    fn open(&self, outside: OutsideFiles<'_>) -> CleanFiles {
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        let repository = Repository::around(&self.path("x"), &disk)
            .unwrap()
            .expect("a repository");
        let index = Arc::new(repository.index().unwrap().expect("an index"));
        CleanFiles::open(&repository, index, outside).unwrap()
    }

    /// Returns whether a file is clean by the index; if it is, its bytes have the id.
    fn is_clean(&self, files: &mut CleanFiles, name: &str) -> bool {
        let path = self.path(name);
        let found = files.blob_of(name.as_bytes(), &stamp(&path));
        if let Some(id) = found {
            assert_eq!(id, ObjectId::of_blob(&fs::read(&path).unwrap()), "{name}");
        }
        found.is_some()
    }

    fn clean(&self, name: &str) -> bool {
        self.is_clean(&mut self.open(OutsideFiles::default()), name)
    }
}

fn stamp(path: &Path) -> Stamp {
    let folder = path.parent().unwrap().to_path_buf();
    let workspace = Workspace::open(&[folder], Arc::new(RealDisk), None).unwrap();
    let place = workspace.roots()[0].join(path.file_name().unwrap());
    let link = workspace.locate_link(&place).unwrap();
    let located = link.unwrap_or_else(|| workspace.locate_as_spelled(&place).unwrap());
    located.stat_now().expect("there")
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
    let ground = Ground::new();
    for name in ["same", "deep/er/same", "other", "mode", "replaced", "empty"] {
        ground.put(name, if name == "empty" { "" } else { "text\n" });
    }
    ground.add();
    ground.put("new", "text\n");
    for name in ["same", "deep/er/same", "other", "mode", "replaced", "empty"] {
        assert!(ground.clean(name), "{name}");
    }
    assert!(!ground.clean("new"), "not in the index");
    change_in_place(&ground.path("other"), "TEXT\n");
    assert!(!ground.clean("other"), "ctime tells");
    ground.put("replacement", "TEXT\n");
    fs::rename(ground.path("replacement"), ground.path("replaced")).unwrap();
    assert!(!ground.clean("replaced"), "the inode tells");
    fs::remove_file(ground.path("same")).unwrap();
    std::os::unix::fs::symlink("other", ground.path("same")).unwrap();
    assert!(!ground.clean("same"), "a link");
    let link = stamp(&ground.path("same"));
    let mut files = ground.open(OutsideFiles::default());
    assert_eq!(files.blob_of(b"same", &link), None);
}

#[test]
fn settings_that_make_git_look_away_have_no_effect() {
    let ground = Ground::new();
    for key in [
        "core.trustctime=false",
        "core.checkStat=minimal",
        "core.ignoreStat=true",
    ] {
        let (key, value) = key.split_once('=').unwrap();
        ground.git(&["config", key, value]);
    }
    for name in ["assumed", "skipped", "changed"] {
        ground.put(name, "text\n");
    }
    ground.add();
    ground.git(&["update-index", "--assume-unchanged", "assumed", "changed"]);
    ground.git(&["update-index", "--skip-worktree", "skipped"]);
    ground.age();
    assert!(ground.clean("assumed") && ground.clean("skipped"));
    for name in ["assumed", "skipped", "changed"] {
        change_in_place(&ground.path(name), "TEXT\n");
        assert!(!ground.clean(name), "{name}");
    }
}

#[test]
fn a_file_that_is_as_young_as_the_index_is_not_clean() {
    let ground = Ground::new();
    ground.put("young", "text\n");
    ground.git(&["add", "-A"]);
    assert!(!ground.clean("young"));
    let changed = fs::metadata(ground.path("young"))
        .unwrap()
        .modified()
        .unwrap();
    ground.date_index(changed + Duration::from_millis(1_990));
    assert!(!ground.clean("young"));
    ground.date_index(changed + Duration::from_secs(3));
    assert!(ground.clean("young"));
    // git marks a racily clean file by the size 0, which must not be taken for that of a file emptied since.
    ground.put("young", "");
    ground.git(&["update-index", "--index-version", "4"]);
    ground.age();
    assert!(!ground.clean("young"));
}

#[test]
fn entries_without_the_content_of_a_file_are_never_clean() {
    let ground = Ground::new();
    ground.put("conflict", "ours\n");
    ground.git(&["add", "conflict"]);
    ground.git(&["commit", "-q", "-m", "x"]);
    ground.git(&["checkout", "-q", "-b", "other"]);
    ground.put("conflict", "theirs\n");
    ground.git(&["commit", "-q", "-am", "y"]);
    ground.git(&["checkout", "-q", "main"]);
    ground.put("conflict", "again\n");
    ground.git(&["commit", "-q", "-am", "z"]);
    let mut merge = lancet_testing::git::command(ground.folder.path(), &ground.path(""));
    assert!(
        !merge
            .args(["merge", "-q", "other"])
            .output()
            .unwrap()
            .status
            .success()
    );
    ground.put("planned", "");
    ground.git(&["add", "--intent-to-add", "planned"]);
    ground.age();
    assert!(!ground.clean("planned") && !ground.clean("conflict"));
}

#[test]
fn what_attributes_could_convert_is_not_clean() {
    let ground = Ground::new();
    ground.put(".gitattributes", "*.bin filter=none\nsub/*.id ident\n*.enc working-tree-encoding=UTF-16\n[attr]stored filter=x\n");
    ground.put(
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
        ground.put(name, "text\n");
    }
    ground.add();
    for (name, wanted) in [
        ("a.bin", false),
        ("a.txt", true),
        ("sub/a.id", false),
        ("sub/a.dat", false),
        ("a.dat", true),
        ("sub/deep/b.dat", false),
        ("sub/kept.txt", true),
    ] {
        assert_eq!(ground.clean(name), wanted, "{name}");
    }
    // The attributes differ from those of the index: it is not known which ones git used.
    ground.put("sub/.gitattributes", "\n");
    assert!(ground.clean("a.txt") && !ground.clean("sub/kept.txt"));
    fs::remove_file(ground.path("sub/.gitattributes")).unwrap();
    assert!(!ground.clean("sub/kept.txt"), "the index has one");
    ground.git(&["add", "-A"]);
    ground.age();
    assert!(ground.clean("sub/kept.txt"));
    // An attributes file that is not a file, or too large.
    fs::create_dir(ground.path("sub/.gitattributes")).unwrap();
    assert!(!ground.clean("sub/deep/b.dat"));
    fs::remove_dir(ground.path("sub/.gitattributes")).unwrap();
    ground.put("sub/.gitattributes", &"#".repeat(2 << 20));
    assert!(!ground.clean("sub/deep/b.dat"));
}

#[test]
fn attributes_outside_the_tree_count_as_well() {
    let ground = Ground::new();
    for name in ["a.bin", "a.txt"] {
        ground.put(name, "text\n");
    }
    ground.add();
    let texts = |text: &str| vec![text.to_owned()];
    let (filter, empty) = (texts("*.bin filter=x\n"), Vec::new());
    let mut files = ground.open(OutsideFiles {
        config: &empty,
        attributes: &filter,
    });
    assert!(!ground.is_clean(&mut files, "a.bin") && ground.is_clean(&mut files, "a.txt"));
    for config in ["[core]\nattributesFile = /x\n", "[include]\npath = /x\n"] {
        let config = texts(config);
        let mut files = ground.open(OutsideFiles {
            config: &config,
            attributes: &empty,
        });
        assert!(!ground.is_clean(&mut files, "a.txt"), "{config:?}");
    }
    ground.put(".git/info/attributes", "*.txt ident\n");
    assert!(ground.clean("a.bin") && !ground.clean("a.txt"));
    fs::remove_file(ground.path(".git/info/attributes")).unwrap();
    ground.git(&["config", "core.attributesFile", "/x"]);
    assert!(!ground.clean("a.bin"));
}

#[test]
fn where_line_ends_could_be_converted_the_sizes_decide() {
    for (attributes, config) in [
        ("* text=auto\n", "core.bare=false"),
        ("*.txt eol=crlf\n", "core.bare=false"),
        ("", "core.autocrlf=input"),
        ("", "core.autocrlf=true"),
    ] {
        let ground = Ground::new();
        let (key, value) = config.split_once('=').unwrap();
        ground.git(&["config", key, value]);
        if !attributes.is_empty() {
            ground.put(".gitattributes", attributes);
        }
        ground.put("unix.txt", "one\ntwo\n");
        ground.put("dos.txt", "one\r\ntwo\r\n");
        ground.add();
        for pack in [false, true] {
            if pack {
                ground.git(&["commit", "-q", "-m", "x"]);
                ground.git(&["repack", "-adq"]);
                ground.age();
            }
            assert!(ground.clean("unix.txt"), "{attributes}{config}");
            assert!(!ground.clean("dos.txt"), "{attributes}{config}");
        }
    }
    let ground = Ground::new();
    ground.put("dos.txt", "one\r\ntwo\r\n");
    ground.add();
    assert!(ground.clean("dos.txt"), "nothing converts it");
}

#[test]
fn names_that_are_no_text_are_looked_up_as_bytes() {
    let ground = Ground::new();
    let name = std::ffi::OsStr::from_bytes(b"odd \xff");
    fs::write(ground.path("").join(name), "x").unwrap();
    ground.add();
    let mut files = ground.open(OutsideFiles::default());
    let stamp = stamp(&ground.path("").join(name));
    assert_eq!(
        files.blob_of(name.as_bytes(), &stamp),
        Some(ObjectId::of_blob(b"x"))
    );
}
