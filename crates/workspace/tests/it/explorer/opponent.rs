//! Six kinds of other writers of the file `a`, in steps of one or two system calls. A step that would wait for our
//! lease is tried again before our next call, which simulates a blocked `open` without a thread.

use std::ffi::c_void;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::mm::{MapFlags, ProtFlags};

use super::{OLD, OURS, THEIRS};

/// Whether a step was made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Made,
    Waits,
}

/// Another writer.
pub(super) struct Opponent {
    pub(super) name: &'static str,
    pub(super) steps: usize,
    act: fn(&mut Script, usize) -> Step,
}

/// A run of an opponent.
pub(super) struct Script {
    act: fn(&mut Script, usize) -> Step,
    steps: usize,
    next: usize,
    path: PathBuf,
    beside: PathBuf,
    file: Option<File>,
    map: Option<Map>,
}

struct Map(*mut c_void);

// The mutex of its script lets one thread at a time use the mapping.
#[allow(unsafe_code, reason = "see above")]
unsafe impl Send for Map {}

const LENGTH: usize = 4096;

impl Script {
    /// Makes the steps that are due, in order, until one waits.
    pub(super) fn advance(&mut self, is_due: impl Fn(usize) -> bool) {
        while self.next < self.steps && is_due(self.next) {
            let step = self.next;
            if (self.act)(self, step) == Step::Waits {
                return;
            }
            self.next += 1;
        }
    }

    /// Returns the number of steps that were made.
    pub(super) fn made(&self) -> usize {
        self.next
    }

    /// Makes all remaining steps; returns false if one still waits.
    pub(super) fn finish(&mut self) -> bool {
        self.advance(|_| true);
        self.next == self.steps
    }

    fn open(&mut self, options: &mut OpenOptions) -> Step {
        let nonblocking = rustix::fs::OFlags::NONBLOCK.bits() as i32;
        match options.custom_flags(nonblocking).open(&self.path) {
            Ok(file) => {
                self.file = Some(file);
                Step::Made
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Step::Waits,
            // A move aside leaves the name free for a moment; a program that finds no file tries again.
            Err(error) if error.kind() == ErrorKind::NotFound => Step::Waits,
            Err(error) => panic!("{error}"),
        }
    }

    fn put(&mut self) -> Step {
        self.file
            .as_mut()
            .unwrap()
            .write_all(THEIRS.as_bytes())
            .unwrap();
        Step::Made
    }

    fn close(&mut self) -> Step {
        self.file = None;
        Step::Made
    }
}

impl Opponent {
    pub(super) fn begin(&self, root: &Path) -> Script {
        Script {
            act: self.act,
            steps: self.steps,
            next: 0,
            path: root.join("a"),
            beside: root.join("beside"),
            file: None,
            map: None,
        }
    }

    /// Returns the texts that the opponent's write can make from the whole old or new text.
    pub(super) fn mixtures(&self) -> Vec<String> {
        let over = |text: &str| format!("{THEIRS}{}", text.get(THEIRS.len()..).unwrap_or(""));
        match self.name {
            "append" => vec![format!("{OLD}{THEIRS}"), format!("{OURS}{THEIRS}")],
            "write in place" | "mapping" => vec![over(OLD), over(OURS)],
            _ => Vec::new(),
        }
    }
}

pub(super) const OPPONENTS: [Opponent; 6] = [
    Opponent {
        name: "rename over",
        steps: 2,
        act: |script, step| {
            match step {
                0 => fs::write(&script.beside, THEIRS).unwrap(),
                _ => fs::rename(&script.beside, &script.path).unwrap(),
            }
            Step::Made
        },
    },
    Opponent {
        name: "remove, create",
        steps: 3,
        act: |script, step| match step {
            0 => match fs::remove_file(&script.path) {
                Err(error) if error.kind() == ErrorKind::NotFound => Step::Waits,
                other => {
                    other.unwrap();
                    Step::Made
                }
            },
            1 => script.open(OpenOptions::new().write(true).create(true).truncate(true)),
            _ => script.put(),
        },
    },
    Opponent {
        name: "truncate, write",
        steps: 3,
        act: |script, step| match step {
            0 => script.open(OpenOptions::new().write(true).truncate(true)),
            1 => script.put(),
            _ => script.close(),
        },
    },
    Opponent {
        name: "append",
        steps: 3,
        act: |script, step| match step {
            0 => script.open(OpenOptions::new().append(true)),
            1 => script.put(),
            _ => script.close(),
        },
    },
    Opponent {
        name: "write in place",
        steps: 3,
        act: |script, step| match step {
            0 => script.open(OpenOptions::new().read(true).write(true)),
            1 => {
                let file = script.file.as_ref().unwrap();
                file.write_all_at(THEIRS.as_bytes(), 0).unwrap();
                Step::Made
            }
            _ => script.close(),
        },
    },
    Opponent {
        name: "mapping",
        steps: 3,
        act: |script, step| match step {
            0 => {
                if script.open(OpenOptions::new().read(true).write(true)) == Step::Waits {
                    return Step::Waits;
                }
                let file = script.file.take().unwrap();
                script.map = Some(map(&file));
                Step::Made
            }
            1 => {
                store(script.map.as_ref().unwrap());
                Step::Made
            }
            _ => {
                unmap(script.map.take().unwrap());
                Step::Made
            }
        },
    },
];

#[allow(unsafe_code, reason = "there is no other way to map a file")]
fn map(file: &File) -> Map {
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: the mapping is new and at an address that the kernel chooses.
    let map = unsafe {
        rustix::mm::mmap(
            std::ptr::null_mut(),
            LENGTH,
            protection,
            MapFlags::SHARED,
            file,
            0,
        )
    };
    Map(map.unwrap())
}

#[allow(
    unsafe_code,
    reason = "there is no other way to write through a mapping"
)]
fn store(map: &Map) {
    // SAFETY: the store is inside the first page of the mapping, and the file is never empty.
    unsafe {
        std::ptr::copy_nonoverlapping(THEIRS.as_ptr(), map.0.cast::<u8>(), THEIRS.len());
    }
}

#[allow(unsafe_code, reason = "the mapping was made above")]
fn unmap(map: Map) {
    // SAFETY: `map` made this mapping, and nothing uses it afterwards.
    unsafe { rustix::mm::munmap(map.0, LENGTH) }.unwrap();
}
