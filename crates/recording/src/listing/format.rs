//! The form of a listing in its file: numbers are little-endian, names have their length before them, and a stat takes the
//! same 52 bytes everywhere, so that two of them are compared as bytes. A checksum is at the beginning.
//!
//! A folder comes before the folders in it, which are one deeper. Its record is followed by those of its files.

use lancet_workspace::Stamp;

/// The first bytes of the file. They change with the form.
const MAGIC: &[u8; 16] = b"lancet listing 1";
/// The length of what comes before the body: the magic bytes, the length of the body, and its checksum.
const HEAD_BYTES: usize = MAGIC.len() + 8 + 32;
/// The length of a stat.
const STAT_BYTES: usize = 52;
/// The numbers that describe an ignore file.
const RULE_NUMBERS: usize = 7;

/// A stat without the time at which it was taken, and without owner and number of links.
pub(super) type StatBytes = [u8; STAT_BYTES];

/// A flag of a record: the entry changed so long before the stat was taken that an equal stat proves that it did not
/// change.
pub(super) const PROVES: u8 = 1;
/// A flag of a file: a checkpoint covers it.
pub(super) const COVERED: u8 = 2;
/// A flag of a file: git tracks it. It is set only where that matters.
pub(super) const TRACKED: u8 = 4;
/// A flag of a file: it is ignored, and covered if it is small or tracked.
pub(super) const SMALL_OR_TRACKED: u8 = 8;
/// A flag of a file: it is ignored, and covered if it is tracked.
pub(super) const ONLY_TRACKED: u8 = 16;
/// A flag of a folder: it is ignored, and searched for entries that are included nevertheless.
pub(super) const IGNORED: u8 = 32;
/// A flag of a folder: it had no entries.
pub(super) const EMPTY: u8 = 64;

/// Returns a stat in the form in which listings have it.
pub(super) fn stat_bytes(stamp: &Stamp) -> StatBytes {
    let mut bytes = [0; STAT_BYTES];
    bytes[..8].copy_from_slice(&stamp.device.to_le_bytes());
    bytes[8..16].copy_from_slice(&stamp.inode.to_le_bytes());
    bytes[16..24].copy_from_slice(&stamp.size.to_le_bytes());
    bytes[24..32].copy_from_slice(&stamp.mtime.0.to_le_bytes());
    bytes[32..36].copy_from_slice(&stamp.mtime.1.to_le_bytes());
    bytes[36..44].copy_from_slice(&stamp.ctime.0.to_le_bytes());
    bytes[44..48].copy_from_slice(&stamp.ctime.1.to_le_bytes());
    bytes[48..].copy_from_slice(&stamp.mode.to_le_bytes());
    bytes
}

/// Returns the file's content with this body, without a journal.
pub(super) fn with_head(body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD_BYTES + body.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    bytes.extend_from_slice(blake3::hash(body).as_bytes());
    bytes.extend_from_slice(body);
    bytes
}

/// Returns the range of the body; none if it is damaged, or of another form.
pub(super) fn verified_body(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut head = ListingReader::new(bytes);
    if head.take(MAGIC.len())? != MAGIC {
        return None;
    }
    let length = usize::try_from(head.number_64()?).ok()?;
    let checksum = head.take(32)?;
    let body = head.take(length)?;
    (blake3::hash(body).as_bytes() == checksum).then_some((HEAD_BYTES, HEAD_BYTES + length))
}

/// Adds a name of at most 65,535 bytes; returns false if it is longer.
#[must_use]
pub(super) fn push_name(bytes: &mut Vec<u8>, name: &[u8]) -> bool {
    let Ok(length) = u16::try_from(name.len()) else {
        return false;
    };
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(name);
    true
}

/// Adds the number of the things that follow.
pub(super) fn push_count(bytes: &mut Vec<u8>, count: usize) {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    bytes.extend_from_slice(&count.to_le_bytes());
}

/// Reads the parts of a listing one after the other. Each method returns none at the end.
#[derive(Clone, Copy)]
pub(super) struct ListingReader<'b> {
    rest: &'b [u8],
}

impl<'b> ListingReader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        ListingReader { rest: bytes }
    }

    /// Returns the number of bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    pub(super) fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<&'b [u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(taken)
    }

    pub(super) fn number_8(&mut self) -> Option<u8> {
        self.array().map(|[byte]| *byte)
    }

    pub(super) fn number_16(&mut self) -> Option<u16> {
        self.array().map(|bytes| u16::from_le_bytes(*bytes))
    }

    pub(super) fn number_32(&mut self) -> Option<u32> {
        self.array().map(|bytes| u32::from_le_bytes(*bytes))
    }

    pub(super) fn number_64(&mut self) -> Option<u64> {
        self.array().map(|bytes| u64::from_le_bytes(*bytes))
    }

    pub(super) fn name(&mut self) -> Option<&'b [u8]> {
        let length = self.number_16()?;
        self.take(usize::from(length))
    }

    pub(super) fn text(&mut self) -> Option<String> {
        String::from_utf8(self.name()?.to_vec()).ok()
    }

    pub(super) fn stat(&mut self) -> Option<StatBytes> {
        self.array().copied()
    }

    pub(super) fn rule_numbers(&mut self) -> Option<[i64; RULE_NUMBERS]> {
        let mut numbers = [0; RULE_NUMBERS];
        for number in &mut numbers {
            *number = i64::from_le_bytes(*self.array()?);
        }
        Some(numbers)
    }
}

/// The record of a folder, without those of its files.
#[derive(Clone, Copy)]
pub(super) struct FolderRecord<'b> {
    pub(super) depth: u16,
    pub(super) flags: u8,
    /// The path relative to the root.
    pub(super) name: &'b [u8],
    pub(super) stat: &'b StatBytes,
    /// The number of files whose records follow.
    pub(super) files: u32,
}

impl<'b> FolderRecord<'b> {
    pub(super) fn read(reader: &mut ListingReader<'b>) -> Option<FolderRecord<'b>> {
        Some(FolderRecord {
            depth: reader.number_16()?,
            flags: reader.number_8()?,
            name: reader.name()?,
            stat: reader.array()?,
            files: reader.number_32()?,
        })
    }

    pub(super) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// The record of a file or link.
#[derive(Clone, Copy)]
pub(super) struct FileRecord<'b> {
    pub(super) flags: u8,
    /// The name in its folder.
    pub(super) name: &'b [u8],
    pub(super) stat: &'b StatBytes,
}

impl<'b> FileRecord<'b> {
    pub(super) fn read(reader: &mut ListingReader<'b>) -> Option<FileRecord<'b>> {
        Some(FileRecord {
            flags: reader.number_8()?,
            name: reader.name()?,
            stat: reader.array()?,
        })
    }

    pub(super) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Returns whether a later stat proves that the file is unchanged.
    pub(super) fn is_unchanged(&self, now: &Stamp) -> bool {
        self.has(PROVES) && *self.stat == stat_bytes(now)
    }
}
