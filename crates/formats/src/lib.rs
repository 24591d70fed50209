//! Files that are more than text, as readable content: bytes or text in, a view out.
//!
//! The crate is pure: it reads no file and writes none. [`Notebook`] reads a Jupyter notebook as cells and works out which
//! ranges of the file's text a change of one cell replaces; every other character of the file stays as it is. [`picture`]
//! turns a picture into one that a model's API takes. [`pdf`], [`syntax`] and [`convert`] have the
//! traits of what the host hands in: readers of PDFs and of source code, and what starts the programs that convert other
//! files to text.

pub mod convert;
mod json;
pub mod notebook;
pub mod pdf;
pub mod picture;
mod shared_ends;
pub mod syntax;

pub use json::Malformed;
pub use notebook::Notebook;
