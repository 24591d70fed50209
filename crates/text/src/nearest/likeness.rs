//! Computes how alike two texts are, from 0 to 1, ignoring white space and the case of ASCII letters: by Levenshtein
//! distance for short texts, by the Sørensen-Dice coefficient of their byte trigrams for longer ones.

/// Of a text of more than twice this many bytes, this many from its start and from its end are compared.
const MAX_END_BYTES: usize = 8 << 10;

/// Texts up to this many characters are compared by Levenshtein distance.
const MAX_LEVENSHTEIN_CHARACTERS: usize = 200;

/// A text prepared for comparison.
#[derive(Debug, Clone)]
pub(crate) struct TextProfile {
    /// The folded characters of a short text.
    short: Option<Vec<char>>,
    /// All trigrams of the folded bytes, sorted, each packed into one number.
    trigrams: Vec<u32>,
}

impl TextProfile {
    pub(crate) fn new(text: &str) -> TextProfile {
        let (head, tail) = start_and_end_bytes(text);
        let mut folded: Vec<u8> = folded_bytes(head).collect();
        folded.extend(folded_bytes(tail));
        let mut trigrams: Vec<u32> = folded
            .windows(3)
            .map(|trigram| {
                u32::from(trigram[0]) << 16 | u32::from(trigram[1]) << 8 | u32::from(trigram[2])
            })
            .collect();
        trigrams.sort_unstable();
        let short = (folded.len() <= 4 * MAX_LEVENSHTEIN_CHARACTERS)
            .then(|| folded_characters(text))
            .filter(|characters| characters.len() <= MAX_LEVENSHTEIN_CHARACTERS);
        TextProfile { short, trigrams }
    }

    /// Returns whether the text has only white space.
    pub(super) fn is_blank(&self) -> bool {
        self.trigrams.is_empty() && self.short.as_ref().is_some_and(Vec::is_empty)
    }

    /// Returns how distinctive the text is, from almost 0 for a lone bracket to 1 for a line of a dozen characters or
    /// more.
    pub(super) fn distinctiveness(&self) -> f32 {
        ((self.trigrams.len() + 1) as f32 / 12.0).min(1.0)
    }

    /// Returns the Sørensen-Dice coefficient, also for short texts: cheaper than [`TextProfile::likeness`], and coarser.
    pub(super) fn rough_likeness(&self, other: &TextProfile) -> f32 {
        if self.trigrams.is_empty() || other.trigrams.is_empty() {
            return if self.short == other.short { 1.0 } else { 0.0 };
        }
        dice_coefficient(&self.trigrams, &other.trigrams)
    }

    /// Returns the share of this text's trigrams that the other text has.
    pub(super) fn share_contained_in(&self, other: &TextProfile) -> f32 {
        count_common(&self.trigrams, &other.trigrams) as f32 / self.trigrams.len().max(1) as f32
    }

    /// Returns how alike the two texts are, from 0 to 1.
    pub(crate) fn likeness(&self, other: &TextProfile) -> f32 {
        if let (Some(one), Some(two)) = (&self.short, &other.short) {
            return levenshtein_likeness(one, two);
        }
        dice_coefficient(&self.trigrams, &other.trigrams)
    }
}

fn start_and_end_bytes(text: &str) -> (&[u8], &[u8]) {
    let bytes = text.as_bytes();
    if bytes.len() <= 2 * MAX_END_BYTES {
        return (bytes, &[]);
    }
    (
        &bytes[..MAX_END_BYTES],
        &bytes[bytes.len() - MAX_END_BYTES..],
    )
}

fn folded_bytes(bytes: &[u8]) -> impl Iterator<Item = u8> {
    bytes
        .iter()
        .filter(|byte| !byte.is_ascii_whitespace())
        .map(u8::to_ascii_lowercase)
}

fn folded_characters(text: &str) -> Vec<char> {
    text.chars()
        .filter(|character| !character.is_whitespace())
        .map(|character| character.to_ascii_lowercase())
        .collect()
}

/// Returns twice the number of common trigrams over the number of all.
fn dice_coefficient(one: &[u32], two: &[u32]) -> f32 {
    if one.is_empty() || two.is_empty() {
        return if one.len() == two.len() { 1.0 } else { 0.0 };
    }
    2.0 * count_common(one, two) as f32 / (one.len() + two.len()) as f32
}

/// Returns how many trigrams two sorted lists have in common.
fn count_common(one: &[u32], two: &[u32]) -> usize {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < one.len() && j < two.len() {
        match one[i].cmp(&two[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                shared += 1;
                i += 1;
                j += 1;
            }
        }
    }
    shared
}

/// Returns one minus the Levenshtein distance over the length of the longer text.
fn levenshtein_likeness(one: &[char], two: &[char]) -> f32 {
    let longest = one.len().max(two.len());
    if longest == 0 {
        return 1.0;
    }
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (i, left) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in two.iter().enumerate() {
            let least = (diagonal + usize::from(left != right))
                .min(row[j] + 1)
                .min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = least;
        }
    }
    1.0 - row[two.len()] as f32 / longest as f32
}
