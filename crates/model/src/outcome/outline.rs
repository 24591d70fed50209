//! The symbols that parsers find in source code, as data for programs.

use lancet_formats::syntax::{Symbol, SyntaxError};
use serde::{Serialize, Serializer};

#[derive(Serialize)]
struct ErrorFields<'o> {
    line: usize,
    column: usize,
    message: &'o str,
}

pub(super) fn as_syntax_error<S: Serializer>(
    error: &Option<SyntaxError>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let fields = error.as_ref().map(|error| ErrorFields {
        line: error.line,
        column: error.column,
        message: &error.words,
    });
    fields.serialize(serializer)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SymbolFields<'o> {
    kind: &'static str,
    name: &'o str,
    start_line: usize,
    end_line: usize,
    depth: usize,
}

pub(super) fn as_symbols<S: Serializer>(
    symbols: &[Symbol],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(symbols.iter().map(|symbol| SymbolFields {
        kind: symbol.kind,
        name: &symbol.name,
        start_line: *symbol.lines.start(),
        end_line: *symbol.lines.end(),
        depth: symbol.depth,
    }))
}
