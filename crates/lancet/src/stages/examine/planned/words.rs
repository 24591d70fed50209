//! The sentences that explain why there is no plan, or none that may be carried out.

use std::path::Path;

use lancet_language::{MOST_PLANNED_FILES, RefactorError};

use super::{stopped, touched};
use crate::message::{Message, SEND_AGAIN, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::wording::{cut, on_one_line, quote_path};

/// The most characters of a server's own message.
const MOST_WORDS: usize = 300;

/// The purpose of a query to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::stages::examine) enum Purpose {
    Rename,
    Move,
}

impl Purpose {
    /// Says what did not happen.
    fn nothing(self) -> &'static str {
        match self {
            Purpose::Rename => "Nothing was renamed",
            Purpose::Move => "Nothing was moved",
        }
    }

    /// Says what the caller can do where the server's plan is unusable.
    fn otherwise(self) -> &'static str {
        match self {
            Purpose::Rename => "Make the change with Grep and Edit instead, or ask the user.",
            Purpose::Move => "Ask the user to move the file.",
        }
    }
}

/// Returns the refusal where no server can be queried.
pub(in crate::stages::examine) fn no_servers() -> Refusal {
    Refusal::stating(
        RefusalKind::Invalid,
        "No language server runs here, and nothing is renamed by text alone: the project is not trusted (`lancet trust`), none for it is installed, or language.diagnostics is off (`lancet doctor` says which); commands at the shell start none. Ask the user, or make the change with Grep and Edit.",
    )
}

/// Returns why a move is made without a server's plan, or none where the error is a reason to refuse the move.
pub(in crate::stages::examine) fn silent(error: &RefactorError) -> Option<Message> {
    let why = match error {
        RefactorError::NotReady(server) => message![verbatim(server), " is not ready"],
        RefactorError::Slow(server) => message![verbatim(server), " did not answer in time"],
        RefactorError::Ended(server) => message![verbatim(server), " ended unexpectedly"],
        RefactorError::Unsettled(server) => {
            message!["the files changed while ", verbatim(server), " was asked"]
        }
        RefactorError::Said { server, words } => {
            message![
                verbatim(server),
                " says: ",
                verbatim(shorten_message(words))
            ]
        }
        _ => return None,
    };
    Some(message![
        "what other files say of this one was not changed, because ",
        why,
        "; look for its old name with Grep"
    ])
}

/// Returns the refusal where there is no plan.
pub(in crate::stages::examine) fn refusal(
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
            // A file that may be changed and has no text is not UTF-8, or no longer exists.
            return match touched(context, &path, server, purpose) {
                Ok(target) => not_utf8(&target),
                Err(refusal) => refusal,
            };
        }
        RefactorError::NoServer => (
            RefusalKind::Invalid,
            message![
                "No language server serves this kind of file here (`lancet doctor` lists them). ",
                nothing,
                ", and nothing is renamed by text alone. ",
                otherwise
            ],
        ),
        RefactorError::NotRunning(names) => (
            RefusalKind::Busy,
            message![
                verbatim(names.join(" and ")),
                " does not run just now: it ended unexpectedly, or as many servers run as may. ",
                nothing,
                "; ",
                SEND_AGAIN,
                " in a minute."
            ],
        ),
        RefactorError::NotOffered(names) => (
            RefusalKind::Invalid,
            message![
                verbatim(names.join(" and ")),
                " cannot rename. ",
                nothing,
                ", and nothing is renamed by text alone. ",
                otherwise
            ],
        ),
        RefactorError::NotReady(server) => (
            RefusalKind::Busy,
            message![
                verbatim(server),
                " does not know the project yet. ",
                nothing,
                "; ",
                SEND_AGAIN,
                " in a moment."
            ],
        ),
        RefactorError::Nothing(server) => (
            RefusalKind::NotFound,
            message![
                verbatim(server),
                " sees nothing at this place that it could rename: a keyword, a comment, text, or a name of another package. ",
                nothing,
                "; name the place where the symbol is defined or used."
            ],
        ),
        RefactorError::OtherText { server, text } => (
            RefusalKind::NotFound,
            message![
                "At this place ",
                verbatim(server),
                " would rename `",
                verbatim(shorten_message(&text)),
                "` and not the symbol. ",
                nothing,
                "; send symbol as it is in the file, the whole name and nothing else."
            ],
        ),
        RefactorError::Said { server, words } => (
            RefusalKind::Conflict,
            message![
                verbatim(server),
                " refuses: ",
                verbatim(shorten_message(&words)),
                ". ",
                nothing,
                "; choose another name or place."
            ],
        ),
        RefactorError::Unsupported { server, step } => (
            RefusalKind::Conflict,
            message![
                verbatim(server),
                " would also do this, which is no edit of a file: ",
                verbatim(shorten_message(&step)),
                ". ",
                nothing,
                ", because a plan is carried out whole or not at all. ",
                otherwise
            ],
        ),
        RefactorError::Malformed { server, why } => (
            RefusalKind::Conflict,
            message![
                "The plan of ",
                verbatim(server),
                " cannot be carried out exactly: ",
                verbatim(shorten_message(&why)),
                ". ",
                nothing,
                ". ",
                otherwise
            ],
        ),
        RefactorError::TooMany { server, files } => (
            RefusalKind::TooLarge,
            message![
                "The plan of ",
                verbatim(server),
                " touches ",
                files,
                " files; at most ",
                MOST_PLANNED_FILES,
                " are changed by one call. ",
                nothing,
                ". ",
                otherwise
            ],
        ),
        RefactorError::Unsettled(server) => (
            RefusalKind::Busy,
            message![
                "Files kept changing while ",
                verbatim(server),
                " was asked. ",
                nothing,
                "; ",
                SEND_AGAIN,
                " when no other program writes."
            ],
        ),
        RefactorError::Ended(server) => (
            RefusalKind::Busy,
            message![
                verbatim(server),
                " ended while it was asked. ",
                nothing,
                "; it is started again, so ",
                SEND_AGAIN,
                " in a moment."
            ],
        ),
        RefactorError::Slow(server) => (
            RefusalKind::Timeout,
            message![
                verbatim(server),
                " did not answer in time. ",
                nothing,
                "; ",
                SEND_AGAIN,
                ", or ask the user to raise language.wait."
            ],
        ),
        RefactorError::Changed => (
            RefusalKind::Stale,
            message![
                "The file changed while the server was asked. ",
                nothing,
                "; read it again and ",
                SEND_AGAIN,
                "."
            ],
        ),
    };
    Refusal::stating(kind, text)
}

/// Returns a server's message on one line, cut to its limit.
fn shorten_message(words: &str) -> String {
    let words = on_one_line(words.trim().trim_end_matches('.'));
    cut(&words, MOST_WORDS)
}

/// Returns the refusal for a file of the plan that cannot be changed.
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
    let text = message![
        "The plan of ",
        verbatim(server),
        " also changes ",
        &path,
        ", which ",
        why,
        ". ",
        purpose.nothing(),
        ", because a plan is carried out whole or not at all. ",
        purpose.otherwise()
    ];
    Refusal::stating(refusal.kind(), text).with("file_path", path)
}

/// Returns the refusal for a plan that changes a file which the rules deny. The file is not named.
pub(super) fn denied(server: &str, purpose: Purpose) -> Refusal {
    let text = message![
        "The plan of ",
        verbatim(server),
        " also changes a file that the rules deny. ",
        purpose.nothing(),
        ", because a plan is carried out whole or not at all. Ask the user."
    ];
    Refusal::stating(RefusalKind::Denied, text)
}

/// Returns the refusal for a plan that changes a protected file.
pub(super) fn protected(target: &Target, server: &str, purpose: Purpose) -> Refusal {
    let path = target.display_name();
    let text = message![
        "The plan of ",
        verbatim(server),
        " also changes ",
        &path,
        ", which is protected. ",
        purpose.nothing(),
        ", because a plan is carried out whole or not at all. Ask the user."
    ];
    Refusal::stating(RefusalKind::Declined, text).with("file_path", path)
}

/// Returns the refusal for a plan that names one file twice, by two of its names.
pub(super) fn twice(server: &str, target: &Target, purpose: Purpose) -> Refusal {
    let path = target.display_name();
    let text = message![
        "The plan of ",
        verbatim(server),
        " changes ",
        &path,
        " under two of its names. ",
        purpose.nothing(),
        ". ",
        purpose.otherwise()
    ];
    Refusal::stating(RefusalKind::Conflict, text).with("file_path", path)
}

/// Returns the refusal for a file whose text cannot be sent to servers.
pub(super) fn not_utf8(target: &Target) -> Refusal {
    let path = target.display_name();
    let text = message![
        &path,
        " would be changed, too, and is not UTF-8, which language servers need. Nothing was changed. Make the change with Grep and Edit instead, or ask the user."
    ];
    Refusal::stating(RefusalKind::Unencodable, text).with("file_path", path)
}

/// Returns the refusal for a place that does not match the bytes that were planned, such as half of a line end.
pub(super) fn inexact(target: &Target) -> Refusal {
    let path = target.display_name();
    let text = message![
        "A place of the server's plan in ",
        &path,
        " is no whole text. Nothing was changed. Make the change with Grep and Edit instead, or ask the user."
    ];
    Refusal::stating(RefusalKind::Conflict, text).with("file_path", path)
}

/// Returns the refusal for a file that changed while the server was queried.
pub(super) fn changed(target: &Target) -> Refusal {
    let path = target.display_name();
    let text = message![
        &path,
        " changed while the server was asked. Nothing was written; ",
        SEND_AGAIN,
        "."
    ];
    Refusal::stating(RefusalKind::Stale, text).with("file_path", path)
}

/// Returns the refusal for a path that is not UTF-8.
pub(super) fn not_text() -> Refusal {
    let text = "The server's plan changes a file whose path is not UTF-8, which no call can name. Nothing was changed; ask the user.";
    Refusal::stating(RefusalKind::Conflict, text)
}
