//! Renaming symbols and moving files as a language server plans it. The server is a script that searches for words and
//! misbehaves on demand (`crates/language/tests/odd/planner.py`); the tests of `crates/language` and `crates/cli` use
//! real servers.

mod moving;
mod project;
mod refused;
mod renaming;
