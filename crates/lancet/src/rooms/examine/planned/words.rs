//! Why there is no plan, or none that may be carried out, in sentences.

use std::path::Path;

use lancet_language::{MOST_PLANNED_FILES, RefactorError};

use super::{stopped, touched};
use crate::refusal::{Refusal, RefusalKind};
use crate::rooms::CallContext;
use crate::rooms::locate::Target;
use crate::wording::{cut, on_one_line, quote_path};

/// The most characters of a server's own words.
const MOST_WORDS: usize = 300;

/// What a server is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rooms::examine) enum Purpose {
    Rename,
    Move,
}

impl Purpose {
    /// What did not happen.
    fn nothing(self) -> &'static str {
        match self {
            Purpose::Rename => "Nothing was renamed",
            Purpose::Move => "Nothing was moved",
        }
    }

    /// What the caller can do where the server's plan is of no use.
    fn otherwise(self) -> &'static str {
        match self {
            Purpose::Rename => "Make the change with Grep and Edit instead, or ask the user.",
            Purpose::Move => "Ask the user to move the file.",
        }
    }
}

/// The refusal where no server can be asked.
pub(in crate::rooms::examine) fn no_servers() -> Refusal {
    Refusal::new(
        RefusalKind::Invalid,
        "No language server runs here, and nothing is renamed by text alone: the project is not trusted (`lancet trust`), none for it is installed, or language.diagnostics is off (`lancet doctor` says which); commands at the shell start none. Ask the user, or make the change with Grep and Edit.",
    )
}

/// Why a move goes without a server's plan, where that is no reason against the move; none where it is.
pub(in crate::rooms::examine) fn silent(error: &RefactorError) -> Option<String> {
    let why = match error {
        RefactorError::NotReady(server) => format!("{server} is not ready"),
        RefactorError::Slow(server) => format!("{server} did not answer in time"),
        RefactorError::Ended(server) => format!("{server} ended unexpectedly"),
        RefactorError::Unsettled(server) => format!("the files changed while {server} was asked"),
        RefactorError::Said { server, words } => format!("{server} says: {}", told(words)),
        _ => return None,
    };
    Some(format!(
        "what other files say of this one was not changed, because {why}; look for its old name with Grep"
    ))
}

/// The refusal where there is no plan.
pub(in crate::rooms::examine) fn refusal(
    context: &CallContext<'_>,
    error: RefactorError,
    purpose: Purpose,
    server: &str,
) -> Refusal {
    let nothing = purpose.nothing();
    let otherwise = purpose.otherwise();
    let (kind, text) = match error {
        RefactorError::Stopped => return stopped(context),
        RefactorError::Withheld(path) => {
            // A file that may be touched and has no text is not UTF-8, or is gone.
            return match touched(context, &path, server, purpose) {
                Ok(target) => not_utf8(&target),
                Err(refusal) => refusal,
            };
        }
        RefactorError::NoServer => (
            RefusalKind::Invalid,
            format!(
                "No language server serves this kind of file here (`lancet doctor` lists them). {nothing}, and nothing is renamed by text alone. {otherwise}"
            ),
        ),
        RefactorError::NotRunning(names) => (
            RefusalKind::Busy,
            format!(
                "{} does not run just now: it ended unexpectedly, or as many servers run as may. {nothing}; send the call again in a minute.",
                names.join(" and ")
            ),
        ),
        RefactorError::NotOffered(names) => (
            RefusalKind::Invalid,
            format!(
                "{} cannot rename. {nothing}, and nothing is renamed by text alone. {otherwise}",
                names.join(" and ")
            ),
        ),
        RefactorError::NotReady(server) => (
            RefusalKind::Busy,
            format!(
                "{server} does not know the project yet. {nothing}; send the call again in a moment."
            ),
        ),
        RefactorError::Nothing(server) => (
            RefusalKind::NotFound,
            format!(
                "{server} sees nothing at this place that it could rename: a keyword, a comment, text, or a name of another package. {nothing}; name the place where the symbol is defined or used."
            ),
        ),
        RefactorError::OtherText { server, text } => (
            RefusalKind::NotFound,
            format!(
                "At this place {server} would rename `{}` and not the symbol. {nothing}; send symbol as it stands in the file, the whole name and nothing else.",
                told(&text)
            ),
        ),
        RefactorError::Said { server, words } => (
            RefusalKind::Conflict,
            format!(
                "{server} refuses: {}. {nothing}; choose another name or place.",
                told(&words)
            ),
        ),
        RefactorError::Unsupported { server, step } => (
            RefusalKind::Conflict,
            format!(
                "{server} would also do this, which is no edit of a file: {}. {nothing}, because a plan is carried out whole or not at all. {otherwise}",
                told(&step)
            ),
        ),
        RefactorError::Malformed { server, why } => (
            RefusalKind::Conflict,
            format!(
                "The plan of {server} cannot be carried out exactly: {}. {nothing}. {otherwise}",
                told(&why)
            ),
        ),
        RefactorError::TooMany { server, files } => (
            RefusalKind::TooLarge,
            format!(
                "The plan of {server} touches {files} files; at most {MOST_PLANNED_FILES} are changed by one call. {nothing}. {otherwise}"
            ),
        ),
        RefactorError::Unsettled(server) => (
            RefusalKind::Busy,
            format!(
                "Files kept changing while {server} was asked. {nothing}; send the call again when nobody else writes."
            ),
        ),
        RefactorError::Ended(server) => (
            RefusalKind::Busy,
            format!(
                "{server} ended while it was asked. {nothing}; it is started again, so send the call again in a moment."
            ),
        ),
        RefactorError::Slow(server) => (
            RefusalKind::Timeout,
            format!(
                "{server} did not answer in time. {nothing}; send the call again, or ask the user to raise language.wait."
            ),
        ),
        RefactorError::Changed => (
            RefusalKind::Stale,
            format!(
                "The file changed while the server was asked. {nothing}; read it again and send the call again."
            ),
        ),
    };
    Refusal::new(kind, text)
}

/// A server's words on one line and within bounds.
fn told(words: &str) -> String {
    let words = on_one_line(words.trim().trim_end_matches('.'));
    cut(&words, MOST_WORDS)
}

/// The refusal for a file of the plan that cannot be changed.
pub(super) fn untouchable(
    refusal: Refusal,
    path: &Path,
    server: &str,
    purpose: Purpose,
) -> Refusal {
    let path = quote_path(path);
    let why = match refusal.kind() {
        RefusalKind::Denied | RefusalKind::Declined => return denied(server, purpose),
        RefusalKind::Outside => "is outside the roots",
        RefusalKind::Missing => "is not there",
        _ => "cannot be edited",
    };
    let text = format!(
        "The plan of {server} also changes {path}, which {why}. {}, because a plan is carried out whole or not at all. {}",
        purpose.nothing(),
        purpose.otherwise()
    );
    Refusal::new(refusal.kind(), text).with("file_path", path)
}

/// The refusal for a plan that changes a file which the rules deny. The file is not named.
pub(super) fn denied(server: &str, purpose: Purpose) -> Refusal {
    let text = format!(
        "The plan of {server} also changes a file that the rules deny. {}, because a plan is carried out whole or not at all. Ask the user.",
        purpose.nothing()
    );
    Refusal::new(RefusalKind::Denied, text)
}

/// The refusal for a plan that changes a protected file.
pub(super) fn protected(target: &Target, server: &str, purpose: Purpose) -> Refusal {
    let path = target.told();
    let text = format!(
        "The plan of {server} also changes {path}, which is protected. {}, because a plan is carried out whole or not at all. Ask the user.",
        purpose.nothing()
    );
    Refusal::new(RefusalKind::Declined, text).with("file_path", path)
}

/// The refusal for a plan that names one file twice, by two of its names.
pub(super) fn twice(server: &str, target: &Target, purpose: Purpose) -> Refusal {
    let path = target.told();
    let text = format!(
        "The plan of {server} changes {path} under two of its names. {}. {}",
        purpose.nothing(),
        purpose.otherwise()
    );
    Refusal::new(RefusalKind::Conflict, text).with("file_path", path)
}

/// The refusal for a file whose text servers cannot be told.
pub(super) fn not_utf8(target: &Target) -> Refusal {
    let path = target.told();
    let text = format!(
        "{path} would be changed, too, and is not UTF-8, which language servers need. Nothing was changed. Make the change with Grep and Edit instead, or ask the user."
    );
    Refusal::new(RefusalKind::Unencodable, text).with("file_path", path)
}

/// The refusal for a place that is not the bytes that were planned, such as half of a line end.
pub(super) fn inexact(target: &Target) -> Refusal {
    let path = target.told();
    let text = format!(
        "A place of the server's plan in {path} is no whole text. Nothing was changed. Make the change with Grep and Edit instead, or ask the user."
    );
    Refusal::new(RefusalKind::Conflict, text).with("file_path", path)
}

/// The refusal for a file that changed while the server was asked.
pub(super) fn changed(target: &Target) -> Refusal {
    let path = target.told();
    let text = format!(
        "{path} changed while the server was asked. Nothing was written; send the call again."
    );
    Refusal::new(RefusalKind::Stale, text).with("file_path", path)
}

/// The refusal for a path that is not UTF-8.
pub(super) fn not_text() -> Refusal {
    let text = "The server's plan changes a file whose path is not UTF-8, which no call can name. Nothing was changed; ask the user.";
    Refusal::new(RefusalKind::Conflict, text)
}
