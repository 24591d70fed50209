//! Detects repeated indentation: the old text begins after the indentation of its line, and the new text begins with
//! that indentation once more.

use std::collections::{HashMap, HashSet};

use crate::look_alike::{indent_len, is_blank};

/// Returns whether the new text repeats the indentation `blanks`, which is all the text before the old text on its
/// line, so that it should be written once. It does not where the edit only changes white space, nor where it moves
/// later lines.
pub fn repeats_indentation(blanks: &str, old: &str, new: &str) -> bool {
    !blanks.is_empty()
        && is_blank(blanks)
        && indent_len(old) == 0
        && new[..indent_len(new)] == *blanks
        && !same_but_white_space(old, new)
        && !moves_later_lines(old, new)
}

fn same_but_white_space(old: &str, new: &str) -> bool {
    let visible = |character: &char| !character.is_whitespace();
    old.chars().filter(visible).eq(new.chars().filter(visible))
}

/// Returns whether a line after the first is in both texts but has no indentation that is the same in both.
fn moves_later_lines(old: &str, new: &str) -> bool {
    let mut known: HashMap<&str, IndentComparison<'_>> = HashMap::new();
    for (content, indent) in later_lines(old) {
        known.entry(content).or_default().indents.insert(indent);
    }
    for (content, indent) in later_lines(new) {
        if let Some(later) = known.get_mut(content) {
            later.in_new = true;
            later.unmoved |= later.indents.contains(indent);
        }
    }
    known.values().any(|later| later.in_new && !later.unmoved)
}

/// The lines after the first of the old text that have the same content.
#[derive(Default)]
struct IndentComparison<'t> {
    indents: HashSet<&'t str>,
    in_new: bool,
    unmoved: bool,
}

/// Returns the content and the indentation of each line after the first that is not blank.
fn later_lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split('\n')
        .skip(1)
        .filter(|line| !is_blank(line))
        .map(|line| {
            let (indent, content) = line.split_at(indent_len(line));
            (content, indent)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omits_repeated_indentation_only_where_unambiguous() {
        for (blanks, old, new, repeats) in [
            ("    ", "return 1", "    return 2", true),
            ("\t", "return 1", "\tx := 2\n\treturn x", true),
            (
                "    ",
                "a {\n    }",
                "    b {\n        if c {\n        }\n    }",
                true,
            ),
            ("", "a", "b", false),
            ("    ", "a", "    a", false),
            ("    ", "a b", "    ab", false),
            ("    ", "a", "  b", false),
            ("    ", "a", "      b", false),
            ("    ", " a", "    b", false),
            ("x   ", "a", "x   b", false),
            (
                "    ",
                "if a:\n        b",
                "    if c:\n            b",
                false,
            ),
        ] {
            assert_eq!(
                repeats_indentation(blanks, old, new),
                repeats,
                "{blanks:?} {old:?} {new:?}"
            );
        }
    }
}
