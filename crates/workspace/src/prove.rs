//! Tests a file system in a separate folder: what lancet relies on and what programs commonly expect. Compares the
//! results with the guarantee that lancet reports there.

mod check;
mod edits;
mod exchange;
mod free_names;
mod ground;
mod kills;
mod locking;
mod metadata;
mod mount_facts;
mod names;
mod numbered_text;
mod readers;
mod request;
mod role;
mod speed;
mod watchers;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::write_promise::{WritePromise, write_promise};
use ground::ProvingGround;

pub use check::{Check, CheckAnswer, CheckResult};
pub use request::{ProofProgress, ProofRequest};
pub use role::play_proof_role;

/// The results of a proof.
#[derive(Clone, Debug)]
pub struct FileSystemProof {
    /// The folder, links resolved.
    pub folder: PathBuf,
    /// The type of its file system in the mount table.
    pub file_system: Option<String>,
    /// The system and its version.
    pub kernel: String,
    /// The guarantees that lancet relies on there.
    pub promise: WritePromise,
    /// The results, in the order of [`Check::ALL`].
    pub checks: Vec<CheckResult>,
}

impl FileSystemProof {
    /// Returns the results that contradict what lancet relies on.
    pub fn contradicting_results(&self) -> impl Iterator<Item = &str> {
        self.checks
            .iter()
            .filter_map(|result| result.contradiction.as_deref())
    }
}

/// Why a proof has no result.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// It was stopped.
    #[error("stopped before the end")]
    Stopped,
    /// No folder can be created and written there.
    #[error("nothing can be tried out in {path}: {source}", path = folder.display())]
    Folder {
        /// The folder to be tested.
        folder: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Tests the file system of a folder. Everything happens in a new folder inside it, which is removed at the end,
/// however the proof ends.
///
/// # Errors
/// The proof was stopped, or the folder cannot be written.
pub fn prove_file_system(request: &ProofRequest<'_>) -> Result<FileSystemProof, ProofError> {
    let refused = |source| ProofError::Folder {
        folder: request.folder.to_owned(),
        source,
    };
    let folder = std::fs::canonicalize(request.folder).map_err(refused)?;
    let ground = ProvingGround::create(&folder).map_err(refused)?;
    let promise = write_promise(ground.path()).map_err(refused)?;
    let mut proof = FileSystemProof {
        file_system: mount_facts::type_name(&folder),
        kernel: mount_facts::kernel_version(),
        folder,
        promise,
        checks: Vec::new(),
    };
    let mut edit_time = Duration::from_millis(5);
    for check in Check::ALL {
        if request.is_stopped() {
            return Err(ProofError::Stopped);
        }
        request.report_progress(check, 0, 1);
        let made = run_check(check, &ground, &promise, request, &mut edit_time);
        if request.is_stopped() {
            return Err(ProofError::Stopped);
        }
        proof
            .checks
            .extend(made.unwrap_or_else(|error| vec![failed_check(check, &error)]));
    }
    Ok(proof)
}

fn run_check(
    check: Check,
    ground: &ProvingGround,
    promise: &WritePromise,
    request: &ProofRequest<'_>,
    edit_time: &mut Duration,
) -> io::Result<Vec<CheckResult>> {
    let room = ground.create_check_folder(check.name())?;
    let room = room.as_path();
    let one = match check {
        Check::Exchange => exchange::check_exchange(room, promise),
        Check::RenameNoReplace => return Ok(free_names::check_free_names(room, promise)?.to_vec()),
        // Done together with the check before.
        Check::LinkNoReplace => return Ok(Vec::new()),
        Check::Locks => locking::check_locks(room, promise, request),
        Check::RenameReaders => readers::check_renames(room, request),
        Check::EditReaders => readers::check_edits(room, promise, request),
        Check::Watchers => watchers::check_watchers(room),
        Check::Case => names::check_case(room),
        Check::Unicode => names::check_unicode(room),
        Check::Permissions => metadata::check_permissions(room),
        Check::SymbolicLinks => metadata::check_symbolic_links(room),
        Check::HardLinks => metadata::check_hard_links(room),
        Check::Attributes => metadata::check_attributes(room),
        Check::Times => metadata::check_times(room),
        Check::Speed => speed::check_speed(room, promise, request).map(|(result, edit)| {
            *edit_time = edit;
            result
        }),
        Check::Kills => kills::check_kills(room, promise, request, *edit_time),
    };
    Ok(vec![one?])
}

/// Makes the result of a check that the system refused. If lancet itself could not edit, that contradicts its
/// guarantee.
fn failed_check(check: Check, error: &io::Error) -> CheckResult {
    let edits = matches!(check, Check::EditReaders | Check::Speed | Check::Kills);
    let (answer, meaning) = match edits {
        true => (CheckAnswer::No, "lancet cannot edit files here"),
        false => (CheckAnswer::Unknown, "nothing is known about it"),
    };
    CheckResult::new(check, answer, error.to_string(), meaning).with_contradiction(
        edits,
        &format!("lancet could not edit a file here: {error}"),
    )
}
