//! Where the states without whole rows begin.

/// Returns the position of the first word of each state in a table of groups: the number of groups, and for each of them
/// its value, the number of its symbols, and the symbols.
pub(crate) fn places(words: &[u16]) -> Vec<u32> {
    let mut places = Vec::new();
    let mut at = 0;
    while at < words.len() {
        places.push(u32::try_from(at).expect("a table has at most 2^32 words"));
        let groups = words[at];
        at += 1;
        for _ in 0..groups {
            at += 2 + usize::from(words[at + 1]);
        }
    }
    places
}
