//! Inputs that several commands share: their session, and texts from files.

use std::io::Read as _;
use std::path::Path;

use lancet::{Lancet, Session, SessionName};

use crate::failure::Failure;
use crate::surroundings::Surroundings;

/// Returns the session of a command: the named one, else one that ends with the process.
pub(super) fn session_named_or_new(lancet: &Lancet, name: Option<&SessionName>) -> Session {
    match name {
        Some(name) => lancet.session(name),
        None => lancet.new_session(),
    }
}

/// Reads a whole file that was passed as text; `-` is standard input. `what` names the text in error messages.
pub(super) fn read_text_file(
    path: &Path,
    what: &str,
    around: &Surroundings,
) -> Result<String, Failure> {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if path == Path::new("-") {
            std::io::stdin().lock().read_to_end(&mut bytes)?;
        } else {
            let path = around
                .absolute(path)
                .map_err(|failure| std::io::Error::other(failure.message))?;
            std::fs::File::open(path)?.read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    };
    let name = if path == Path::new("-") {
        "standard input".into()
    } else {
        path.display().to_string()
    };
    let bytes = read()
        .map_err(|error| Failure::usage(format!("{what}: {name} cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::usage(format!(
            "{what}: {name} is not UTF-8 text (byte {at}); lancet takes texts as UTF-8"
        ))
    })
}
