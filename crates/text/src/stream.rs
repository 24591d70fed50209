//! Finds bytes in a stream that is fed in parts: every occurrence is found, overlapping ones and those across two parts
//! included.

use std::ops::Range;

use memchr::memmem;

use crate::ladder::for_each_place;

/// Searches a stream for one needle.
#[derive(Debug)]
pub struct StreamFinder<'n> {
    finder: memmem::Finder<'n>,
    /// The end of the bytes so far, shorter than the needle.
    tail: Vec<u8>,
    /// The number of bytes that were fed.
    fed: u64,
}

impl<'n> StreamFinder<'n> {
    /// Returns a finder for this needle. An empty needle is found nowhere.
    pub fn new(needle: &'n [u8]) -> StreamFinder<'n> {
        StreamFinder {
            finder: memmem::Finder::new(needle),
            tail: Vec::new(),
            fed: 0,
        }
    }

    /// Takes the next bytes of the stream and calls `take` for each occurrence that ends in them, in order.
    pub fn feed(&mut self, bytes: &[u8], mut take: impl FnMut(Range<u64>)) {
        let length = self.finder.needle().len();
        if length == 0 {
            return;
        }
        // Occurrences across the border come first: they are in the tail and as many new bytes as could complete it.
        let kept = self.tail.len();
        let lead = bytes.len().min(length - 1);
        self.tail.extend_from_slice(&bytes[..lead]);
        self.search_piece(&self.tail, self.fed - kept as u64, &mut take);
        if bytes.len() >= length {
            self.search_piece(bytes, self.fed, &mut take);
        }
        self.fed += bytes.len() as u64;
        if bytes.len() >= length {
            self.tail.clear();
            self.tail
                .extend_from_slice(&bytes[bytes.len() - (length - 1)..]);
        } else {
            let surplus = self.tail.len().saturating_sub(length - 1);
            self.tail.drain(..surplus);
        }
    }

    fn search_piece(&self, bytes: &[u8], offset: u64, take: &mut impl FnMut(Range<u64>)) {
        let length = self.finder.needle().len() as u64;
        for_each_place(&self.finder, bytes, |at| {
            let start = offset + at as u64;
            take(start..start + length);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Starting a new search after each place would take the needle's length every time, and not come to an end.
    #[test]
    fn finds_long_needle_at_every_byte() {
        let text = vec![b' '; 3 << 20];
        let mut finder = StreamFinder::new(&text[..1 << 20]);
        let mut found = 0;
        for piece in text.chunks(1 << 18) {
            finder.feed(piece, |_| found += 1);
        }
        assert_eq!(found, (2 << 20) + 1);
    }

    proptest! {
        #[test]
        fn finds_same_matches_for_any_pieces(text in "[ab]{0,60}", needle in "[ab]{1,5}", cuts in prop::collection::vec(0usize..60, 0..6)) {
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut <= text.len()).collect();
            cuts.sort_unstable();
            let mut finder = StreamFinder::new(needle.as_bytes());
            let mut found = Vec::new();
            let mut from = 0;
            for cut in cuts.into_iter().chain([text.len()]) {
                finder.feed(&text.as_bytes()[from..cut], |place| found.push(place));
                from = cut;
            }
            let wanted: Vec<Range<u64>> = (0..text.len())
                .filter(|at| text[*at..].starts_with(&needle))
                .map(|at| at as u64..(at + needle.len()) as u64)
                .collect();
            prop_assert_eq!(found, wanted);
        }
    }
}
