//! `lancet mv` and `lancet rm`: files, folders and globs as one change, with one question and one undo.

mod sources;

use std::collections::HashMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use lancet::Lancet;
use lancet::request::{DeleteRequest, FileRequest, FolderChange, MoveRequest, Request};

use super::recording::{Reversal, prove_change};
use crate::answer::{OutputFormat, Presentation, print_reply};
use crate::arguments::{MvArguments, RmArguments, UndoFlags};
use crate::failure::{Exit, Failure};
use crate::fault::{begin_call, caller};
use crate::guard;
use crate::opening::{ApproverKind, FlawHandling, OpenRequest, WriteAuthor};
use crate::surroundings::{RootHint, Surroundings, as_text};
use crate::terminal::{ElapsedTimeLine, TerminalApprover, escape_line_for_terminal};

use sources::{Source, SourceKind, find_sources, report_remaining};

/// The most files that one command moves or removes: each occupies handles until the change is made.
const MAX_FILES: usize = 400;

/// Runs `lancet mv`.
pub(super) fn move_files(arguments: &MvArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let Some((target, sources)) = arguments.paths.split_last() else {
        return Err(Failure::usage("give what is to be moved, and where to"));
    };
    let mut paths = sources.to_vec();
    paths.push(target.clone());
    let (lancet, approver) = open(&paths, &arguments.flags, around)?;
    let sources = find_sources(sources, &lancet, around)?;
    check_number(&sources, "moves")?;
    let target = Target::new(target, &sources, around)?;
    let mut requests = Vec::new();
    let mut new_paths: HashMap<PathBuf, &Path> = HashMap::new();
    for source in &sources {
        let top = target.new_path(source, around)?;
        for file in source.files.iter().chain(&source.empty_folders) {
            let new_path = source.new_path_of(file, &top);
            if let Some(other) = new_paths.insert(new_path.clone(), file) {
                return Err(Failure::refused(format!(
                    "{} and {} would both become {}; nothing was changed",
                    display_path(other, around),
                    display_path(file, around),
                    display_path(&new_path, around)
                )));
            }
            if source.empty_folders.contains(file) {
                let mode = folder_mode(file)?;
                let made = FolderChange::Make { mode };
                requests.push(FileRequest::folder(as_text(&new_path)?, made));
                requests.push(removal_of_folder(source, file)?);
                continue;
            }
            let mut moved = MoveRequest::new(as_text(&new_path)?);
            moved.folders = source.folders_of(file);
            requests.push(FileRequest::rename(as_text(file)?, moved));
        }
    }
    report_remaining(&sources, "where it was", around);
    carry_out(
        "MoveFile",
        "moving",
        requests,
        &arguments.flags,
        &lancet,
        &approver,
        around,
    )
}

/// Runs `lancet rm`.
pub(super) fn remove_files(
    arguments: &RmArguments,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let (lancet, approver) = open(&arguments.paths, &arguments.flags, around)?;
    let sources = find_sources(&arguments.paths, &lancet, around)?;
    check_number(&sources, "removes")?;
    let mut requests = Vec::new();
    for source in &sources {
        for file in &source.files {
            let mut removed = DeleteRequest::new();
            removed.folders = source.folders_of(file);
            requests.push(FileRequest::delete(as_text(file)?, removed));
        }
        for folder in &source.empty_folders {
            requests.push(removal_of_folder(source, folder)?);
        }
    }
    report_remaining(&sources, "in place", around);
    carry_out(
        "DeleteFile",
        "removing",
        requests,
        &arguments.flags,
        &lancet,
        &approver,
        around,
    )
}

/// Returns the request that removes an empty folder, and the typed folders around it if they are empty then.
fn removal_of_folder(source: &Source, folder: &Path) -> Result<FileRequest, Failure> {
    let folders = source.folders_of(folder);
    let removed = FolderChange::Remove { folders };
    Ok(FileRequest::folder(as_text(folder)?, removed))
}

fn folder_mode(folder: &Path) -> Result<u32, Failure> {
    let found = folder.symlink_metadata();
    let unreadable = |error| Failure::system(format!("{}: {error}", folder.display()));
    Ok(found.map_err(unreadable)?.permissions().mode())
}

/// Opens an engine with roots that contain all the paths.
fn open(
    paths: &[PathBuf],
    flags: &UndoFlags,
    around: &Surroundings,
) -> Result<(Lancet, TerminalApprover), Failure> {
    let consent = guard::consent_from_flags(flags.yes, flags.yes_protected, &flags.place, around)?;
    let approver = TerminalApprover::new(consent, around);
    let inside = paths.iter().map(|typed| sources::plain_part(typed, around));
    let inside = inside.collect::<Result<Vec<_>, _>>()?;
    let request = OpenRequest {
        approver: ApproverKind::Terminal(approver.clone()),
        flaw_use: FlawHandling::Refused,
        ..OpenRequest::for_command(&flags.place, RootHint::AtAll(&inside), WriteAuthor::Person)
    };
    Ok((request.open(around)?.lancet, approver))
}

fn check_number(sources: &[Source], verb: &str) -> Result<(), Failure> {
    let number = |source: &Source| source.files.len() + source.empty_folders.len();
    let number: usize = sources.iter().map(number).sum();
    match number > MAX_FILES {
        true => Err(Failure::refused(format!(
            "these are {number} files, and one command {verb} at most {MAX_FILES}; nothing was changed. Name fewer files, for example one folder at a time."
        ))),
        false => Ok(()),
    }
}

/// Where files are moved to.
enum Target {
    /// The new name of the only source.
    Name(PathBuf),
    /// A folder that the sources are moved into.
    Folder(PathBuf),
}

impl Target {
    fn new(typed: &Path, sources: &[Source], around: &Surroundings) -> Result<Self, Failure> {
        let path = around.absolute(typed)?;
        let is_named_as_folder = typed.as_os_str().as_encoded_bytes().ends_with(b"/");
        let plain = sources::resolve_above(&path);
        if plain.is_dir() || is_named_as_folder {
            return Ok(Target::Folder(plain));
        }
        match sources {
            [only] if only.kind != SourceKind::Glob => Ok(Target::Name(plain)),
            _ => Err(Failure::usage(format!(
                "{name} is not a folder, and several files need one; `{name}/` makes it",
                name = escape_line_for_terminal(&typed.to_string_lossy())
            ))),
        }
    }

    /// Returns the new path of a source.
    fn new_path(&self, source: &Source, around: &Surroundings) -> Result<PathBuf, Failure> {
        let new_path = match self {
            Target::Name(path) => path.clone(),
            Target::Folder(folder) => {
                let unnamed = || Failure::usage("a path that ends in `..` has no name to move");
                folder.join(source.path.file_name().ok_or_else(unnamed)?)
            }
        };
        if source.kind == SourceKind::Folder {
            if new_path.starts_with(&source.path) {
                return Err(Failure::refused(format!(
                    "{} cannot be moved into itself; nothing was changed",
                    display_path(&source.path, around)
                )));
            }
            if new_path.symlink_metadata().is_ok() {
                return Err(Failure::refused(format!(
                    "{} is there already, and a folder is not moved into one that is there; nothing was changed",
                    display_path(&new_path, around)
                )));
            }
        }
        Ok(new_path)
    }
}

fn carry_out(
    tool: &str,
    doing: &'static str,
    requests: Vec<FileRequest>,
    flags: &UndoFlags,
    lancet: &Lancet,
    approver: &TerminalApprover,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let mut request = Request::new(requests);
    request.dry_run = flags.dry_run.into();
    let session = lancet.new_session();
    let working = ElapsedTimeLine::begin(doing);
    let reply = session.run_command(tool, request, caller(), begin_call());
    drop(working);
    let exit = print_reply(
        &reply,
        OutputFormat::from_json_flag(flags.json),
        Presentation::Change(approver),
        around,
    )?;
    prove_change(
        &flags.proof,
        &reply,
        Reversal::Undo,
        &flags.place,
        exit,
        around,
    )
}

/// Returns a path as a person types it.
fn display_path(path: &Path, around: &Surroundings) -> String {
    escape_line_for_terminal(&around.relative(path)).into_owned()
}
