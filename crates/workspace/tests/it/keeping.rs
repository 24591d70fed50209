//! What a commit preserves of the old file (mode, owner, attributes, links), and what a new file gets.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use lancet_testing::user::{is_root, set_mode};
use lancet_workspace::Revision;
use rustix::fs::{Gid, Uid, XattrFlags};

use crate::ground::Ground;

#[test]
fn the_answer_is_what_stands_on_the_disk() {
    let ground = Ground::with(&[("a.txt", "one\n")]);
    let written = ground.replace("a.txt", "two\n").unwrap();
    assert_eq!(ground.text("a.txt"), "two\n");
    assert_eq!(written.revision, Revision::from_content(b"two\n"));
    assert_eq!(
        (written.guarantee.name(), written.durable),
        ("exchange+lease", true)
    );
    let seen = ground.seen("a.txt");
    assert!(
        seen.snapshot.stamp.has_same_state(&written.stamp),
        "the next call finds its own write"
    );
    assert_eq!(ground.tree().len(), 1, "no temporary file");
}

#[test]
fn the_mode_stays_with_its_special_bits() {
    let ground = Ground::with(&[("a", "one")]);
    for mode in [0o755, 0o600, 0o646, 0o4755, 0o2755, 0o200 | 0o400] {
        set_mode(ground.root.join("a"), mode);
        ground.replace("a", &format!("{mode:o}")).unwrap();
        assert_eq!(
            fs::metadata(ground.root.join("a")).unwrap().mode() & 0o7777,
            mode,
            "{mode:o}"
        );
    }
}

#[test]
fn owner_and_group_stay() {
    if !is_root() {
        return;
    }
    let ground = Ground::with(&[("a", "one")]);
    let path = ground.root.join("a");
    set_mode(&path, 0o6755);
    rustix::fs::chown(&path, Some(Uid::from_raw(1234)), Some(Gid::from_raw(2345))).unwrap();
    set_mode(&path, 0o6755);
    ground.replace("a", "two").unwrap();
    let now = fs::metadata(&path).unwrap();
    assert_eq!(
        (now.uid(), now.gid(), now.mode() & 0o7777),
        (1234, 2345, 0o6755)
    );
}

#[test]
fn extended_attributes_and_access_lists_stay() {
    let ground = Ground::with(&[("a", "one")]);
    let path = ground.root.join("a");
    if rustix::fs::setxattr(&path, "user.note", b"kept", XattrFlags::empty()).is_err() {
        return;
    }
    // An access list with one more user, in the binary form of the kernel: version 2, then entries of tag, bits and id.
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, bits, id) in [
        (1_u16, 6_u16, u32::MAX),
        (2, 4, 1234),
        (4, 4, u32::MAX),
        (16, 6, u32::MAX),
        (32, 4, u32::MAX),
    ] {
        list.extend(tag.to_le_bytes());
        list.extend(bits.to_le_bytes());
        list.extend(id.to_le_bytes());
    }
    let has_lists =
        rustix::fs::setxattr(&path, "system.posix_acl_access", &list, XattrFlags::empty()).is_ok();
    ground.replace("a", "two").unwrap();
    let mut value = [0; 256];
    let length = rustix::fs::getxattr(&path, "user.note", &mut value).unwrap();
    assert_eq!(&value[..length], b"kept");
    if has_lists {
        let length = rustix::fs::getxattr(&path, "system.posix_acl_access", &mut value).unwrap();
        assert_eq!(&value[..length], list);
    }
}

#[test]
fn a_link_stays_a_link_and_its_target_is_written() {
    let ground = Ground::with(&[("real.txt", "one"), ("sub/x", "")]);
    symlink("../real.txt", ground.root.join("sub/l1")).unwrap();
    symlink(ground.root.join("real.txt"), ground.root.join("l2")).unwrap();
    ground.replace("sub/l1", "two").unwrap();
    ground.replace("l2", "three").unwrap();
    assert_eq!(
        fs::read_link(ground.root.join("sub/l1")).unwrap(),
        Path::new("../real.txt")
    );
    assert!(ground.root.join("l2").is_symlink() && !ground.root.join("real.txt").is_symlink());
    assert_eq!(ground.text("real.txt"), "three");
}

#[test]
fn several_names_of_one_file_stay_one_file() {
    let ground = Ground::with(&[("real.txt", "one\n")]);
    fs::hard_link(ground.root.join("real.txt"), ground.root.join("twin.txt")).unwrap();
    set_mode(ground.root.join("real.txt"), 0o4711);
    let inode = fs::metadata(ground.root.join("real.txt")).unwrap().ino();
    for text in ["two is longer\n", "3\n", ""] {
        let before = fs::metadata(ground.root.join("real.txt")).unwrap();
        let written = ground.replace("twin.txt", text).unwrap();
        assert_eq!(
            (written.guarantee.name(), written.durable),
            ("in-place-leased", true)
        );
        assert_eq!(written.revision, Revision::from_content(text.as_bytes()));
        assert_eq!(
            (ground.text("real.txt"), ground.text("twin.txt")),
            (text.into(), text.into())
        );
        let now = fs::metadata(ground.root.join("real.txt")).unwrap();
        assert_eq!(
            (now.ino(), now.nlink(), now.mode() & 0o7777),
            (inode, 2, 0o4711)
        );
        assert!((now.mtime(), now.mtime_nsec()) > (before.mtime(), before.mtime_nsec()));
    }
    assert_eq!(
        ground.displaced_texts(),
        ["3\n", "one\n", "two is longer\n"],
        "every version before is kept"
    );
}

#[test]
fn the_old_bytes_of_an_in_place_rewrite_are_flushed_before_the_file_is_touched() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let ground = Ground::with(&[("real.txt", "old bytes\n")]);
    fs::hard_link(ground.root.join("real.txt"), ground.root.join("twin.txt")).unwrap();
    // Every write to the file changes this old time.
    let old_time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let file = ground.root.join("real.txt");
    let opened = fs::File::options().write(true).open(&file).unwrap();
    opened.set_modified(old_time).unwrap();
    drop(opened);
    let seen = ground.seen("real.txt");
    static CHECKED: AtomicBool = AtomicBool::new(false);
    let displaced = ground.state.join("displaced");
    let syncs = std::sync::atomic::AtomicU32::new(0);
    ground.disk.set_hook(move |call| {
        if call.method == "sync" {
            syncs.fetch_add(1, Ordering::SeqCst);
        }
        // Space is reserved for the new bytes just before the first of them is written.
        if call.method == "reserve" {
            // Opening the file here would wait for the write lease, which this very thread holds.
            let metadata = fs::metadata(&file).unwrap();
            assert_eq!(
                (metadata.len(), metadata.modified().unwrap()),
                (10, old_time)
            );
            let kept: Vec<_> = fs::read_dir(&displaced)
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .filter(|path| path.extension().is_none_or(|end| end != "new"))
                .collect();
            assert_eq!(kept.len(), 1);
            assert_eq!(fs::read(&kept[0]).unwrap(), b"old bytes\n");
            assert_eq!(fs::metadata(&kept[0]).unwrap().mode() & 0o777, 0o600);
            assert_eq!(
                syncs.load(Ordering::SeqCst),
                5,
                "the copies of old and new, the journal, and the folder of each"
            );
            CHECKED.store(true, Ordering::SeqCst);
        }
    });
    ground.workspace.commit(vec![seen.whole(b"new\n")]).unwrap();
    assert!(CHECKED.load(Ordering::SeqCst));
    assert_eq!(fs::metadata(&ground.state).unwrap().mode() & 0o777, 0o700);
}

#[test]
fn the_new_mtime_is_later_even_than_one_in_the_future() {
    let ground = Ground::with(&[("a", "one"), ("b", "one")]);
    fs::hard_link(ground.root.join("b"), ground.root.join("c")).unwrap();
    for name in ["a", "b"] {
        let future = SystemTime::now() + Duration::from_secs(3600);
        fs::File::options()
            .write(true)
            .open(ground.root.join(name))
            .unwrap()
            .set_modified(future)
            .unwrap();
        let written = ground.replace(name, "two").unwrap();
        let now = fs::metadata(ground.root.join(name)).unwrap();
        assert!(now.modified().unwrap() > future, "{name}");
        assert_eq!(
            written.stamp.mtime,
            (now.mtime(), u32::try_from(now.mtime_nsec()).unwrap())
        );
    }
}

#[test]
fn a_new_file_obeys_the_umask_and_its_folders_are_made() {
    let ground = Ground::new();
    // The umask belongs to the process and must not be changed here; a file that is created without lancet shows it.
    ground.put("judge", "");
    let expected = fs::metadata(ground.root.join("judge")).unwrap().mode();
    let written = ground.create("new/er/a.txt", "text\n").unwrap();
    assert_eq!(written.guarantee.name(), "create");
    assert_eq!(
        written.created_folders,
        [ground.root.join("new"), ground.root.join("new/er")]
    );
    assert_eq!(ground.text("new/er/a.txt"), "text\n");
    let now = fs::metadata(ground.root.join("new/er/a.txt")).unwrap();
    assert_eq!((now.mode(), now.nlink()), (expected, 1));
    let again = ground.create("new/b.txt", "").unwrap();
    assert!(again.created_folders.is_empty());
}

#[test]
fn the_old_file_itself_becomes_the_backup() {
    let ground = Ground::with(&[("a", "one")]);
    let old = fs::metadata(ground.root.join("a")).unwrap().ino();
    let written = ground.replace("a", "two").unwrap();
    let displaced = written.displaced.unwrap();
    assert_eq!(fs::read(&displaced.path).unwrap(), b"one");
    assert_eq!(fs::metadata(&displaced.path).unwrap().ino(), old, "moved");
    assert_eq!(displaced.revision, Revision::from_content(b"one"));
    assert_eq!(displaced.seal, lancet_workspace::Seal::Sealed);
    assert!(displaced.path.starts_with(&ground.state));
    assert_eq!(fs::metadata(&ground.state).unwrap().mode() & 0o777, 0o700);
}

#[test]
fn package_stores_lose_the_link_and_say_so() {
    use lancet_workspace::{HardLinkPolicy, WriteOptions, WriteWarning};
    for (folder, links, breaks) in [
        ("node_modules/p", HardLinkPolicy::Auto, true),
        ("src", HardLinkPolicy::Auto, false),
        ("node_modules/p", HardLinkPolicy::Keep, false),
        ("src", HardLinkPolicy::Break, true),
    ] {
        let name = format!("{folder}/a");
        let ground = Ground::with(&[(&name, "one")]);
        fs::hard_link(ground.root.join(&name), ground.root.join("twin")).unwrap();
        let seen = ground.seen(&name);
        let mut write = seen.whole(b"two");
        write.options = WriteOptions {
            links,
            ..WriteOptions::default()
        };
        let written = crate::ground::single(ground.workspace.commit(vec![write])).unwrap();
        let twin = if breaks { "one" } else { "two" };
        assert_eq!(
            (ground.text(&name).as_str(), ground.text("twin").as_str()),
            ("two", twin)
        );
        assert_eq!(
            written.warnings.contains(&WriteWarning::LinksBroken),
            breaks
        );
    }
}

#[test]
fn in_place_by_wish_keeps_the_inode() {
    use lancet_workspace::{WriteOptions, WriteStrategy};
    let ground = Ground::with(&[("a", "one")]);
    let inode = fs::metadata(ground.root.join("a")).unwrap().ino();
    let seen = ground.seen("a");
    let mut write = seen.whole(b"two");
    write.options = WriteOptions {
        strategy: WriteStrategy::InPlace,
        ..WriteOptions::default()
    };
    let written = crate::ground::single(ground.workspace.commit(vec![write])).unwrap();
    assert_eq!(written.guarantee.name(), "in-place-leased");
    assert_eq!(fs::metadata(ground.root.join("a")).unwrap().ino(), inode);
    assert_eq!(ground.displaced_texts(), ["one"]);
}

#[test]
fn old_files_are_pruned_oldest_first_and_unsealed_ones_never() {
    use lancet_workspace::DisplacedLimits;
    let ground = Ground::with(&[("a", "one")]);
    ground.replace("a", "two").unwrap();
    let displaced = ground.state.join("displaced");
    for (name, text) in [
        ("100-x-a", "oldest"),
        ("200-x-a", "older"),
        ("open-50-x-a", "late"),
        ("readme", "not ours"),
    ] {
        fs::write(displaced.join(name), text).unwrap();
    }
    let all = DisplacedLimits {
        bytes: 9,
        seconds: i64::MAX,
    };
    assert_eq!(ground.workspace.prune(all).unwrap(), 1);
    assert_eq!(
        ground.displaced_texts(),
        ["late", "not ours", "older", "one"]
    );
    assert_eq!(
        ground.workspace.prune(DisplacedLimits::default()).unwrap(),
        1
    );
    assert_eq!(ground.displaced_texts(), ["late", "not ours", "one"]);
}

#[test]
fn an_old_file_whose_bytes_are_on_record_goes_unless_somebody_may_still_write_into_it() {
    use lancet_workspace::{OldFile, Seal, WriteOptions, WriteWarning};
    let on_record = WriteOptions {
        old: OldFile::KeptByCaller,
        ..WriteOptions::default()
    };
    let ground = Ground::with(&[("a", "one")]);
    let seen = ground.seen("a");
    let mut write = seen.whole(b"two");
    write.options = on_record;
    let written = ground.workspace.commit(vec![write]).unwrap().remove(0);
    assert_eq!(written.displaced, None);
    assert_eq!((ground.text("a"), ground.tree().len()), ("two".into(), 1));
    assert_eq!(ground.displaced_texts(), Vec::<String>::new());

    // Another program looked the file up before the swap and opens it for writing right after it.
    let ground = Ground::with(&[("a", "one")]);
    let seen = ground.seen("a");
    let old = fs::File::open(ground.root.join("a")).unwrap();
    let place = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&old));
    ground.disk.set_hook(move |call| {
        if call.method == "unlock" {
            // The open fails as long as the lease is held, but the lease shows that it was tried.
            let _ = rustix::fs::open(
                place.as_str(),
                rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::NONBLOCK,
                rustix::fs::Mode::empty(),
            );
        }
    });
    let mut write = seen.whole(b"two");
    write.options = on_record;
    let written = ground.workspace.commit(vec![write]).unwrap().remove(0);
    assert!(written.warnings.contains(&WriteWarning::LateWriter));
    assert_eq!(written.displaced.map(|kept| kept.seal), Some(Seal::Open));
    assert_eq!(ground.displaced_texts(), ["one"]);
}
