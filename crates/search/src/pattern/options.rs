//! The options with which an expression is compiled: ripgrep's flags `-i`, `-S`, `-U`, `-w` and `-x`.

use std::convert::Infallible;

use regex_syntax::ast::{self, Ast, ClassSetItem};

/// Whether a match must agree in case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// Case must match.
    Sensitive,
    /// Case is ignored, as with ripgrep's `-i`.
    Insensitive,
}

/// The number of lines that a match may span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchSpan {
    /// A match lies within one line.
    SingleLine,
    /// A match may span lines, as with ripgrep's `-U`.
    MultiLine,
}

/// The options of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternOptions {
    /// Whether case must match.
    pub case: Case,
    /// The number of lines that a match may span.
    pub span: MatchSpan,
    /// The characters that the dot matches where a match may span lines.
    pub dot: Dot,
    /// Where a match must begin and end.
    pub boundary: Boundary,
}

impl PatternOptions {
    /// Options with which a match may begin and end anywhere, and with which the dot also matches a line end where a
    /// match may span lines.
    pub fn new(case: Case, span: MatchSpan) -> Self {
        PatternOptions {
            case,
            span,
            dot: Dot::AnyCharacter,
            boundary: Boundary::None,
        }
    }
}

/// The characters that the dot matches where a match may span lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dot {
    /// Any character, as with ripgrep's `--multiline-dotall`.
    AnyCharacter,
    /// Any character but a line end.
    WithinLine,
}

/// Where a match must begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// Anywhere.
    None,
    /// At the boundaries of words, as with ripgrep's `-w`.
    Word,
    /// At the boundaries of lines, as with ripgrep's `-x`.
    Line,
}

/// Returns the choice that ripgrep's `-S` makes: case is ignored if the expression has literal characters and none of
/// them is in upper case. For an invalid expression the choice does not matter, since compiling it fails.
pub fn smart_case(expression: &str) -> Case {
    let Ok(ast) = ast::parse::Parser::new().parse(expression) else {
        return Case::Sensitive;
    };
    match ast::visit(&ast, Literals::default()) {
        Ok(Literals {
            any: true,
            upper: false,
        }) => Case::Insensitive,
        _ => Case::Sensitive,
    }
}

/// Whether an expression has literal characters, and any in upper case.
#[derive(Default)]
struct Literals {
    any: bool,
    upper: bool,
}

impl Literals {
    fn note(&mut self, literal: &ast::Literal) {
        self.any = true;
        self.upper |= literal.c.is_uppercase();
    }
}

impl ast::Visitor for Literals {
    type Output = Literals;
    type Err = Infallible;

    fn finish(self) -> Result<Literals, Infallible> {
        Ok(self)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Infallible> {
        if let Ast::Literal(literal) = ast {
            self.note(literal);
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Infallible> {
        match item {
            ClassSetItem::Literal(literal) => self.note(literal),
            ClassSetItem::Range(range) => {
                self.note(&range.start);
                self.note(&range.end);
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upper_case_letter_that_is_no_escape_makes_case_count() {
        for insensitive in ["foo", r"\Sfoo", r"\p{Lu}x", "[a-z]"] {
            assert_eq!(smart_case(insensitive), Case::Insensitive, "{insensitive}");
        }
        for sensitive in ["Foo", r"\S+", "[A-Z]", "", "("] {
            assert_eq!(smart_case(sensitive), Case::Sensitive, "{sensitive}");
        }
    }
}
