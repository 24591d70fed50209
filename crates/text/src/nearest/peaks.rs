//! Where to look: the places of a view that share the most and the rarest byte grams with a text. White space and
//! letter case do not count. Rough by design; `place` finds the edges.

use std::ops::Range;

use memchr::memmem;

/// Bytes of a view that are scanned. Of a larger one a part around a line of the text, if one is found, or the start.
pub(super) const VIEW_MOST: usize = 16 << 20;

/// Places that are given.
const PEAKS_MOST: usize = 16;

/// Distinct grams of the text that are looked for; of a longer text a sample.
const GRAMS_MOST: usize = 32 << 10;

/// Bytes that are counted at a time.
const COUNTED_BLOCK: usize = 64 << 10;

/// Lines of the text that are searched for in a view too large to scan.
const PROBES_MOST: usize = 4;

/// A place must share this part of what the best one shares.
const FRACTION_LEAST: f32 = 0.3;

/// A place where to look: about as long as the text, its edges off by up to `slack`.
#[derive(Debug, Clone)]
pub(super) struct Peak {
    pub(super) range: Range<usize>,
    pub(super) slack: usize,
}

/// Places of the view that resemble `old`, the best first.
pub(super) fn peaks(view: &str, old: &str) -> Vec<Peak> {
    let part = scanned(view, old);
    let bytes = &view.as_bytes()[part.clone()];
    let Some(grams) = GramTable::of(old.as_bytes()) else {
        return Vec::new();
    };
    let mut counts = vec![0u32; grams.count];
    // How rare a gram is need not be known exactly: a quarter of a large view tells.
    let step = if bytes.len() > 4 * COUNTED_BLOCK {
        4
    } else {
        1
    };
    for block in bytes.chunks(COUNTED_BLOCK).step_by(step) {
        grams.scan(block, |_, gram| counts[gram] += 1);
    }
    let weights: Vec<f32> = counts
        .iter()
        .map(|&count| 1.0 / (count.max(1) as f32).sqrt())
        .collect();

    let cell = (old.len() / 16).clamp(16, 2048);
    let mut cells = vec![0f32; bytes.len() / cell + 1];
    grams.scan(bytes, |at, gram| cells[at / cell] += weights[gram]);
    let width = old.len().div_ceil(cell) + 1;
    let mut best = best_windows(&cells, width);
    best.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    let least = best.first().map_or(0.0, |(_, most)| most * FRACTION_LEAST);
    best.into_iter()
        .filter(|(_, sum)| *sum > 0.0 && *sum >= least)
        .take(PEAKS_MOST)
        .map(|(start, _)| Peak {
            range: part.start + start * cell..(part.start + (start + width) * cell).min(part.end),
            slack: cell + 64,
        })
        .collect()
}

/// For each stretch of `width` cells the window of that width which starts in it and holds the most.
fn best_windows(cells: &[f32], width: usize) -> Vec<(usize, f32)> {
    let mut best = Vec::new();
    let mut sum: f32 = cells.iter().take(width).sum();
    let mut here = (0, sum);
    for start in 1..cells.len() {
        // Summed afresh now and then, or what is subtracted would leave its rounding behind.
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

/// The part of the view that is scanned.
fn scanned(view: &str, old: &str) -> Range<usize> {
    if view.len() <= VIEW_MOST {
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
        .take(PROBES_MOST)
        .find_map(|probe| memmem::find(view.as_bytes(), probe.as_bytes()));
    let start = hit
        .unwrap_or(0)
        .saturating_sub(VIEW_MOST / 2)
        .min(view.len() - VIEW_MOST);
    start..start + VIEW_MOST
}

/// The byte grams of a text, numbered.
struct GramTable {
    /// Bytes in a gram.
    width: usize,
    /// Only grams whose hash leaves no rest are looked for.
    sample: u32,
    /// A bit for each gram that may be among them: most bytes of a view end here.
    filter: Vec<u64>,
    slots: Vec<(u64, u32)>,
    count: usize,
}

const FILTER_BITS: u32 = 16;
const EMPTY_SLOT: u32 = u32::MAX;

fn hash(gram: u64) -> u32 {
    (gram.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32
}

/// White space is 0 and left out.
const FOLDED: [u8; 256] = {
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
    /// `None` for a text too short to resemble anything.
    fn of(text: &[u8]) -> Option<GramTable> {
        let length = text
            .iter()
            .filter(|&&byte| FOLDED[byte as usize] != 0)
            .count();
        let width = match length {
            0..3 => return None,
            3..9 => 2,
            9..17 => 3,
            17..65 => 4,
            // Four bytes tell the lines of a table, or of a log, too little apart.
            _ => 8,
        };
        let sample = length.div_ceil(GRAMS_MOST) as u32;
        let mut grams = GramTable {
            width,
            sample,
            filter: vec![0; 1 << (FILTER_BITS - 6)],
            slots: Vec::new(),
            count: 0,
        };
        let mut found = Vec::new();
        grams.walk(text, |_, gram| found.push(gram));
        found.sort_unstable();
        found.dedup();
        // A sample of many equal grams cannot be more than this by much; were it, the rest is left out.
        found.truncate(2 * GRAMS_MOST);
        grams.slots = vec![(0, EMPTY_SLOT); (found.len() * 4).next_power_of_two()];
        for gram in found {
            let bit = hash(gram) >> (32 - FILTER_BITS);
            grams.filter[(bit >> 6) as usize] |= 1 << (bit & 63);
            let mask = grams.slots.len() - 1;
            let mut slot = hash(gram) as usize & mask;
            while grams.slots[slot].1 != EMPTY_SLOT {
                slot = (slot + 1) & mask;
            }
            grams.slots[slot] = (gram, grams.count as u32);
            grams.count += 1;
        }
        Some(grams)
    }

    /// Every gram of a text that belongs to the sample, with the offset of its last byte.
    fn walk(&self, text: &[u8], mut each: impl FnMut(usize, u64)) {
        let mask = u64::MAX >> (64 - 8 * self.width);
        let mut gram = 0u64;
        let mut filled = 0;
        for (at, &byte) in text.iter().enumerate() {
            let folded = FOLDED[byte as usize];
            if folded == 0 {
                continue;
            }
            gram = (gram << 8 | u64::from(folded)) & mask;
            filled += 1;
            if filled >= self.width
                && (self.sample == 1 || (hash(gram) >> 8).is_multiple_of(self.sample))
            {
                each(at, gram);
            }
        }
    }

    /// Every gram of this text that a view has.
    fn scan(&self, view: &[u8], mut each: impl FnMut(usize, usize)) {
        let mask = self.slots.len() - 1;
        self.walk(view, |at, gram| {
            let bit = hash(gram) >> (32 - FILTER_BITS);
            if self.filter[(bit >> 6) as usize] >> (bit & 63) & 1 == 0 {
                return;
            }
            let mut slot = hash(gram) as usize & mask;
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
