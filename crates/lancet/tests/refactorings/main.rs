//! Renaming symbols and moving files as a language server plans it. The server is a script that looks for words and misbehaves
//! on demand (`crates/language/tests/odd/planner.py`); real servers are asked in the tests of `crates/language` and `crates/cli`.

mod moving;
mod place;
mod refused;
mod renaming;
