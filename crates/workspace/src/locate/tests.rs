//! Where paths lead, and that none leads out of the roots.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_testing::TestFolder;

use super::*;
use crate::{FaultyDisk, RealDisk};

/// A root next to another folder, and a disk that can be made to act at any call.
struct TestRoot {
    _folder: TestFolder,
    around: PathBuf,
    root: PathBuf,
    disk: Arc<FaultyDisk>,
    workspace: Workspace,
}

fn new_test_root() -> TestRoot {
    let folder = TestFolder::new();
    let around = folder.path().to_owned();
    let root = folder.join("root");
    for (name, text) in [
        ("root/in.txt", "in"),
        ("root/d/e/x.txt", "x"),
        ("away/x.txt", "SECRET"),
        ("root-evil/x.txt", "SECRET"),
        ("out.txt", "SECRET"),
    ] {
        folder.put(name, text);
    }
    let disk = Arc::new(FaultyDisk::new());
    let workspace = Workspace::open(std::slice::from_ref(&root), disk.clone(), None).unwrap();
    TestRoot {
        _folder: folder,
        around,
        root,
        disk,
        workspace,
    }
}

impl TestRoot {
    fn locate(&self, path: &str) -> Result<Located, LocateError> {
        self.workspace.locate(&self.root.join(path))
    }

    fn text(&self, path: &str) -> String {
        let snapshot = self.locate(path).unwrap().read_snapshot(1000).unwrap();
        String::from_utf8(snapshot.bytes.to_vec()).unwrap()
    }

    #[track_caller]
    fn assert_outside(&self, path: impl AsRef<Path>) {
        let found = self.workspace.locate(&self.root.join(path));
        let outside = matches!(
            found,
            Err(LocateError::Outside | LocateError::LeadsOutside { .. })
        );
        assert!(outside, "{found:?}");
    }

    /// Returns the link that leads a path out and its target, below the folder around the root.
    fn link_leading_out(&self, path: &str) -> Option<(String, String)> {
        let below = |path: &Path| {
            let below = path.strip_prefix(&self.around).unwrap_or(path);
            below.to_str().unwrap().to_owned()
        };
        match self.locate(path) {
            Err(LocateError::LeadsOutside { link, target }) => Some((below(&link), below(&target))),
            Err(LocateError::Outside) => None,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn reports_link_that_leads_outside() {
    let ground = new_test_root();
    symlink("../away", ground.root.join("cfg")).unwrap();
    symlink(ground.around.join("out.txt"), ground.root.join("m.txt")).unwrap();
    symlink("m.txt", ground.root.join("chain.txt")).unwrap();
    symlink("../../nothing", ground.root.join("d/gone")).unwrap();
    symlink("d", ground.root.join("within")).unwrap();
    let way = |link: &str, target: &str| Some((link.to_owned(), target.to_owned()));
    assert_eq!(ground.link_leading_out("cfg"), way("root/cfg", "away"));
    assert_eq!(
        ground.link_leading_out("cfg/x.txt"),
        way("root/cfg", "away")
    );
    assert_eq!(
        ground.link_leading_out("cfg/../out.txt"),
        way("root/cfg", "away")
    );
    assert_eq!(
        ground.link_leading_out("m.txt"),
        way("root/m.txt", "out.txt")
    );
    assert_eq!(
        ground.link_leading_out("chain.txt"),
        way("root/m.txt", "out.txt")
    );
    assert_eq!(
        ground.link_leading_out("d/gone"),
        way("root/d/gone", "nothing")
    );
    // Here the path itself leads out, not a link.
    assert_eq!(ground.link_leading_out("within/../../out.txt"), None);
    assert_eq!(ground.link_leading_out("../out.txt"), None);
    assert_eq!(ground.link_leading_out("/dev/zero"), None);
    // Out by a link, in again and out by the path.
    symlink("../root", ground.root.join("back")).unwrap();
    assert_eq!(ground.link_leading_out("back/../out.txt"), None);
}

#[test]
fn trailing_slash_requires_folder() {
    let ground = new_test_root();
    let found = |path: &str| ground.locate(path);
    assert!(found("d/").is_ok());
    assert!(matches!(
        found("d/e/x.txt/"),
        Err(LocateError::NotADirectory { at }) if at == ground.root.join("d/e/x.txt")
    ));
    for path in ["new/", "new//", "new/.", "new/more/"] {
        let at = ground.root.join(path.trim_end_matches(['/', '.']));
        let found = found(path);
        assert!(
            matches!(&found, Err(LocateError::NoSuchFolder { at: told }) if *told == at),
            "{path}: {found:?}"
        );
    }
}

#[test]
fn locates_file_with_three_disk_calls() {
    let ground = new_test_root();
    ground.disk.clear_faults();
    let found = ground.locate("d/e/x.txt").unwrap();
    assert_eq!(ground.disk.call_count(), 3);
    assert_eq!(found.kind(), FileType::File);
    assert_eq!(found.path(), ground.root.join("d/e/x.txt"));
    assert_eq!(found.relative(), Path::new("d/e/x.txt"));
    assert_eq!(found.root(), ground.root);
    assert!(!found.has_followed_link() && !found.is_respelled());
}

#[test]
fn refuses_every_path_that_leads_outside() {
    let ground = new_test_root();
    symlink("../away", ground.root.join("cfg")).unwrap();
    symlink("../out.txt", ground.root.join("l.txt")).unwrap();
    symlink(ground.around.join("out.txt"), ground.root.join("m.txt")).unwrap();
    symlink("../new.txt", ground.root.join("n.txt")).unwrap();
    symlink("l.txt", ground.root.join("chain.txt")).unwrap();
    for path in [
        "../out.txt",
        "../new.txt",
        "..",
        "../root-evil/x.txt",
        "../root.txt",
        "d/e/../../../out.txt",
        "cfg",
        "cfg/x.txt",
        "cfg/new/y.txt",
        "cfg/../out.txt",
        "l.txt",
        "m.txt",
        "n.txt",
        "chain.txt",
        "/dev/zero",
        "/proc/self/fd/0",
        "/",
        "//server/share/x.txt",
        "/nowhere/x.txt",
    ] {
        ground.assert_outside(path);
    }
}

#[test]
fn refuses_links_of_proc() {
    let ground = new_test_root();
    let handle = fs::File::open(ground.around.join("away")).unwrap();
    let number = std::os::fd::AsRawFd::as_raw_fd(&handle);
    symlink(format!("/proc/self/fd/{number}"), ground.root.join("magic")).unwrap();
    symlink("/proc/self/root", ground.root.join("slash")).unwrap();
    ground.assert_outside("magic/x.txt");
    ground.assert_outside("slash/etc/passwd");
}

#[test]
fn different_spellings_locate_same_file() {
    let ground = new_test_root();
    symlink("d", ground.root.join("e")).unwrap();
    symlink("../d/e/x.txt", ground.root.join("d/l.txt")).unwrap();
    symlink(ground.root.join("d/e"), ground.root.join("absolute")).unwrap();
    symlink(&ground.root, ground.around.join("door")).unwrap();
    let file = ground.root.join("d/e/x.txt");
    for (path, link) in [
        ("d/./e//x.txt", false),
        ("d/../d/e/x.txt", false),
        ("../root/d/e/x.txt", false),
        ("e/e/x.txt", true),
        ("e/../d/e/x.txt", true),
        ("d/l.txt", true),
        ("absolute/x.txt", true),
        ("absolute/../e/x.txt", true),
        ("../door/d/e/x.txt", false),
        ("missing/../d/e/x.txt", false),
    ] {
        let found = ground.locate(path).unwrap();
        assert_eq!(found.path(), file, "{path}");
        assert_eq!(found.kind(), FileType::File, "{path}");
        assert_eq!(found.has_followed_link(), link, "{path}");
        assert_eq!(ground.text(path), "x");
    }
}

#[test]
fn parent_component_applies_to_resolved_folder() {
    let ground = new_test_root();
    fs::create_dir_all(ground.root.join("far/deep")).unwrap();
    fs::write(ground.root.join("far/x.txt"), "far").unwrap();
    symlink("far/deep", ground.root.join("near")).unwrap();
    fs::write(ground.root.join("x.txt"), "here").unwrap();
    assert_eq!(ground.text("near/../x.txt"), "far");
}

#[test]
fn reports_free_names_and_dangling_links_as_missing() {
    let ground = new_test_root();
    symlink("d/free.txt", ground.root.join("dangling")).unwrap();
    let found = ground.locate("d/new/er/y.txt").unwrap();
    assert_eq!(found.kind(), FileType::Missing);
    assert!(found.stat().is_none());
    assert_eq!(found.path(), ground.root.join("d/new/er/y.txt"));
    assert_eq!(found.missing_folders(), ["new", "er"]);
    assert_eq!(found.first_missing(), "new");
    let found = ground.locate("dangling").unwrap();
    assert_eq!(found.kind(), FileType::Missing);
    assert_eq!(found.path(), ground.root.join("d/free.txt"));
    assert!(found.has_followed_link());
}

#[test]
fn reports_kinds_of_special_files() {
    let ground = new_test_root();
    rustix::fs::mkfifoat(rustix::fs::CWD, ground.root.join("pipe"), 0o600.into()).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(ground.root.join("socket")).unwrap();
    assert_eq!(ground.locate("d").unwrap().kind(), FileType::Directory);
    assert_eq!(ground.locate("").unwrap().kind(), FileType::Directory);
    assert_eq!(ground.locate("").unwrap().relative(), Path::new(""));
    for (name, kind) in [("pipe", "named pipe"), ("socket", "socket")] {
        let found = ground.locate(name).unwrap();
        assert_eq!(found.kind(), FileType::Special(kind));
        let read = found.read_snapshot(1000);
        assert!(
            matches!(read, Err(crate::ReadError::NotAFile(FileType::Special(_)))),
            "{read:?}"
        );
    }
    let through = ground.locate("in.txt/x");
    assert!(
        matches!(through, Err(LocateError::NotADirectory { at }) if at == ground.root.join("in.txt"))
    );
    let slash = ground.locate("in.txt/");
    assert!(matches!(slash, Err(LocateError::NotADirectory { .. })));
}

#[test]
fn refuses_invalid_names_without_disk_access() {
    let ground = new_test_root();
    ground.disk.clear_faults();
    let long = "x".repeat(300);
    for path in [
        "",
        "relative.txt",
        "/a\0b",
        &format!("/{long}"),
        &format!("/{}", "d/".repeat(2100)),
    ] {
        let found = ground.workspace.locate(Path::new(path));
        assert!(
            matches!(found, Err(LocateError::BadName(_))),
            "{path}: {found:?}"
        );
    }
    assert_eq!(ground.disk.call_count(), 0);
}

#[test]
fn refuses_circular_links() {
    let ground = new_test_root();
    symlink("b", ground.root.join("a")).unwrap();
    symlink("a", ground.root.join("b")).unwrap();
    assert!(matches!(ground.locate("a"), Err(LocateError::TooManyLinks)));
    assert!(matches!(
        ground.locate("a/x"),
        Err(LocateError::TooManyLinks)
    ));
}

#[test]
fn finds_unique_look_alike_name() {
    let ground = new_test_root();
    for (name, text) in [
        ("shot 9.41\u{202f}AM.txt", "one"),
        ("Ann\u{2019}s.txt", "two"),
        ("re\u{301}sume\u{301}.txt", "three"),
        ("c d.txt", "plain"),
        ("c\u{202f}d.txt", "narrow"),
        ("it\u{2019}s\u{202f}x.txt", "four"),
        ("it's\u{202f}x.txt", "five"),
    ] {
        fs::write(ground.root.join(name), text).unwrap();
    }
    fs::create_dir(ground.root.join("My\u{202f}Folder")).unwrap();
    fs::write(ground.root.join("My\u{202f}Folder/in.txt"), "six").unwrap();
    for (name, text) in [
        ("shot 9.41 AM.txt", "one"),
        ("Ann's.txt", "two"),
        ("r\u{e9}sum\u{e9}.txt", "three"),
        ("My Folder/in.txt", "six"),
    ] {
        assert!(ground.locate(name).unwrap().is_respelled(), "{name}");
        assert_eq!(ground.text(name), text);
        let exact = ground
            .workspace
            .locate_as_spelled(&ground.root.join(name))
            .unwrap();
        assert_eq!(exact.kind(), FileType::Missing);
    }
    assert!(!ground.locate("c d.txt").unwrap().is_respelled());
    assert_eq!(ground.text("c d.txt"), "plain");
    assert_eq!(
        ground.locate("it's x.txt").unwrap().kind(),
        FileType::Missing
    );
}

#[test]
fn innermost_root_applies_and_linked_roots_are_merged() {
    let ground = new_test_root();
    symlink(ground.around.join("away"), ground.around.join("other")).unwrap();
    let roots = [
        ground.root.clone(),
        ground.root.join("d"),
        ground.around.join("other"),
        ground.around.join("away"),
    ];
    let workspace = Workspace::open(&roots, Arc::new(RealDisk), None).unwrap();
    assert_eq!(
        workspace.roots(),
        [
            ground.root.clone(),
            ground.root.join("d"),
            ground.around.join("away")
        ]
    );
    symlink("d/e", ground.root.join("inner")).unwrap();
    for path in ["root/d/e/x.txt", "root/inner/x.txt", "root/d/../d/e/x.txt"] {
        let found = workspace.locate(&ground.around.join(path)).unwrap();
        assert_eq!(found.root(), ground.root.join("d"), "{path}");
        assert_eq!(found.relative(), Path::new("e/x.txt"), "{path}");
    }
    for path in ["away/x.txt", "other/x.txt", "root/../away/x.txt"] {
        let found = workspace.locate(&ground.around.join(path)).unwrap();
        assert_eq!(found.root(), ground.around.join("away"), "{path}");
    }
}

#[test]
fn refuses_roots_that_are_no_folders() {
    let ground = new_test_root();
    for path in ["in.txt", "nowhere"] {
        let opened = Workspace::open(&[ground.root.join(path)], Arc::new(RealDisk), None);
        assert!(
            matches!(opened, Err(crate::OpenError::Root { .. })),
            "{path}"
        );
    }
    assert!(matches!(
        Workspace::open(&[], Arc::new(RealDisk), None),
        Err(crate::OpenError::NoRoots)
    ));
}

#[test]
fn find_tail_prefers_longest_tail() {
    let ground = new_test_root();
    fs::write(ground.root.join("x.txt"), "short").unwrap();
    let tail = |path: &str| ground.workspace.find_tail(Path::new(path));
    assert_eq!(
        tail("/wrong/place/d/e/x.txt"),
        Some(ground.root.join("d/e/x.txt"))
    );
    assert_eq!(tail("/wrong/x.txt"), Some(ground.root.join("x.txt")));
    assert_eq!(tail("/wrong/nothing.txt"), None);
    assert_eq!(tail("/wrong/../out.txt"), None);
}

#[test]
fn lists_first_entries_sorted_by_name() {
    let ground = new_test_root();
    fs::write(ground.root.join(".lancet-0123.tmp"), "").unwrap();
    symlink("nowhere", ground.root.join("a-link")).unwrap();
    let listing = ground
        .locate("")
        .unwrap()
        .entries(2, &|name, _| name != "d")
        .unwrap();
    let names: Vec<_> = listing
        .entries
        .iter()
        .map(|entry| (entry.name.to_str().unwrap(), entry.kind))
        .collect();
    assert_eq!(
        names,
        [
            ("a-link", crate::EntryKind::Link),
            ("in.txt", crate::EntryKind::File)
        ]
    );
    assert_eq!(listing.total, 2);
    let all = ground.locate("").unwrap().entries(1, &|_, _| true).unwrap();
    assert_eq!((all.entries.len(), all.total), (1, 3));
    let mut siblings = ground
        .locate("dd/x.txt")
        .unwrap()
        .names_near_missing(100)
        .unwrap();
    siblings.sort();
    assert_eq!(siblings, ["a-link", "d", "in.txt"]);
}

/// At whatever call a folder or a file of the path is swapped for a link to its twin outside, only content from inside
/// is read, or nothing.
#[test]
fn concurrent_swap_for_link_never_reads_outside() {
    for (path, victim, twin) in [("d/x.txt", "d", "away"), ("x.txt", "x.txt", "out.txt")] {
        for detour in ["", "d/../"] {
            let mut reached_end = false;
            for at in 1.. {
                let ground = new_test_root();
                fs::write(ground.root.join("x.txt"), "inside").unwrap();
                fs::write(ground.root.join("d/x.txt"), "inside").unwrap();
                let (from, to) = (ground.root.join(victim), ground.around.join(twin));
                ground.disk.clear_faults();
                ground.disk.set_hook(move |call| {
                    if call.number == at {
                        fs::rename(&from, from.with_extension("moved")).unwrap();
                        symlink(&to, &from).unwrap();
                    }
                });
                let read = ground
                    .locate(&format!("{detour}{path}"))
                    .map(|found| found.read_snapshot(1000));
                if ground.disk.call_count() < at {
                    reached_end = true;
                    break;
                }
                if let Ok(Ok(snapshot)) = read {
                    assert_eq!(
                        *snapshot.bytes, b"inside",
                        "{detour}{path}, swapped before call {at}"
                    );
                }
            }
            assert!(reached_end);
        }
    }
}

/// A disk without `openat2`, as on old kernels and in some sandboxes, finds the same.
#[test]
fn walk_without_openat2_gives_same_result() {
    let ground = new_test_root();
    let nosys = rustix::io::Errno::NOSYS.raw_os_error();
    ground.disk.clear_faults();
    ground.disk.fail_method("open_beneath", nosys);
    let found = ground.locate("d/e/x.txt").unwrap();
    assert!(ground.disk.call_count() > 3, "the short way was refused");
    assert_eq!(
        (found.kind(), found.path()),
        (FileType::File, &*ground.root.join("d/e/x.txt"))
    );
}
