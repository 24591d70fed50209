//! Checks that large files of a resident tree are searched in the blocks that can match, and that the numbers of
//! matches are those of a search of the whole file: words at the ends of blocks and files, long lines, other line ends,
//! expressions with assertions about the ends of lines and texts.

use std::fs;

use lancet_search::{
    CaseMatching, FileFilter, KeepContents, MatchSpan, PageNeed, Pattern, ResultOrder, WalkedFile,
    count_matches, count_resident,
};
use lancet_testing::laws;
use proptest::prelude::*;

use crate::folder::{ResidentFolder, scope};

/// The number of bytes that one column of the signatures describes.
const BLOCK: usize = 32 << 10;

/// A text of several blocks with words at some places.
#[derive(Clone, Debug)]
struct LargeText {
    blocks: usize,
    line: usize,
    line_end: &'static str,
    /// The positions of the words: the block, the bytes from its beginning (or, negative, before its end), and the word
    /// with the text around it.
    words: Vec<(usize, isize, &'static [u8])>,
    beginning: &'static str,
    ending: &'static str,
}

impl LargeText {
    fn bytes(&self) -> Vec<u8> {
        let mut text = self.beginning.as_bytes().to_vec();
        let mut number = 0_usize;
        while text.len() < self.blocks * BLOCK {
            let filler = format!("{number:x} ").repeat(self.line / 4);
            text.extend(&filler.as_bytes()[..self.line.min(filler.len())]);
            text.extend(self.line_end.as_bytes());
            number += 1;
        }
        text.truncate(self.blocks * BLOCK);
        for (block, offset, word) in &self.words {
            let base = (block % self.blocks) * BLOCK;
            let at = base.saturating_add_signed(*offset);
            let end = (at + word.len()).min(text.len());
            if at < end && at >= self.beginning.len() {
                text.splice(at..end, word.iter().copied());
            }
        }
        text.extend(self.ending.as_bytes());
        text
    }
}

fn large_text() -> impl Strategy<Value = LargeText> {
    let word = prop::sample::select(vec![
        &b"marker"[..],
        b"\nmarker\n",
        b"Marker second_word",
        b"marker\r\n",
        b" marker ",
        b"\nmarker here, marker there\n",
        b"other_word",
        b"\n\xEF\xBB\xBFmarker\n",
        b"\n\xFF\xFEmarker\n",
        b"second_word and marker",
    ]);
    let place = (
        0_usize..36,
        prop_oneof![-12_isize..2, -300_isize..300, 0_isize..32_000],
        word,
    );
    (
        // Files of over 1 MiB are signed while they are read.
        prop_oneof![3 => 4_usize..12, 1 => 33_usize..36],
        prop::sample::select(vec![8_usize, 40, 79, 1_000, 5_000, 20_000]),
        prop::sample::select(vec!["\n", "\r\n"]),
        prop::collection::vec(place, 0..6),
        prop::sample::select(vec!["", "\u{FEFF}", "marker\n", "\u{FEFF}marker\n"]),
        prop::sample::select(vec![
            "",
            "\nmarker",
            "\nmarker\n",
            "second_word\n",
            "one\ntwo\nmarker\nend\n",
        ]),
    )
        .prop_map(
            |(blocks, line, line_end, words, beginning, ending)| LargeText {
                blocks,
                line,
                line_end,
                words,
                beginning,
                ending,
            },
        )
}

/// Expressions whose literals are in the signatures, and how each depends on lines and texts.
const EXPRESSIONS: [&str; 12] = [
    "marker",
    "^marker",
    "marker$",
    r"\bmarker\b",
    "marker|second_word",
    "marker.*second_word|other_word",
    "second_word.*marker",
    r"\Amarker",
    r"marker\z",
    "[Mm]arker h?",
    "absent_word",
    r"(?m:^\x{FEFF}marker)",
];

proptest! {
    #![proptest_config(laws::config_of(laws::limited(laws::cases() / 8, 30)))]

    #[test]
    fn blocks_have_the_matches_of_the_whole_file(texts in prop::collection::vec(large_text(), 1..4)) {
        let temporary = tempfile::tempdir().expect("a folder");
        let root = temporary.path().canonicalize().expect("there");
        for (number, text) in texts.iter().enumerate() {
            fs::write(root.join(format!("{number}.txt")), text.bytes()).expect("written");
        }
        let folder = ResidentFolder::build(&root, KeepContents::No);
        let linked = |_: &WalkedFile<'_>, _: u64| true;
        for expression in EXPRESSIONS {
            for case in [CaseMatching::Sensitive, CaseMatching::Insensitive] {
                let pattern = Pattern::new(expression, case, MatchSpan::SingleLine).expect("compiles");
                let (order, page) = (ResultOrder::Path, PageNeed::ALL);
                let (ours, mut theirs) = folder.with_walk(&FileFilter::default(), 1, |walk| {
                    let ours = count_resident(&folder.trees, &scope(), walk, &pattern, order, &linked, page);
                    (ours, count_matches(walk, &pattern, order, &|_| None, &linked))
                });
                let mut ours = ours.expect("answered");
                prop_assert_eq!(ours.files.first_entries(9), theirs.files.first_entries(9), "{} {:?}", expression, case);
                prop_assert_eq!((ours.total, ours.matches), (theirs.total, theirs.matches));
            }
        }
    }
}
