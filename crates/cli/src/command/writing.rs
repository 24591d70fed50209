//! The common part of `edit` and `write`: the approver, the session, and the expected version of the file.

use std::path::{Path, PathBuf};

use lancet::dialects::AppliedBy;
use lancet::outcome::Outcome;
use lancet::{Lancet, Session};

use super::session_named_or_new;
use crate::arguments::{SharedOptions, WriteFlags};
use crate::failure::Failure;
use crate::guard;
use crate::opening::{ApproverKind, FlawHandling, OpenRequest, WriteAuthor};
use crate::surroundings::{RootHint, Surroundings, as_text};
use crate::terminal::{Consent, TerminalApprover};

/// The inputs of a change of one file.
pub(super) struct ChangeSetup {
    /// The absolute path of the file.
    pub(super) file_path: String,
    pub(super) session: Session,
    pub(super) approver: TerminalApprover,
    /// The revision that the change expects, if it is known.
    pub(super) revision: Option<String>,
    /// Whose checks apply: a model must name the revision or have read the file; for a person it is treated as read.
    pub(super) applied_by: AppliedBy,
}

/// The effect of this command on a change that another writer makes to the file meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConcurrentChange {
    /// It is preserved: the command changes the file as it is then.
    Kept,
    /// It is lost, since the whole file is replaced. A person sees the diff first or, where there is no prompt, the
    /// file must be as it was when the command began.
    Lost,
}

impl ChangeSetup {
    /// Opens the engine and the session for a change of `file`.
    pub(super) fn new(
        file: &Path,
        writing: &WriteFlags,
        shared: &SharedOptions,
        other_change: ConcurrentChange,
        around: &Surroundings,
    ) -> Result<Self, Failure> {
        let file: PathBuf = around.absolute(file)?;
        let file_path = as_text(&file)?;
        let consent =
            guard::consent_from_flags(writing.yes, writing.yes_protected, &shared.place, around)?;
        let approver = TerminalApprover::new(consent, around);
        let request = OpenRequest {
            mode: writing.mode,
            approver: ApproverKind::Terminal(approver.clone()),
            flaw_use: FlawHandling::Refused,
            ..OpenRequest::for_command(&shared.place, RootHint::At(&file), WriteAuthor::Person)
        };
        let lancet = request.open(around)?.lancet;
        let session = session_named_or_new(&lancet, shared.session.as_ref());
        let (revision, applied_by) = match (&writing.revision, &shared.session) {
            (Some(given), _) => (Some(given.clone()), AppliedBy::Model),
            // A named session has a separate record of what was read.
            (None, Some(_)) => (None, AppliedBy::Model),
            // The diff will not be shown to anyone, so the file must still be as it is now when it is replaced.
            (None, None) if other_change == ConcurrentChange::Lost && consent != Consent::Ask => {
                let revision = current_revision(&lancet, &file_path);
                (revision, AppliedBy::Model)
            }
            // The file is treated as read.
            (None, None) => (None, AppliedBy::Person),
        };
        Ok(Self {
            file_path,
            session,
            approver,
            revision,
            applied_by,
        })
    }
}

/// Returns the present revision of a file, if it can be read. It is read in a separate session: a change that names its
/// revision does not require that the lines were shown.
fn current_revision(lancet: &Lancet, file_path: &str) -> Option<String> {
    let mut first_line = lancet::tools::ReadArguments::new(file_path);
    first_line.limit = Some(1);
    let reply = lancet.new_session().read(first_line);
    match reply.outcome() {
        Outcome::Read(read) => Some(read.revision.clone()),
        _ => None,
    }
}
