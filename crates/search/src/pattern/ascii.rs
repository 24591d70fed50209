//! Rewrites an expression for texts that are pure ASCII. There the classes of Unicode match their ASCII part only, and
//! without the rest they compile eight to forty times as fast.
//!
//! The rewrite is made from the parsed expression, not by parsing again without Unicode: in `(?i)ſ` the long s matches
//! an ASCII `s`.

use std::fmt::{self, Write};

use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// The bytes that a text is known to consist of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextAlphabet {
    /// Bytes below 0x80 only.
    Ascii,
    /// Any bytes.
    Any,
}

/// Returns whether an expression can only match ASCII, and means the same with and without Unicode.
pub(super) fn is_ascii_only(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty => true,
        HirKind::Look(look) => to_ascii_look(*look) == *look,
        HirKind::Literal(literal) => literal.0.is_ascii(),
        HirKind::Class(Class::Unicode(class)) => class.is_ascii(),
        HirKind::Class(Class::Bytes(class)) => class.is_ascii(),
        HirKind::Repetition(repetition) => is_ascii_only(&repetition.sub),
        HirKind::Capture(capture) => is_ascii_only(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().all(is_ascii_only),
    }
}

/// Writes an expression that matches in ASCII texts what this one matches there. It is meant for a parser without
/// Unicode and case folding. Classes do not match the bytes of `left_out`; groups are not captured.
pub(super) fn ascii_expression(hir: &Hir, left_out: &[u8]) -> Option<String> {
    let mut expression = String::new();
    write_ascii(hir, left_out, &mut expression).ok()?;
    Some(expression)
}

fn write_ascii(hir: &Hir, left_out: &[u8], out: &mut String) -> fmt::Result {
    match hir.kind() {
        HirKind::Empty => out.write_str("(?:)"),
        HirKind::Look(look) => out.write_str(look_syntax(*look)),
        HirKind::Literal(literal) if literal.0.is_ascii() => {
            for byte in &literal.0 {
                write!(out, r"\x{byte:02X}")?;
            }
            Ok(())
        }
        HirKind::Literal(_) => out.write_str(EMPTY_CLASS),
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = class.iter().map(|range| (range.start(), range.end()));
            write_class(
                ranges.map(|(start, end)| (u32::from(start), u32::from(end))),
                left_out,
                out,
            )
        }
        HirKind::Class(Class::Bytes(class)) => {
            let ranges = class.iter().map(|range| (range.start(), range.end()));
            write_class(
                ranges.map(|(start, end)| (u32::from(start), u32::from(end))),
                left_out,
                out,
            )
        }
        HirKind::Repetition(repetition) => {
            write_group(out, |out| write_ascii(&repetition.sub, left_out, out))?;
            match repetition.max {
                Some(most) => write!(out, "{{{},{most}}}", repetition.min)?,
                None => write!(out, "{{{},}}", repetition.min)?,
            }
            match repetition.greedy {
                true => Ok(()),
                false => out.write_str("?"),
            }
        }
        HirKind::Capture(capture) => write_ascii(&capture.sub, left_out, out),
        HirKind::Concat(parts) => {
            let mut parts = parts.iter();
            parts.try_for_each(|part| match part.kind() {
                HirKind::Alternation(_) | HirKind::Capture(_) => {
                    write_group(out, |out| write_ascii(part, left_out, out))
                }
                _ => write_ascii(part, left_out, out),
            })
        }
        HirKind::Alternation(parts) => {
            for (index, part) in parts.iter().enumerate() {
                if index > 0 {
                    out.write_str("|")?;
                }
                write_ascii(part, left_out, out)?;
            }
            Ok(())
        }
    }
}

fn write_group(out: &mut String, write: impl FnOnce(&mut String) -> fmt::Result) -> fmt::Result {
    out.write_str("(?:")?;
    write(out)?;
    out.write_str(")")
}

/// A class that matches nothing.
const EMPTY_CLASS: &str = "[a&&b]";

fn write_class(
    ranges: impl Iterator<Item = (u32, u32)>,
    left_out: &[u8],
    out: &mut String,
) -> fmt::Result {
    let mut open = false;
    for (start, end) in ranges.filter(|(start, _)| *start < 0x80) {
        let mut start = start;
        let end = end.min(0x7F);
        let inner = |byte: u32| left_out.iter().any(|left| u32::from(*left) == byte);
        while start <= end {
            let next = (start..=end).find(|byte| inner(*byte)).unwrap_or(end + 1);
            if next > start {
                out.write_str(if open { "" } else { "[" })?;
                open = true;
                write!(out, r"\x{start:02X}-\x{:02X}", next - 1)?;
            }
            start = next + 1;
        }
    }
    out.write_str(if open { "]" } else { EMPTY_CLASS })
}

fn to_ascii_look(look: Look) -> Look {
    match look {
        Look::WordUnicode => Look::WordAscii,
        Look::WordUnicodeNegate => Look::WordAsciiNegate,
        Look::WordStartUnicode => Look::WordStartAscii,
        Look::WordEndUnicode => Look::WordEndAscii,
        Look::WordStartHalfUnicode => Look::WordStartHalfAscii,
        Look::WordEndHalfUnicode => Look::WordEndHalfAscii,
        look => look,
    }
}

/// Returns the syntax of a look-around assertion for a parser without Unicode.
fn look_syntax(look: Look) -> &'static str {
    match look {
        Look::Start => r"\A",
        Look::End => r"\z",
        Look::StartLF => "(?m-R:^)",
        Look::EndLF => "(?m-R:$)",
        Look::StartCRLF => "(?mR:^)",
        Look::EndCRLF => "(?mR:$)",
        Look::WordAscii | Look::WordUnicode => r"\b",
        Look::WordAsciiNegate | Look::WordUnicodeNegate => r"\B",
        Look::WordStartAscii | Look::WordStartUnicode => r"\b{start}",
        Look::WordEndAscii | Look::WordEndUnicode => r"\b{end}",
        Look::WordStartHalfAscii | Look::WordStartHalfUnicode => r"\b{start-half}",
        Look::WordEndHalfAscii | Look::WordEndHalfUnicode => r"\b{end-half}",
    }
}
