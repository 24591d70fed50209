//! Reads one pack: looks an object up in the index and resolves its delta chain.

use lancet_workspace::FileReader;

use crate::delta;
use crate::id::{HashAlgorithm, ObjectId};
use crate::inflate::InflateStream;
use crate::object::{GitObject, ObjectKind, QueryLimits};
use crate::{GitError, unreadable_error};

/// The longest delta chain that git writes.
const MAX_DELTA_DEPTH: usize = 4_095;
/// The largest number of bytes of ids that share a first byte; the largest repositories have a tenth of this.
const MAX_ID_RUN_BYTES: u64 = 16 << 20;
/// The offset of the ids in a pack index: after eight bytes and the counts of ids by their first byte.
const IDS_OFFSET: usize = 8 + 256 * 4;

const DAMAGED_PACK_INDEX: GitError = GitError::Damaged("the index of a pack");
const DAMAGED_PACK: GitError = GitError::Damaged("a pack");

/// A pack and its index, both open.
pub(crate) struct Pack {
    pack: FileReader,
    index: FileReader,
    /// The beginning of the index: the count of ids up to each first byte.
    fan: Vec<u8>,
}

impl Pack {
    /// Opens a pack with an index of version 2.
    pub(crate) fn open(pack: FileReader, index: FileReader) -> Result<Pack, GitError> {
        let fan = read_exactly(&index, 0, IDS_OFFSET)?;
        if fan[..4] != *b"\xfftOc" {
            return Err(GitError::Unsupported("an index of version 1"));
        }
        if fan[4..8] != [0, 0, 0, 2] {
            return Err(GitError::Unsupported("a pack index newer than version 2"));
        }
        Ok(Pack { pack, index, fan })
    }

    /// Looks up the offset of an object.
    pub(crate) fn find_offset(&self, id: &ObjectId) -> Result<Option<u64>, GitError> {
        let count = |at: usize| -> u64 { u64::from(be_u32(&self.fan[8 + at * 4..])) };
        let first = usize::from(id.first_byte());
        let (start, end) = (if first == 0 { 0 } else { count(first - 1) }, count(first));
        let all = count(255);
        let width = id.algorithm().bytes() as u64;
        if start > end || end > all || (end - start) * width > MAX_ID_RUN_BYTES {
            return Err(DAMAGED_PACK_INDEX);
        }
        let ids = IDS_OFFSET as u64;
        let run = to_length((end - start) * width)?;
        let run = read_exactly(&self.index, ids + start * width, run)?;
        let run: &[u8] = &run;
        let Some(at) = position_of_id(run, id.as_bytes()) else {
            return Ok(None);
        };
        let offsets = ids + all * width + all * 4;
        let at = start + at as u64;
        let offset = be_u32(&read_exactly(&self.index, offsets + at * 4, 4)?);
        if offset & 0x8000_0000 == 0 {
            return Ok(Some(u64::from(offset)));
        }
        let far = offsets + all * 4 + u64::from(offset & 0x7fff_ffff) * 8;
        let bytes = read_exactly(&self.index, far, 8)?;
        let bytes = bytes.try_into().map_err(|_| DAMAGED_PACK_INDEX)?;
        Ok(Some(u64::from_be_bytes(bytes)))
    }

    /// Returns the object at an offset. Deltas are inflated one after the other, so that at most three objects of the
    /// chain are in memory.
    pub(crate) fn object_at(
        &self,
        offset: u64,
        names: HashAlgorithm,
        limits: &QueryLimits,
    ) -> Result<GitObject, GitError> {
        let mut deltas: Vec<EntryHeader> = Vec::new();
        let mut at = offset;
        let (kind, base) = loop {
            let header = EntryHeader::read(&self.pack, at, names)?;
            let limit = match header.form {
                PackedForm::Whole(_) if deltas.is_empty() => limits.object,
                _ => limits.base,
            };
            if header.size > limit {
                return Err(GitError::TooLarge {
                    what: "an object",
                    size: header.size,
                });
            }
            match header.form {
                PackedForm::Whole(kind) => break (kind, header),
                PackedForm::OffsetDelta(base) => at = base,
                PackedForm::RefDelta(id) => at = self.find_offset(&id)?.ok_or(DAMAGED_PACK)?,
            }
            deltas.push(header);
            if deltas.len() > MAX_DELTA_DEPTH {
                return Err(DAMAGED_PACK);
            }
        };
        let mut bytes = self.inflate_entry(&base, limits)?;
        while let Some(delta) = deltas.pop() {
            let limit = if deltas.is_empty() {
                limits.object
            } else {
                limits.base
            };
            bytes = delta::apply_delta(&bytes, &self.inflate_entry(&delta, limits)?, limit)?;
            limits.budget.spend(bytes.len() as u64)?;
        }
        Ok(GitObject { kind, bytes })
    }

    /// Returns the size of the object at an offset: from the header of its entry or the beginning of its delta.
    pub(crate) fn size_at(&self, offset: u64, names: HashAlgorithm) -> Result<u64, GitError> {
        let header = EntryHeader::read(&self.pack, offset, names)?;
        if matches!(header.form, PackedForm::Whole(_)) {
            return Ok(header.size);
        }
        let mut start = [0; delta::MAX_HEADER_BYTES];
        let filled = InflateStream::new(&self.pack, header.data).fill_buffer(&mut start)?;
        delta::result_size(&start[..filled])
    }

    /// Inflates the data of an entry.
    fn inflate_entry(
        &self,
        header: &EntryHeader,
        limits: &QueryLimits,
    ) -> Result<Vec<u8>, GitError> {
        let stream = InflateStream::new(&self.pack, header.data);
        stream.read_to_end(to_length(header.size)?, &limits.budget)
    }
}

/// Returns the position of an id in a run of sorted ids.
fn position_of_id(run: &[u8], id: &[u8]) -> Option<usize> {
    let width = id.len();
    let (mut low, mut high) = (0, run.len() / width);
    while low < high {
        let middle = low.midpoint(high);
        match run[middle * width..(middle + 1) * width].cmp(id) {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => return Some(middle),
        }
    }
    None
}

/// The form in which a pack stores an entry.
enum PackedForm {
    /// The entry holds the whole object.
    Whole(ObjectKind),
    /// The entry is a delta against the entry at this offset of the same pack (git's `OBJ_OFS_DELTA`).
    OffsetDelta(u64),
    /// The entry is a delta against the object with this id (git's `OBJ_REF_DELTA`).
    RefDelta(ObjectId),
}

/// The header of a pack entry: its form, the inflated size and the offset of the zlib stream.
struct EntryHeader {
    form: PackedForm,
    size: u64,
    data: u64,
}

impl EntryHeader {
    fn read(pack: &FileReader, at: u64, names: HashAlgorithm) -> Result<EntryHeader, GitError> {
        // 64 bytes hold the longest header: ten bytes of size and an id.
        let mut bytes = [0; 64];
        let filled = pack.read_from(&mut bytes, at).map_err(unreadable_error)?;
        let bytes = &bytes[..filled];
        let mut rest = bytes;
        let mut next = || -> Result<u8, GitError> {
            let (&byte, after) = rest.split_first().ok_or(DAMAGED_PACK)?;
            rest = after;
            Ok(byte)
        };
        let first = next()?;
        let mut size = u64::from(first & 0x0f);
        let mut more = first & 0x80 != 0;
        let mut shift = 4;
        while more {
            let byte = next()?;
            if shift > 57 {
                return Err(DAMAGED_PACK);
            }
            size |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            more = byte & 0x80 != 0;
        }
        let form = match first >> 4 & 7 {
            1 => PackedForm::Whole(ObjectKind::Commit),
            2 => PackedForm::Whole(ObjectKind::Tree),
            3 => PackedForm::Whole(ObjectKind::Blob),
            4 => PackedForm::Whole(ObjectKind::Tag),
            6 => {
                let mut byte = next()?;
                let mut back = u64::from(byte & 0x7f);
                while byte & 0x80 != 0 {
                    byte = next()?;
                    back = back
                        .checked_add(1)
                        .filter(|back| back >> 56 == 0)
                        .ok_or(DAMAGED_PACK)?
                        << 7
                        | u64::from(byte & 0x7f);
                }
                // An offset delta refers backwards only, so that chains have no cycle.
                let base = at
                    .checked_sub(back)
                    .filter(|base| *base < at)
                    .ok_or(DAMAGED_PACK)?;
                PackedForm::OffsetDelta(base)
            }
            7 => {
                let id = rest.get(..names.bytes()).ok_or(DAMAGED_PACK)?;
                rest = &rest[names.bytes()..];
                PackedForm::RefDelta(ObjectId::from_bytes(id, names).ok_or(DAMAGED_PACK)?)
            }
            _ => return Err(DAMAGED_PACK),
        };
        let data = at + (bytes.len() - rest.len()) as u64;
        Ok(EntryHeader { form, size, data })
    }
}

fn read_exactly(file: &FileReader, offset: u64, length: usize) -> Result<Vec<u8>, GitError> {
    let mut bytes = vec![0; length];
    if file
        .read_from(&mut bytes, offset)
        .map_err(unreadable_error)?
        == length
    {
        Ok(bytes)
    } else {
        Err(DAMAGED_PACK_INDEX)
    }
}

fn be_u32(bytes: &[u8]) -> u32 {
    bytes
        .first_chunk()
        .map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

fn to_length(size: u64) -> Result<usize, GitError> {
    usize::try_from(size).map_err(|_| DAMAGED_PACK)
}
