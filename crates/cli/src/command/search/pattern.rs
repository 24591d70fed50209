//! The pattern of `lancet grep`, compiled from its arguments.

use lancet::doors::{
    CaseMatching, DotMatching, MatchBoundary, MatchSpan, Pattern, PatternError, PatternOptions,
    escape_regex, smart_case,
};

use crate::arguments::GrepArguments;
use crate::failure::Failure;

/// Compiles the expressions.
pub(super) fn compile_pattern(
    arguments: &GrepArguments,
    expressions: &[String],
) -> Result<Pattern, Failure> {
    let texts: Vec<String> = expressions
        .iter()
        .map(|text| match arguments.fixed_strings {
            true => escape_regex(text),
            false => text.clone(),
        })
        .collect();
    let whole = match &texts[..] {
        [one] => one.clone(),
        // An empty file of patterns matches nothing, as in ripgrep.
        [] => r"[a&&b]".to_owned(),
        several => format!("(?:{})", several.join(")|(?:")),
    };
    let case = match arguments.smart_case {
        true => smart_case(&whole),
        false if arguments.ignore_case => CaseMatching::Insensitive,
        false => CaseMatching::Sensitive,
    };
    let options = PatternOptions {
        case,
        span: match arguments.multiline {
            true => MatchSpan::MultiLine,
            false => MatchSpan::SingleLine,
        },
        dot: match arguments.multiline_dotall {
            true => DotMatching::AnyCharacter,
            false => DotMatching::WithinLine,
        },
        boundary: match (arguments.word_regexp, arguments.line_regexp) {
            (true, _) => MatchBoundary::Word,
            (_, true) => MatchBoundary::Line,
            _ => MatchBoundary::None,
        },
    };
    // Each is compiled alone first, so that an error shows the expression that was typed.
    for text in texts.iter().filter(|_| texts.len() > 1) {
        Pattern::with_options(text, options)
            .map_err(|error| unusable_pattern_failure(text, &error))?;
    }
    Pattern::with_either_line_end(&whole, options)
        .map_err(|error| unusable_pattern_failure(&whole, &error))
}

/// Explains why an expression cannot be used, and what to type instead.
fn unusable_pattern_failure(expression: &str, error: &PatternError) -> Failure {
    if error.spans_lines {
        return Failure::usage(
            "the pattern has a line end, and a match stays on one line; use -U to search across lines",
        );
    }
    let mut words = error.words.trim_end().to_owned();
    let escaped = escape_regex(expression);
    if escaped != expression {
        let quoted = escaped.replace('\'', r"'\''");
        words.push_str(&format!(
            "\nTo search for it as it is, use -F, or type '{quoted}'."
        ));
    }
    Failure::usage(words)
}
