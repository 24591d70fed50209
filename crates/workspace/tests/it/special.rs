//! Figure 15: every function refuses at once a file that is not regular, and nothing is read from it.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::Instant;

use lancet_workspace::{ExpectedState, FileType, FileWrite, NewBytes, WriteOptions};
use rustix::fs::{CWD, Mode};

use crate::ground::{Ground, creation};
use lancet_testing::judges::figure;

#[test]
fn what_is_no_file_is_refused_without_waiting() {
    let ground = Ground::with(&[("a", "one")]);
    let at = |name: &str| ground.root.join(name);
    let mode = Mode::from_raw_mode(0o666);
    rustix::fs::mkfifoat(CWD, at("pipe"), mode).unwrap();
    let _listener = UnixListener::bind(at("socket")).unwrap();
    fs::create_dir(at("folder")).unwrap();
    symlink("pipe", at("link to pipe")).unwrap();
    let mut names = vec!["pipe", "socket", "folder", "link to pipe"];
    // The device /dev/zero: reading it would never end.
    let device = rustix::fs::makedev(1, 5);
    match rustix::fs::mknodat(
        CWD,
        at("device"),
        rustix::fs::FileType::CharacterDevice,
        mode,
        device,
    ) {
        Ok(()) => names.push("device"),
        Err(error) => figure(15, &format!("skipped a device: {error}")),
    }
    // The bytes in the pipe must stay there.
    let mut reader = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(at("pipe"))
        .unwrap();
    std::io::Write::write_all(&mut reader, b"kept").unwrap();
    let seen = ground.seen("a");
    let begun = Instant::now();
    let mut refused = 0;
    for name in &names {
        let located = match ground.workspace.locate(&at(name)) {
            Ok(located) => located,
            Err(_) => {
                refused += 1;
                continue;
            }
        };
        assert_ne!(located.kind(), FileType::File, "{name}");
        assert!(located.read_snapshot(100).is_err(), "{name}");
        assert!(located.read_at(0, 10).is_err(), "{name}");
        for expected in [seen.expected(), ExpectedState::Missing] {
            let result = ground.workspace.commit(vec![FileWrite {
                located: &located,
                expected,
                new: NewBytes::Whole(b"ours"),
                revision: None,
                options: WriteOptions::default(),
            }]);
            assert!(result.is_err(), "{name}: {result:?}");
            refused += 1;
        }
        let inside = ground.workspace.locate(&at(name).join("x"));
        if *name != "folder" {
            let result = inside.map(|inside| {
                ground
                    .workspace
                    .commit(vec![creation(&inside, b"x")])
                    .is_err()
            });
            assert!(result.unwrap_or(true), "{name}");
        }
    }
    let took = begun.elapsed();
    let outside = ground.workspace.locate(Path::new("/proc/self/status"));
    assert!(outside.is_err());
    let mut kept = [0; 4];
    reader.read_exact(&mut kept).unwrap();
    assert_eq!(&kept, b"kept");
    assert!(fs::metadata(at("socket")).unwrap().file_type().is_socket());
    figure(
        15,
        &format!(
            "{}: {refused} refusals in {took:?} together, nothing consumed; procfs is outside",
            names.join(", ")
        ),
    );
}

/// A root in procfs: files there show no size, and reading them may not end.
#[test]
fn files_of_procfs_are_no_regular_files() {
    let proc = Path::new("/proc/self");
    let disk = std::sync::Arc::new(lancet_workspace::RealDisk);
    let workspace = lancet_workspace::Workspace::open(&[proc.to_owned()], disk, None).unwrap();
    let located = workspace.locate(&proc.join("status")).unwrap();
    let FileType::Special(what) = located.kind() else {
        panic!("{:?}", located.kind());
    };
    figure(15, &format!("a file of procfs is {what}"));
}
