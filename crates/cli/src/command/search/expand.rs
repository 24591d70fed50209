//! Finds the files that a glob or a folder on the command line of another command means.

use std::io::{self, Write};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use lancet::Lancet;
use lancet::doors::{
    EntryKind, HiddenFiles, IgnoreFiles, LinkUse, Output, OutputStyle, ShellFormat, ShellSearch,
};

use crate::failure::Failure;
use crate::surroundings::{Surroundings, as_text};

/// Returns what `lancet glob` lists for a pattern, of these kinds, as absolute paths, sorted.
pub(in crate::command) fn expand_glob(
    typed: &Path,
    kinds: &[EntryKind],
    lancet: &Lancet,
    around: &Surroundings,
) -> Result<Vec<PathBuf>, Failure> {
    let working = around.absolute(Path::new("."))?;
    let pattern = as_text(typed)?;
    let hidden = HiddenFiles::Skip;
    list_below(&working, Some(&pattern), hidden, kinds, lancet, around)
}

/// Returns what is below a folder, of these kinds, and what no ignore file leaves out, hidden or not, as absolute
/// paths, sorted.
pub(in crate::command) fn entries_below(
    folder: &Path,
    kinds: &[EntryKind],
    lancet: &Lancet,
    around: &Surroundings,
) -> Result<Vec<PathBuf>, Failure> {
    list_below(folder, None, HiddenFiles::Include, kinds, lancet, around)
}

fn list_below(
    folder: &Path,
    pattern: Option<&str>,
    hidden: HiddenFiles,
    kinds: &[EntryKind],
    lancet: &Lancet,
    around: &Surroundings,
) -> Result<Vec<PathBuf>, Failure> {
    let search = ShellSearch {
        paths: vec![(folder.to_path_buf(), as_text(folder)?)],
        working: folder.to_path_buf(),
        globs: Vec::new(),
        case_insensitive_globs: Vec::new(),
        types: Vec::new(),
        not_types: Vec::new(),
        extensions: Vec::new(),
        ignoring: IgnoreFiles::Respect,
        hidden,
        sort: None,
        depth: None,
        links: LinkUse::Counted,
        threads: None,
    };
    let names = NameBuffer::default();
    let output = Output::new(Box::new(names.clone()), OutputStyle::Plain, None);
    let format = ShellFormat::Text;
    let report = search
        .list(lancet, pattern, kinds, true, format, &output)
        .map_err(|refusal| Failure::usage(refusal.text().trim_end()))?;
    if let Some((_, refusal)) = report.refused.first() {
        return Err(Failure::refused(refusal.text().trim_end().to_owned()));
    }
    output
        .finish()
        .map_err(|error| Failure::system(format!("the names cannot be collected: {error}")))?;
    let mut files = Vec::new();
    for name in names.take_names().split(|byte| *byte == 0) {
        if !name.is_empty() {
            let name = std::ffi::OsString::from_vec(name.to_vec());
            files.push(around.absolute(Path::new(&name))?);
        }
    }
    files.sort();
    Ok(files)
}

/// The found names, each ended by a NUL.
#[derive(Clone, Default)]
struct NameBuffer(Arc<Mutex<Vec<u8>>>);

impl NameBuffer {
    fn take_names(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for NameBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        names.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
