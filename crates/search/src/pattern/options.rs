//! The options with which an expression is compiled: ripgrep's flags `-i`, `-S`, `-U`, `-w` and `-x`.

use std::convert::Infallible;

use regex_syntax::ast::{self, Ast, ClassSetItem};

/// Whether a match must agree in case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseMatching {
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
    pub case: CaseMatching,
    /// The number of lines that a match may span.
    pub span: MatchSpan,
    /// The characters that the dot matches where a match may span lines.
    pub dot: DotMatching,
    /// Where a match must begin and end.
    pub boundary: MatchBoundary,
}

impl PatternOptions {
    /// Options with which a match may begin and end anywhere, and with which the dot also matches a line end where a
    /// match may span lines.
    pub fn new(case: CaseMatching, span: MatchSpan) -> Self {
        PatternOptions {
            case,
            span,
            dot: DotMatching::AnyCharacter,
            boundary: MatchBoundary::None,
        }
    }
}

/// The characters that the dot matches where a match may span lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DotMatching {
    /// Any character, as with ripgrep's `--multiline-dotall`.
    AnyCharacter,
    /// Any character but a line end.
    WithinLine,
}

/// Where a match must begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchBoundary {
    /// Anywhere.
    None,
    /// At the boundaries of words, as with ripgrep's `-w`.
    Word,
    /// At the boundaries of lines, as with ripgrep's `-x`.
    Line,
}

/// Returns the choice that ripgrep's `-S` makes: case is ignored if the expression has literal characters and none of
/// them is in upper case. For an invalid expression the choice does not matter, since compiling it fails.
pub fn smart_case(expression: &str) -> CaseMatching {
    let Ok(ast) = ast::parse::Parser::new().parse(expression) else {
        return CaseMatching::Sensitive;
    };
    match ast::visit(&ast, LiteralCase::default()) {
        Ok(LiteralCase {
            any: true,
            upper: false,
        }) => CaseMatching::Insensitive,
        _ => CaseMatching::Sensitive,
    }
}

/// Whether an expression has literal characters, and any in upper case.
#[derive(Default)]
struct LiteralCase {
    any: bool,
    upper: bool,
}

impl LiteralCase {
    fn record_literal(&mut self, literal: &ast::Literal) {
        self.any = true;
        self.upper |= literal.c.is_uppercase();
    }
}

impl ast::Visitor for LiteralCase {
    type Output = LiteralCase;
    type Err = Infallible;

    fn finish(self) -> Result<LiteralCase, Infallible> {
        Ok(self)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Infallible> {
        if let Ast::Literal(literal) = ast {
            self.record_literal(literal);
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Infallible> {
        match item {
            ClassSetItem::Literal(literal) => self.record_literal(literal),
            ClassSetItem::Range(range) => {
                self.record_literal(&range.start);
                self.record_literal(&range.end);
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
    fn smart_case_follows_unescaped_upper_case_letters() {
        for insensitive in ["foo", r"\Sfoo", r"\p{Lu}x", "[a-z]"] {
            assert_eq!(
                smart_case(insensitive),
                CaseMatching::Insensitive,
                "{insensitive}"
            );
        }
        for sensitive in ["Foo", r"\S+", "[A-Z]", "", "("] {
            assert_eq!(
                smart_case(sensitive),
                CaseMatching::Sensitive,
                "{sensitive}"
            );
        }
    }
}
