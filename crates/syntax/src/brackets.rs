//! Brackets and quotes of a text, read without its grammar: a second witness beside the tree. Grammars do not know every
//! new or rare piece of a language and know nothing of macros; but none of these leaves a bracket open.

mod literals;
mod opened;
mod preprocessor;

use std::cmp::Ordering;

use self::literals::{Literal, literal};
use self::opened::{DEEPEST, OpenBracket};
use self::preprocessor::Branches;
use crate::language::Language;

/// What the brackets of a text say.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Brackets {
    /// Each has its partner.
    Balanced,
    /// The first that has none, as far as can be told.
    Broken(Fault),
    /// They nest deeper than any text that people write.
    TooDeep,
}

/// A bracket or quote without its partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Its place, in bytes.
    pub(crate) at: usize,
    pub(crate) kind: FaultKind,
}

/// What is wrong with a bracket or quote.
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
    /// The fault in words.
    pub(crate) fn words(self) -> String {
        match self {
            FaultKind::Open(bracket) => format!("\"{}\" is not closed", char::from(bracket)),
            FaultKind::Stray(bracket) => format!("\"{}\" closes nothing", char::from(bracket)),
            FaultKind::Endless(what) => format!("{what} that begins here does not end"),
        }
    }
}

/// Reads the brackets of a text; up to `since` nothing is suspected, since that part was balanced.
pub(crate) fn brackets(language: Language, text: &str, since: usize) -> Brackets {
    let bytes = text.as_bytes();
    let mut open: Vec<OpenBracket> = Vec::new();
    let mut branches = Branches::default();
    // A pair of which one stands further left than the other: most likely they belong to others.
    let mut suspect: Option<OpenBracket> = None;
    let mut stray: Option<Fault> = None;
    let mut line = LineStart::default();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match literal(language, bytes, at) {
            Some(Literal::Ends(end)) => {
                line.pass(bytes, at, end);
                at = end;
                continue;
            }
            Some(Literal::Endless(what)) => {
                let kind = FaultKind::Endless(what);
                return Brackets::Broken(Fault { at, kind });
            }
            None => {}
        }
        match byte {
            b'#' if language.has_preprocessor() && line.is_blank => {
                at = branches.directive(bytes, at, &mut open);
                continue;
            }
            b'(' | b'[' | b'{' if open.len() >= DEEPEST => return Brackets::TooDeep,
            b'(' | b'[' | b'{' => open.push(OpenBracket {
                bracket: *byte,
                at,
                indentation: line.indentation,
            }),
            b')' | b']' | b'}' => match open.pop() {
                Some(opened) if partner(opened.bracket) == *byte => {
                    // Only braces stand in line with the beginning of what they close.
                    if at >= since && line.is_blank && *byte == b'}' {
                        match line.indentation.cmp(&opened.indentation) {
                            Ordering::Less => suspect = suspect.or(Some(opened)),
                            Ordering::Greater => {
                                stray = stray.or(Some(closes_nothing(at, *byte)));
                            }
                            Ordering::Equal => {}
                        }
                    }
                    // What follows belongs to the line on which this began, such as a body after parameters on several
                    // lines.
                    line.indentation = line.indentation.min(opened.indentation);
                }
                Some(opened) if open.iter().any(|other| partner(other.bracket) == *byte) => {
                    return Brackets::Broken(not_closed(suspect.unwrap_or(opened)));
                }
                _ => return Brackets::Broken(stray.unwrap_or(closes_nothing(at, *byte))),
            },
            _ => {}
        }
        line.pass(bytes, at, at + 1);
        at += 1;
    }
    match suspect.filter(|_| !open.is_empty()).or(open.pop()) {
        Some(opened) => Brackets::Broken(not_closed(opened)),
        None => Brackets::Balanced,
    }
}

fn not_closed(opened: OpenBracket) -> Fault {
    Fault {
        at: opened.at,
        kind: FaultKind::Open(opened.bracket),
    }
}

fn closes_nothing(at: usize, bracket: u8) -> Fault {
    Fault {
        at,
        kind: FaultKind::Stray(bracket),
    }
}

fn partner(bracket: u8) -> u8 {
    match bracket {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}

/// The line that is read, up to the present place.
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
    /// Goes on from one place to another.
    fn pass(&mut self, bytes: &[u8], from: usize, to: usize) {
        for byte in bytes.get(from..to).unwrap_or_default() {
            match byte {
                b'\n' => *self = Self::default(),
                b' ' if self.is_blank => self.indentation += 1,
                b'\t' if self.is_blank => self.indentation += 4,
                _ => self.is_blank = false,
            }
        }
    }
}

#[cfg(test)]
mod tests;
