//! Files that are more than text, judged by the programs that people open them with.

mod notebooks;
mod pdfs;
mod pictures;
mod python;
