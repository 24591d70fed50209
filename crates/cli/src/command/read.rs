//! `lancet read`: shows files, or lines of them.

mod lines;
mod notebook;
mod picture;

use lancet::outcome::{Outcome, ReadKind};
use lancet::{Lancet, Session};

use super::session_of;
use crate::answer::{OutputFormat, Presentation, put};
use crate::arguments::ReadArguments;
use crate::failure::{Exit, Failure};
use crate::opening::{OpenRequest, Writes};
use crate::surroundings::{RootHint, Surroundings, as_text};
use crate::terminal::{Colour, Style, paged, print_error, stdout_is_terminal, stream};

use lines::{FileLines, typed_range};

/// Runs `lancet read`.
pub(super) fn run(arguments: &ReadArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let mut files = Vec::with_capacity(arguments.files.len());
    for typed in &arguments.files {
        files.push(typed_range(typed, arguments, around)?);
    }
    let reached: Vec<_> = files.iter().map(|file| file.path.clone()).collect();
    let request = OpenRequest::of_command(
        &arguments.common.place,
        RootHint::AtAll(&reached),
        Writes::Agent(lancet::Mode::Plan),
    );
    let lancet = request.open(around)?.lancet;
    for file in &mut files {
        file.count_from_the_end(&lancet)?;
    }
    let session = session_of(&lancet, arguments.common.session.as_ref());
    let mut worst = Exit::Done;
    let mut shown = Vec::new();
    for file in &files {
        let exit = one(arguments, file, &session, &lancet, &mut shown, around)?;
        if exit.number() > worst.number() {
            worst = exit;
        }
    }
    show(arguments, &shown, around)?;
    Ok(worst)
}

/// Reads one file. Output for a person is returned to be shown; everything else is printed at once.
fn one(
    arguments: &ReadArguments,
    file: &FileLines,
    session: &Session,
    lancet: &Lancet,
    shown: &mut Vec<lines::ShownLines>,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let mut wanted = lancet::tools::ReadArguments::new(as_text(&file.path)?);
    wanted.offset = file.offset;
    wanted.limit = file.limit;
    wanted.column = arguments.column;
    wanted.pages = arguments.pages.clone();
    if arguments.outline {
        wanted.mode = lancet::tools::ReadMode::Outline;
    }
    let reply = session.read(wanted);
    let is_text = matches!(reply.outcome(), Outcome::Read(read) if read.kind == ReadKind::Text);
    let is_for_a_model = arguments.common.session.is_some()
        || arguments.common.json
        || arguments.number
        || arguments.column.is_some();
    if let (Outcome::Read(read), false) = (reply.outcome(), is_for_a_model)
        && let Some(facts) = &read.picture
    {
        show(arguments, shown, around)?;
        shown.clear();
        let drawn = match arguments.plain {
            true => picture::Drawn::No,
            false => picture::Drawn::WherePossible,
        };
        return picture::show(&reply, facts, file, drawn, around);
    }
    if matches!(reply.outcome(), Outcome::Read(read) if read.kind == ReadKind::Notebook)
        && !is_for_a_model
    {
        show(arguments, shown, around)?;
        shown.clear();
        return notebook::show(&reply, around);
    }
    if !is_text || is_for_a_model {
        show(arguments, shown, around)?;
        shown.clear();
        let format = OutputFormat::from_json_flag(arguments.common.json);
        return put(&reply, format, Presentation::Lines, around);
    }
    match file.read(&lancet.new_session())? {
        Ok(lines) => {
            shown.push(lines);
            Ok(Exit::Done)
        }
        // The file changed since the call above.
        Err(message) => Err(Failure::refused(message)),
    }
}

/// Shows the lines that were read.
fn show(
    arguments: &ReadArguments,
    files: &[lines::ShownLines],
    around: &Surroundings,
) -> Result<(), Failure> {
    if files.is_empty() {
        return Ok(());
    }
    let is_terminal = stdout_is_terminal();
    if !is_terminal && !arguments.plain && around.colour(false) == Colour::On {
        return stream(|out| files.iter().try_for_each(|file| file.put_coloured(out)));
    }
    if arguments.plain || !is_terminal {
        for file in files {
            if let Some(words) = &file.nothing {
                print_error(&format!("lancet: {words}\n"));
            }
        }
        return stream(|out| {
            for file in files {
                match is_terminal {
                    // Control characters of a file must not reach a terminal.
                    true => file.put_plain(out)?,
                    false => out.write_all(&file.bytes)?,
                }
            }
            Ok(())
        });
    }
    let colour = around.colour(true);
    let rows = files.iter().map(|file| file.lines.len() + 2).sum();
    paged(rows, around, |out| {
        for file in files {
            if files.len() > 1 {
                let name = format!("==> {} <==\n", file.name);
                out.write_all(colour.paint(Style::Bold, &name).as_bytes())?;
            }
            file.put(out, colour)?;
        }
        Ok(())
    })
}
