//! `lancet events`: prints the events of the state folder, one JSON object a line.

use std::io;
use std::os::fd::AsFd as _;
use std::path::Path;

use lancet::history::{EventReader, EventWait, EventsSince, History, IdMatch, WakeReason};

use super::access::{open_engine, unreadable_failure};
use super::editor::EditorLink;
use super::owner::is_show_allowed;
use crate::arguments::EventsArguments;
use crate::failure::{Exit, Failure};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::print_streamed;

/// A number with at most this many digits may be the number of an event. An id of an operation has twelve characters,
/// and its shortest form four.
const MAX_EVENT_DIGITS: usize = 16;

/// Runs `lancet events`.
pub(crate) fn events(arguments: &EventsArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let lancet = open_engine(&arguments.place, RootHint::Project, None, around)?;
    let without = || Failure::usage("no state folder: there is neither a home nor --state-dir");
    let history = lancet.history().ok_or_else(without)?;
    let state = lancet.state_dir().ok_or_else(without)?;
    // Made before the first read, so that nothing is missed in between.
    let mut wait = arguments.follow.then(|| EventWait::new(state));
    let since = start_position(&history, arguments)?;
    let (place, surroundings) = (arguments.place.clone(), around.clone());
    let own = history.clone();
    let roots = lancet.roots();
    let may_show = move |path: &Path| match roots.iter().any(|root| path.starts_with(root)) {
        true => own.may_show(path),
        // A file of another project is shown where the rules of that project allow it.
        false => is_show_allowed(path, &place, &surroundings),
    };
    let reader = history
        .events_shown(&since, may_show)
        .map_err(unreadable_failure)?;
    let Some(mut reader) = reader else {
        return Err(Failure::usage("this change has no event any more"));
    };
    let editor = match &arguments.editor {
        Some(name) => Some(EditorLink::begin(&lancet, name, around)?),
        None => None,
    };
    loop {
        while print_page(&mut reader)? > 0 {}
        let Some(wait) = &mut wait else {
            return Ok(Exit::Done);
        };
        let out = io::stdout();
        let mut ends = vec![out.as_fd()];
        ends.extend(editor.as_ref().map(EditorLink::hangup_handle));
        match wait.wait_for_any(&ends) {
            Ok(WakeReason::Look) => {}
            Ok(WakeReason::Ended) => return Ok(Exit::Done),
            Err(error) => {
                return Err(Failure::system(format!(
                    "the events cannot be waited for: {error}"
                )));
            }
        }
    }
}

/// Prints the next events and returns their number.
fn print_page(reader: &mut EventReader) -> Result<usize, Failure> {
    let page = reader.next_page().map_err(unreadable_failure)?;
    if !page.is_empty() {
        print_streamed(|out| {
            page.iter()
                .try_for_each(|event| writeln!(out, "{}", event.to_json()))
        })?;
    }
    Ok(page.len())
}

/// Returns the starting point: a number of digits alone means an event, unless only a change has that id.
fn start_position(history: &History, arguments: &EventsArguments) -> Result<EventsSince, Failure> {
    let Some(typed) = &arguments.since else {
        return Ok(match arguments.follow {
            true => EventsSince::Now,
            false => EventsSince::Beginning,
        });
    };
    if typed.len() <= MAX_EVENT_DIGITS
        && let Ok(number) = typed.parse::<i64>()
    {
        return match number {
            0.. => Ok(EventsSince::Sequence(number)),
            _ => Err(Failure::usage(
                "--since takes the number of an event, 0 or more",
            )),
        };
    }
    match history.find(typed).map_err(unreadable_failure)? {
        IdMatch::One(found) => Ok(EventsSince::Operation(found.id)),
        IdMatch::None => Err(Failure::usage(format!("there is no change {typed}"))),
        IdMatch::Several(_) => Err(Failure::usage(format!(
            "{typed} is a part of several ids; give more of one"
        ))),
    }
}
