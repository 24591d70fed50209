//! The message for a panic: where it happened, and whether files may have been written. A backtrace is never shown.

use std::panic::set_hook;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use lancet::dialects::AppliedBy;
use lancet::review::SHELL_CLIENT;
use lancet::{Caller, Cancel, RawCall, Reply, Session};
use serde_json::Value;

use crate::answer::{OutputFormat, print_error_answer};
use crate::surroundings::RunningAgent;
use crate::terminal::print_error;

/// The call whose files the message of a panic is about: the last one that the command registered.
static UNDER_WAY: Mutex<Option<Cancel>> = Mutex::new(None);
/// The source location of the first panic, for the answer as JSON.
static PANICKED_AT: OnceLock<String> = OnceLock::new();

/// Calls a tool, and registers the call so that the message of a panic can say whether its files were written.
pub(crate) fn call_registered(
    session: &Session,
    tool: &str,
    arguments: Value,
    applied_by: AppliedBy,
) -> Reply {
    let mut call = RawCall::new(tool, arguments).with_caller(caller());
    call.cancel = begin_call();
    session.call(call.with_applied_by(applied_by))
}

/// Makes the handle of a command's call, and registers it for the message of a panic. The time limit of the call starts
/// now.
pub(crate) fn begin_call() -> Cancel {
    let cancel = Cancel::new();
    register_call(&cancel);
    cancel
}

fn register_call(cancel: &Cancel) {
    *UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner) = Some(cancel.clone());
}

fn running_call() -> Option<Cancel> {
    UNDER_WAY
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()
}

/// Makes and registers the handle of a person's call without a time limit: Ctrl-C ends it.
pub(crate) fn begin_unlimited_call() -> Cancel {
    let cancel = Cancel::with_time_limit(Duration::MAX);
    register_call(&cancel);
    cancel
}

/// Returns the name and version that the history records as the client of a typed command. A command that an agent runs
/// has another name than a person's: an agent's undo or redo has to be reviewed, and a person's has not.
pub(crate) fn caller() -> Caller {
    let name = match RunningAgent::detect() {
        Some(agent) => format!("{SHELL_CLIENT}, run by {}", agent.name),
        None => SHELL_CLIENT.to_owned(),
    };
    Caller::client(name, env!("CARGO_PKG_VERSION"))
}

/// Sets a panic hook that prints only the source location of a panic, because its message may quote a file's text. With
/// `--json` a panic of this thread is not printed by the hook but by [`report_panic`], as the one answer of the command.
pub(crate) fn hush_panics(form: OutputFormat) {
    let main = thread::current().id();
    set_hook(Box::new(move |panic| {
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        if form == OutputFormat::Text || thread::current().id() != main {
            print_error(&format!(
                "lancet: {}\n",
                fault_message(&place, running_call().as_ref())
            ));
        }
        let _ = PANICKED_AT.set(place);
    }));
}

/// Answers a command that a panic has ended, if the panic hook has not done so.
pub(crate) fn report_panic(form: OutputFormat) {
    if form == OutputFormat::Json {
        let place = PANICKED_AT.get().map_or("an unknown place", String::as_str);
        print_error_answer(
            "internal",
            &fault_message(place, running_call().as_ref()),
            form,
        );
    }
}

fn fault_message(place: &str, call: Option<&Cancel>) -> String {
    // Without a registered call the message does not mention files: the command reads, or it is `lancet mcp`, where the
    // answer to the call says whether they were written.
    let files = match call {
        None => "",
        Some(call) if call.may_have_written() => {
            " The file may have been written; read it before going on."
        }
        Some(_) => " Files are as they were.",
    };
    format!("a fault of lancet's own at {place}; please report it.{files}")
}

#[cfg(test)]
mod tests;
