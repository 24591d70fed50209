//! The sentences that explain why there is no plan, or none that may be carried out.

use std::path::Path;

use lancet_language::{MOST_PLANNED_FILES, RefactorError};

use super::{locate_touched_file, stopped_refusal};
use crate::message::{Message, SEND_AGAIN, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::wording::{on_one_line, quote_path, truncate};

/// The most characters of a server's own message.
const MAX_MESSAGE_LENGTH: usize = 300;

/// The purpose of a query to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::stages::examine) enum Purpose {
    Rename,
    Move,
}

impl Purpose {
    /// Says what did not happen.
    fn nothing_done_sentence(self) -> &'static str {
        match self {
            Purpose::Rename => "Nothing was renamed",
            Purpose::Move => "Nothing was moved",
        }
    }

    /// Says what the caller can do where the server's plan is unusable.
    fn alternative_sentence(self) -> &'static str {
        match self {
            Purpose::Rename => "Make the change with Grep and Edit instead, or ask the user.",
            Purpose::Move => "Ask the user to move the file.",
        }
    }
}

/// Returns the refusal where no server can be queried.
pub(in crate::stages::examine) fn no_servers_refusal() -> Refusal {
    Refusal::from_message(
        RefusalKind::Invalid,
        "No language server runs here, and nothing is renamed by text alone: the project is not trusted (`lancet trust`), none for it is installed, or language.diagnostics is off (`lancet doctor` says which); commands at the shell start none. Ask the user, or make the change with Grep and Edit.",
    )
}

/// Returns why a move is made without a server's plan, or none where the error is a reason to refuse the move.
pub(in crate::stages::examine) fn reason_for_move_without_plan(
    error: &RefactorError,
) -> Option<Message> {
    let why = match error {
        RefactorError::NotReady(server) => message!("{} is not ready", verbatim(server)),
        RefactorError::Slow(server) => message!("{} did not answer in time", verbatim(server)),
        RefactorError::Ended(server) => message!("{} ended unexpectedly", verbatim(server)),
        RefactorError::Unsettled(server) => {
            message!("the files changed while {} was asked", verbatim(server))
        }
        RefactorError::Said { server, words } => {
            message!(
                "{} says: {}",
                verbatim(server),
                verbatim(shorten_message(words))
            )
        }
        _ => return None,
    };
    Some(message!(
        "what other files say of this one was not changed, because {}; look for its old name with Grep",
        why
    ))
}

/// Returns the refusal where there is no plan.
pub(in crate::stages::examine) fn no_plan_refusal(
    context: &CallContext<'_>,
    error: RefactorError,
    purpose: Purpose,
    server: &str,
) -> Refusal {
    let nothing = purpose.nothing_done_sentence();
    let otherwise = purpose.alternative_sentence();
    let (kind, text) = match error {
        RefactorError::Stopped => return stopped_refusal(context),
        RefactorError::Withheld(path) => {
            // A file that may be changed and has no text is not UTF-8, or no longer exists.
            return match locate_touched_file(context, &path, server, purpose) {
                Ok(target) => not_utf8_refusal(&target),
                Err(refusal) => refusal,
            };
        }
        RefactorError::NoServer => (
            RefusalKind::Invalid,
            message!(
                "No language server serves this kind of file here (`lancet doctor` lists them). {}, and nothing is renamed by text alone. {}",
                nothing,
                otherwise
            ),
        ),
        RefactorError::NotRunning(names) => (
            RefusalKind::Busy,
            message!(
                "{} does not run just now: it ended unexpectedly, or as many servers run as may. {}; {} in a minute.",
                verbatim(names.join(" and ")),
                nothing,
                SEND_AGAIN
            ),
        ),
        RefactorError::NotOffered(names) => (
            RefusalKind::Invalid,
            message!(
                "{} cannot rename. {}, and nothing is renamed by text alone. {}",
                verbatim(names.join(" and ")),
                nothing,
                otherwise
            ),
        ),
        RefactorError::NotReady(server) => (
            RefusalKind::Busy,
            message!(
                "{} does not know the project yet. {}; {} in a moment.",
                verbatim(server),
                nothing,
                SEND_AGAIN
            ),
        ),
        RefactorError::Nothing(server) => (
            RefusalKind::NotFound,
            message!(
                "{} sees nothing at this place that it could rename: a keyword, a comment, text, or a name of another package. {}; name the place where the symbol is defined or used.",
                verbatim(server),
                nothing
            ),
        ),
        RefactorError::OtherText { server, text } => (
            RefusalKind::NotFound,
            message!(
                "At this place {} would rename `{}` and not the symbol. {}; send symbol as it is in the file, the whole name and nothing else.",
                verbatim(server),
                verbatim(shorten_message(&text)),
                nothing
            ),
        ),
        RefactorError::Said { server, words } => (
            RefusalKind::Conflict,
            message!(
                "{} refuses: {}. {}; choose another name or place.",
                verbatim(server),
                verbatim(shorten_message(&words)),
                nothing
            ),
        ),
        RefactorError::Unsupported { server, step } => (
            RefusalKind::Conflict,
            message!(
                "{} would also do this, which is no edit of a file: {}. {}, because a plan is carried out whole or not at all. {}",
                verbatim(server),
                verbatim(shorten_message(&step)),
                nothing,
                otherwise
            ),
        ),
        RefactorError::Malformed { server, why } => (
            RefusalKind::Conflict,
            message!(
                "The plan of {} cannot be carried out exactly: {}. {}. {}",
                verbatim(server),
                verbatim(shorten_message(&why)),
                nothing,
                otherwise
            ),
        ),
        RefactorError::TooMany { server, files } => (
            RefusalKind::TooLarge,
            message!(
                "The plan of {} touches {} files; at most {} are changed by one call. {}. {}",
                verbatim(server),
                files,
                MOST_PLANNED_FILES,
                nothing,
                otherwise
            ),
        ),
        RefactorError::Unsettled(server) => (
            RefusalKind::Busy,
            message!(
                "Files kept changing while {} was asked. {}; {} when no other program writes.",
                verbatim(server),
                nothing,
                SEND_AGAIN
            ),
        ),
        RefactorError::Ended(server) => (
            RefusalKind::Busy,
            message!(
                "{} ended while it was asked. {}; it is started again, so {} in a moment.",
                verbatim(server),
                nothing,
                SEND_AGAIN
            ),
        ),
        RefactorError::Slow(server) => (
            RefusalKind::Timeout,
            message!(
                "{} did not answer in time. {}; {}, or ask the user to raise language.wait.",
                verbatim(server),
                nothing,
                SEND_AGAIN
            ),
        ),
        RefactorError::Changed => (
            RefusalKind::Stale,
            message!(
                "The file changed while the server was asked. {}; read it again and {}.",
                nothing,
                SEND_AGAIN
            ),
        ),
    };
    Refusal::from_message(kind, text)
}

/// Returns a server's message on one line, cut to its limit.
fn shorten_message(words: &str) -> String {
    let words = on_one_line(words.trim().trim_end_matches('.'));
    truncate(&words, MAX_MESSAGE_LENGTH)
}

/// Returns the refusal for a file of the plan that cannot be changed.
pub(super) fn untouchable_refusal(
    refusal: Refusal,
    path: &Path,
    server: &str,
    purpose: Purpose,
) -> Refusal {
    let path = quote_path(path);
    let why = match refusal.kind() {
        RefusalKind::Denied | RefusalKind::Declined => return denied_refusal(server, purpose),
        RefusalKind::Outside => "is outside the roots",
        RefusalKind::Missing => "is not there",
        _ => "cannot be edited",
    };
    let text = message!(
        "The plan of {} also changes {}, which {}. {}, because a plan is carried out whole or not at all. {}",
        verbatim(server),
        &path,
        why,
        purpose.nothing_done_sentence(),
        purpose.alternative_sentence()
    );
    Refusal::from_message(refusal.kind(), text).with_field("file_path", path)
}

/// Returns the refusal for a plan that changes a file which the rules deny. The file is not named.
pub(super) fn denied_refusal(server: &str, purpose: Purpose) -> Refusal {
    let text = message!(
        "The plan of {} also changes a file that the rules deny. {}, because a plan is carried out whole or not at all. Ask the user.",
        verbatim(server),
        purpose.nothing_done_sentence()
    );
    Refusal::from_message(RefusalKind::Denied, text)
}

/// Returns the refusal for a plan that changes a protected file.
pub(super) fn protected_refusal(target: &Target, server: &str, purpose: Purpose) -> Refusal {
    let path = target.display_name();
    let text = message!(
        "The plan of {} also changes {}, which is protected. {}, because a plan is carried out whole or not at all. Ask the user.",
        verbatim(server),
        &path,
        purpose.nothing_done_sentence()
    );
    Refusal::from_message(RefusalKind::Declined, text).with_field("file_path", path)
}

/// Returns the refusal for a plan that names one file twice, by two of its names.
pub(super) fn repeated_file_refusal(server: &str, target: &Target, purpose: Purpose) -> Refusal {
    let path = target.display_name();
    let text = message!(
        "The plan of {} changes {} under two of its names. {}. {}",
        verbatim(server),
        &path,
        purpose.nothing_done_sentence(),
        purpose.alternative_sentence()
    );
    Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", path)
}

/// Returns the refusal for a file whose text cannot be sent to servers.
pub(super) fn not_utf8_refusal(target: &Target) -> Refusal {
    let path = target.display_name();
    let text = message!(
        "{} would be changed, too, and is not UTF-8, which language servers need. Nothing was changed. Make the change with Grep and Edit instead, or ask the user.",
        &path
    );
    Refusal::from_message(RefusalKind::Unencodable, text).with_field("file_path", path)
}

/// Returns the refusal for a place that does not match the bytes that were planned, such as half of a line end.
pub(super) fn inexact_refusal(target: &Target) -> Refusal {
    let path = target.display_name();
    let text = message!(
        "A place of the server's plan in {} is no whole text. Nothing was changed. Make the change with Grep and Edit instead, or ask the user.",
        &path
    );
    Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", path)
}

/// Returns the refusal for a file that changed while the server was queried.
pub(super) fn changed_refusal(target: &Target) -> Refusal {
    let path = target.display_name();
    let text = message!(
        "{} changed while the server was asked. Nothing was written; {}.",
        &path,
        SEND_AGAIN
    );
    Refusal::from_message(RefusalKind::Stale, text).with_field("file_path", path)
}

/// Returns the refusal for a path that is not UTF-8.
pub(super) fn not_text_refusal() -> Refusal {
    let text = "The server's plan changes a file whose path is not UTF-8, which no call can name. Nothing was changed; ask the user.";
    Refusal::from_message(RefusalKind::Conflict, text)
}
