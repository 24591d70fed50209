//! Normalized line ends, and the index of lines.

use super::*;
use crate::laws;
use proptest::prelude::*;

#[test]
fn normalizes_sent_line_ends() {
    assert_eq!(
        normalize_newlines("a\r\nb\r\r\nc\n", Endings::Lf),
        "a\nb\nc\n"
    );
    assert_eq!(normalize_newlines("a\rb", Endings::Lf), "a\rb");
    assert_eq!(normalize_newlines("a\rb", Endings::None), "a\rb");
    assert_eq!(normalize_newlines("a\rb\r\nc", Endings::Cr), "a\nb\nc");
    assert_eq!(normalize_newlines("\r\r\r\n", Endings::Crlf), "\r\n");
    assert!(matches!(
        normalize_newlines("a\nb", Endings::Crlf),
        Cow::Borrowed(_)
    ));
}

#[test]
fn overwrite_keeps_uniform_line_ends() {
    assert_eq!(Endings::Crlf.line_end(), LineEnd::Crlf);
    assert_eq!(Endings::Mixed.line_end(), LineEnd::AsSent);
    assert_eq!(Endings::None.line_end(), LineEnd::AsSent);
}

proptest! {
    #![proptest_config(laws::config())]

    /// The index finds what counting from the start finds, on either side of a block's edge.
    #[test]
    fn line_index_agrees_with_scan(line in 0_usize..700, lead in 0_usize..9_000, lines in 0_usize..300, open in any::<bool>()) {
        let mut text = "x".repeat(lead) + &"ab\n\n".repeat(lines);
        if open {
            text.push('z');
        }
        let index = LineIndex::new(&text);
        let counted = text.lines().count();
        prop_assert_eq!(index.line_count(&text), counted);
        let starts: Vec<usize> = Lines::new(&text, 0).map(|range| range.start).collect();
        prop_assert_eq!(starts.len(), counted);
        prop_assert_eq!(index.line_start(&text, line), starts.get(line).copied().unwrap_or(text.len()));
        let edge = INDEX_BLOCK.min(text.len());
        for at in [edge.saturating_sub(1), edge, (edge + 1).min(text.len()), text.len()] {
            prop_assert_eq!(index.newlines_before(&text, at), text[..at].matches('\n').count());
        }
    }
}

#[test]
fn lookups_in_any_order_give_same_results() {
    let line = |number: usize| "x".repeat(number * 7_919 % 211) + "\n";
    let text: String = (0..400).map(line).collect();
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .collect();
    let index = LineIndex::new(&text);
    for step in 0..2_000_usize {
        // Near and far, up and down.
        let asked = match step % 3 {
            0 => step * 37 % 401,
            1 => (step * 37 % 401).saturating_sub(step % 11),
            _ => (step * 37 % 401 + step % 7).min(400),
        };
        assert_eq!(
            index.line_start(&text, asked),
            starts[asked],
            "line {asked}"
        );
        let at = (starts[asked] + step % 500).min(text.len());
        let before = text[..at].matches('\n').count();
        assert_eq!(index.newlines_before(&text, at), before, "offset {at}");
        let at = starts[asked].saturating_sub(step % 900);
        let before = text[..at].matches('\n').count();
        assert_eq!(index.newlines_before(&text, at), before, "offset {at}");
    }
}
