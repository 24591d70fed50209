//! Converts files that are more than text to readable content: bytes or text in, a view out.
//!
//! The crate is pure: it reads no file and writes none. [`Notebook`] parses a Jupyter notebook into cells and computes
//! which ranges of the file's text a change of one cell replaces; every other character of the file stays as it is.
//! [`picture`] converts a picture to one that a model's API accepts. [`pdf`], [`syntax`] and [`convert`] have the
//! traits that the host implements: readers of PDFs and of source code, and the launcher of the programs that convert
//! other files to text.

pub mod convert;
mod json;
pub mod notebook;
pub mod pdf;
pub mod picture;
mod shared_ends;
pub mod syntax;

pub use json::MalformedJson;
pub use notebook::Notebook;
