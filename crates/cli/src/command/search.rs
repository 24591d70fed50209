//! `lancet grep` and `lancet glob`: the searching tools for people.

use std::path::Path;

use lancet::arguments::{GlobArguments as Glob, GrepArguments as Grep, OutputMode};
use lancet::{Reply, Session};
use lancet_mcp::Level;
use serde_json::Value;

use super::session_of;
use crate::answer::{Form, Shape, put};
use crate::arguments::{GlobArguments, GrepArguments, Shared};
use crate::failure::{Exit, Failure};
use crate::opening::{Lasts, Offer, Whom, Wish};
use crate::surroundings::{Reach, Surroundings, as_text};
use crate::terminal::{Colour, Style, print, stdout_is_terminal, visible, visible_line};

/// The longest answer, in characters: people have pagers.
const LONGEST: usize = 20_000_000;

/// Searches in files.
pub(super) fn grep(arguments: &GrepArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let output_mode = match (arguments.files_with_matches, arguments.count) {
        (true, _) => OutputMode::FilesWithMatches,
        (_, true) => OutputMode::Count,
        _ => OutputMode::Content,
    };
    let path = arguments.path.as_deref();
    run(path, &arguments.common, around, |session, path| {
        session.grep(Grep {
            pattern: arguments.pattern.clone(),
            path,
            glob: arguments.glob.clone(),
            kind: arguments.kind.clone(),
            output_mode,
            after: arguments.after_context,
            before: arguments.before_context,
            context: arguments.context,
            numbers: arguments.no_line_number.then_some(false),
            ignore_case: arguments.ignore_case,
            multiline: arguments.multiline,
            head_limit: Some(arguments.limit.unwrap_or(0)),
            offset: arguments.offset,
            include_ignored: arguments.no_ignore,
        })
    })
}

/// Lists files.
pub(super) fn glob(arguments: &GlobArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let path = arguments.path.as_deref();
    run(path, &arguments.common, around, |session, path| {
        session.glob(Glob {
            pattern: arguments.pattern.clone(),
            path,
            limit: Some(arguments.limit.unwrap_or(u64::MAX)),
            offset: arguments.offset,
            include_ignored: arguments.no_ignore,
        })
    })
}

fn run(
    path: Option<&Path>,
    common: &Shared,
    around: &Surroundings,
    search: impl FnOnce(&Session, Option<String>) -> Reply,
) -> Result<Exit, Failure> {
    let path = path.map(|path| around.absolute(path)).transpose()?;
    let wish = Wish {
        place: &common.place,
        reach: path.as_deref().map_or(Reach::Folder, Reach::File),
        mode: None,
        unasked_mode: lancet::Mode::Plan,
        offer: Offer::All,
        whom: Whom::Nobody,
        answer_limit: LONGEST,
        unasked_log: Level::Error,
        lasts: Lasts::OneCall,
    };
    let lancet = wish.open(around)?.lancet;
    let session = session_of(&lancet, common.session.as_ref());
    let path = path.as_deref().map(as_text).transpose()?;
    let reply = search(&session, path);
    if reply.is_error() {
        return put(&reply, Form::of(common.json), Shape::Lines, around);
    }
    if common.json {
        let mut out = String::new();
        for row in reply.rows().iter().chain([reply.data()]) {
            out.push_str(&format!("{row}\n"));
        }
        print(&out)?;
    } else if stdout_is_terminal() {
        let colour = Colour::of(true, around.plain);
        print(&coloured(&reply, &lancet.roots()[0], colour))?;
    } else {
        print(&format!("{}\n", reply.text()))?;
    }
    Ok(Exit::Done)
}

/// For a terminal: files as headings, numbers apart, matches set off; the notices stand back.
fn coloured(reply: &Reply, root: &Path, colour: Colour) -> String {
    let mut out = String::new();
    let mut heading = None;
    let mut last = None;
    for row in reply.rows() {
        let path = Path::new(row["path"].as_str().unwrap_or_default());
        let name = path
            .strip_prefix(root)
            .unwrap_or(path)
            .display()
            .to_string();
        let name = colour.paint(Style::Cyan, &visible_line(&name));
        let Some(number) = row["line"].as_u64() else {
            let count = row["matches"]
                .as_u64()
                .map(|number| format!(":{number}"))
                .unwrap_or_default();
            out.push_str(&format!("{name}{count}\n"));
            continue;
        };
        if heading.as_ref() != Some(&name) {
            let gap = if heading.is_some() { "\n" } else { "" };
            out.push_str(&format!("{gap}{name}\n"));
            heading = Some(name);
        } else if last.is_some_and(|last| number > last + 1) && has_context(reply) {
            out.push_str(&colour.paint(Style::Dim, "--"));
            out.push('\n');
        }
        last = Some(number);
        let mark = if row["type"] == "match" { ':' } else { '-' };
        let number = colour.paint(Style::Green, &number.to_string());
        out.push_str(&format!("{number}{mark}{}\n", marked(row, colour)));
    }
    for line in reply
        .text()
        .lines()
        .filter(|line| line.starts_with("[lancet: "))
    {
        out.push_str(&format!("{}\n", colour.paint(Style::Dim, &visible(line))));
    }
    out
}

fn has_context(reply: &Reply) -> bool {
    reply.rows().iter().any(|row| row["type"] == "context")
}

/// A line with its matches set off.
fn marked(row: &Value, colour: Colour) -> String {
    let text = row["text"].as_str().unwrap_or_default();
    let mut out = String::new();
    let mut at = 0;
    for span in row["submatches"].as_array().into_iter().flatten() {
        let bound = |nth: usize| usize::try_from(span[nth].as_u64().unwrap_or(0)).unwrap_or(0);
        let (start, end) = (bound(0), bound(1));
        // Where bytes that are no text were replaced, places have moved; then the rest stays plain.
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
