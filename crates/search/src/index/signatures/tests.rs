//! Checks that a literal in a block is found in its column, and that the matrix leaves out nearly all other columns.

use proptest::prelude::*;

use super::*;

fn literal_query(text: &str) -> LiteralQuery {
    LiteralQuery::Literal(text.to_ascii_lowercase().into_bytes())
}

fn with_blocks(blocks: &[&[u8]]) -> SignatureMatrix {
    let mut signatures = SignatureMatrix::default();
    for block in blocks {
        let column = signatures.push_column().expect("memory");
        signatures.add(column, block);
    }
    signatures
}

fn candidate_columns(
    signatures: &SignatureMatrix,
    query: &LiteralQuery,
    runs: &[BlockRun],
) -> Vec<u32> {
    signatures.candidates(query, runs).iter().collect()
}

#[test]
fn finds_word_in_any_case_in_its_blocks_only() {
    let signatures = with_blocks(&[b"the Quick brown fox", b"jumps over", b"a QUICKER one"]);
    assert_eq!(
        candidate_columns(&signatures, &literal_query("quick"), &[]),
        [0, 2]
    );
    assert_eq!(
        candidate_columns(&signatures, &literal_query("jumps"), &[]),
        [1]
    );
    assert!(candidate_columns(&signatures, &literal_query("dog that"), &[]).is_empty());
    assert!(candidate_columns(&signatures, &literal_query("größe"), &[]).is_empty());
    assert_eq!(signatures.columns(), 3);
    assert_eq!(signatures.bytes(), GROUP_BYTES);
}

#[test]
fn columns_continue_in_next_group() {
    let mut signatures = SignatureMatrix::default();
    for _ in 0..1_100 {
        signatures.push_column().expect("memory");
    }
    assert_eq!(signatures.bytes(), 3 * GROUP_BYTES);
    for column in [0, 511, 512, 1_023, 1_024, 1_099] {
        signatures.add(column, b"needle");
    }
    let columns = signatures.candidates(&literal_query("needle"), &[]);
    let wanted = [0, 511, 512, 1_023, 1_024, 1_099];
    assert_eq!(columns.iter().collect::<Vec<_>>(), wanted);
    assert!(columns.contains(512) && !columns.contains(513) && !columns.contains(5_000));
    assert_eq!(columns.count(), 6);
    let all = signatures.candidates(&LiteralQuery::Any, &[]);
    assert!(all.is_dense() && !columns.is_dense());
    assert_eq!(all.iter().last(), Some(1_099));
}

#[test]
fn literals_of_one_match_may_be_in_different_blocks() {
    let signatures = with_blocks(&[b"alpha", b"-----", b"omega", b"alpha", b"omega"]);
    let both = LiteralQuery::All(vec![literal_query("alpha"), literal_query("omega")]);
    assert!(candidate_columns(&signatures, &both, &[]).is_empty());
    let runs = [BlockRun { first: 0, count: 3 }];
    assert_eq!(candidate_columns(&signatures, &both, &runs), [0, 1, 2]);
    let one = LiteralQuery::Either(vec![literal_query("alpha"), literal_query("omega")]);
    assert_eq!(candidate_columns(&signatures, &one, &[]), [0, 2, 3, 4]);
    assert!(candidate_columns(&signatures, &LiteralQuery::Either(Vec::new()), &runs).is_empty());
}

#[test]
fn completes_runs_across_words_and_groups() {
    let mut signatures = SignatureMatrix::default();
    for _ in 0..1_200 {
        signatures.push_column().expect("memory");
    }
    signatures.add(600, b"needle");
    let runs = [
        BlockRun {
            first: 60,
            count: 1_000,
        },
        BlockRun {
            first: 1_100,
            count: 64,
        },
    ];
    let found = candidate_columns(&signatures, &literal_query("needle"), &runs);
    assert_eq!(found, (60..1_060).collect::<Vec<_>>());
}

/// With a row for every gram of a text the matrix would still be correct, but useless.
#[test]
fn excludes_most_blocks_without_word() {
    let words = [
        "let", "mut", "self", "Some", "return", "match", "value", "index", "name", "text",
    ];
    let mut signatures = SignatureMatrix::default();
    for number in 0..500_usize {
        let column = signatures.push_column().expect("memory");
        let mut block = String::new();
        for place in 0..3_000 {
            let word = words[(number * 7 + place * place) % words.len()];
            block.push_str(&format!(
                "{word}_{:x} ",
                (number * 131 + place * 17) % 1_013
            ));
        }
        signatures.add(column, block.as_bytes());
    }
    signatures.add(123, b"unusual_identifier");
    let found = signatures.candidates(&literal_query("unusual_identifier"), &[]);
    assert!(found.contains(123));
    assert!(found.count() < 5, "{} of 500 blocks", found.count());
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        &b"a"[..],
        b"B",
        b"ab",
        b"\n",
        b"\r\n",
        b" ",
        b"_",
        "é".as_bytes(),
        b"\xFF",
        b"\x8A",
        b"\x0B",
        b"word",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(crate::laws::config())]

    /// This includes texts that are longer than the piece that is made lower case in one step.
    #[test]
    fn finds_every_single_line_part_of_text(
        before in 0..3_usize,
        text in text(),
        from in 0..100_usize,
        length in 0..100_usize,
    ) {
        let mut block = vec![b'x'; [0, 4_090, 8_190][before]];
        block.extend_from_slice(&text);
        let from = (block.len() - text.len() + from).min(block.len());
        let part = &block[from..block.len().min(from + length)];
        let signatures = with_blocks(&[b"", &block]);
        for piece in part.split(|byte| *byte == b'\n') {
            let query = LiteralQuery::Literal(piece.to_vec());
            prop_assert!(signatures.candidates(&query, &[]).contains(1), "{:?}", piece);
        }
    }
}
