//! Determines what attributes could make git do to the bytes of a file when it adds or checks it out. Errs on the
//! side of "could": lines that unset an attribute are ignored, and patterns match too much rather than too little.

use std::collections::BTreeMap;

/// Macros inside macros are followed this deep.
const MAX_MACRO_DEPTH: usize = 8;

/// The most that git could do to the bytes of a file between the work tree and its blob; later variants mean more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PossibleConversion {
    /// The bytes are those of the blob.
    #[default]
    None,
    /// Line ends may be converted, which changes the size.
    LineEnds,
    /// A filter, an encoding or `$Id$` may change anything.
    Any,
}

/// The macros that attributes files define: each name with its attributes.
pub(crate) type Macros = BTreeMap<String, String>;

/// The lines of one attributes file that could let git convert something.
#[derive(Debug, Default)]
pub(crate) struct AttributeLines(Vec<(AttributePattern, PossibleConversion)>);

impl AttributeLines {
    /// Reads the lines of an attributes file.
    pub(crate) fn parse(text: &str, macros: &Macros) -> AttributeLines {
        let lines = attribute_lines(text).filter(|line| !line.starts_with("[attr]"));
        let converting = lines.filter_map(|line| {
            // A quoted pattern may contain blanks; its parts are then taken for attributes, which is harmless.
            let (pattern, words) = line.split_once([' ', '\t'])?;
            let conversion = conversion_by_attributes(words, macros, 0);
            (conversion > PossibleConversion::None)
                .then(|| (AttributePattern::parse(pattern), conversion))
        });
        AttributeLines(converting.collect())
    }

    /// Returns the conversion that the lines could cause for a file; `below` is its name relative to the folder of
    /// the attributes file.
    pub(crate) fn possible_conversion(&self, below: &[u8]) -> PossibleConversion {
        let matching = self
            .0
            .iter()
            .filter(|(pattern, _)| pattern.may_match(below));
        matching
            .map(|(_, conversion)| *conversion)
            .max()
            .unwrap_or_default()
    }
}

/// Adds the macros that an attributes file defines. git reads them only in the top folder and outside the work tree.
pub(crate) fn add_macros(text: &str, macros: &mut Macros) {
    for line in attribute_lines(text) {
        if let Some((name, words)) = line
            .strip_prefix("[attr]")
            .and_then(|rest| rest.trim_start().split_once([' ', '\t']))
        {
            // If a macro has two definitions, the effects of both are assumed.
            let all = macros.entry(name.to_owned()).or_default();
            all.push(' ');
            all.push_str(words);
        }
    }
}

fn attribute_lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // Inside a line, git treats a carriage return as a separator.
    text.split(['\n', '\r'])
        .map(str::trim_start)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn conversion_by_attributes(words: &str, macros: &Macros, depth: usize) -> PossibleConversion {
    let conversions = words.split_ascii_whitespace().map(|word| {
        let name = word.split_once('=').map_or(word, |(name, _)| name);
        match name {
            "filter" | "ident" | "working-tree-encoding" => PossibleConversion::Any,
            "text" | "eol" | "crlf" => PossibleConversion::LineEnds,
            // `-name` and `!name` only unset an attribute.
            _ => match macros.get(name) {
                Some(_) if depth == MAX_MACRO_DEPTH => PossibleConversion::Any,
                Some(words) => conversion_by_attributes(words, macros, depth + 1),
                None => PossibleConversion::None,
            },
        }
    });
    conversions.max().unwrap_or_default()
}

/// A pattern that matches at least what git's pattern would.
#[derive(Debug)]
enum AttributePattern {
    /// Matches anything, for a pattern whose exact meaning is not needed.
    Everything,
    Tokens {
        tokens: Vec<GlobToken>,
        /// The pattern has no slash, so it is matched only against the last part of a name.
        of_last_part: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GlobToken {
    /// This byte, in either case.
    Byte(u8),
    /// Any byte.
    One,
    /// Any bytes, including slashes.
    Many,
}

impl AttributePattern {
    fn parse(text: &str) -> AttributePattern {
        let odd = text.starts_with(['"', '!']) || text.ends_with('/') || text.contains('[');
        if odd || !text.is_ascii() {
            return AttributePattern::Everything;
        }
        let mut rest = text.strip_prefix('/').unwrap_or(text).bytes().peekable();
        let mut tokens = Vec::new();
        while let Some(byte) = rest.next() {
            tokens.push(match byte {
                b'*' => {
                    let mut stars = 1;
                    while rest.next_if_eq(&b'*').is_some() {
                        stars += 1;
                    }
                    // `**/` also matches no folder at all.
                    if stars > 1 {
                        let _ = rest.next_if_eq(&b'/');
                    }
                    GlobToken::Many
                }
                b'?' => GlobToken::One,
                b'\\' => match rest.next() {
                    Some(byte) => GlobToken::Byte(byte),
                    None => return AttributePattern::Everything,
                },
                byte => GlobToken::Byte(byte),
            });
        }
        AttributePattern::Tokens {
            tokens,
            of_last_part: !text.contains('/'),
        }
    }

    fn may_match(&self, below: &[u8]) -> bool {
        match self {
            AttributePattern::Everything => true,
            AttributePattern::Tokens {
                tokens,
                of_last_part: true,
            } => {
                let last = below.rsplit(|byte| *byte == b'/').next();
                matches_tokens(tokens, last.unwrap_or_default())
            }
            AttributePattern::Tokens { tokens, .. } => matches_tokens(tokens, below),
        }
    }
}

/// Matches with a single backtracking point, the last [`GlobToken::Many`]: at most one step for each pair of token and
/// byte.
fn matches_tokens(tokens: &[GlobToken], name: &[u8]) -> bool {
    let (mut token, mut at) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    loop {
        let fits = match (tokens.get(token), name.get(at)) {
            (None, None) => return true,
            (Some(GlobToken::Many), _) => {
                back = Some((token, at));
                token += 1;
                continue;
            }
            (Some(GlobToken::One), Some(_)) => true,
            (Some(GlobToken::Byte(wanted)), Some(byte)) => wanted.eq_ignore_ascii_case(byte),
            (Some(_), None) => return false,
            (None, Some(_)) => false,
        };
        if fits {
            (token, at) = (token + 1, at + 1);
        } else if let Some((many, from)) = back {
            back = Some((many, from + 1));
            (token, at) = (many + 1, from + 1);
        } else {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn possible_conversion(text: &str, name: &str) -> PossibleConversion {
        let mut macros = Macros::new();
        add_macros(text, &mut macros);
        AttributeLines::parse(text, &macros).possible_conversion(name.as_bytes())
    }

    #[test]
    fn counts_lines_that_add_conversions_only() {
        let text = "\u{feff}# all\n* text=auto\n*.png binary -text\n/big/**/*.bin filter=lfs diff=lfs\n*.txt !text\n";
        for (name, wanted) in [
            ("a.rs", PossibleConversion::LineEnds),
            ("a.png", PossibleConversion::LineEnds),
            ("big/a.bin", PossibleConversion::Any),
            ("big/x/y/a.BIN", PossibleConversion::Any),
            ("small/big/a.bin", PossibleConversion::LineEnds),
        ] {
            assert_eq!(possible_conversion(text, name), wanted, "{name}");
        }
        assert_eq!(
            possible_conversion("*.c -text\n*.c -filter\n", "a.c"),
            PossibleConversion::None
        );
        assert_eq!(
            possible_conversion("a?b/*.c ident", "axb/c/d.c"),
            PossibleConversion::Any
        );
        assert_eq!(
            possible_conversion("a?b/*.c ident", "ab/d.c"),
            PossibleConversion::None
        );
        assert_eq!(
            possible_conversion("*.c diff\n", "a.c"),
            PossibleConversion::None
        );
    }

    #[test]
    fn expands_attribute_macros() {
        let text = "*.dat big\n[attr]big stored -diff\n[attr]stored filter=lfs\n[attr]round round\n*.r round\n";
        assert_eq!(
            possible_conversion(text, "x/a.dat"),
            PossibleConversion::Any
        );
        assert_eq!(
            possible_conversion(text, "a.r"),
            PossibleConversion::Any,
            "a circle"
        );
        assert_eq!(possible_conversion(text, "a.c"), PossibleConversion::None);
    }

    #[test]
    fn unsupported_pattern_matches_everything() {
        for pattern in ["[a-b].c", "\"a b\"", "docs/", "ü", "a\\"] {
            let line = format!("{pattern} ident");
            assert_eq!(
                possible_conversion(&line, "any"),
                PossibleConversion::Any,
                "{pattern}"
            );
        }
    }

    #[test]
    fn matches_many_stars_in_linear_time() {
        let tokens = vec![GlobToken::Many; 1_000];
        assert!(matches_tokens(&tokens, &vec![b'a'; 100_000]));
        let mut tokens: Vec<GlobToken> = [GlobToken::Many, GlobToken::Byte(b'a')].repeat(500);
        tokens.push(GlobToken::Byte(b'b'));
        assert!(!matches_tokens(&tokens, &vec![b'a'; 4_000]));
    }
}
