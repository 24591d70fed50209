//! `lancet grep` and `lancet glob`: the search tools for people.

use std::io::{self, Write};
use std::path::Path;

use lancet::outcome::{Role, Row};
use lancet::tools::{GlobArguments as Glob, GrepArguments as Grep, OutputMode};
use lancet::{Reply, Session};
use lancet_mcp::Level;

use super::session_of;
use crate::answer::{OutputFormat, Presentation, put};
use crate::arguments::{GlobArguments, GrepArguments, Shared};
use crate::failure::{Exit, Failure};
use crate::opening::{ApproverKind, Lifetime, Offer, OpenRequest};
use crate::surroundings::{RootHint, Surroundings, as_text};
use crate::terminal::{Colour, Style, stdout_is_terminal, stream, visible, visible_line};

/// The longest answer, in characters; it is large because people have pagers.
const LONGEST: usize = 20_000_000;

/// Runs `lancet grep`.
pub(super) fn grep(arguments: &GrepArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let output_mode = match (arguments.files_with_matches, arguments.count) {
        (true, _) => OutputMode::FilesWithMatches,
        (_, true) => OutputMode::Count,
        _ => OutputMode::Content,
    };
    let path = arguments.path.as_deref();
    run(path, &arguments.common, around, |session, path| {
        let mut wanted = Grep::new(arguments.pattern.clone());
        wanted.path = path;
        wanted.glob = arguments.glob.clone();
        wanted.kind = arguments.kind.clone();
        wanted.output_mode = output_mode;
        wanted.after = arguments.after_context;
        wanted.before = arguments.before_context;
        wanted.context = arguments.context;
        wanted.numbers = arguments.no_line_number.then_some(false);
        wanted.ignore_case = arguments.ignore_case;
        wanted.multiline = arguments.multiline;
        wanted.head_limit = Some(arguments.limit.unwrap_or(0));
        wanted.offset = arguments.offset;
        wanted.include_ignored = arguments.no_ignore;
        session.grep(wanted)
    })
}

/// Runs `lancet glob`.
pub(super) fn glob(arguments: &GlobArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let path = arguments.path.as_deref();
    run(path, &arguments.common, around, |session, path| {
        let mut wanted = Glob::new(arguments.pattern.clone());
        wanted.path = path;
        wanted.limit = Some(arguments.limit.unwrap_or(u64::MAX));
        wanted.offset = arguments.offset;
        wanted.include_ignored = arguments.no_ignore;
        session.glob(wanted)
    })
}

fn run(
    path: Option<&Path>,
    common: &Shared,
    around: &Surroundings,
    search: impl FnOnce(&Session, Option<String>) -> Reply,
) -> Result<Exit, Failure> {
    let path = path.map(|path| around.absolute(path)).transpose()?;
    let request = OpenRequest {
        place: &common.place,
        reach: path.as_deref().map_or(RootHint::Folder, RootHint::At),
        mode: None,
        unasked_mode: lancet::Mode::Plan,
        offer: Offer::All,
        approver: ApproverKind::Nobody,
        answer_limit: LONGEST,
        unasked_log: Level::Error,
        lifetime: Lifetime::OneCall,
    };
    let lancet = request.open(around)?.lancet;
    let session = session_of(&lancet, common.session.as_ref());
    let path = path.as_deref().map(as_text).transpose()?;
    let reply = search(&session, path);
    if reply.is_error() {
        return put(
            &reply,
            OutputFormat::of(common.json),
            Presentation::Lines,
            around,
        );
    }
    stream(|out| {
        if common.json {
            for row in reply.rows() {
                serde_json::to_writer(&mut *out, row)?;
                writeln!(out)?;
            }
            writeln!(out, "{}", reply.data())
        } else if stdout_is_terminal() {
            let colour = Colour::of(true, around.plain);
            coloured(&reply, around.working.as_deref(), colour, out)
        } else {
            writeln!(out, "{}", reply.text())
        }
    })?;
    Ok(Exit::Done)
}

/// Formats matches for a terminal: files as headings, matches highlighted, numbers and notices dimmed.
fn coloured(
    reply: &Reply,
    working: Option<&Path>,
    colour: Colour,
    out: &mut dyn Write,
) -> io::Result<()> {
    let with_context = reply.rows().iter().any(|row| match row {
        Row::Line { role, .. } => *role == Role::Context,
        _ => false,
    });
    let mut heading: Option<&str> = None;
    let mut last = None;
    for row in reply.rows() {
        match row {
            Row::File { path, matches, .. } => {
                let count = matches.map(|number| format!(":{number}"));
                let name = name(path, working, colour);
                writeln!(out, "{name}{}", count.unwrap_or_default())?;
            }
            Row::Line {
                path,
                line,
                role,
                text,
                submatches,
                ..
            } => {
                if heading != Some(path) {
                    if heading.is_some() {
                        writeln!(out)?;
                    }
                    writeln!(out, "{}", name(path, working, colour))?;
                    heading = Some(path);
                } else if with_context && last.is_some_and(|last| *line > last + 1) {
                    writeln!(out, "{}", colour.paint(Style::Dim, "--"))?;
                }
                last = Some(*line);
                let mark = if *role == Role::Match { ':' } else { '-' };
                let number = colour.paint(Style::Green, &line.to_string());
                writeln!(out, "{number}{mark}{}", marked(text, submatches, colour))?;
            }
            _ => {}
        }
    }
    for line in reply
        .text()
        .lines()
        .filter(|line| line.starts_with("[lancet: "))
    {
        writeln!(out, "{}", colour.paint(Style::Dim, &visible(line)))?;
    }
    Ok(())
}

/// A file's name as a heading: relative to the working folder, where it is below it.
fn name(path: &str, working: Option<&Path>, colour: Colour) -> String {
    let path = Path::new(path);
    let below = working.and_then(|working| path.strip_prefix(working).ok());
    let name = below.unwrap_or(path).display();
    colour.paint(Style::Cyan, &visible_line(&name.to_string()))
}

/// A line with its matches highlighted.
fn marked(text: &str, matches: &[[u32; 2]], colour: Colour) -> String {
    let mut out = String::new();
    let mut at = 0;
    for [start, end] in matches.iter().map(|span| span.map(|at| at as usize)) {
        // Where undecodable bytes were replaced, the offsets no longer fit; the rest of the line then stays plain.
        let (Some(before), Some(found)) = (text.get(at..start), text.get(start..end)) else {
            break;
        };
        out.push_str(&visible(before));
        out.push_str(&colour.paint(Style::Red, &visible(found)));
        at = end;
    }
    out.push_str(&visible(text.get(at..).unwrap_or_default()));
    out
}
