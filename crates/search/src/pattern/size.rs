//! Determines from a parsed expression, without compiling it, that compiling it cannot fail.

use regex_syntax::hir::{Class, Hir, HirKind};
use regex_syntax::utf8::Utf8Sequences;

/// The bytes of a state of the compiler, of a transition and of an alternative.
const STATE_BYTES: usize = 32;
const TRANSITION_BYTES: usize = 8;
const ALTERNATIVE_BYTES: usize = 4;

/// Returns an upper bound for the bytes that the compiler counts, in either direction. A property test compares it with
/// what is compiled.
pub(super) fn compiled_bound(hir: &Hir) -> usize {
    // The states around every expression: the loop before it, the group of the whole match, and the match.
    expression_bound(hir).saturating_add(8 * STATE_BYTES)
}

fn expression_bound(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => STATE_BYTES,
        HirKind::Literal(literal) => literal
            .0
            .len()
            .saturating_mul(STATE_BYTES + TRANSITION_BYTES),
        HirKind::Class(Class::Bytes(class)) => {
            2 * STATE_BYTES + class.ranges().len() * TRANSITION_BYTES
        }
        HirKind::Class(Class::Unicode(class)) if class.is_ascii() => {
            2 * STATE_BYTES + class.ranges().len() * TRANSITION_BYTES
        }
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = class.iter();
            let sequences = ranges.flat_map(|range| Utf8Sequences::new(range.start(), range.end()));
            // Counts each byte of each sequence as a separate state; the compiler shares what it can.
            let bytes: usize = sequences.map(|sequence| sequence.len()).sum();
            4 * STATE_BYTES + bytes * (STATE_BYTES + TRANSITION_BYTES + ALTERNATIVE_BYTES)
        }
        HirKind::Capture(capture) => expression_bound(&capture.sub).saturating_add(2 * STATE_BYTES),
        HirKind::Concat(parts) => parts.iter().fold(STATE_BYTES, |sum, part| {
            expression_bound(part).saturating_add(sum)
        }),
        // The compiler builds a trie of literals, with states between them.
        HirKind::Alternation(parts) => parts.iter().fold(2 * STATE_BYTES, |sum, part| {
            let part = expression_bound(part).saturating_mul(2);
            part.saturating_add(2 * STATE_BYTES + 2 * ALTERNATIVE_BYTES)
                .saturating_add(sum)
        }),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1) as usize;
            expression_bound(&repetition.sub)
                .saturating_add(STATE_BYTES + 2 * ALTERNATIVE_BYTES)
                .saturating_mul(times)
                .saturating_add(3 * (STATE_BYTES + 2 * ALTERNATIVE_BYTES))
        }
    }
}

/// Returns whether an expression may be refused because of one of these bytes, which it must not match: it has them in
/// a literal, or in a class with nothing else.
pub(super) fn may_be_refused_for(hir: &Hir, bytes: &[u8]) -> bool {
    let only = |start: u32, end: u32| {
        (start..=end).all(|one| bytes.iter().any(|byte| u32::from(*byte) == one))
    };
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Literal(literal) => literal.0.iter().any(|byte| bytes.contains(byte)),
        HirKind::Class(Class::Unicode(class)) => class
            .iter()
            .all(|range| only(u32::from(range.start()), u32::from(range.end()))),
        HirKind::Class(Class::Bytes(class)) => class
            .iter()
            .all(|range| only(u32::from(range.start()), u32::from(range.end()))),
        HirKind::Repetition(repetition) => may_be_refused_for(&repetition.sub, bytes),
        HirKind::Capture(capture) => may_be_refused_for(&capture.sub, bytes),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().any(|part| may_be_refused_for(part, bytes))
        }
    }
}
