//! The hashes of the parts of a content. BLAKE3 hashes a content as a tree, so the revision of a changed content is
//! computed from the known hashes of the parts that did not move and new hashes of the others.

use blake3::hazmat::{
    ChainingValue, HasherExt as _, Mode, left_subtree_len, merge_subtrees_non_root,
    merge_subtrees_root,
};
use lancet_text::RawChange;

use crate::revision::Revision;

/// The length of each part except the last: a power of two, so that each part is a subtree.
const PART_LENGTH: usize = 32 << 10;
/// The length of the parts of small content: as much as BLAKE3 hashes in parallel with AVX2. A shorter part would take
/// as long.
const SMALL_PART: usize = 8 << 10;
/// The longest content that has small parts. With small parts in longer content, the hashes of parts would take longer
/// to merge than the bytes take to hash.
const SMALL: usize = 64 << 10;

/// Returns the length of the parts of a content of this length.
fn part_length(length: usize) -> usize {
    match length {
        ..=SMALL => SMALL_PART,
        _ => PART_LENGTH,
    }
}

/// The hashes of the parts of a content that has more than one part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashedParts {
    length: usize,
    parts: Vec<ChainingValue>,
}

impl HashedParts {
    /// Hashes the content that `changes`, sorted and without overlaps, make from `base`. `known` are the hashes of
    /// `base`. None if the result has one part only, which is hashed as quickly without this.
    pub fn after_changes(
        base: &[u8],
        changes: &[RawChange],
        known: Option<&HashedParts>,
    ) -> Option<HashedParts> {
        let pieces = changed_pieces(base, changes)?;
        let length = pieces.iter().map(|piece| piece.len()).sum::<usize>();
        let part = part_length(length);
        if length <= part {
            return None;
        }
        let known =
            known.filter(|known| known.length == base.len() && part_length(known.length) == part);
        let first = changes.first().map_or(base.len(), change_start);
        // If the length does not change, the bytes after the last change did not move.
        let last = changes.last().map_or(0, |change| change.range.end);
        let last = usize::try_from(last).ok().filter(|_| length == base.len());
        let is_same =
            |start: usize, end: usize| end <= first || last.is_some_and(|last| start >= last);
        let mut cursor = PieceCursor::new(&pieces);
        let mut parts = Vec::with_capacity(length.div_ceil(part));
        for start in (0..length).step_by(part) {
            let end = length.min(start + part);
            let same = known
                .filter(|_| is_same(start, end) && (end - start == part || length == base.len()));
            let hash = match same.and_then(|known| known.parts.get(start / part)) {
                Some(hash) => *hash,
                None => cursor.hash(start, end),
            };
            parts.push(hash);
        }
        Some(HashedParts { length, parts })
    }

    /// Returns the revision of the content.
    pub fn revision(&self) -> Revision {
        let (left, right) = hash_halves(&self.parts, self.length, part_length(self.length));
        let hash = merge_subtrees_root(&left, &right, Mode::Hash);
        Revision::from_bytes(*hash.as_bytes())
    }

    /// Returns the number of bytes of the content.
    pub fn length(&self) -> usize {
        self.length
    }
}

/// Returns the hashes of both halves of a tree of parts of the length `part`.
fn hash_halves(
    parts: &[ChainingValue],
    length: usize,
    part: usize,
) -> (ChainingValue, ChainingValue) {
    let left = left_subtree_len(length as u64) as usize;
    let (left_parts, right_parts) = parts.split_at(left / part);
    (
        merge_hashes(left_parts, left, part),
        merge_hashes(right_parts, length - left, part),
    )
}

fn merge_hashes(parts: &[ChainingValue], length: usize, part: usize) -> ChainingValue {
    if let [hash] = parts {
        return *hash;
    }
    let (left, right) = hash_halves(parts, length, part);
    merge_subtrees_non_root(&left, &right, Mode::Hash)
}

fn change_start(change: &RawChange) -> usize {
    usize::try_from(change.range.start).unwrap_or(usize::MAX)
}

/// Returns the pieces that make up the changed content; none if the changes do not fit the base.
fn changed_pieces<'p>(base: &'p [u8], changes: &'p [RawChange]) -> Option<Vec<&'p [u8]>> {
    let mut pieces = Vec::with_capacity(2 * changes.len() + 1);
    let mut from = 0;
    for change in changes {
        pieces.push(base.get(from..change_start(change))?);
        pieces.push(&change.bytes);
        from = usize::try_from(change.range.end).ok()?;
    }
    pieces.push(base.get(from..)?);
    Some(pieces)
}

/// Goes through pieces from the first to the last.
struct PieceCursor<'p> {
    pieces: &'p [&'p [u8]],
    /// The offset of the first piece in the content.
    at: usize,
    /// The bytes of the last part that lay in several pieces.
    assembled: Vec<u8>,
}

impl<'p> PieceCursor<'p> {
    fn new(pieces: &'p [&'p [u8]]) -> Self {
        Self {
            pieces,
            at: 0,
            assembled: Vec::new(),
        }
    }

    /// Hashes a part. Parts must be requested in their order. BLAKE3 hashes whole blocks in parallel but small pieces
    /// one by one, so a part that lies in several pieces is assembled first.
    fn hash(&mut self, start: usize, end: usize) -> ChainingValue {
        let mut hasher = blake3::Hasher::new();
        hasher.set_input_offset(start as u64);
        self.assembled.clear();
        while let [piece, rest @ ..] = self.pieces {
            let piece_end = self.at + piece.len();
            let from = start.max(self.at) - self.at;
            let to = end.min(piece_end).saturating_sub(self.at);
            let bytes = piece.get(from..to).unwrap_or_default();
            if bytes.len() == end - start {
                hasher.update(bytes);
            } else {
                self.assembled.extend_from_slice(bytes);
            }
            if piece_end > end {
                break;
            }
            (self.pieces, self.at) = (rest, piece_end);
        }
        hasher.update(&self.assembled);
        hasher.finalize_non_root()
    }
}
