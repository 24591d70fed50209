//! Checks the brackets and quotes of a text without a grammar, as a second check besides the tree. Grammars do not
//! cover every new or rare construct of a language and know nothing of macros; but none of these leaves a bracket open.

mod literals;
mod opened;
mod preprocessor;

use std::cmp::Ordering;

use self::literals::{Literal, literal_at};
use self::opened::{MAX_OPEN_BRACKETS, OpenBracket};
use self::preprocessor::OpenBranches;
use crate::language::Language;

/// The result of checking the brackets of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BracketCheck {
    /// Each bracket has its partner.
    Balanced,
    /// The first bracket that has no partner, as far as can be determined.
    Broken(BracketFault),
    /// They nest deeper than any text written by people.
    TooDeep,
}

/// A bracket or quote without its partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BracketFault {
    /// Its place, in bytes.
    pub(crate) at: usize,
    pub(crate) kind: FaultKind,
}

/// The kind of fault of a bracket or quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// A bracket that is not closed.
    Open(u8),
    /// A closing bracket that closes nothing.
    Stray(u8),
    /// A string or comment that does not end.
    Endless(&'static str),
}

impl FaultKind {
    /// Describes the fault in a phrase.
    pub(crate) fn describe(self) -> String {
        match self {
            FaultKind::Open(bracket) => format!("\"{}\" is not closed", char::from(bracket)),
            FaultKind::Stray(bracket) => format!("\"{}\" closes nothing", char::from(bracket)),
            FaultKind::Endless(what) => format!("{what} that begins here does not end"),
        }
    }
}

/// The bytes that begin no literal in any language, are not brackets and do not end a line.
const IS_PLAIN_BYTE: [bool; 256] = {
    let special = b"()[]{}\"'`/#rR\n";
    let mut plain = [true; 256];
    let mut at = 0;
    while at < special.len() {
        plain[special[at] as usize] = false;
        at += 1;
    }
    plain
};

/// Returns the end of the bytes from a place on that are irrelevant here, if there are any. Most of a text is skipped
/// like this: the whole check takes 20 instructions for a byte of Rust.
fn end_of_plain_bytes(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    let length = rest
        .iter()
        .position(|byte| !IS_PLAIN_BYTE[usize::from(*byte)]);
    match length.unwrap_or(rest.len()) {
        // Only before these bytes can the letter begin a raw string.
        0 if matches!(rest, [b'r' | b'R', next, ..] if !matches!(next, b'"' | b'#')) => {
            Some(at + 1)
        }
        0 => None,
        length => Some(at + length),
    }
}

/// Checks the brackets of a text. Up to `since` the text was balanced, so no fault is searched there.
pub(crate) fn check_brackets(language: Language, text: &str, since: usize) -> BracketCheck {
    let bytes = text.as_bytes();
    let mut open: Vec<OpenBracket> = Vec::new();
    let mut branches = OpenBranches::default();
    let mut braces = MisalignedBraces::default();
    let mut line = LineStart::default();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if let Some(end) = end_of_plain_bytes(bytes, at) {
            line.begin_line(&bytes[at..end]);
            at = end;
            continue;
        }
        if *byte == b'\n' {
            line = LineStart::default();
            at += 1;
            continue;
        }
        match literal_at(language, bytes, at) {
            Some(Literal::Ends(end)) => {
                line.advance(bytes, at, end);
                at = end;
                continue;
            }
            Some(Literal::Endless(what)) => {
                let kind = FaultKind::Endless(what);
                return BracketCheck::Broken(BracketFault { at, kind });
            }
            None => {}
        }
        match byte {
            b'#' if language.has_preprocessor() && line.is_blank => {
                at = branches.read_directive(bytes, at, &mut open);
                continue;
            }
            b'(' | b'[' | b'{' if open.len() >= MAX_OPEN_BRACKETS => return BracketCheck::TooDeep,
            b'(' | b'[' | b'{' => open.push(OpenBracket {
                bracket: *byte,
                at,
                indentation: line.indentation,
            }),
            b')' | b']' | b'}' => match open.pop() {
                Some(opened) if closing_bracket(opened.bracket) == *byte => {
                    // Only closing braces are aligned with the beginning of what they close.
                    if at >= since && line.is_blank && *byte == b'}' {
                        braces.compare_pair(opened, at, line.indentation);
                    }
                    // The text that follows belongs to the line on which this began, such as a body after parameters on
                    // several lines.
                    line.indentation = line.indentation.min(opened.indentation);
                }
                Some(opened)
                    if open
                        .iter()
                        .any(|other| closing_bracket(other.bracket) == *byte) =>
                {
                    return BracketCheck::Broken(not_closed_fault(braces.open.unwrap_or(opened)));
                }
                _ => {
                    return BracketCheck::Broken(
                        braces.stray.unwrap_or(unmatched_closing_fault(at, *byte)),
                    );
                }
            },
            _ => {}
        }
        line.advance(bytes, at, at + 1);
        at += 1;
    }
    let suspect = braces.open.filter(|_| !open.is_empty());
    match suspect.or(open.pop()) {
        Some(opened) => BracketCheck::Broken(not_closed_fault(opened)),
        None => BracketCheck::Balanced,
    }
}

fn not_closed_fault(opened: OpenBracket) -> BracketFault {
    BracketFault {
        at: opened.at,
        kind: FaultKind::Open(opened.bracket),
    }
}

fn unmatched_closing_fault(at: usize, bracket: u8) -> BracketFault {
    BracketFault {
        at,
        kind: FaultKind::Stray(bracket),
    }
}

fn closing_bracket(bracket: u8) -> u8 {
    match bracket {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}

/// The first braces whose pair differs in indentation: most likely they belong to others.
#[derive(Default)]
struct MisalignedBraces {
    /// The brace that was opened further right than its partner.
    open: Option<OpenBracket>,
    /// The closing brace that is further right than its partner, as the fault that it may be.
    stray: Option<BracketFault>,
}

impl MisalignedBraces {
    /// Compares the indentation of a closing brace with that of the bracket that it closes.
    fn compare_pair(&mut self, opened: OpenBracket, at: usize, indentation: usize) {
        match indentation.cmp(&opened.indentation) {
            Ordering::Less => self.open = self.open.or(Some(opened)),
            Ordering::Greater => {
                self.stray = self.stray.or(Some(unmatched_closing_fault(at, b'}')));
            }
            Ordering::Equal => {}
        }
    }
}

/// The line being read, up to the current place.
struct LineStart {
    indentation: usize,
    is_blank: bool,
}

impl Default for LineStart {
    fn default() -> Self {
        Self {
            indentation: 0,
            is_blank: true,
        }
    }
}

impl LineStart {
    /// Advances from one place to another.
    fn advance(&mut self, bytes: &[u8], from: usize, to: usize) {
        let mut passed = bytes.get(from..to).unwrap_or_default();
        if let Some(newline) = passed.iter().rposition(|byte| *byte == b'\n') {
            *self = Self::default();
            passed = &passed[newline + 1..];
        }
        self.begin_line(passed);
    }

    /// Advances over bytes of one line.
    fn begin_line(&mut self, passed: &[u8]) {
        for byte in passed {
            match byte {
                _ if !self.is_blank => return,
                b' ' => self.indentation += 1,
                b'\t' => self.indentation += 4,
                _ => self.is_blank = false,
            }
        }
    }
}

#[cfg(test)]
mod tests;
