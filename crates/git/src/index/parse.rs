//! Parses the bytes of an index of version 2, 3 or 4. The bytes may be hostile: every length is checked before it is
//! used, and the size of the result is limited.

use lancet_workspace::Stamp;

use super::{EntryFlags, GitIndex, IndexStat, StoredEntry};
use crate::GitError;
use crate::hash::{CHECKSUM_LENGTH, sha1_checksum};
use crate::id::ObjectId;

/// The fixed part of an entry: ten numbers, the id and the flags.
const FIXED_ENTRY_BYTES: usize = 10 * 4 + CHECKSUM_LENGTH + 2;
/// Names of version 4 share their beginnings, so that all names together can be larger than the file.
const MAX_NAME_BYTES: usize = 512 << 20;
/// A longer name cannot be a path of any file system.
const MAX_NAME_LENGTH: usize = 1 << 16;

const ASSUME_UNCHANGED: u16 = 0x8000;
const EXTENDED_FLAG: u16 = 0x4000;
const STAGE_MASK: u16 = 0x3000;
const NAME_LENGTH_MASK: u16 = 0x0fff;
const SKIP_WORKTREE: u16 = 0x4000;
const INTENT_TO_ADD: u16 = 0x2000;

const DAMAGED_INDEX: GitError = GitError::Damaged("the index");

impl GitIndex {
    /// Parses the bytes of an index; `stamp` is that of its file.
    pub(crate) fn parse(bytes: &[u8], stamp: Stamp) -> Result<GitIndex, GitError> {
        let body = verify_checksum(bytes)?;
        let header = body.first_chunk::<12>().ok_or(DAMAGED_INDEX)?;
        if header[..4] != *b"DIRC" {
            return Err(DAMAGED_INDEX);
        }
        let version = be_u32(&header[4..]);
        if !(2..=4).contains(&version) {
            return Err(GitError::Unsupported("this version of the index"));
        }
        let count = be_u32(&header[8..]) as usize;
        if count > body.len() / FIXED_ENTRY_BYTES {
            return Err(DAMAGED_INDEX);
        }
        let mut entries = EntryParser {
            body,
            at: header.len(),
            version,
            last: (0, 0),
            is_nameless: false,
            index: GitIndex {
                records: Vec::with_capacity(count),
                names: Vec::with_capacity(body.len().saturating_sub(count * FIXED_ENTRY_BYTES)),
                stamp,
            },
        };
        for _ in 0..count {
            entries.parse_next()?;
        }
        check_extensions(&body[entries.at..])?;
        if entries.is_nameless {
            return Err(DAMAGED_INDEX);
        }
        Ok(entries.index)
    }
}

/// Verifies the checksum at the end; returns the bytes that it covers. `index.skipHash` writes zeros.
fn verify_checksum(bytes: &[u8]) -> Result<&[u8], GitError> {
    let (body, sum) = bytes
        .split_last_chunk::<CHECKSUM_LENGTH>()
        .ok_or(DAMAGED_INDEX)?;
    if *sum == [0; CHECKSUM_LENGTH] || *sum == sha1_checksum(body) {
        Ok(body)
    } else {
        Err(DAMAGED_INDEX)
    }
}

/// The parser of the entries.
struct EntryParser<'b> {
    body: &'b [u8],
    at: usize,
    version: u32,
    /// The range of the last name, whose beginning version 4 reuses.
    last: (usize, usize),
    /// Whether an entry has no name, as in a split index, which its extension then shows.
    is_nameless: bool,
    index: GitIndex,
}

impl EntryParser<'_> {
    fn parse_next(&mut self) -> Result<(), GitError> {
        let start = self.at;
        let fixed = self
            .body
            .get(start..)
            .and_then(|rest| rest.first_chunk::<FIXED_ENTRY_BYTES>())
            .ok_or(DAMAGED_INDEX)?;
        self.at += FIXED_ENTRY_BYTES;
        let number = |at: usize| be_u32(&fixed[at * 4..]);
        let id = fixed[40..]
            .first_chunk::<CHECKSUM_LENGTH>()
            .ok_or(DAMAGED_INDEX)?;
        let flags =
            u16::from_be_bytes([fixed[FIXED_ENTRY_BYTES - 2], fixed[FIXED_ENTRY_BYTES - 1]]);
        let mut more = 0;
        if flags & EXTENDED_FLAG != 0 {
            let bytes = self.body.get(self.at..self.at + 2).ok_or(DAMAGED_INDEX)?;
            more = u16::from_be_bytes([bytes[0], bytes[1]]);
            self.at += 2;
            if self.version == 2 || more & !(SKIP_WORKTREE | INTENT_TO_ADD) != 0 {
                return Err(DAMAGED_INDEX);
            }
        }
        let mode = number(6);
        if mode & 0o170_000 == 0o040_000 {
            return Err(GitError::Unsupported("a sparse index"));
        }
        let (name_start, name_length) = self.parse_name(start, flags)?;
        let record = StoredEntry {
            name_start: u32::try_from(name_start).map_err(|_| DAMAGED_INDEX)?,
            name_length: u32::try_from(name_length).map_err(|_| DAMAGED_INDEX)?,
            mode,
            id: ObjectId::from_array(*id),
            stat: IndexStat {
                ctime: (number(0), number(1)),
                mtime: (number(2), number(3)),
                device: number(4),
                inode: number(5),
                uid: number(7),
                gid: number(8),
                size: number(9),
            },
            stage: u8::try_from((flags & STAGE_MASK) >> 12).map_err(|_| DAMAGED_INDEX)?,
            flags: EntryFlags {
                assume_unchanged: flags & ASSUME_UNCHANGED != 0,
                skip_worktree: more & SKIP_WORKTREE != 0,
                intent_to_add: more & INTENT_TO_ADD != 0,
            },
        };
        self.check_order(&record)?;
        self.index.records.push(record);
        self.last = (name_start, name_length);
        Ok(())
    }

    /// Reads a name and what follows it; returns its range in the names.
    fn parse_name(&mut self, start: usize, flags: u16) -> Result<(usize, usize), GitError> {
        let kept = if self.version == 4 {
            let dropped = self.read_dropped_count()?;
            self.last.1.checked_sub(dropped).ok_or(DAMAGED_INDEX)?
        } else {
            0
        };
        let rest = self.body.get(self.at..).ok_or(DAMAGED_INDEX)?;
        let end = memchr::memchr(0, rest).ok_or(DAMAGED_INDEX)?;
        let (own, length) = (&rest[..end], kept + end);
        let announced = usize::from(flags & NAME_LENGTH_MASK);
        if announced != length.min(usize::from(NAME_LENGTH_MASK)) || length > MAX_NAME_LENGTH {
            return Err(DAMAGED_INDEX);
        }
        let names = &mut self.index.names;
        if names.len() + length > MAX_NAME_BYTES {
            return Err(GitError::TooLarge {
                what: "an index with names",
                size: (names.len() + length) as u64,
            });
        }
        let name_start = names.len();
        names.extend_from_within(self.last.0..self.last.0 + kept);
        names.extend_from_slice(own);
        let (before, name) = names.split_at(name_start);
        // The part that a name shares with the last one was checked there, down to its last slash.
        let last = &before[self.last.0..];
        let common = last
            .iter()
            .zip(name)
            .take_while(|(one, other)| one == other)
            .count();
        let checked = name[..common].iter().rposition(|byte| *byte == b'/');
        if length == 0 {
            self.is_nameless = true;
        } else if !is_valid_name(&name[checked.map_or(0, |slash| slash + 1)..]) {
            return Err(DAMAGED_INDEX);
        }
        self.at += end;
        self.at += if self.version == 4 {
            1
        } else {
            // One to eight zeros end the name, so that entries begin at multiples of eight.
            let padding = 8 - (self.at - start) % 8;
            let zeros = self
                .body
                .get(self.at..self.at + padding)
                .ok_or(DAMAGED_INDEX)?;
            if zeros.iter().any(|byte| *byte != 0) {
                return Err(DAMAGED_INDEX);
            }
            padding
        };
        Ok((name_start, length))
    }

    /// Reads the number of bytes that are dropped at the end of the last name, in the number format of offsets in
    /// packs.
    fn read_dropped_count(&mut self) -> Result<usize, GitError> {
        let mut value = 0usize;
        for step in 0..4 {
            let byte = *self.body.get(self.at).ok_or(DAMAGED_INDEX)?;
            self.at += 1;
            value = (value + usize::from(step > 0)) << 7 | usize::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(DAMAGED_INDEX)
    }

    /// Checks that names ascend, and stages within a name; stage 0 must be the only one.
    fn check_order(&self, record: &StoredEntry) -> Result<(), GitError> {
        let Some(last) = self.index.records.last().filter(|_| !self.is_nameless) else {
            return Ok(());
        };
        let follows = match self.index.name(last).cmp(self.index.name(record)) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Equal => last.stage != 0 && last.stage < record.stage,
            std::cmp::Ordering::Greater => false,
        };
        if follows { Ok(()) } else { Err(DAMAGED_INDEX) }
    }
}

/// Returns whether git can track this name: parts between single slashes, none of which leads elsewhere or into a
/// `.git`.
fn is_valid_name(name: &[u8]) -> bool {
    name.split(|byte| *byte == b'/').all(|part| match part {
        b"" | b"." | b".." => false,
        [b'.', ..] => !part.eq_ignore_ascii_case(b".git"),
        _ => true,
    })
}

/// Checks the names of the extensions. One that begins with a capital letter may be skipped; any other changes what
/// the entries mean.
fn check_extensions(mut rest: &[u8]) -> Result<(), GitError> {
    while !rest.is_empty() {
        let head = rest.first_chunk::<8>().ok_or(DAMAGED_INDEX)?;
        match &head[..4] {
            b"link" => return Err(GitError::Unsupported("a split index")),
            b"sdir" => return Err(GitError::Unsupported("a sparse index")),
            name if name[0].is_ascii_uppercase() => {}
            _ => return Err(GitError::Unsupported("an extension of the index")),
        }
        let length = be_u32(&head[4..]) as usize;
        rest = rest[head.len()..].get(length..).ok_or(DAMAGED_INDEX)?;
    }
    Ok(())
}

fn be_u32(bytes: &[u8]) -> u32 {
    bytes
        .first_chunk()
        .map_or(0, |bytes| u32::from_be_bytes(*bytes))
}
