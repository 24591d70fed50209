//! Reads PDFs as text and pictures, in a separate worker process.
//!
//! [`hayro`] bounds the nesting of a document, but neither its time nor its memory. So lancet reads PDFs in a separate
//! process: [`Worker`] starts this program again, which calls [`run_worker`]. The worker limits its own memory and
//! time, can open no file and no connection, and receives the document on its standard input.

mod document;
mod page_picture;
mod page_size;
mod page_text;
mod wire;
mod worker;

pub use document::{Document, read_pages};
pub use worker::{Worker, run_worker};
