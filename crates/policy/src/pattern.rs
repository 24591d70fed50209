//! The parser of patterns in gitignore syntax: where a pattern starts, its names, and what it covers at its end. A
//! pattern that can never match is an error, because a rule without effect is dangerous.

use std::fmt;

use crate::fold::{self, FoldStrength};

/// Why a pattern is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// What is wrong, as a continuation of "the pattern".
    pub message: String,
    /// The pattern that was probably meant.
    pub suggestion: Option<String>,
}

impl fmt::Display for PatternError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for PatternError {}

/// Where a pattern starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// At any depth, because the pattern has no slash except at its end.
    AnyDepth,
    /// At a root.
    Root,
    /// At `/`.
    Absolute,
    /// At the home folder.
    Home,
}

/// What a pattern covers where its last name matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatternTail {
    /// The entry and everything below it.
    Whole,
    /// A folder (`x/`) and everything below it.
    Folder,
    /// Everything below it, without itself (`x/**`).
    Inside,
}

/// One name of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PatternPart {
    /// `**`: any number of folders.
    AnyDepth,
    /// A name without wildcards.
    Literal(String),
    /// A name with wildcards.
    Wild(Vec<WildPart>),
}

/// A part of a name with wildcards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WildPart {
    /// Literal text.
    Text(String),
    /// `*`
    Star,
    /// `?`
    One,
    /// `[a-z]`, `[!a-z]`
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

/// A parsed pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub(crate) base: Anchor,
    pub(crate) parts: Vec<PatternPart>,
    pub(crate) tail: PatternTail,
}

impl Pattern {
    /// Parses a pattern.
    pub(crate) fn parse(text: &str) -> Result<Pattern, PatternError> {
        let text = text.trim_start_matches("./");
        refuse_unusable_pattern(text)?;
        let (mut base, rest) = if let Some(rest) = text.strip_prefix("//") {
            (Anchor::Absolute, rest)
        } else if let Some(rest) = text.strip_prefix('/') {
            (Anchor::Root, rest)
        } else if text == "~" {
            (Anchor::Home, "**")
        } else if let Some(rest) = text.strip_prefix("~/") {
            (Anchor::Home, rest)
        } else {
            (Anchor::AnyDepth, text)
        };
        let (rest, mut tail) = match rest.strip_suffix('/') {
            Some(rest) if !rest.is_empty() => (rest, PatternTail::Folder),
            _ => (rest, PatternTail::Whole),
        };
        if base == Anchor::AnyDepth && rest.contains('/') {
            base = Anchor::Root;
        }
        let mut parts = Vec::new();
        for name in rest.split('/') {
            if name.is_empty() {
                return Err(new_error(
                    "has an empty name in it",
                    Some(text.replacen("//", "/", 1)),
                ));
            }
            let part = parse_part(name)?;
            if part != PatternPart::AnyDepth || parts.last() != Some(&PatternPart::AnyDepth) {
                parts.push(part);
            }
        }
        if parts.last() == Some(&PatternPart::AnyDepth) && tail == PatternTail::Folder {
            // `a/**/`: the folders below it.
            parts.push(PatternPart::Wild(vec![WildPart::Star]));
        } else if parts.last() == Some(&PatternPart::AnyDepth) {
            parts.pop();
            tail = PatternTail::Inside;
            if base == Anchor::AnyDepth {
                base = Anchor::Root;
            }
        }
        Ok(Pattern { base, parts, tail })
    }

    /// Returns the leading names without wildcards that are folders, which form a path to be resolved.
    pub(crate) fn leading_folders(&self) -> Vec<&str> {
        let literal = self.parts.iter().map_while(|part| match part {
            PatternPart::Literal(name) => Some(name.as_str()),
            _ => None,
        });
        let mut names: Vec<&str> = literal.collect();
        if names.len() == self.parts.len() && self.tail == PatternTail::Whole {
            names.pop();
        }
        names
    }
}

fn new_error(message: impl Into<String>, suggestion: Option<String>) -> PatternError {
    PatternError {
        message: message.into(),
        suggestion,
    }
}

/// Refuses patterns that can never match, and syntax that gitignore does not have.
fn refuse_unusable_pattern(text: &str) -> Result<(), PatternError> {
    if text.trim().is_empty() || text.chars().all(|character| character == '/') {
        return Err(new_error(
            "is empty and can never match",
            Some("**".to_owned()),
        ));
    }
    if text.contains('\0') {
        return Err(new_error(
            "holds a NUL character and can never match",
            Some(text.replace('\0', "")),
        ));
    }
    if let Some(rest) = text.strip_prefix('!') {
        return Err(new_error(
            "is only a negation, which takes nothing away from anything",
            Some(rest.to_owned()),
        ));
    }
    for (dots, words) in [("..", "climbs with `..`"), (".", "has a `.` in it")] {
        if text.split('/').any(|name| name == dots) {
            let kept: Vec<&str> = text.split('/').filter(|name| *name != dots).collect();
            return Err(new_error(
                format!("{words} and can never match: files are compared by their resolved paths"),
                Some(kept.join("/")).filter(|kept| !kept.is_empty()),
            ));
        }
    }
    if let Some((before, rest)) = text.split_once('{')
        && let Some((inner, after)) = rest.split_once('}')
        && !before.ends_with('\\')
        && inner.contains(',')
    {
        let first = inner.split(',').next().unwrap_or_default();
        return Err(new_error(
            "has `{a,b}`, which gitignore patterns do not know: write one rule for each (`\\{` for the character)",
            Some(format!("{before}{first}{after}")),
        ));
    }
    Ok(())
}

/// Parses one name of a pattern.
fn parse_part(name: &str) -> Result<PatternPart, PatternError> {
    if name == "**" {
        return Ok(PatternPart::AnyDepth);
    }
    let mut pieces: Vec<WildPart> = Vec::new();
    let mut literal = String::new();
    let mut characters = name.chars();
    while let Some(character) = characters.next() {
        let piece = match character {
            '\\' => match characters.next() {
                Some(escaped) => {
                    literal.push(escaped);
                    continue;
                }
                None => {
                    return Err(new_error(
                        "ends in a backslash and can never match",
                        Some(name.trim_end_matches('\\').to_owned()),
                    ));
                }
            },
            '*' => WildPart::Star,
            '?' => WildPart::One,
            '[' => parse_class(&mut characters).ok_or_else(|| {
                new_error(
                    "has a `[` that is not closed",
                    Some(name.replacen('[', "\\[", 1)),
                )
            })?,
            other => {
                literal.push(other);
                continue;
            }
        };
        if !literal.is_empty() {
            pieces.push(WildPart::Text(std::mem::take(&mut literal)));
        }
        if piece != WildPart::Star || pieces.last() != Some(&WildPart::Star) {
            pieces.push(piece);
        }
    }
    if pieces.is_empty() {
        if fold::fold_name(&literal, FoldStrength::Strict).is_empty() {
            return Err(new_error(
                "has a name of nothing but dots, spaces and invisible characters, which count for nothing",
                None,
            ));
        }
        return Ok(PatternPart::Literal(literal));
    }
    // Folding removes trailing dots and spaces of names, so a pattern that ends in one would never match.
    if literal.ends_with(['.', ' ']) {
        return Err(new_error(
            "ends in a dot or a space, which count for nothing at the end of a name",
            Some(name.trim_end_matches(['.', ' ']).to_owned()),
        ));
    }
    if !literal.is_empty() {
        pieces.push(WildPart::Text(literal));
    }
    Ok(PatternPart::Wild(pieces))
}

/// Parses a character class after its `[`; none if it is not closed.
fn parse_class(characters: &mut std::str::Chars<'_>) -> Option<WildPart> {
    let mut rest = characters.clone();
    let mut negated = false;
    let mut members: Vec<(char, bool)> = Vec::new();
    loop {
        match rest.next()? {
            '!' | '^' if members.is_empty() && !negated => negated = true,
            ']' if !members.is_empty() => break,
            '\\' => members.push((rest.next()?, true)),
            other => members.push((other, false)),
        }
    }
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < members.len() {
        let (first, _) = members[at];
        if let (Some(('-', false)), Some((last, _))) = (members.get(at + 1), members.get(at + 2)) {
            ranges.push((first, *last));
            at += 3;
        } else {
            ranges.push((first, first));
            at += 1;
        }
    }
    *characters = rest;
    Some(WildPart::Class { negated, ranges })
}

/// Returns a pattern that matches only this path: special characters are escaped.
pub(crate) fn escape_path(path: &str) -> String {
    let mut out = String::with_capacity(path.len() + 8);
    for character in path.chars() {
        if matches!(character, '*' | '?' | '[' | ']' | '\\' | '{' | '}') {
            out.push('\\');
        }
        out.push(character);
    }
    out
}
