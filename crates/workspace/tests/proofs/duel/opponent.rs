//! The other process of a duel. It writes the file in one of six ways in each round, and its `open` waits for a lease
//! like that of any program.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::mm::{MapFlags, ProtFlags};

use super::barrier::{Barrier, pin};

pub(super) const OLD: &str = "old bytes, all of them\n";
pub(super) const OURS: &str = "the new ones: OURS\n";
pub(super) const THEIRS: &str = "theirs";

pub(super) const KINDS: [&str; 6] = [
    "rename over",
    "remove, create",
    "truncate, write",
    "append",
    "write in place",
    "mapping",
];

/// Returns every text that a file may contain after a duel.
pub(super) fn mixtures(kind: &str) -> Vec<String> {
    let over = |text: &str| format!("{THEIRS}{}", &text[THEIRS.len()..]);
    let mut all = vec![OLD.to_owned(), OURS.to_owned(), THEIRS.to_owned()];
    match kind {
        "append" => all.extend([OLD, OURS].map(|text| format!("{text}{THEIRS}"))),
        "write in place" | "mapping" => all.extend([OLD, OURS].map(over)),
        _ => {}
    }
    all
}

pub(super) fn wait(nanoseconds: u64) {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_nanos(nanoseconds) {
        std::hint::spin_loop();
    }
}

pub(crate) fn play(kind: &str, file: &Path, meeting: &Path) -> ExitCode {
    let barrier = Barrier::open(meeting);
    pin(1);
    for round in 1.. {
        let Some(delay) = barrier.meet(round) else {
            break;
        };
        wait(delay);
        // Some opponents have the file open for a while before they write.
        act(kind, file, delay % 97 * 1_000);
        barrier.done(round);
    }
    ExitCode::SUCCESS
}

fn act(kind: &str, path: &Path, hold: u64) {
    let beside = path.with_file_name("beside");
    let hold = || wait(hold);
    match kind {
        "rename over" => {
            fs::write(&beside, THEIRS).unwrap();
            fs::rename(&beside, path).unwrap();
        }
        "remove, create" => {
            until_there(|| fs::remove_file(path));
            // The file may exist again by now; it is overwritten.
            fs::write(path, THEIRS).unwrap();
        }
        "truncate, write" => {
            let mut file = until_there(|| OpenOptions::new().write(true).truncate(true).open(path));
            hold();
            file.write_all(THEIRS.as_bytes()).unwrap();
        }
        "append" => {
            let mut file = until_there(|| OpenOptions::new().append(true).open(path));
            hold();
            file.write_all(THEIRS.as_bytes()).unwrap();
        }
        "write in place" => {
            let file = until_there(|| OpenOptions::new().write(true).open(path));
            hold();
            file.write_all_at(THEIRS.as_bytes(), 0).unwrap();
        }
        "mapping" => {
            let open = || OpenOptions::new().read(true).write(true).open(path);
            let file = until_there(open);
            store(file, &hold);
        }
        kind => panic!("{kind}"),
    }
}

/// Tries again while the file is missing: a move aside leaves the name free for a moment.
fn until_there<T>(action: impl Fn() -> std::io::Result<T>) -> T {
    loop {
        match action() {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            other => return other.unwrap(),
        }
    }
}

#[allow(
    unsafe_code,
    reason = "there is no other way to write through a mapping"
)]
fn store(file: File, hold: &dyn Fn()) {
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    let length = 4096;
    // SAFETY: the mapping is new and at an address that the kernel chooses; the store is inside its first page, and the
    // file is never empty; the mapping is not used after it is unmapped.
    unsafe {
        let map = rustix::mm::mmap(
            std::ptr::null_mut(),
            length,
            protection,
            MapFlags::SHARED,
            &file,
            0,
        )
        .unwrap();
        drop(file);
        hold();
        std::ptr::copy_nonoverlapping(THEIRS.as_ptr(), map.cast::<u8>(), THEIRS.len());
        rustix::mm::munmap(map, length).unwrap();
    }
}
