//! The message for a panic: where it happened, and whether files may have been written. A backtrace is never shown.

use std::panic::set_hook;
use std::sync::OnceLock;

use lancet::dialects::AppliedBy;
use lancet::{Caller, Cancel, RawCall, Reply, Session};
use serde_json::Value;

use crate::terminal::print_error;

/// The call whose files the message of a panic is about. A command registers at most one call, so it is never replaced.
static UNDER_WAY: OnceLock<Cancel> = OnceLock::new();

/// Calls a tool, and registers the call so that the message of a panic can say what became of its files.
pub(crate) fn watched(
    session: &Session,
    tool: &str,
    arguments: Value,
    applied_by: AppliedBy,
) -> Reply {
    let call = RawCall::new(tool, arguments).with_caller(caller());
    let call = call.on_behalf_of(applied_by);
    register(&call.cancel);
    session.call(call)
}

/// Registers a call for the message of a panic.
pub(crate) fn register(cancel: &Cancel) {
    let _ = UNDER_WAY.set(cancel.clone());
}

/// The name and version that the history records as the client of a typed command.
pub(crate) fn caller() -> Caller {
    Caller::client("lancet", env!("CARGO_PKG_VERSION"))
}

/// Sets a panic hook that prints only the source location of a panic, because its message may quote a file's text.
pub(crate) fn hush_panics() {
    set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        print_error(&words(&place, UNDER_WAY.get()));
    }));
}

fn words(place: &str, call: Option<&Cancel>) -> String {
    // Without a registered call nothing is said about files: over MCP the answer to the call says whether they were
    // written, and `apply`, `undo`, `redo` and `restore` register no call.
    let files = match call {
        None => "",
        Some(call) if call.may_have_written() => {
            " The file may have been written; read it before going on."
        }
        Some(_) => " Files are as they were.",
    };
    format!("lancet: a fault of lancet's own at {place}; please report it.{files}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lancet::{Lancet, Mode};
    use serde_json::json;

    #[test]
    fn a_fault_behind_the_write_does_not_say_that_nothing_was_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let builder = Lancet::builder().root(folder.path());
        let lancet = builder.mode(Mode::AcceptEdits).open().expect("opened");
        let file = json!({ "file_path": folder.path().join("a"), "content": "x" });
        let call = RawCall::new("Write", file);
        let cancel = call.cancel.clone();
        assert!(words("here", Some(&cancel)).contains("as they were"));
        lancet.new_session().call(call);
        assert!(words("here", Some(&cancel)).contains("may have been written"));
        assert!(!words("here", None).contains("iles"));
    }
}
