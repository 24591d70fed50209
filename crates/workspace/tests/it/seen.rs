//! Figures 11 and 12: the modification time of a written file, and what counts as changed since a file was read.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use lancet_workspace::{CommitError, KnownContent, WriteOptions, WriteStrategy};

use crate::ground::{Ground, single};
use lancet_testing::judges::{figure, is_torture_run};

fn mtime(path: &Path) -> SystemTime {
    fs::metadata(path).unwrap().modified().unwrap()
}

fn set_mtime(path: &Path, time: SystemTime) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(time).unwrap();
}

#[test]
fn the_time_of_a_written_file_is_that_of_its_swap() {
    let mut writes = 0;
    for (lacks, strategy) in [
        (false, WriteStrategy::Auto),
        (true, WriteStrategy::Auto),
        (false, WriteStrategy::InPlace),
    ] {
        let ground = Ground::with(&[("a", "0")]);
        ground
            .lacks_exchange
            .store(lacks, std::sync::atomic::Ordering::SeqCst);
        ground.refuse_what_is_lacking();
        let path = ground.root.join("a");
        // The time of the last call before the file gets its modification time or its new bytes; all slow calls come
        // earlier.
        let moment = Arc::new(Mutex::new(SystemTime::UNIX_EPOCH));
        let last = Arc::clone(&moment);
        let before = Mutex::new(SystemTime::UNIX_EPOCH);
        let marked = match strategy {
            WriteStrategy::Auto => "set_modified",
            WriteStrategy::InPlace => "reserve",
        };
        ground.disk.set_hook(move |call| {
            let earlier = std::mem::replace(&mut *before.lock().unwrap(), SystemTime::now());
            if call.method == marked {
                *last.lock().unwrap() = earlier;
            }
        });
        for round in 0..30_u32 {
            match round % 3 {
                1 => set_mtime(&path, SystemTime::now() + Duration::from_secs(1000)),
                2 => set_mtime(&path, SystemTime::UNIX_EPOCH),
                _ => {}
            }
            let old = mtime(&path);
            let seen = ground.seen("a");
            let text = round.to_string();
            let mut write = seen.whole(text.as_bytes());
            write.options = WriteOptions {
                strategy,
                ..WriteOptions::default()
            };
            single(ground.workspace.commit(vec![write])).unwrap();
            let new = mtime(&path);
            assert!(new > old, "{strategy:?}: {new:?} after {old:?}");
            // A rewrite in place gets its time from the kernel's coarse clock, which moves in ticks.
            let tick = match strategy {
                WriteStrategy::Auto => Duration::ZERO,
                WriteStrategy::InPlace => Duration::from_millis(10),
            };
            let swap = *moment.lock().unwrap();
            assert!(
                new + tick >= swap,
                "{strategy:?}: {new:?}, swapped {swap:?}"
            );
            writes += 1;
        }
    }
    figure(
        11,
        &format!(
            "{writes} writes by 3 rungs, old times of now, of the future and of 1970: later than the old one and than the look that decides, in all"
        ),
    );
}

/// A change that another program makes to the file after it was read.
type Change = fn(&Path);

const CHANGES: [(&str, Change); 6] = [
    ("same-size write at once", |path| {
        fs::write(path, "0123456789X").unwrap();
    }),
    ("same-size write 2 ms later", |path| {
        std::thread::sleep(Duration::from_millis(2));
        fs::write(path, "0123456789X").unwrap();
    }),
    ("write, time put back", |path| {
        let time = mtime(path);
        fs::write(path, "0123456789X").unwrap();
        set_mtime(path, time);
    }),
    ("older file moved over it", |path| {
        let beside = path.with_file_name("older");
        fs::write(&beside, "0123456789X").unwrap();
        set_mtime(&beside, SystemTime::UNIX_EPOCH);
        fs::rename(beside, path).unwrap();
    }),
    ("older file copied into it with its time", |path| {
        fs::write(path, "0123456789X").unwrap();
        set_mtime(path, SystemTime::UNIX_EPOCH);
    }),
    ("another length", |path| fs::write(path, "0123").unwrap()),
];

const QUIET: [(&str, Change); 4] = [
    ("touch", |path| set_mtime(path, SystemTime::now())),
    ("chmod", |path| {
        fs::set_permissions(path, fs::Permissions::from_mode(0o640)).unwrap();
    }),
    ("hard link made and removed", |path| {
        let twin = path.with_file_name("twin");
        fs::hard_link(path, &twin).unwrap();
        fs::remove_file(twin).unwrap();
    }),
    ("rewritten with the same bytes by rename", |path| {
        let beside = path.with_file_name("same");
        fs::write(&beside, "0123456789a").unwrap();
        fs::rename(beside, path).unwrap();
    }),
];

/// Returns whether the change is noticed by `check_unchanged_since` and by the commit.
fn is_noticed(ground: &Ground, change: Change, age: Duration) -> (bool, bool) {
    ground.put("a", "0123456789a");
    let path = ground.root.join("a");
    set_mtime(&path, SystemTime::now() - age);
    let seen = ground.seen("a");
    change(&path);
    let known = KnownContent::Bytes(&seen.snapshot.bytes);
    let look = seen
        .located
        .check_unchanged_since(&seen.snapshot.stamp, known)
        .unwrap();
    let commit = single(ground.workspace.commit(vec![seen.whole(b"ours")]));
    match commit {
        Ok(_) => (look.is_none(), false),
        Err(CommitError::Changed { .. }) => (look.is_none(), true),
        Err(error) => panic!("{error:?}"),
    }
}

#[test]
fn content_alone_decides_what_is_stale() {
    let tries = if is_torture_run() { 300 } else { 20 };
    let ground = Ground::in_memory();
    let mut lines = Vec::new();
    for (table, wanted) in [(&CHANGES[..], true), (&QUIET[..], false)] {
        for (name, change) in table {
            for turn in 0..tries {
                // Every second file has an old modification time, so that its stamp is not racy.
                let age = Duration::from_secs(if turn % 2 == 0 { 0 } else { 3600 });
                let noticed = is_noticed(&ground, *change, age);
                assert_eq!(noticed, (wanted, wanted), "{name}, try {turn}");
            }
            let word = if wanted { "caught" } else { "quiet" };
            lines.push(format!("{name} {word}"));
        }
    }
    lines.push(through_a_mapping(&ground, tries));
    figure(
        12,
        &format!(
            "{tries} tries each, by the look and by the commit: {}; 100 % caught, 0 false alarms",
            lines.join("; ")
        ),
    );
}

/// A store through a mapping that is already dirty changes no field of the file's stat.
#[cfg(target_os = "linux")]
#[allow(
    unsafe_code,
    reason = "there is no other way to write through a mapping"
)]
fn through_a_mapping(ground: &Ground, tries: usize) -> String {
    use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
    for turn in 0..tries {
        ground.put("a", "0123456789a");
        let file = fs::File::options()
            .read(true)
            .write(true)
            .open(ground.root.join("a"))
            .unwrap();
        let (flags, protection) = (MapFlags::SHARED, ProtFlags::READ | ProtFlags::WRITE);
        // SAFETY: the mapping is new, the file has eleven bytes, only its first page is used, and it is unmapped at the end.
        unsafe {
            let map = mmap(std::ptr::null_mut(), 4096, protection, flags, &file, 0).unwrap();
            let bytes = map.cast::<u8>();
            bytes.write_volatile(b'0');
            let seen = ground.seen("a");
            bytes.write_volatile(b'X');
            let known = KnownContent::Bytes(&seen.snapshot.bytes);
            let look = seen
                .located
                .check_unchanged_since(&seen.snapshot.stamp, known);
            assert!(look.unwrap().is_none(), "try {turn}");
            // While the file is mapped the commit is refused as busy; afterwards it compares the bytes.
            munmap(map, 4096).unwrap();
            drop(file);
            let commit = single(ground.workspace.commit(vec![seen.whole(b"ours")]));
            let is_changed = matches!(commit, Err(CommitError::Changed { .. }));
            assert!(is_changed, "try {turn}: {commit:?}");
        }
    }
    "store through a dirty mapping caught".to_owned()
}

#[cfg(not(target_os = "linux"))]
fn through_a_mapping(_: &Ground, _: usize) -> String {
    "store through a dirty mapping skipped: Linux only".to_owned()
}
