//! What a pattern needs to take CRLF as a line end in the texts that have one, and LF in all others.
//!
//! A line is matched without its end, and the CR of CRLF belongs to the end: `b$` matches in `b\r\n`, and the dot does
//! not match that CR. A CR elsewhere is an ordinary character. ripgrep's own `--crlf` takes each CR as a line end.
//! A pattern that names a CR is to match one: it is compiled for LF alone.

use std::convert::Infallible;
use std::sync::OnceLock;

use grep_regex::RegexMatcher;
use regex_syntax::ast::{self, Ast, ClassSetItem};
use regex_syntax::hir::{Capture, Hir, HirKind, Look, Repetition};

use super::ascii::{TextAlphabet, ascii_expression};
use super::options::{MatchSpan, PatternOptions};
use super::source::{LineEnds, MAX_NESTING_OF_REWRITTEN, matcher_builder};
use super::{Pattern, PatternError};

/// The other forms of a pattern, for texts with CRLF.
#[derive(Debug)]
pub(super) enum CrlfForm {
    /// Matches stay within a line. Each line is matched alone; this finds the lines that may have a match.
    Lines(Box<CandidateMatchers>),
    /// Matches span lines: ripgrep's own form for CRLF.
    Text(Box<Pattern>),
}

impl CrlfForm {
    /// Returns the form for texts with CRLF, or `None` where the expression names a CR.
    pub(super) fn new(
        expression: &str,
        options: PatternOptions,
        pattern: &Pattern,
    ) -> Result<Option<Self>, PatternError> {
        if names_carriage_return(expression) {
            return Ok(None);
        }
        if pattern.spans_lines() {
            let form = Pattern::build_pattern(expression, options, LineEnds::Crlf)?;
            return Ok(Some(CrlfForm::Text(Box::new(form))));
        }
        let Some(original) = pattern.hir() else {
            return Ok(None);
        };
        let hir = move_line_ends_before_cr(original);
        Ok(Some(CrlfForm::Lines(Box::new(CandidateMatchers {
            hir: (hir != *original).then_some(hir),
            any: OnceLock::new(),
            ascii: OnceLock::new(),
        }))))
    }
}

/// Finds the lines in which the pattern may match: in all lines in which it does, and in few others.
#[derive(Debug)]
pub(super) struct CandidateMatchers {
    /// The expression whose `$` also holds before a CR; `None` if it has no `$`, and the pattern finds the lines.
    hir: Option<Hir>,
    any: OnceLock<Option<RegexMatcher>>,
    ascii: OnceLock<Option<RegexMatcher>>,
}

impl CandidateMatchers {
    /// Returns the matcher for texts of this kind; `None` if every line has to be tried.
    pub(super) fn matcher<'p>(
        &'p self,
        pattern: &'p Pattern,
        text: TextAlphabet,
    ) -> Option<&'p RegexMatcher> {
        let Some(hir) = &self.hir else {
            return pattern.matcher_for(text);
        };
        let options = pattern.source.options();
        let compiled = match text {
            TextAlphabet::Any => self.any.get_or_init(|| compile(hir, options, text)),
            TextAlphabet::Ascii => self.ascii.get_or_init(|| compile(hir, options, text)),
        };
        compiled.as_ref()
    }
}

fn compile(hir: &Hir, options: PatternOptions, text: TextAlphabet) -> Option<RegexMatcher> {
    let left_out = match options.span {
        MatchSpan::SingleLine => &b"\n"[..],
        MatchSpan::MultiLine => &[],
    };
    let expression = match text {
        TextAlphabet::Any => hir.to_string(),
        TextAlphabet::Ascii => ascii_expression(hir, left_out)?,
    };
    // Case and boundaries are already part of the expression.
    matcher_builder(options, LineEnds::Lf)
        .unicode(text == TextAlphabet::Any)
        .case_insensitive(false)
        .word(false)
        .whole_line(false)
        .nest_limit(MAX_NESTING_OF_REWRITTEN)
        .build_many(&[expression])
        .ok()
}

/// Returns the expression with an end of line that holds before a CR, too. It matches wherever the original one matches
/// in a line without its end.
fn move_line_ends_before_cr(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Look(Look::EndLF) => Hir::look(Look::EndCRLF),
        HirKind::Empty | HirKind::Look(_) | HirKind::Literal(_) | HirKind::Class(_) => hir.clone(),
        HirKind::Repetition(repetition) => Hir::repetition(Repetition {
            sub: Box::new(move_line_ends_before_cr(&repetition.sub)),
            ..repetition.clone()
        }),
        HirKind::Capture(capture) => Hir::capture(Capture {
            sub: Box::new(move_line_ends_before_cr(&capture.sub)),
            ..capture.clone()
        }),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(move_line_ends_before_cr).collect()),
        HirKind::Alternation(parts) => {
            Hir::alternation(parts.iter().map(move_line_ends_before_cr).collect())
        }
    }
}

/// Returns whether an expression has a CR as a character of its own, as in `\r` and `[\r\n]`, but not in `\s`.
fn names_carriage_return(expression: &str) -> bool {
    let parsed = ast::parse::Parser::new().parse(expression);
    // One that cannot be parsed here is compiled as ripgrep does.
    parsed.map_or(true, |ast| match ast::visit(&ast, CarriageReturn(false)) {
        Ok(named) => named,
        Err(never) => match never {},
    })
}

/// Whether a CR was met.
struct CarriageReturn(bool);

impl CarriageReturn {
    fn record_literal(&mut self, literal: &ast::Literal) {
        self.0 |= literal.c == '\r';
    }
}

impl ast::Visitor for CarriageReturn {
    type Output = bool;
    type Err = Infallible;

    fn finish(self) -> Result<bool, Infallible> {
        Ok(self.0)
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
    fn a_cr_is_named_by_itself_and_not_by_a_class_that_has_it() {
        for named in [
            r"a\r$",
            r"[\r\n]",
            r"[ \t\r]+$",
            "\r",
            r"\x0D",
            r"[\x0A-\x0D]",
        ] {
            assert!(names_carriage_return(named), "{named:?}");
        }
        for not_named in ["b$", r"\s+$", "[^a]$", r"[\x09-\x20]", "^$", r"\\r"] {
            assert!(!names_carriage_return(not_named), "{not_named:?}");
        }
    }
}
