//! Files that are more than text, as readable content: bytes or text in, a view out.
//!
//! The crate is pure: it reads no file and writes none. [`Notebook`] reads a Jupyter notebook as cells and works out which
//! ranges of the file's text a change of one cell replaces; every other character of the file stays as it is. [`picture`]
//! turns a picture into one that a model's API takes. [`pdf`] has the trait of a reader of PDFs, which the host hands in.

mod json;
pub mod notebook;
pub mod pdf;
pub mod picture;
mod shared_ends;

pub use json::Malformed;
pub use notebook::Notebook;
