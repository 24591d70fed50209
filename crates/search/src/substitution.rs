//! Replaces the matches of a pattern in a text: the template of the new text, and the changes it leads to.

use std::ops::Range;

use grep_matcher::{Captures as _, Matcher as _};

use crate::gate::Stop;
use crate::pattern::Pattern;

/// The number of matches that are replaced between two checks of [`Stop`].
const MATCHES_BETWEEN_CHECKS: usize = 1 << 10;

/// A pattern and the text that replaces its matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Substitution {
    pattern: Pattern,
    parts: Vec<TemplatePart>,
}

/// A part of the new text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePart {
    Text(String),
    /// The text of a group of the match, by its number; nothing where the group took no part in the match.
    Group(usize),
}

/// A template that cannot be used; the text says why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TemplateError(pub String);

/// The reason why the matches of a text were not replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubstitutionError {
    /// The result would be larger than the limit.
    TooLarge,
    /// A match, which begins at this offset, begins or ends inside a character.
    SplitsCharacter(usize),
    /// The search was stopped.
    Stopped,
}

impl Substitution {
    /// Creates a substitution whose new text is a template: `$1`, `$name`, `${1}` and `${name}` are replaced by groups
    /// of the match, `$$` by a dollar sign.
    pub fn new(pattern: Pattern, template: &str) -> Result<Self, TemplateError> {
        let parts = parse_template(&pattern, template)?;
        Ok(Self { pattern, parts })
    }

    /// Creates a substitution whose new text is the same for every match.
    pub fn literal(pattern: Pattern, text: &str) -> Self {
        let parts = vec![TemplatePart::Text(text.to_owned())];
        Self { pattern, parts }
    }

    /// Returns the matches in a text with LF line ends, in order and without overlap, each with its new text. Matches
    /// that already equal their new text are left out. An empty match after the last line end is on no line and does
    /// not count.
    pub fn compute_changes(
        &self,
        text: &str,
        largest_result: usize,
        stop: &dyn Stop,
    ) -> Result<Vec<(Range<usize>, String)>, SubstitutionError> {
        // A pattern always has a matcher. One without must not be reported as having no match.
        let matcher = self.pattern.matcher().ok_or(SubstitutionError::Stopped)?;
        // A pattern with groups is searched for more slowly, and most files have no match.
        if !matches!(matcher.is_match(text.as_bytes()), Ok(true)) {
            return Ok(Vec::new());
        }
        // The matcher itself never fails.
        let Ok(mut captures) = matcher.new_captures() else {
            return Ok(Vec::new());
        };
        let (mut changes, mut size, mut number) = (Vec::new(), text.len(), 0_usize);
        let mut failed = None;
        let _ = matcher.captures_iter(text.as_bytes(), &mut captures, |captures| {
            number += 1;
            if number.is_multiple_of(MATCHES_BETWEEN_CHECKS) && stop.should_stop() {
                failed = Some(SubstitutionError::Stopped);
                return false;
            }
            let Some(found) = captures.get(0) else {
                return true;
            };
            let range = found.start()..found.end();
            let Some(old) = text.get(range.clone()) else {
                if range.is_empty() {
                    return true;
                }
                failed = Some(SubstitutionError::SplitsCharacter(range.start));
                return false;
            };
            let is_behind_the_last_line = range.start == text.len()
                && range.is_empty()
                && (text.is_empty() || text.ends_with('\n'));
            if is_behind_the_last_line {
                return true;
            }
            let new = self.expand_template(text, |group| {
                captures.get(group).map(|m| m.start()..m.end())
            });
            size = size.saturating_add(new.len());
            if size > largest_result {
                failed = Some(SubstitutionError::TooLarge);
                return false;
            }
            if new != old {
                changes.push((range, new));
            }
            true
        });
        match failed {
            Some(failed) => Err(failed),
            None => Ok(changes),
        }
    }

    fn expand_template(&self, text: &str, group: impl Fn(usize) -> Option<Range<usize>>) -> String {
        let mut new = String::new();
        for part in &self.parts {
            match part {
                TemplatePart::Text(literal) => new.push_str(literal),
                TemplatePart::Group(number) => {
                    let range = group(*number).unwrap_or_default();
                    new.push_str(text.get(range).unwrap_or_default());
                }
            }
        }
        new
    }
}

/// Parses a template.
fn parse_template(pattern: &Pattern, template: &str) -> Result<Vec<TemplatePart>, TemplateError> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('$') {
        text.push_str(before);
        if let Some(after) = after.strip_prefix('$') {
            text.push('$');
            rest = after;
            continue;
        }
        let (name, behind) = match after.strip_prefix('{') {
            Some(braced) => braced.split_once('}').ok_or_else(|| {
                TemplateError(
                    "\"${\" has no \"}\" after it; a dollar sign is written $$".to_owned(),
                )
            })?,
            None => {
                let is_name = |c: char| c.is_alphanumeric() || c == '_';
                let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
                after.split_at(end)
            }
        };
        let number = resolve_group(pattern, name)?;
        if !text.is_empty() {
            parts.push(TemplatePart::Text(std::mem::take(&mut text)));
        }
        parts.push(TemplatePart::Group(number));
        rest = behind;
    }
    text.push_str(rest);
    if !text.is_empty() || parts.is_empty() {
        parts.push(TemplatePart::Text(text));
    }
    Ok(parts)
}

/// Returns the number of a group that a template names.
fn resolve_group(pattern: &Pattern, name: &str) -> Result<usize, TemplateError> {
    let matcher = pattern.matcher();
    if name.is_empty() {
        let words = "a \"$\" without a group after it; a dollar sign is written $$";
        return Err(TemplateError(words.to_owned()));
    }
    let number = match name.parse::<usize>() {
        Ok(number) => {
            let count = matcher.map_or(0, |matcher| matcher.capture_count());
            Some(number).filter(|number| *number < count)
        }
        Err(_) => matcher.and_then(|matcher| matcher.capture_index(name)),
    };
    number.ok_or_else(|| {
        let mut words = format!("the pattern has no group \"{name}\"");
        let digits = name.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
        if digits > 0 {
            let (number, letters) = name.split_at(digits);
            words.push_str(&format!(
                "; for group {number} before \"{letters}\" write ${{{number}}}{letters}"
            ));
        }
        words.push_str("; a dollar sign is written $$");
        TemplateError(words)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::{CaseMatching, MatchSpan};

    fn apply_substitution(pattern: &str, template: &str, span: MatchSpan, text: &str) -> String {
        let pattern = Pattern::new(pattern, CaseMatching::Sensitive, span).expect("a pattern");
        let substitution = Substitution::new(pattern, template).expect("a template");
        let changes = substitution
            .compute_changes(text, 1 << 20, &|| false)
            .expect("replaced");
        let mut result = text.to_owned();
        for (range, new) in changes.into_iter().rev() {
            result.replace_range(range, &new);
        }
        result
    }

    fn apply_on_lines(pattern: &str, template: &str, text: &str) -> String {
        apply_substitution(pattern, template, MatchSpan::SingleLine, text)
    }

    #[test]
    fn substitutes_groups_by_number_and_name() {
        assert_eq!(
            apply_on_lines(r"foo\((\w+)\)", "bar($1)", "foo(a) foo(b)\n"),
            "bar(a) bar(b)\n"
        );
        assert_eq!(
            apply_on_lines(r"(?<x>a)(b)?", "${x}_$2$0$$", "ab a\n"),
            "a_bab$ a_a$\n"
        );
    }

    #[test]
    fn anchors_match_at_lines_but_not_after_final_line() {
        assert_eq!(apply_on_lines("^", "> ", "a\n\nb\n"), "> a\n> \n> b\n");
        assert_eq!(apply_on_lines("$", ";", "a\nb"), "a;\nb;");
        assert_eq!(apply_on_lines("^", "x", ""), "");
        assert_eq!(apply_on_lines("x*", "-", "é"), "-é-");
    }

    #[test]
    fn match_stays_on_line_unless_multiline() {
        assert_eq!(apply_on_lines(r"a\s*", "x", "a \nb\n"), "x\nb\n");
        assert_eq!(
            apply_substitution(r"a\s*", "x", MatchSpan::MultiLine, "a \nb\n"),
            "xb\n"
        );
    }

    #[test]
    fn match_equal_to_new_text_is_no_change() {
        let pattern =
            Pattern::new("a|b", CaseMatching::Sensitive, MatchSpan::SingleLine).expect("a pattern");
        let changes = Substitution::literal(pattern, "a").compute_changes("a b", 99, &|| false);
        assert_eq!(changes, Ok(vec![(2..3, "a".to_owned())]));
    }

    #[test]
    fn template_with_unknown_group_is_error() {
        let pattern =
            Pattern::new("(a)", CaseMatching::Sensitive, MatchSpan::SingleLine).expect("a pattern");
        let words = |template: &str| {
            let made = Substitution::new(pattern.clone(), template);
            made.expect_err("an error").0
        };
        assert_eq!(
            words("$1_x"),
            "the pattern has no group \"1_x\"; for group 1 before \"_x\" write ${1}_x; a dollar sign is written $$"
        );
        assert!(words("$2").contains("no group \"2\""));
        assert!(words("${").contains("no \"}\""));
        assert!(words("5 $").contains("without a group"));
    }

    #[test]
    fn splitting_character_and_oversized_result_are_errors() {
        let pattern = Pattern::new(
            "(?-u:\\xC3)",
            CaseMatching::Sensitive,
            MatchSpan::SingleLine,
        );
        let substitution = Substitution::literal(pattern.expect("a pattern"), "x");
        let split = substitution.compute_changes("é", 99, &|| false);
        assert_eq!(split, Err(SubstitutionError::SplitsCharacter(0)));
        let pattern =
            Pattern::new("a", CaseMatching::Sensitive, MatchSpan::SingleLine).expect("a pattern");
        let large = Substitution::literal(pattern, "aaaaa").compute_changes("aaaa", 20, &|| false);
        assert_eq!(large, Err(SubstitutionError::TooLarge));
    }
}
