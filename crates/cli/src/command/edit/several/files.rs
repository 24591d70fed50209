//! The files that `lancet edit` changes: those that were typed, and those that match a typed glob.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use lancet::Lancet;
use lancet::doors::EntryKind;

use crate::arguments::EditArguments;
use crate::command::search::expand_glob;
use crate::failure::Failure;
use crate::opening::{ApproverKind, FlawHandling, OpenRequest, WriteAuthor};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{TerminalApprover, escape_line_for_terminal};

/// A file in which the command looks for the old text.
pub(super) struct Candidate {
    pub(super) path: PathBuf,
    /// Whether it was typed by its name, rather than found by a glob.
    pub(super) is_named: bool,
}

/// Reports whether the typed path is a glob. The name of an existing file means that file, whatever characters it has.
pub(in crate::command) fn is_glob(typed: &Path, around: &Surroundings) -> Result<bool, Failure> {
    Ok(contains_glob_characters(typed) && around.absolute(typed)?.symlink_metadata().is_err())
}

fn contains_glob_characters(typed: &Path) -> bool {
    typed.to_string_lossy().contains(['*', '?', '[', '{'])
}

/// Opens the engine with roots that contain all the files.
pub(super) fn open_with_roots_of(
    arguments: &EditArguments,
    approver: &TerminalApprover,
    around: &Surroundings,
) -> Result<Lancet, Failure> {
    let mut inside = Vec::with_capacity(arguments.files.len());
    for typed in &arguments.files {
        // The root of a glob is the path before its first component with a special character, which may be empty.
        let plain: PathBuf = match is_glob(typed, around)? {
            true => {
                let components = typed
                    .iter()
                    .take_while(|part| !contains_glob_characters(Path::new(part)));
                Path::new(".").join(components.collect::<PathBuf>())
            }
            false => typed.clone(),
        };
        inside.push(around.absolute(&plain)?);
    }
    let request = OpenRequest {
        mode: arguments.writing.mode,
        approver: ApproverKind::Terminal(approver.clone()),
        flaw_use: FlawHandling::Refused,
        ..OpenRequest::for_command(
            &arguments.common.place,
            RootHint::AtAll(&inside),
            WriteAuthor::Person,
        )
    };
    Ok(request.open(around)?.lancet)
}

/// Returns all files, each once, in the order typed. [`expand_glob`] sorts those of a glob by name.
pub(super) fn expand_candidates(
    arguments: &EditArguments,
    lancet: &Lancet,
    around: &Surroundings,
) -> Result<Vec<Candidate>, Failure> {
    let mut files = Vec::new();
    let mut known = HashSet::new();
    for typed in &arguments.files {
        let is_named = !is_glob(typed, around)?;
        let found = match is_named {
            true => vec![around.absolute(typed)?],
            false => expand_glob(typed, &[EntryKind::File], lancet, around)?,
        };
        if found.is_empty() {
            return Err(Failure::refused(format!(
                "no file matches {}; ignored and hidden files are left out",
                escape_line_for_terminal(&typed.to_string_lossy())
            )));
        }
        for path in found {
            // Two typed paths may lead to one file, by `..` or a symbolic link.
            let real = path.canonicalize().unwrap_or_else(|_| path.clone());
            if known.insert(real) {
                files.push(Candidate { path, is_named });
            }
        }
    }
    Ok(files)
}
