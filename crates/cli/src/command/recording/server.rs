//! The thread of a server that serves the hooks of agents as the recorder of the project.

use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::thread::Builder;

use lancet::Lancet;

use crate::arguments::{DiagnosticsOption, WorkArguments};
use crate::opening::{Lifetime, OpenRequest, WriteAuthor};
use crate::surroundings::{RootHint, Surroundings};

/// The thread. It ends when this is dropped.
#[must_use]
pub(in crate::command) struct ServerRecorder {
    _stop: Option<UnixStream>,
}

impl ServerRecorder {
    /// Begins to serve the hooks. Where that is impossible, a hook starts a recorder of its own.
    pub(in crate::command) fn begin(
        lancet: &Lancet,
        place: &WorkArguments,
        around: &Surroundings,
    ) -> Self {
        let begun = begin_thread(lancet, place, around);
        ServerRecorder {
            _stop: begun.ok().flatten(),
        }
    }
}

fn begin_thread(
    lancet: &Lancet,
    place: &WorkArguments,
    around: &Surroundings,
) -> std::io::Result<Option<UnixStream>> {
    // Without a state folder there is nothing that hooks could record.
    let Some(recorder) = lancet.standby_recorder() else {
        return Ok(None);
    };
    let (stop, stopped) = UnixStream::pair()?;
    // The rules of the server's own flags and of its agent are not those under which a hook looks at the files.
    let place = WorkArguments {
        root: lancet.roots().into_iter().take(1).collect(),
        state_dir: place.state_dir.clone(),
        ..WorkArguments::default()
    };
    let around = around.clone();
    let open = move || {
        let request = OpenRequest {
            lifetime: Lifetime::OneClient,
            diagnostics: Some(DiagnosticsOption::Off),
            ..OpenRequest::for_command(&place, RootHint::Project, WriteAuthor::Person)
        };
        request.open_confined(&around).ok()
    };
    Builder::new().spawn(move || {
        // If the state folder cannot be written, hooks cannot record either, and say so.
        let _ = recorder.serve(stopped.as_fd(), &open);
    })?;
    Ok(Some(stop))
}
