//! Reads one pack: looks an object up in the index and resolves its delta chain.

use lancet_workspace::Located;

use crate::GitError;
use crate::delta;
use crate::id::{HashAlgorithm, ObjectId};
use crate::inflate::{InflateBudget, InflateStream};
use crate::objects::{Object, ObjectKind};

/// The longest delta chain that git writes.
const DEEPEST: usize = 4_095;
/// Larger bases and deltas are not inflated.
const MOST_BASE: u64 = 32 << 20;
/// The most bytes of ids that share a first byte; the largest repositories have a tenth of this.
const MOST_NAMES: u64 = 16 << 20;

const INDEX: GitError = GitError::Damaged("the index of a pack");
const ENTRY: GitError = GitError::Damaged("a pack");

/// Looks up the offset of an object in a pack index (version 2).
pub(crate) fn offset_of(index: &Located, id: &ObjectId) -> Result<Option<u64>, GitError> {
    let fan = read_exactly(index, 0, 8 + 256 * 4)?;
    if fan[..4] != *b"\xfftOc" {
        return Err(GitError::Unsupported("an index of version 1"));
    }
    if fan[4..8] != [0, 0, 0, 2] {
        return Err(GitError::Unsupported("a pack index newer than version 2"));
    }
    let count = |at: usize| -> u64 { u64::from(be_u32(&fan[8 + at * 4..])) };
    let first = usize::from(id.first());
    let (start, end) = (if first == 0 { 0 } else { count(first - 1) }, count(first));
    let all = count(255);
    let width = id.length().bytes() as u64;
    if start > end || end > all || (end - start) * width > MOST_NAMES {
        return Err(INDEX);
    }
    let names = 8 + 256 * 4;
    let run = read_exactly(index, names + start * width, length((end - start) * width)?)?;
    let run: Vec<&[u8]> = run.chunks_exact(id.length().bytes()).collect();
    let Ok(at) = run.binary_search(&id.as_bytes()) else {
        return Ok(None);
    };
    let offsets = names + all * width + all * 4;
    let at = start + at as u64;
    let offset = be_u32(&read_exactly(index, offsets + at * 4, 4)?);
    if offset & 0x8000_0000 == 0 {
        return Ok(Some(u64::from(offset)));
    }
    let far = offsets + all * 4 + u64::from(offset & 0x7fff_ffff) * 8;
    let bytes = read_exactly(index, far, 8)?;
    let bytes = bytes.try_into().map_err(|_| INDEX)?;
    Ok(Some(u64::from_be_bytes(bytes)))
}

/// Returns the object at an offset of a pack, with at most `most` bytes.
pub(crate) fn object_at(
    (pack, index): (&Located, &Located),
    offset: u64,
    (names, most): (HashAlgorithm, u64),
    budget: &InflateBudget,
) -> Result<Object, GitError> {
    let mut deltas: Vec<Vec<u8>> = Vec::new();
    let mut at = offset;
    let (kind, mut bytes) = loop {
        let header = EntryHeader::read(pack, at, names)?;
        let limit = if deltas.is_empty() && matches!(header.form, PackedForm::Whole(_)) {
            most
        } else {
            MOST_BASE
        };
        if header.size > limit {
            return Err(GitError::TooLarge {
                what: "an object",
                size: header.size,
            });
        }
        let data = InflateStream::new(pack, header.data).read_to_end(
            Vec::new(),
            length(header.size)?,
            budget,
        )?;
        match header.form {
            PackedForm::Whole(kind) => break (kind, data),
            PackedForm::OffsetDelta(base) => at = base,
            PackedForm::RefDelta(id) => at = offset_of(index, &id)?.ok_or(ENTRY)?,
        }
        deltas.push(data);
        if deltas.len() > DEEPEST {
            return Err(ENTRY);
        }
    };
    while let Some(delta) = deltas.pop() {
        let limit = if deltas.is_empty() { most } else { MOST_BASE };
        bytes = delta::apply(&bytes, &delta, limit)?;
        budget.take(bytes.len() as u64)?;
    }
    Ok(Object { kind, bytes })
}

/// How a pack stores an entry.
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
    fn read(pack: &Located, at: u64, names: HashAlgorithm) -> Result<EntryHeader, GitError> {
        // 64 bytes hold the longest header: ten bytes of size and an id.
        let (bytes, _) = pack.read_at(at, 64)?;
        let mut rest = bytes.as_slice();
        let mut next = || -> Result<u8, GitError> {
            let (&byte, after) = rest.split_first().ok_or(ENTRY)?;
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
                return Err(ENTRY);
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
                        .ok_or(ENTRY)?
                        << 7
                        | u64::from(byte & 0x7f);
                }
                // An offset delta refers backwards only, so that chains have no cycle.
                let base = at
                    .checked_sub(back)
                    .filter(|base| *base < at)
                    .ok_or(ENTRY)?;
                PackedForm::OffsetDelta(base)
            }
            7 => {
                let id = rest.get(..names.bytes()).ok_or(ENTRY)?;
                rest = &rest[names.bytes()..];
                PackedForm::RefDelta(ObjectId::from_bytes(id, names).ok_or(ENTRY)?)
            }
            _ => return Err(ENTRY),
        };
        let data = at + (bytes.len() - rest.len()) as u64;
        Ok(EntryHeader { form, size, data })
    }
}

fn read_exactly(file: &Located, offset: u64, length: usize) -> Result<Vec<u8>, GitError> {
    let (bytes, _) = file.read_at(offset, length)?;
    if bytes.len() == length {
        Ok(bytes)
    } else {
        Err(INDEX)
    }
}

fn be_u32(bytes: &[u8]) -> u32 {
    bytes
        .first_chunk()
        .map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

fn length(size: u64) -> Result<usize, GitError> {
    usize::try_from(size).map_err(|_| ENTRY)
}
