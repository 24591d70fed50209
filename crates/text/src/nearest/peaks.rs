//! Finds where to look: the places of a view that have the most and the rarest q-grams of a text in common with it.
//! White space and letter case do not count. The places are rough by design; `place` finds their edges.
//!
//! The model is that of a search engine. A q-gram is a group of `width` neighbouring bytes; short texts use short
//! q-grams, since they have few. The weight of each is the inverse square root of its count in the view, a mild inverse
//! document frequency: a rare one is stronger evidence, but no single one decides. The view is divided into cells of a
//! sixteenth of the text; the weights of all hits are summed up per cell, and the windows of the text's length with the
//! largest sums are the candidates.
//!
//! All bytes of the view pass through the scan, so it is cheap: a one-hash Bloom filter of 8 KiB, which stays in the
//! cache, rejects most bytes; only for the others is an open-addressing hash table queried.

use std::ops::Range;

use memchr::memmem;

/// The number of bytes of a view that are scanned. Of a larger one a part around a line of the text is scanned, if one
/// is found, or the start.
pub(super) const MAX_SCANNED_BYTES: usize = 16 << 20;

/// The most places that are returned.
const MAX_PEAKS: usize = 16;

/// The number of distinct q-grams of the text that are searched for. For a longer text a sample is used.
const MAX_GRAMS: usize = 32 << 10;

/// The block size for counting q-grams.
const COUNTED_BLOCK: usize = 64 << 10;

/// The number of lines of the text that are searched for in a view that is too large to scan.
const MAX_PROBES: usize = 4;

/// The fraction of the best place's score that another place must have.
const MIN_SCORE_FRACTION: f32 = 0.3;

/// A candidate: about as long as the text, with edges that are off by up to `slack`.
#[derive(Debug, Clone)]
pub(super) struct Peak {
    pub(super) range: Range<usize>,
    pub(super) slack: usize,
}

/// Returns the candidates in the view for `old`, the best first.
pub(super) fn find_peaks(view: &str, old: &str) -> Vec<Peak> {
    let part = scanned_range(view, old);
    let bytes = &view.as_bytes()[part.clone()];
    let Some(grams) = GramTable::new(old.as_bytes()) else {
        return Vec::new();
    };
    let mut counts = vec![0u32; grams.count];
    // The counts need not be exact: a quarter of a large view is enough.
    let step = if bytes.len() > 4 * COUNTED_BLOCK {
        4
    } else {
        1
    };
    for block in bytes.chunks(COUNTED_BLOCK).step_by(step) {
        grams.for_each_known_gram(block, |_, gram| counts[gram] += 1);
    }
    let weights: Vec<f32> = counts
        .iter()
        .map(|&count| 1.0 / (count.max(1) as f32).sqrt())
        .collect();

    let cell = (old.len() / 16).clamp(16, 2048);
    let mut cells = vec![0f32; bytes.len() / cell + 1];
    grams.for_each_known_gram(bytes, |at, gram| cells[at / cell] += weights[gram]);
    let width = old.len().div_ceil(cell) + 1;
    let mut best = best_windows(&cells, width);
    best.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    let least = best
        .first()
        .map_or(0.0, |(_, most)| most * MIN_SCORE_FRACTION);
    best.into_iter()
        .filter(|(_, sum)| *sum > 0.0 && *sum >= least)
        .take(MAX_PEAKS)
        .map(|(start, _)| Peak {
            range: part.start + start * cell..(part.start + (start + width) * cell).min(part.end),
            slack: cell + 64,
        })
        .collect()
}

/// Returns, for each run of `width` cells, the window of that width that starts in it and has the largest sum.
fn best_windows(cells: &[f32], width: usize) -> Vec<(usize, f32)> {
    let mut best = Vec::new();
    let mut sum: f32 = cells.iter().take(width).sum();
    let mut here = (0, sum);
    for start in 1..cells.len() {
        // The sum is recomputed at intervals, because subtracting accumulates rounding errors.
        sum = if start % 1024 == 0 {
            cells[start..].iter().take(width).sum()
        } else {
            sum - cells[start - 1] + cells.get(start + width - 1).unwrap_or(&0.0)
        };
        if start % width == 0 {
            best.push(here);
            here = (start, sum);
        } else if sum > here.1 {
            here = (start, sum);
        }
    }
    best.push(here);
    best
}

/// Returns the part of the view that is scanned.
fn scanned_range(view: &str, old: &str) -> Range<usize> {
    if view.len() <= MAX_SCANNED_BYTES {
        return 0..view.len();
    }
    let mut probes: Vec<&str> = old
        .lines()
        .map(str::trim)
        .filter(|line| line.len() >= 8)
        .take(1_000)
        .collect();
    probes.sort_by_key(|line| std::cmp::Reverse(line.len()));
    let hit = probes
        .iter()
        .take(MAX_PROBES)
        .find_map(|probe| memmem::find(view.as_bytes(), probe.as_bytes()));
    let start = hit
        .unwrap_or(0)
        .saturating_sub(MAX_SCANNED_BYTES / 2)
        .min(view.len() - MAX_SCANNED_BYTES);
    start..start + MAX_SCANNED_BYTES
}

/// The distinct q-grams of a text, numbered, in a hash table behind a Bloom filter.
struct GramTable {
    /// The number of bytes of a q-gram.
    width: usize,
    /// Only q-grams whose hash is a multiple of this are searched for.
    sample: u32,
    /// The Bloom filter: a bit is set for the hash of each q-gram.
    filter: Vec<u64>,
    /// The open-addressing table with linear probing: q-gram and number.
    slots: Vec<(u64, u32)>,
    count: usize,
}

/// The filter has two to the power of this many bits.
const FILTER_BITS: u32 = 16;
/// The number of a slot without a q-gram.
const EMPTY_SLOT: u32 = u32::MAX;

/// Returns a multiplicative (Fibonacci) hash.
fn hash_gram(gram: u64) -> u32 {
    (gram.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32
}

/// Each byte in lower case; 0 for white space, which is skipped.
const FOLDED_BYTES: [u8; 256] = {
    let mut table = [0u8; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b' ' | b'\t' | b'\n' | b'\r' | 0 => 0,
            other => other.to_ascii_lowercase(),
        };
        byte += 1;
    }
    table
};

impl GramTable {
    /// Returns the table of a text; `None` for a text too short to resemble anything.
    fn new(text: &[u8]) -> Option<GramTable> {
        let length = text
            .iter()
            .filter(|&&byte| FOLDED_BYTES[byte as usize] != 0)
            .count();
        let width = match length {
            0..3 => return None,
            3..9 => 2,
            9..17 => 3,
            17..65 => 4,
            // The lines of a table or of a log have too many groups of four bytes in common.
            _ => 8,
        };
        let sample = length.div_ceil(MAX_GRAMS) as u32;
        let mut grams = GramTable {
            width,
            sample,
            filter: vec![0; 1 << (FILTER_BITS - 6)],
            slots: Vec::new(),
            count: 0,
        };
        let mut found = Vec::new();
        grams.for_each_sampled_gram(text, |_, gram| found.push(gram));
        found.sort_unstable();
        found.dedup();
        // The sample of a text with many equal q-grams may be larger than intended; the rest is left out.
        found.truncate(2 * MAX_GRAMS);
        grams.slots = vec![(0, EMPTY_SLOT); (found.len() * 4).next_power_of_two()];
        for gram in found {
            let bit = hash_gram(gram) >> (32 - FILTER_BITS);
            grams.filter[(bit >> 6) as usize] |= 1 << (bit & 63);
            let mask = grams.slots.len() - 1;
            let mut slot = hash_gram(gram) as usize & mask;
            while grams.slots[slot].1 != EMPTY_SLOT {
                slot = (slot + 1) & mask;
            }
            grams.slots[slot] = (gram, grams.count as u32);
            grams.count += 1;
        }
        Some(grams)
    }

    /// Calls `each` for every q-gram of a text that belongs to the sample, with the offset of its last byte.
    fn for_each_sampled_gram(&self, text: &[u8], mut each: impl FnMut(usize, u64)) {
        let mask = u64::MAX >> (64 - 8 * self.width);
        let mut gram = 0u64;
        let mut filled = 0;
        for (at, &byte) in text.iter().enumerate() {
            let folded = FOLDED_BYTES[byte as usize];
            if folded == 0 {
                continue;
            }
            gram = (gram << 8 | u64::from(folded)) & mask;
            filled += 1;
            if filled >= self.width
                && (self.sample == 1 || (hash_gram(gram) >> 8).is_multiple_of(self.sample))
            {
                each(at, gram);
            }
        }
    }

    /// Calls `each` for every q-gram of this table in the view, with the offset of its last byte and its number.
    fn for_each_known_gram(&self, view: &[u8], mut each: impl FnMut(usize, usize)) {
        let mask = self.slots.len() - 1;
        self.for_each_sampled_gram(view, |at, gram| {
            let bit = hash_gram(gram) >> (32 - FILTER_BITS);
            if self.filter[(bit >> 6) as usize] >> (bit & 63) & 1 == 0 {
                return;
            }
            let mut slot = hash_gram(gram) as usize & mask;
            while self.slots[slot].1 != EMPTY_SLOT {
                if self.slots[slot].0 == gram {
                    each(at, self.slots[slot].1 as usize);
                    return;
                }
                slot = (slot + 1) & mask;
            }
        });
    }
}
