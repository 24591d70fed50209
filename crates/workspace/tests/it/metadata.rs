//! Figure 9: for each case the method by which the file is written, and that its mode, owner, access list, attributes
//! and hard links are preserved. The tests run as root and as `nobody`.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown, symlink};
use std::path::Path;

use lancet_workspace::{CommitError, HardLinkPolicy, ReadOnlyReason, WriteOptions, WriteStrategy};
use rustix::fs::XattrFlags;
use rustix::mount::UnmountFlags;

use crate::ground::{Ground, single};
use crate::permissions::{as_nobody, give_away};
use lancet_testing::judges::figure;
use lancet_testing::user::{NOBODY, is_root, set_mode};

/// Everything about a file except its text, its times and its inode.
#[derive(Debug, PartialEq, Eq)]
struct Metadata {
    mode: u32,
    owner: (u32, u32),
    names: u64,
    attributes: Vec<(&'static str, Option<Vec<u8>>)>,
}

fn metadata_of(path: &Path) -> Metadata {
    let stat = fs::metadata(path).unwrap();
    let attribute = |name: &'static str| {
        let mut value = [0; 256];
        let length = rustix::fs::getxattr(path, name, &mut value);
        (name, length.ok().map(|length| value[..length].to_vec()))
    };
    Metadata {
        mode: stat.mode() & 0o7777,
        owner: (stat.uid(), stat.gid()),
        names: stat.nlink(),
        attributes: ["user.note", "system.posix_acl_access"]
            .map(attribute)
            .into(),
    }
}

/// Gives a file the set-user-id bit, another owner, an access list and an extended attribute.
fn set_metadata(path: &Path) {
    if is_root() {
        chown(path, Some(1234), Some(2345)).unwrap();
    }
    let _ = rustix::fs::setxattr(path, "user.note", b"kept", XattrFlags::empty());
    // The binary form of the kernel: version 2, then entries of tag, bits and id.
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, bits, id) in [
        (1_u16, 7_u16, u32::MAX),
        (2, 4, 3456),
        (4, 5, u32::MAX),
        (16, 5, u32::MAX),
        (32, 1, u32::MAX),
    ] {
        list.extend(tag.to_le_bytes());
        list.extend(bits.to_le_bytes());
        list.extend(id.to_le_bytes());
    }
    let name = "system.posix_acl_access";
    let _ = rustix::fs::setxattr(path, name, &list, XattrFlags::empty());
    set_mode(path, 0o6751);
}

/// Writes the file `name` with these options; returns the name of the method that was used.
fn written(ground: &Ground, name: &str, options: WriteOptions) -> &'static str {
    let seen = ground.seen(name);
    let mut write = seen.whole(b"two, and longer");
    write.options = options;
    let written = single(ground.workspace.commit(vec![write])).unwrap();
    assert_eq!(ground.text(name), "two, and longer");
    written.guarantee.name()
}

fn in_place() -> WriteOptions {
    WriteOptions {
        strategy: WriteStrategy::InPlace,
        ..WriteOptions::default()
    }
}

#[test]
fn what_is_kept_of_a_file() {
    let mut cases = Vec::new();
    for lacks_exchange in [false, true] {
        for options in [WriteOptions::default(), in_place()] {
            let ground = Ground::with(&[("a", "one")]);
            ground
                .lacks_exchange
                .store(lacks_exchange, std::sync::atomic::Ordering::SeqCst);
            ground.refuse_what_is_lacking();
            let path = ground.root.join("a");
            set_metadata(&path);
            let before = metadata_of(&path);
            let rung = written(&ground, "a", options);
            assert_eq!(metadata_of(&path), before, "{rung}");
            let has = |(_, value): &&(_, Option<Vec<u8>>)| value.is_some();
            let attributes = before.attributes.iter().filter(has).count();
            cases.push(format!(
                "6751, owner, {attributes} of 2 attributes (a note, an access list) kept by {rung}"
            ));
        }
    }

    let ground = Ground::with(&[("real", "one")]);
    symlink("real", ground.root.join("l")).unwrap();
    let rung = written(&ground, "l", WriteOptions::default());
    assert!(ground.root.join("l").is_symlink());
    cases.push(format!("link kept by {rung}"));

    for (links, keeps) in [(HardLinkPolicy::Auto, true), (HardLinkPolicy::Break, false)] {
        let ground = Ground::with(&[("a", "one")]);
        fs::hard_link(ground.root.join("a"), ground.root.join("twin")).unwrap();
        let options = WriteOptions {
            links,
            ..WriteOptions::default()
        };
        let rung = written(&ground, "a", options);
        let is_same = ground.text("twin") == ground.text("a");
        assert_eq!(is_same, keeps);
        let word = if keeps { "kept" } else { "broken as asked" };
        cases.push(format!("hard link {word} by {rung}"));
    }

    let ground = Ground::with(&[("a", "other"), ("real", "one")]);
    let (real, at) = (ground.root.join("real"), ground.root.join("a"));
    match rustix::mount::mount_bind(&real, &at) {
        Ok(()) => {
            let rung = written(&ground, "a", WriteOptions::default());
            rustix::mount::unmount(&at, UnmountFlags::DETACH).unwrap();
            assert_eq!(ground.text("real"), "two, and longer");
            cases.push(format!("bind-mounted file written by {rung}"));
        }
        Err(error) => cases.push(format!("bind-mounted file skipped: {error}")),
    }

    let ground = Ground::with(&[("a", "one")]);
    set_mode(ground.root.join("a"), 0o444);
    let refused = ground.replace("a", "two");
    let is_read_only = matches!(
        refused,
        Err(CommitError::ReadOnly {
            reason: ReadOnlyReason::File,
            ..
        })
    );
    assert!(is_read_only, "{refused:?}");
    cases.push("0444 refused".to_owned());
    figure(9, &cases.join("; "));
}

#[test]
fn what_is_kept_of_a_file_as_nobody() {
    if !is_root() {
        figure(9, "as nobody: skipped: only root can become somebody else");
        return;
    }
    let mut cases = Vec::new();
    let mut as_nobody_on = |what: &str, prepare: &dyn Fn(&Ground), rung: Option<&str>| {
        let ground = Ground::with(&[("a", "one")]);
        give_away(&ground);
        let path = ground.root.join("a");
        prepare(&ground);
        let before = metadata_of(&path);
        let mut outcome = None;
        as_nobody(|| outcome = Some(ground.replace("a", "two")));
        let outcome = outcome.unwrap();
        assert_eq!(metadata_of(&path), before, "{what}");
        match (rung, outcome) {
            (Some(rung), Ok(written)) => {
                assert_eq!(written.guarantee.name(), rung, "{what}");
                assert_eq!(ground.text("a"), "two", "{what}");
                cases.push(format!("{what} written by {rung}"));
            }
            (None, Err(CommitError::ReadOnly { .. })) => {
                assert_eq!(ground.text("a"), "one", "{what}");
                cases.push(format!("{what} refused"));
            }
            (_, outcome) => panic!("{what}: {outcome:?}"),
        }
        set_mode(&ground.root, 0o755);
        assert_eq!(ground.tree().len(), 1, "{what}");
    };
    as_nobody_on(
        "own 0640 file",
        &|ground| set_mode(ground.root.join("a"), 0o640),
        Some("exchange+lease"),
    );
    as_nobody_on(
        "own set-user-id file",
        &|ground| set_mode(ground.root.join("a"), 0o4750),
        Some("exchange+lease"),
    );
    as_nobody_on(
        "read-only folder",
        &|ground| set_mode(&ground.root, 0o555),
        Some("in-place-leased"),
    );
    as_nobody_on(
        "another's group-writable file",
        &|ground| {
            let path = ground.root.join("a");
            chown(&path, Some(0), Some(NOBODY)).unwrap();
            set_mode(&path, 0o664);
        },
        Some("in-place"),
    );
    as_nobody_on(
        "another's file in a sticky folder",
        &|ground| {
            chown(&ground.root, Some(0), Some(0)).unwrap();
            set_mode(&ground.root, 0o1777);
            let path = ground.root.join("a");
            chown(&path, Some(0), Some(NOBODY)).unwrap();
            set_mode(&path, 0o666);
        },
        Some("in-place"),
    );
    as_nobody_on(
        "own file in another's sticky folder",
        &|ground| {
            chown(&ground.root, Some(0), Some(0)).unwrap();
            set_mode(&ground.root, 0o1777);
        },
        Some("exchange+lease"),
    );
    as_nobody_on(
        "own 0444 file",
        &|ground| set_mode(ground.root.join("a"), 0o444),
        None,
    );
    as_nobody_on(
        "another's 0644 file",
        &|ground| chown(ground.root.join("a"), Some(0), Some(0)).unwrap(),
        None,
    );
    figure(9, &format!("as nobody: {}", cases.join("; ")));
}
