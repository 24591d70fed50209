//! Reads PDFs in a worker: another process of this program, which can open no file. Landlock does not keep a process
//! from starting programs, so the worker needs no launcher. It is confined as this process is, and more.

use std::ffi::{OsStr, OsString};

#[cfg(feature = "pdf")]
use lancet_pdf::Worker;

use crate::failure::Exit;

/// The argument that makes this program the worker.
const WORD: &str = "--pdf-worker";

/// Reports whether this program was started to be the worker.
pub(crate) fn is_wanted(typed: &[OsString]) -> bool {
    cfg!(feature = "pdf") && typed.len() == 2 && typed[1] == OsStr::new(WORD)
}

/// Runs the worker.
#[cfg(feature = "pdf")]
pub(crate) fn run_worker() -> Exit {
    match lancet_pdf::run_worker() {
        Ok(()) => Exit::Done,
        Err(_) => Exit::System,
    }
}

#[cfg(not(feature = "pdf"))]
pub(crate) fn work() -> Exit {
    Exit::Usage
}

/// Returns the reader of PDFs for an engine; none where this program's file cannot be found.
#[cfg(feature = "pdf")]
pub(crate) fn pdf_reader() -> Option<Worker> {
    let program = match cfg!(target_os = "linux") {
        // This names the running program even after an update has replaced its file.
        true => "/proc/self/exe".into(),
        false => std::env::current_exe().ok()?,
    };
    Some(Worker::new(program, vec![WORD.into()]))
}
