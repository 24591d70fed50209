//! What `edit` and `write` share: who is asked, which session counts, and which version of the file is meant.

use std::path::{Path, PathBuf};

use lancet::outcome::Outcome;
use lancet::tools::ANSWER_LIMIT;
use lancet::{Lancet, Session};
use lancet_mcp::Level;

use super::session_of;
use crate::arguments::{Shared, Writing};
use crate::failure::Failure;
use crate::opening::{Lasts, Offer, Whom, Wish};
use crate::surroundings::{Reach, Surroundings, as_text};
use crate::terminal::{Consent, TerminalApprover};

/// Everything at hand for one change of one file.
pub(super) struct Bench {
    /// The file, absolute.
    pub(super) file_path: String,
    pub(super) session: Session,
    pub(super) approver: TerminalApprover,
    /// The version that is changed, where it is known.
    pub(super) revision: Option<String>,
}

impl Bench {
    /// Sets out what a change of `file` needs.
    pub(super) fn new(
        file: &Path,
        writing: &Writing,
        shared: &Shared,
        around: &Surroundings,
    ) -> Result<Self, Failure> {
        let file: PathBuf = around.absolute(file)?;
        let file_path = as_text(&file)?;
        let consent = Consent::of(writing.yes, writing.yes_protected);
        let approver = TerminalApprover::new(consent, around);
        let wish = Wish {
            place: &shared.place,
            reach: Reach::At(&file),
            mode: writing.mode,
            unasked_mode: lancet::Mode::Ask,
            offer: Offer::All,
            whom: Whom::Terminal(approver.clone()),
            answer_limit: ANSWER_LIMIT,
            unasked_log: Level::Error,
            lasts: Lasts::OneCall,
        };
        let lancet = wish.open(around)?.lancet;
        let session = session_of(&lancet, shared.session.as_ref());
        let revision = match (&writing.revision, &shared.session) {
            (Some(given), _) => Some(given.clone()),
            // A named session stands for what its model has read; without one the command reads for itself.
            (None, Some(_)) => None,
            (None, None) => current_revision(&lancet, &file_path),
        };
        Ok(Self {
            file_path,
            session,
            approver,
            revision,
        })
    }
}

/// The version that a file has now, where it can be read. Asked in a session of its own: whoever names the version that
/// a change is for need not have been shown its lines.
fn current_revision(lancet: &Lancet, file_path: &str) -> Option<String> {
    let mut first_line = lancet::tools::ReadArguments::new(file_path.to_owned());
    first_line.limit = Some(1);
    let reply = lancet.new_session().read(first_line);
    match reply.outcome() {
        Outcome::Read(read) => Some(read.revision.clone()),
        _ => None,
    }
}
