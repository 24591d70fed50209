//! Files that are more than text, checked with the programs that people open them with.

mod notebooks;
mod pdfs;
mod pictures;
mod python;
