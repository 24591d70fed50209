//! The grammars of tree-sitter that lancet knows, with smaller tables.
//!
//! A grammar's `parser.c` has a row as wide as the grammar has symbols for each of its first states, most of it zeros:
//! 5.9 of the 9.4 MB of these ten grammars. The build script (`build/`) compiles each `parser.c` again with such rows
//! in the form of the grammar's other states, which is 3.7 MB smaller in all and equivalent. Its functions have the
//! names of the originals and its library comes first when the program is linked, so the linker drops the originals. If
//! the build script does not find a grammar's source, the original is linked.

use tree_sitter_language::LanguageFn;

/// C.
pub const C: LanguageFn = tree_sitter_c::LANGUAGE;
/// C++.
pub const CPP: LanguageFn = tree_sitter_cpp::LANGUAGE;
/// Go.
pub const GO: LanguageFn = tree_sitter_go::LANGUAGE;
/// Java.
pub const JAVA: LanguageFn = tree_sitter_java::LANGUAGE;
/// JavaScript, with JSX.
pub const JAVASCRIPT: LanguageFn = tree_sitter_javascript::LANGUAGE;
/// JSON.
pub const JSON: LanguageFn = tree_sitter_json::LANGUAGE;
/// Python.
pub const PYTHON: LanguageFn = tree_sitter_python::LANGUAGE;
/// Rust.
pub const RUST: LanguageFn = tree_sitter_rust::LANGUAGE;
/// TypeScript.
pub const TYPESCRIPT: LanguageFn = tree_sitter_typescript::LANGUAGE_TYPESCRIPT;
/// TypeScript with JSX.
pub const TSX: LanguageFn = tree_sitter_typescript::LANGUAGE_TSX;
