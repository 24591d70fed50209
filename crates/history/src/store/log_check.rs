//! Checks that the write-ahead log still contains what SQLite wrote.
//!
//! SQLite verifies the frames of its log only when it rebuilds the index, and ends the log at the first frame that
//! does not fit. If another program overwrote the log, the changes behind that frame are missing from then on, and no
//! error reports it. The index in shared memory names the last valid frame and its checksum, so a log that does not
//! lead to that checksum was changed by another program.

use std::fs::{self, File};
use std::io::{self, BufReader, Read as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The length of the log's header.
const LOG_HEADER: usize = 32;
/// The length of the header of a frame, which a page follows.
const FRAME_HEADER: usize = 24;
/// The length of one of the two copies of the index's header.
const INDEX_HEADER: usize = 48;
/// The version of both formats. SQLite has had no other.
const FORMAT_VERSION: u32 = 3_007_000;
/// The magic number of a log whose checksums read words as big-endian numbers. The last bit is 0 for little-endian
/// ones.
const LOG_MAGIC: u32 = 0x377f_0683;

/// The result of checking the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LogState {
    /// Every frame that the index names is as it was written, or the index names none.
    Whole,
    /// A frame that the index names is missing or was changed.
    Damaged,
}

/// Checks the log against the index. `shared` must be a handle that stays open: closing it would drop SQLite's locks.
pub(super) fn check_log(log: &Path, shared: &File) -> io::Result<LogState> {
    loop {
        let Some(index) = LogIndex::read(shared)? else {
            return Ok(LogState::Whole);
        };
        if index.frames == 0 || index.is_followed_by(log)? {
            return Ok(LogState::Whole);
        }
        // Another process may have begun the log again while it was read.
        if LogIndex::read(shared)?.is_some_and(|now| now == index) {
            return Ok(LogState::Damaged);
        }
    }
}

/// Returns whether the index was written since the system started. After a power cut an index may name frames that
/// never reached the disk. SQLite then rebuilds it, and the missing rows of these frames do not mean that a program
/// changed the log.
pub(super) fn is_of_this_boot(shared: &Path) -> bool {
    let uptime = fs::read_to_string("/proc/uptime").unwrap_or_default();
    let seconds = uptime.split('.').next().and_then(|text| text.parse().ok());
    let booted =
        seconds.and_then(|seconds| SystemTime::now().checked_sub(Duration::from_secs(seconds)));
    let written = fs::metadata(shared).and_then(|found| found.modified()).ok();
    booted
        .zip(written)
        .is_some_and(|(booted, written)| written > booted)
}

/// The header of the index: how far the log is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LogIndex {
    /// The number of commits, which SQLite counts from any number.
    commits: u32,
    /// The number of the last frame of a committed transaction.
    frames: u32,
    page_size: usize,
    /// The checksum of that frame, which depends on all frames before it.
    checksum: LogChecksum,
    /// The log's own number, which changes each time the log begins again.
    salt: [u8; 8],
}

impl LogIndex {
    /// Reads the index's header; none if it is not valid, for instance while another process writes it.
    pub(super) fn read(shared: &File) -> io::Result<Option<Self>> {
        let mut bytes = [0; 2 * INDEX_HEADER];
        if shared.read_exact_at(&mut bytes, 0).is_err() {
            return Ok(None);
        }
        let (header, copy) = bytes.split_at(INDEX_HEADER);
        let mut checksum = LogChecksum::default();
        checksum.add(&header[..40], u32::from_ne_bytes);
        let is_initialized = header[12] != 0;
        if header != copy
            || !is_initialized
            || read_word(header, 0, u32::from_ne_bytes) != FORMAT_VERSION
            || checksum != LogChecksum::read_at(header, 40, u32::from_ne_bytes)
        {
            return Ok(None);
        }
        let page_size = usize::from(u16::from_ne_bytes([header[14], header[15]]));
        let mut salt = [0; 8];
        salt.copy_from_slice(&header[32..40]);
        Ok(Some(Self {
            commits: read_word(header, 8, u32::from_ne_bytes),
            frames: read_word(header, 16, u32::from_ne_bytes),
            // A page size of 65,536 bytes is stored as 1.
            page_size: (page_size & 0xfe00) | ((page_size & 1) << 16),
            checksum: LogChecksum::read_at(header, 24, u32::from_ne_bytes),
            salt,
        }))
    }

    /// Returns the number of frames in the log.
    pub(super) fn frames(&self) -> u32 {
        self.frames
    }

    /// Returns whether one transaction was committed since an earlier index.
    pub(super) fn follows(&self, earlier: LogIndex) -> bool {
        self.commits == earlier.commits.wrapping_add(1)
    }

    /// Returns whether the log has all frames of this index, unchanged.
    fn is_followed_by(&self, log: &Path) -> io::Result<bool> {
        let mut log = BufReader::with_capacity(1 << 16, File::open(log)?);
        let mut header = [0; LOG_HEADER];
        if log.read_exact(&mut header).is_err() {
            return Ok(false);
        }
        let magic = read_word(&header, 0, u32::from_be_bytes);
        let to_word = match magic {
            LOG_MAGIC => u32::from_be_bytes,
            _ => u32::from_le_bytes,
        };
        let mut checksum = LogChecksum::default();
        checksum.add(&header[..24], to_word);
        if magic | 1 != LOG_MAGIC
            || checksum != LogChecksum::read_at(&header, 24, u32::from_be_bytes)
            || header[16..24] != self.salt
        {
            return Ok(false);
        }
        let mut frame = vec![0; FRAME_HEADER + self.page_size];
        for _ in 0..self.frames {
            if log.read_exact(&mut frame).is_err() || frame[8..16] != self.salt {
                return Ok(false);
            }
            checksum.add(&frame[..8], to_word);
            checksum.add(&frame[FRAME_HEADER..], to_word);
            if checksum != LogChecksum::read_at(&frame, 16, u32::from_be_bytes) {
                return Ok(false);
            }
        }
        Ok(checksum == self.checksum)
    }
}

/// SQLite's checksum of its log: two sums over pairs of words, each with the other one added.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct LogChecksum(u32, u32);

impl LogChecksum {
    fn add(&mut self, bytes: &[u8], to_word: fn([u8; 4]) -> u32) {
        for pair in bytes.chunks_exact(8) {
            self.0 = self
                .0
                .wrapping_add(read_word(pair, 0, to_word))
                .wrapping_add(self.1);
            self.1 = self
                .1
                .wrapping_add(read_word(pair, 4, to_word))
                .wrapping_add(self.0);
        }
    }

    fn read_at(bytes: &[u8], offset: usize, to_word: fn([u8; 4]) -> u32) -> Self {
        Self(
            read_word(bytes, offset, to_word),
            read_word(bytes, offset + 4, to_word),
        )
    }
}

fn read_word(bytes: &[u8], offset: usize, to_word: fn([u8; 4]) -> u32) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[offset..offset + 4]);
    to_word(word)
}
