//! One pack: where an object stands by its index, and the object itself, its deltas laid on their base.

use lancet_workspace::Located;

use crate::Trouble;
use crate::delta;
use crate::id::{Id, Length};
use crate::inflate::{Budget, Stream};
use crate::objects::{Kind, Object};

/// The longest chain that git itself makes.
const DEEPEST: usize = 4_095;
/// Bases and deltas beyond this are not unpacked.
const MOST_BASE: u64 = 32 << 20;
/// Names of one first byte; the largest repositories have a tenth of it.
const MOST_NAMES: u64 = 16 << 20;

const INDEX: Trouble = Trouble::Damaged("the index of a pack");
const ENTRY: Trouble = Trouble::Damaged("a pack");

/// Where the index of a pack says that an object begins.
pub(crate) fn offset_of(index: &Located, id: &Id) -> Result<Option<u64>, Trouble> {
    let fan = exactly(index, 0, 8 + 256 * 4)?;
    if fan[..4] != *b"\xfftOc" {
        return Err(Trouble::Unsupported("an index of version 1"));
    }
    if fan[4..8] != [0, 0, 0, 2] {
        return Err(Trouble::Unsupported("a pack index newer than version 2"));
    }
    let count = |at: usize| -> u64 { u64::from(word(&fan[8 + at * 4..])) };
    let first = usize::from(id.first());
    let (start, end) = (if first == 0 { 0 } else { count(first - 1) }, count(first));
    let all = count(255);
    let width = id.length().bytes() as u64;
    if start > end || end > all || (end - start) * width > MOST_NAMES {
        return Err(INDEX);
    }
    let names = 8 + 256 * 4;
    let run = exactly(index, names + start * width, length((end - start) * width)?)?;
    let run: Vec<&[u8]> = run.chunks_exact(id.length().bytes()).collect();
    let Ok(at) = run.binary_search(&id.as_bytes()) else {
        return Ok(None);
    };
    let offsets = names + all * width + all * 4;
    let at = start + at as u64;
    let offset = word(&exactly(index, offsets + at * 4, 4)?);
    if offset & 0x8000_0000 == 0 {
        return Ok(Some(u64::from(offset)));
    }
    let far = offsets + all * 4 + u64::from(offset & 0x7fff_ffff) * 8;
    let bytes = exactly(index, far, 8)?;
    let bytes = bytes.try_into().map_err(|_| INDEX)?;
    Ok(Some(u64::from_be_bytes(bytes)))
}

/// The object that begins at an offset; `most` bytes of it at most.
pub(crate) fn object_at(
    (pack, index): (&Located, &Located),
    offset: u64,
    (names, most): (Length, u64),
    budget: &Budget,
) -> Result<Object, Trouble> {
    let mut deltas: Vec<Vec<u8>> = Vec::new();
    let mut at = offset;
    let (kind, mut bytes) = loop {
        let head = Head::read(pack, at, names)?;
        let limit = if deltas.is_empty() && matches!(head.what, What::Whole(_)) {
            most
        } else {
            MOST_BASE
        };
        if head.size > limit {
            return Err(Trouble::TooLarge {
                what: "an object",
                size: head.size,
            });
        }
        let data = Stream::new(pack, head.data).rest(Vec::new(), length(head.size)?, budget)?;
        match head.what {
            What::Whole(kind) => break (kind, data),
            What::DeltaTo(base) => at = base,
            What::DeltaOf(id) => at = offset_of(index, &id)?.ok_or(ENTRY)?,
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

enum What {
    Whole(Kind),
    DeltaTo(u64),
    DeltaOf(Id),
}

/// What stands before the deflated bytes of an entry.
struct Head {
    what: What,
    size: u64,
    data: u64,
}

impl Head {
    fn read(pack: &Located, at: u64, names: Length) -> Result<Head, Trouble> {
        // The longest: ten bytes of size and a name.
        let (bytes, _) = pack.read_at(at, 64)?;
        let mut rest = bytes.as_slice();
        let mut next = || -> Result<u8, Trouble> {
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
        let what = match first >> 4 & 7 {
            1 => What::Whole(Kind::Commit),
            2 => What::Whole(Kind::Tree),
            3 => What::Whole(Kind::Blob),
            4 => What::Whole(Kind::Tag),
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
                // A base stands before what is made of it: no circle.
                let base = at
                    .checked_sub(back)
                    .filter(|base| *base < at)
                    .ok_or(ENTRY)?;
                What::DeltaTo(base)
            }
            7 => {
                let id = rest.get(..names.bytes()).ok_or(ENTRY)?;
                rest = &rest[names.bytes()..];
                What::DeltaOf(Id::from_bytes(id, names).ok_or(ENTRY)?)
            }
            _ => return Err(ENTRY),
        };
        let data = at + (bytes.len() - rest.len()) as u64;
        Ok(Head { what, size, data })
    }
}

fn exactly(file: &Located, offset: u64, length: usize) -> Result<Vec<u8>, Trouble> {
    let (bytes, _) = file.read_at(offset, length)?;
    if bytes.len() == length {
        Ok(bytes)
    } else {
        Err(INDEX)
    }
}

fn word(bytes: &[u8]) -> u32 {
    bytes
        .first_chunk()
        .map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

fn length(size: u64) -> Result<usize, Trouble> {
    usize::try_from(size).map_err(|_| ENTRY)
}
