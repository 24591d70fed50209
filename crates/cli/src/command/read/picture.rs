//! Shows a picture to a person, if the terminal can, with a line that describes it.

use lancet::doors::format_size;
use lancet::outcome::PictureOutcome;
use lancet::{Block, Reply};

use super::lines::FileLines;
use crate::failure::{Exit, Failure};
use crate::surroundings::Surroundings;
use crate::terminal::{picture_sequences, print, stdout_is_terminal};

/// Shows a picture. A pipe gets only the line, and no escape sequences.
pub(super) fn show_picture(
    reply: &Reply,
    facts: &PictureOutcome,
    file: &FileLines,
    drawn: PictureDisplay,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let bytes = reply.blocks().iter().find_map(|block| match block {
        Block::Picture { bytes, .. } => Some(bytes),
        _ => None,
    });
    let protocol = around
        .pictures
        .filter(|_| drawn == PictureDisplay::WherePossible && stdout_is_terminal());
    let sequences = protocol.zip(bytes).and_then(|(protocol, bytes)| {
        picture_sequences(protocol, bytes, (facts.width, facts.height))
    });
    let PictureOutcome {
        format,
        width,
        height,
        ..
    } = facts;
    let length = file.path.metadata().map_or_else(
        |_| String::new(),
        |found| format!(", {}", format_size(found.len())),
    );
    print(&format!(
        "{}{}: {format} picture, {width}x{height} pixels{length}\n",
        sequences.unwrap_or_default(),
        file.name
    ))?;
    Ok(Exit::Done)
}

/// Whether a picture is drawn on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PictureDisplay {
    /// It is drawn where the terminal can show it.
    WherePossible,
    /// `--plain` was given.
    No,
}
