//! `lancet read`: shows files, or lines of them.

mod lines;
mod notebook;
mod picture;

use lancet::outcome::{Outcome, ReadKind};
use lancet::{Lancet, Session};

use super::session_named_or_new;
use crate::answer::{OutputFormat, Presentation, print_reply};
use crate::arguments::ReadArguments;
use crate::failure::{Exit, Failure};
use crate::opening::{OpenRequest, WriteAuthor};
use crate::surroundings::{RootHint, Surroundings, as_text};
use crate::terminal::{
    Colour, Style, print_error, print_rows_paged, print_streamed, stdout_is_terminal,
};

use lines::{FileLines, parse_file_and_range};

/// Runs `lancet read`.
pub(super) fn run(arguments: &ReadArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let mut files = Vec::with_capacity(arguments.files.len());
    for typed in &arguments.files {
        files.push(parse_file_and_range(typed, arguments, around)?);
    }
    let reached: Vec<_> = files.iter().map(|file| file.path.clone()).collect();
    let request = OpenRequest::for_command(
        &arguments.common.place,
        RootHint::AtAll(&reached),
        WriteAuthor::Agent(lancet::Mode::Plan),
    );
    let lancet = request.open(around)?.lancet;
    for file in &mut files {
        file.resolve_tail(&lancet)?;
    }
    let session = session_named_or_new(&lancet, arguments.common.session.as_ref());
    let mut worst = Exit::Done;
    let mut shown = Vec::new();
    for file in &files {
        let exit = read_one_file(arguments, file, &session, &lancet, &mut shown, around)?;
        if exit.exit_code() > worst.exit_code() {
            worst = exit;
        }
    }
    print_lines(arguments, &shown, around)?;
    Ok(worst)
}

/// Reads one file. Output for a person is returned to be shown; everything else is printed at once.
fn read_one_file(
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
        print_lines(arguments, shown, around)?;
        shown.clear();
        let drawn = match arguments.plain {
            true => picture::PictureDisplay::No,
            false => picture::PictureDisplay::WherePossible,
        };
        return picture::show_picture(&reply, facts, file, drawn, around);
    }
    if matches!(reply.outcome(), Outcome::Read(read) if read.kind == ReadKind::Notebook)
        && !is_for_a_model
    {
        print_lines(arguments, shown, around)?;
        shown.clear();
        return notebook::show_notebook(&reply, around);
    }
    if !is_text || is_for_a_model {
        print_lines(arguments, shown, around)?;
        shown.clear();
        let format = OutputFormat::from_json_flag(arguments.common.json);
        return print_reply(&reply, format, Presentation::Lines, around);
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
fn print_lines(
    arguments: &ReadArguments,
    files: &[lines::ShownLines],
    around: &Surroundings,
) -> Result<(), Failure> {
    if files.is_empty() {
        return Ok(());
    }
    let is_terminal = stdout_is_terminal();
    if !is_terminal && !arguments.plain && around.colour(false) == Colour::On {
        return print_streamed(|out| files.iter().try_for_each(|file| file.write_coloured(out)));
    }
    if arguments.plain || !is_terminal {
        for file in files {
            if let Some(words) = &file.nothing {
                print_error(&format!("lancet: {words}\n"));
            }
        }
        return print_streamed(|out| {
            for file in files {
                match is_terminal {
                    // Control characters of a file must not reach a terminal.
                    true => file.write_plain(out)?,
                    false => out.write_all(&file.bytes)?,
                }
            }
            Ok(())
        });
    }
    let colour = around.colour(true);
    let rows = files.iter().map(|file| file.lines.len() + 2).sum();
    print_rows_paged(rows, around, |out| {
        for file in files {
            if files.len() > 1 {
                let name = format!("==> {} <==\n", file.name);
                out.write_all(colour.paint(Style::Bold, &name).as_bytes())?;
            }
            file.write_numbered(out, colour)?;
        }
        Ok(())
    })
}
